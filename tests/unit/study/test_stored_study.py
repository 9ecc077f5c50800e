"""A study in a storage: closed, opened, continued, edited."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from imoca import Choice, Fidelity, Integer, Objective, Problem, Real, Simulator, Study
from imoca.errors import MethodError, ProblemError, StorageError, StudyMismatchError
from imoca.storage.definition import Definition
from imoca.storage.memory import MemoryStorage
from imoca.storage.sqlite.storage import SQLiteStorage
from imoca.trials.trial import Answer, Run

STORAGES = [
    pytest.param(lambda folder: MemoryStorage(), id="memory"),
    pytest.param(lambda folder: folder / "study.db", id="sqlite"),
]


def left(x: float, n: int, c: str, z: float) -> float:
    return (x - 0.2) ** 2 + 0.1 * (1 - z) + n


def right(x: float, n: int, c: str, z: float) -> float:
    return (x - 0.8) ** 2 + 0.1 * (1 - z) * x


def make_problem(
    high: float = 1.0, goal: Any = "minimize", run: Any = left, cost: Any = "0.1 + z", **simulator: Any
) -> Problem:
    return Problem(
        [Real("x", 0.0, high), Integer("n", 0, 3), Choice("c", ["a", "b"])],
        [
            Simulator("left", [Objective("l", goal)], run, fidelity=Fidelity.continuous(), cost=cost, **simulator),
            Simulator("right", [Objective("r", "minimize")], right, fidelity=Fidelity.continuous(), cost="0.1 + z"),
        ],
    )


def test_a_study_continues_where_it_was_left(tmp_path: Path) -> None:
    for budget in (0.5, 3.0, 8.0):
        with Study(make_problem(), n_fronts=2, storage=tmp_path / "study.db") as study:
            study.optimize(budget)
    with (
        Study(make_problem(), n_fronts=2) as whole,
        Study.load(tmp_path / "study.db", read_only=True) as stored,
    ):
        whole.optimize(8.0)
        assert stored.trials == whole.trials
        assert stored.cost_spent == whole.cost_spent
        assert stored.problem == make_problem()
        assert len(stored.runs) == 2 * len(stored.trials)
        assert stored.owner is None


@pytest.mark.parametrize("make_storage", STORAGES)
@pytest.mark.parametrize(
    ("changes", "settings", "words"),
    [
        ({"high": 2.0}, {}, "parameters.x.high: was 1.0, now is 2.0"),
        ({"goal": "maximize"}, {}, "simulators.left.outputs.l: was 'minimize', now is 'maximize'"),
        ({"cost": "0.2 + z"}, {}, "simulators.left.cost: was '0.1 [+] z', now is '0.2 [+] z'"),
        ({}, {"seed": 1}, "study.seed: was 0, now is 1"),
        ({}, {"method": "imoca-e"}, "study.method: was 'imoca-p', now is 'imoca-e'"),
        ({}, {"n_fronts": 5}, "study.n_fronts: was absent, now is 5"),
    ],
)
def test_another_definition_is_refused_and_its_difference_shown(
    changes: dict[str, Any], settings: dict[str, Any], words: str, make_storage: Callable[[Path], Any], tmp_path: Path
) -> None:
    storage = make_storage(tmp_path)
    with Study(make_problem(), storage=storage) as study:
        trial = study.ask()
    with pytest.raises(StudyMismatchError, match=words):
        Study(make_problem(**changes), storage=storage, **settings)
    with Study(make_problem(), storage=storage) as study:
        assert study.trials == (trial,)


def test_a_refused_definition_does_not_replace_the_stored_one(tmp_path: Path) -> None:
    Study(make_problem(), storage=tmp_path / "study.db").close()
    with pytest.raises(StudyMismatchError):
        Study(make_problem(high=2.0, retries=3), storage=tmp_path / "study.db")
    with Study.load(tmp_path / "study.db") as study:
        assert study.problem == make_problem()


def test_the_order_of_parameters_is_part_of_the_definition(tmp_path: Path) -> None:
    problem = make_problem()
    Study(problem, storage=tmp_path / "study.db").close()
    with pytest.raises(StudyMismatchError, match="order"):
        Study(Problem(problem.parameters[::-1], problem.simulators), storage=tmp_path / "study.db")


def test_how_a_simulator_is_started_may_change(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    Study(make_problem(), storage=path).close()
    Study(make_problem(run=right, timeout=60.0, retries=2), storage=path).close()
    with Study.load(path) as study:
        changed = study.problem.simulator("left")
    assert (changed.timeout, changed.retries) == (60.0, 2)


def declared_problem(**declared: Any) -> Problem:
    return Problem([Real("x", 0.0, 1.0)], [Simulator("s", [Objective("f", "minimize", **declared)])])


@pytest.mark.parametrize("make_storage", STORAGES)
def test_what_an_output_is_declared_to_be_may_change_and_is_stored(
    make_storage: Callable[[Path], Any], tmp_path: Path
) -> None:
    storage = make_storage(tmp_path)
    declarations: list[dict[str, Any]] = [{}, {"low": 0.0}, {"low": -1.0, "high": 2.0}, {"log": True}, {"log": False}]
    for declared in [*declarations, {}]:
        with Study(declared_problem(**declared), storage=storage) as study:
            study.tell(study.ask(), {"f": 1.5})
        with Study(declared_problem(**declared), storage=storage) as study:
            assert study.problem == declared_problem(**declared)
    if isinstance(storage, Path):
        with Study.load(storage) as study:
            assert study.problem == declared_problem()
            assert len(study.trials) == 6


@pytest.mark.parametrize("make_storage", STORAGES)
@pytest.mark.parametrize(
    ("declared", "words"),
    [
        ({"low": 0.0}, "trial 1: 'f' is -0.5, which lies below its declared low = 0.0"),
        ({"high": 2.0}, "trial 0: 'f' is 2.5, which lies above its declared high = 2.0"),
        ({"log": True}, "trial 1: 'f' is -0.5, which has no logarithm"),
    ],
)
def test_a_declaration_that_stored_answers_contradict_is_refused_with_the_answers(
    declared: dict[str, Any], words: str, make_storage: Callable[[Path], Any], tmp_path: Path
) -> None:
    storage = make_storage(tmp_path)
    with Study(declared_problem(), storage=storage) as study:
        for value in (2.5, -0.5, 1.0):
            study.tell(study.ask(), {"f": value})
    with pytest.raises(StudyMismatchError, match=words) as caught:
        Study(declared_problem(**declared), storage=storage)
    assert caught.value.message.count("trial ") == 1
    assert caught.value.hint
    with Study(declared_problem(low=-0.5, high=2.5), storage=storage) as study:
        assert len(study.trials) == 3


def test_of_many_answers_that_contradict_a_declaration_a_few_are_shown_and_the_others_counted() -> None:
    storage = MemoryStorage()
    with Study(declared_problem(), storage=storage) as study:
        for _ in range(9):
            study.tell(study.ask(), {"f": -1.0})
    with pytest.raises(StudyMismatchError, match=r"(?s)trial 0: .*trial 4: .*and 4 more") as caught:
        Study(declared_problem(low=0.0), storage=storage)
    assert "trial 5" not in caught.value.message


def test_an_answer_of_a_trial_that_is_not_finished_yet_counts_as_well() -> None:
    storage = MemoryStorage()
    with Study(declared_problem(), storage=storage) as study:
        study.launch()
    storage.record(Run(0, "s", 1, started=1.0, ended=2.0, answer=Answer({"f": -1.0})))
    with pytest.raises(StudyMismatchError, match=r"trial 0: 'f' is -1\.0"):
        Study(declared_problem(low=0.0), storage=storage)


def test_a_function_that_cannot_be_imported_is_given_anew_each_time(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    with Study(make_problem(run=lambda x, n, c, z: x), storage=path) as study:
        study.optimize(0.5)
    with Study.load(path) as viewed:
        assert viewed.problem.simulator("left").run is None
        with pytest.raises(ProblemError, match="nothing to run"):
            viewed.optimize(1.0)
    with Study(make_problem(run=lambda x, n, c, z: x), storage=path) as study:
        study.optimize(3.0)
        assert len(study.trials) > 1


def test_a_cost_that_cannot_be_stored_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    with pytest.raises(ProblemError, match="cost"):
        Study(make_problem(cost=lambda z: 0.1 + z), storage=tmp_path / "study.db")


def test_loading_what_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="no study"):
        Study.load(tmp_path / "none.db")


def test_in_memory_a_cost_may_be_a_local_function_which_is_itself_and_no_other() -> None:
    def cost(z: float) -> float:
        return 0.1 + z

    storage = MemoryStorage()
    with Study(make_problem(cost=cost), storage=storage) as study:
        study.optimize(0.5)
        trials = study.trials
    with Study(make_problem(cost=cost, run=lambda x, n, c, z: x), storage=storage) as study:
        assert study.trials == trials
    with pytest.raises(StudyMismatchError, match=r"simulators.left.cost: was <function .*cost at .*<lambda>"):
        Study(make_problem(cost=lambda z: 0.2 + z), storage=storage)


@pytest.mark.parametrize(
    "use",
    [
        lambda study: study.trials,
        lambda study: study.runs,
        lambda study: study.owner,
        lambda study: study.cost_spent,
        lambda study: study.runs_folder,
        Study.ask,
        Study.pareto_front,
        lambda study: study.optimize(1.0),
        lambda study: study.fail(0, "exploded"),
        Study.check_kept,
        lambda study: study.add({"x": 0.5, "n": 1, "c": "a"}, {"left": 1.0, "right": 1.0}, {"l": 1.0, "r": 1.0}),
    ],
)
@pytest.mark.parametrize("place", [None, "study.db", "given"])
def test_a_closed_study_says_so_whatever_is_asked(
    use: Callable[[Study], Any], place: str | None, tmp_path: Path
) -> None:
    storage = {None: None, "study.db": tmp_path / "study.db", "given": MemoryStorage()}[place]
    study = Study(make_problem(), storage=storage)
    study.ask()
    study.close()
    study.close()
    with pytest.raises(StorageError, match=r"The study in (memory|.*study.db) was closed"):
        use(study)


def test_a_study_closes_what_it_opened_and_leaves_open_what_it_was_given(tmp_path: Path) -> None:
    given = MemoryStorage()
    with Study(make_problem(), storage=given) as study:
        trial = study.ask()
    assert given.trials() == (trial,)
    with Study(make_problem(), storage=tmp_path / "study.db") as study:
        study.ask()
    assert [path.name for path in tmp_path.iterdir()] == ["study.db"]  # the write-ahead log is gone too
    with Study.load(tmp_path / "study.db") as study:
        study.ask()
    assert [path.name for path in tmp_path.iterdir()] == ["study.db"]


def test_a_study_that_cannot_be_opened_leaves_nothing_open(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    SQLiteStorage(path).close()
    with pytest.raises(StorageError, match="holds no study yet"):
        Study.load(path)
    assert list(tmp_path.iterdir()) == [path]  # an open one would have its write-ahead log beside it
    Study(make_problem(), storage=path).close()
    with pytest.raises(StudyMismatchError):
        Study(make_problem(), seed=1, storage=path)
    assert list(tmp_path.iterdir()) == [path]


def test_a_stored_setting_that_its_method_never_used_is_no_obstacle(tmp_path: Path) -> None:
    """Studies used to keep such settings; now giving one is an error."""
    path = tmp_path / "study.db"
    with closing(SQLiteStorage(path)) as storage:
        storage.define(Definition(make_problem(), "parego", 0, {"initial_design": "cheap"}))
    with Study.load(path) as study:
        study.ask()
    with Study(make_problem(), method="parego", storage=path) as study:
        assert len(study.trials) == 1
    with pytest.raises(MethodError, match="no use of initial_design"):
        Study(make_problem(), method="parego", initial_design="cheap", storage=path)


def test_a_study_by_a_method_that_is_not_installed_can_be_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    with Study(make_problem(), storage=path) as study:
        study.add({"x": 0.5, "n": 1, "c": "a"}, {"left": 1.0, "right": 1.0}, {"l": 1.0, "r": 2.0})
    with closing(SQLiteStorage(path)) as storage:
        storage.redefine(Definition(make_problem(), "from-elsewhere", 0, {"n_fronts": 3}))
    with Study.load(path, read_only=True) as study:
        assert study.cost_spent == 2.0
        assert len(study.pareto_front()) > 0
    with Study.load(path) as study, pytest.raises(MethodError, match="from-elsewhere"):
        study.ask()
    with pytest.raises(StudyMismatchError, match="was 'from-elsewhere', now is 'imoca-p'"):
        Study(make_problem(), storage=path)


def test_what_is_no_problem_and_no_database_is_refused_in_words(tmp_path: Path) -> None:
    wrong: Any = "wing.db"
    with pytest.raises(ProblemError, match=r"The problem of a study came as 'wing\.db'") as refused:
        Study(wrong)
    assert "Study.load" in refused.value.hint
    path = tmp_path / "study.toml"
    path.write_text("[study]\n", encoding="utf-8")
    with pytest.raises(StorageError, match="is a study file, not the database"):
        Study.load(path)

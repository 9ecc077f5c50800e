from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from imoca import Study
from imoca.errors import StorageError
from imoca.snapshot import bill
from imoca.storage.owner import this_process
from imoca.storage.sqlite.storage import SQLiteStorage
from imoca.trials import Run, Trial, TrialState, TrialTable
from imoca_lab.harness.drive import Suggestions, drive, net_costs, open_study
from imoca_lab.harness.run_spec import MethodChoice, ProblemChoice, RunSpec
from imoca_lab.harness.single_run import finish_run
from imoca_lab.registry import get


def spec_of(method: str, budget: float, trials: int | None = None, time: float | None = None) -> RunSpec:
    return RunSpec(
        ProblemChoice("branin_currin"), MethodChoice(method), seed=1, budget=budget, trials=trials, time=time
    )


def driven(spec: RunSpec, folder: Path) -> tuple[Trial, ...]:
    with open_study(spec, get("branin_currin").problem, folder / "study.db") as study:
        return drive(spec, study, Suggestions(folder / "suggestions.jsonl"))


@pytest.mark.slow
@pytest.mark.parametrize(("method", "budget"), [("random", 7.0), ("imoca-t", 2.5)])
def test_a_run_asks_what_a_study_asks(method: str, budget: float, tmp_path: Path) -> None:
    study = Study(get("branin_currin").problem, method=method, seed=1)
    study.optimize(budget, progress=False)
    found = driven(spec_of(method, budget), tmp_path)
    assert [(t.parameters, t.fidelities, t.values) for t in found] == [
        (t.parameters, t.fidelities, t.values) for t in study.trials
    ]


def test_a_question_left_open_by_a_kill_is_answered_first(tmp_path: Path) -> None:
    whole = driven(spec_of("random", 8.0), tmp_path)
    (tmp_path / "cut").mkdir()
    with open_study(spec_of("random", 8.0), get("branin_currin").problem, tmp_path / "cut" / "study.db") as study:
        study.launch()
    assert driven(spec_of("random", 8.0), tmp_path / "cut") == whole
    assert len(Suggestions(tmp_path / "cut" / "suggestions.jsonl").seconds()) == len(whole) - 1


def test_a_question_left_open_is_answered_also_where_no_more_may_be_asked(tmp_path: Path) -> None:
    with open_study(spec_of("random", 8.0), get("branin_currin").problem, tmp_path / "study.db") as study:
        study.launch()
    (only,) = driven(spec_of("random", 8.0, trials=1), tmp_path)
    assert only.state is TrialState.COMPLETE


def test_what_a_kill_lost_is_run_again_and_not_counted(tmp_path: Path) -> None:
    whole = driven(spec_of("random", 8.0), tmp_path)
    (tmp_path / "cut").mkdir()
    with open_study(spec_of("random", 8.0), get("branin_currin").problem, tmp_path / "cut" / "study.db") as study:
        study.launch()
    with closing(SQLiteStorage(tmp_path / "cut" / "study.db")) as storage:
        storage.record(Run(0, "branin", 1, 10.0, None))  # begun by a driver that is gone
    found = driven(spec_of("random", 8.0), tmp_path / "cut")
    assert [trial.values for trial in found] == [trial.values for trial in whole]
    table = TrialTable.encode(get("branin_currin").problem, found)
    assert bill(table).wasted.sum() == pytest.approx(1.0)
    assert net_costs(table).tolist() == pytest.approx([2.0] * len(whole))


def test_a_larger_budget_continues_and_a_smaller_one_cuts(tmp_path: Path) -> None:
    short = driven(spec_of("random", 4.0), tmp_path)
    assert len(short) == 2
    long = driven(spec_of("random", 12.0), tmp_path)
    assert len(long) == 6
    assert long[:2] == short
    assert driven(spec_of("random", 4.0), tmp_path) == short
    assert driven(spec_of("random", 12.0, trials=3), tmp_path) == long[:3]


def test_limits_of_trials_and_of_time_end_a_run(tmp_path: Path) -> None:
    (tmp_path / "timed").mkdir()
    assert len(driven(spec_of("random", 100.0, trials=3), tmp_path)) == 3
    assert len(driven(spec_of("random", 100.0, time=1e-9), tmp_path / "timed")) == 1


def test_a_torn_line_costs_that_line_only(tmp_path: Path) -> None:
    suggestions = Suggestions(tmp_path / "suggestions.jsonl")
    suggestions.add(0, 0.5)
    with suggestions.path.open("a", encoding="utf-8") as file:
        file.write("\n[1, 0.")
    suggestions.add(2, 0.25)
    assert suggestions.seconds() == {0: 0.5, 2: 0.25}


def test_a_run_that_another_process_drives_is_refused(tmp_path: Path, until_the_end: ExitStack) -> None:
    storage = until_the_end.enter_context(closing(SQLiteStorage(tmp_path / "study.db")))
    storage.claim(this_process())
    with pytest.raises(StorageError, match="already being run"):
        finish_run(spec_of("random", 4.0), "by hand", tmp_path)

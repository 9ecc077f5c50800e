"""What a run takes of a cluster."""

import pickle

import pytest

from imoca import Choice, Fidelity, Objective, Problem, Real, Resources, Simulator
from imoca.errors import ProblemError
from imoca.problem.resources import Needs
from imoca.studyfile import problem_from_toml, problem_to_toml

KNOB = Fidelity.continuous(0.0, 1.0)


def make_problem(resources: Resources, fidelity: Fidelity = KNOB) -> Problem:
    cost = "1 + z" if fidelity is KNOB else [1, 2, 3]
    simulator = Simulator("s", [Objective("f", "minimize")], fidelity=fidelity, cost=cost, resources=resources)
    return Problem([Real("x", 1, 2), Choice("metal", ["al", "ti"])], [simulator])


@pytest.mark.parametrize(
    ("resources", "z", "needs"),
    [
        (Resources(), 0.5, Needs()),
        (Resources(cores="1 + 7*z"), 0.0, Needs(cores=1)),
        (Resources(cores="1 + 7*z"), 0.5, Needs(cores=5)),  # 4.5 are not to be had
        (Resources(cores="(0.1 + 0.2) * 10*z"), 1.0, Needs(cores=3)),  # that is 3 but for its last bits
        (Resources(walltime="10m + 2h*z"), 0.5, Needs(walltime=600 + 3600)),
        (Resources(walltime="1.5d"), 0.0, Needs(walltime=129600)),
        (Resources(walltime=90), 0.0, Needs(walltime=90)),
        (Resources(memory="2GB"), 0.0, Needs(memory=2_000_000_000)),
        (Resources(memory="1.5 GiB + 500MB * z"), 1.0, Needs(memory=1_610_612_736 + 500_000_000)),
        (Resources(memory="1e3kB*x"), 0.0, Needs(memory=2_000_000)),
        (Resources(4, "1GB", "1h"), 0.0, Needs(4, 1_000_000_000, 3600)),
    ],
)
def test_amounts_computed_by_hand(resources: Resources, z: float, needs: Needs) -> None:
    assert resources.needed({"x": 2.0, "metal": "al"}, KNOB, z) == needs


def test_levels_may_have_an_entry_each() -> None:
    levels = Fidelity.levels(["coarse", "medium", "fine"])
    resources = Resources(cores=[1, "2*x", 16], memory="1GB")
    found = [resources.needed({"x": 2.0}, levels, level).cores for level in ("coarse", "medium", "fine")]
    assert found == [1, 4, 16]
    with pytest.raises(ProblemError, match=r"'s': resources.cores is \(1, 2\), but there are 3 level"):
        make_problem(Resources(cores=[1, 2]), levels)
    with pytest.raises(ProblemError, match="but there are 1 level"):
        make_problem(Resources(cores=[1, 2]))


@pytest.mark.parametrize(
    ("amount", "fault"),
    [("4*y", "'y'"), ("2h", "cannot be read"), ("import os", "cannot be read"), ("", "cannot be read")],
)
def test_what_no_core_can_be_is_refused_in_words(amount: str, fault: str) -> None:
    with pytest.raises(ProblemError, match=fault):
        make_problem(Resources(cores=amount))


def test_levels_in_words_have_no_z() -> None:
    with pytest.raises(ProblemError, match="'z'"):
        make_problem(Resources(cores="1 + z"), Fidelity.levels(["a", "b", "c"]))


@pytest.mark.parametrize("amount", [[], True, {"a": 1}, float("nan"), [None]])
def test_what_is_no_amount_is_refused(amount: object) -> None:
    with pytest.raises(ProblemError, match=r"resources.memory is"):
        Resources(memory=amount)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["z - 1", "0", "1/0", "1e30"])
def test_an_amount_that_nothing_has_is_refused_when_it_comes_up(text: str) -> None:
    with pytest.raises(ProblemError, match="which comes to"):
        Resources(cores=text).needed({}, KNOB, 0.5)


def test_a_study_file_holds_them_and_other_processes_get_them() -> None:
    problem = make_problem(Resources(cores="1 + 7*z", memory="2GB", walltime="10m + 2h*z"))
    assert problem_from_toml(problem_to_toml(problem)) == problem
    levels = make_problem(Resources(cores=[1, 2, "4*x"]), Fidelity.levels([10, 20, 30]))
    assert problem_from_toml(problem_to_toml(levels)) == levels
    sent = pickle.loads(pickle.dumps(problem.simulators[0].resources))  # noqa: S301
    assert sent == problem.simulators[0].resources
    assert sent.needed({}, KNOB, 1.0).cores == 8


def test_a_simulator_takes_nothing_else_for_resources() -> None:
    with pytest.raises(ProblemError, match=r"Give Resources\("):
        Simulator("s", [Objective("f", "minimize")], resources={"cores": 4})  # type: ignore[arg-type]

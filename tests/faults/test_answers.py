"""F6: the same answer twice, another answer, an unknown trial. F7: answers and costs that are no finite numbers."""

import json
import math
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from imoca import Fidelity, Objective, Problem, Real, Simulator, Study
from imoca.errors import CostError, TrialError
from imoca.methods.beliefs import believe
from imoca.problem.simulator import Command
from imoca.snapshot.convergence import box_around, front_volume
from imoca.trials.trial import TrialState

NOT_NUMBERS: list[Any] = [
    math.nan,
    math.inf,
    -math.inf,
    None,
    1 + 2j,
    "0.5",
    [1.0],
    np.array([1.0, 2.0]),
    np.array(1.0),
    True,
    np.bool_(False),
    10**400,
    np.float64("nan"),
    {},
]
NOT_COSTS: list[Any] = [*NOT_NUMBERS, 0.0, -1.0, -math.inf]
IN_RESULT_FILES = ["NaN", "Infinity", "-Infinity", "1e999", "null", '"0.5"', "[1.0]", "true", "{}"]

TELL_MORE = """
import sys
from imoca import Study
from imoca.errors import TrialError
for number, value in ((0, 0.1), (0, 0.2), (7, 0.1)):
    try:
        print(Study.load(sys.argv[1]).tell(number, {"f": value, "g": 0.0}).values["f"])
    except TrialError as error:
        print(f"TrialError: {error}")
"""


def short(value: object) -> str:
    return repr(value)[:20]


def answer_well(a: float, z: float) -> float:
    return a * z


def make_problem(broken: Any = answer_well, cost: Any = "z") -> Problem:
    fidelity = Fidelity.continuous(1, 10)
    return Problem(
        [Real("a", 0.0, 1.0)],
        [
            Simulator("steady", [Objective("f", "minimize")], answer_well, fidelity=fidelity, cost="z"),
            Simulator("broken", [Objective("g", "maximize")], broken, fidelity=fidelity, cost=cost),
        ],
    )


@pytest.fixture(params=["memory", "sqlite"])
def study(request: pytest.FixtureRequest, tmp_path: Path, until_the_end: ExitStack) -> Study:
    storage = None if request.param == "memory" else tmp_path / "study.db"
    return until_the_end.enter_context(Study(make_problem(), method="random", storage=storage))


def test_the_same_tell_again_changes_nothing(study: Study) -> None:
    trial = study.ask()
    first = study.tell(trial, {"f": 0.1 + 0.2, "g": 2.0}, {"steady": 3.0})
    again = study.tell(trial.number, {"g": np.float64(2.0), "f": 0.1 + 0.2}, {"steady": 3})
    assert again == first
    assert study.trials == (first,)
    assert study.cost_spent == pytest.approx(0.3 + _share(trial.fidelities["broken"]))  # counted once


def _share(fidelity: Any) -> float:
    return float(fidelity) / 10.0


@pytest.mark.parametrize(
    "other",
    [
        {"values": {"f": 1.0000000000000002, "g": 2.0}},
        {"values": {"f": 1.0, "g": 2.0}, "cost": {"steady": 3.0}},
        {"values": {"f": 1.0}, "failures": {"broken": "no"}},
    ],
)
def test_another_answer_is_a_conflict_and_the_first_is_kept(study: Study, other: dict[str, Any]) -> None:
    trial = study.ask()
    first = study.tell(trial, {"f": 1.0, "g": 2.0})
    with pytest.raises(TrialError, match="Trial 0 already has another answer") as raised:
        study.tell(trial, **other)
    assert raised.value.message.endswith(": f 1.0, g 2.0.")
    assert "first answer is kept" in raised.value.hint
    with pytest.raises(TrialError, match="Trial 0"):
        study.fail(trial, "gave up")
    assert study.trials == (first,)


@pytest.mark.parametrize("number", [-1, 2, 10**30])
def test_an_unknown_trial_is_an_error_that_names_the_known_ones(study: Study, number: int) -> None:
    study.ask(2)
    with pytest.raises(TrialError, match=f"no trial {number}") as raised:
        study.tell(number, {"f": 1.0, "g": 2.0})
    assert "2 trials, numbered from 0" in raised.value.hint
    assert all(trial.state is TrialState.RUNNING for trial in study.trials)


@pytest.mark.parametrize("number", ["0", 0.0, True, None])
def test_what_is_no_number_of_a_trial_is_refused(study: Study, number: Any) -> None:
    study.ask(2)
    with pytest.raises(TrialError, match="is no trial"):
        study.tell(number, {"f": 1.0, "g": 2.0})


@pytest.mark.slow
def test_the_first_answer_also_stays_when_another_process_tells(tmp_path: Path, until_the_end: ExitStack) -> None:
    path = tmp_path / "study.db"
    study = until_the_end.enter_context(Study(make_problem(), method="random", storage=path))
    told = study.tell(study.ask(), {"f": 0.1, "g": 0.0})
    command = [sys.executable, "-c", TELL_MORE, str(path)]
    said = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout.splitlines()
    assert said[0] == "0.1"
    assert said[1].startswith("TrialError: Trial 0 already has another answer")
    assert said[2].startswith("TrialError: There is no trial 7")
    assert study.trials == (told,)


@pytest.mark.parametrize("value", NOT_NUMBERS, ids=short)
def test_tell_takes_only_finite_real_scalars(study: Study, value: Any) -> None:
    trial = study.ask()
    with pytest.raises(TrialError, match="Output 'g' came as"):
        study.tell(trial, {"f": 1.0, "g": value})
    assert study.trials[0].state is TrialState.RUNNING
    study.tell(trial, {"f": 1.0, "g": 2.0})


@pytest.mark.parametrize("value", [3, np.float32(0.5), np.int64(7), Fraction(1, 3), -0.0, 5e-324, 1e150])
def test_every_kind_of_finite_real_scalar_passes(study: Study, value: Any) -> None:
    study.tell(study.ask(), {"f": 1.0, "g": value})
    assert study.trials[0].values["g"] == float(value)


@pytest.mark.parametrize("cost", NOT_COSTS, ids=short)
def test_tell_takes_only_positive_finite_costs(study: Study, cost: Any) -> None:
    trial = study.ask()
    with pytest.raises(CostError, match="cost of simulator 'broken' came as"):
        study.tell(trial, {"f": 1.0, "g": 2.0}, {"broken": cost})
    assert study.trials[0].state is TrialState.RUNNING
    assert study.cost_spent == 0.0


@pytest.mark.parametrize("value", NOT_NUMBERS, ids=short)
def test_a_simulator_that_returns_no_number_has_failed_alone(
    value: Any, tmp_path: Path, until_the_end: ExitStack
) -> None:
    study = until_the_end.enter_context(
        Study(make_problem(lambda a, z: value), method="random", storage=tmp_path / "study.db")
    )
    study.optimize(1.0)
    assert study.trials
    for trial in study.trials:
        assert trial.values.keys() == {"f"}
        assert trial.failures.keys() == {"broken"}
        assert "Error: " in trial.failures["broken"]


@pytest.mark.parametrize("cost", NOT_COSTS, ids=short)
def test_a_simulator_that_returns_a_bad_cost_has_failed_alone_and_is_paid_for(
    cost: Any, tmp_path: Path, until_the_end: ExitStack
) -> None:
    study = until_the_end.enter_context(
        Study(make_problem(lambda a, z: (1.0, cost)), method="random", storage=tmp_path / "study.db")
    )
    study.optimize(1.0)
    for trial in study.trials:
        assert trial.values.keys() == {"f"}
        assert "broken" in trial.failures["broken"] or "Error: " in trial.failures["broken"]
        assert "broken" not in trial.costs
    expected = sum(_share(each) for trial in study.trials for each in trial.fidelities.values())
    assert study.cost_spent == pytest.approx(expected)


@pytest.mark.parametrize("text", IN_RESULT_FILES)
@pytest.mark.parametrize("key", ["g", "cost"])
def test_a_program_that_writes_no_number_has_failed_alone(
    key: str, text: str, tmp_path: Path, until_the_end: ExitStack
) -> None:
    result = '{"g": 1.0, "cost": 1.0}'.replace(f'"{key}": 1.0', f'"{key}": {text}')
    (tmp_path / "result.txt").write_text(result, encoding="utf-8")
    command = Command(["sh", "-c", 'cp "$0" result.json', "result.txt"])
    study = until_the_end.enter_context(Study(make_problem(command), method="random", storage=tmp_path / "study.db"))
    study.optimize(0.1)
    (trial, *_) = study.trials
    assert trial.values.keys() == {"f"}
    assert "came as" in trial.failures["broken"]
    assert Path(study.runs[1].folder or "", "result.json").read_text(encoding="utf-8") == result  # kept to look at


class Moody:
    """Answers with every kind of bad value in turn, and well in between."""

    def __init__(self) -> None:
        self.n_calls = 0

    def __call__(self, a: float, z: float) -> Any:
        self.n_calls += 1
        bad = NOT_NUMBERS[self.n_calls // 2 % len(NOT_NUMBERS)]
        return bad if self.n_calls % 2 else a - 0.1 * z


def run_moody(study: Study, moody: Callable[..., Any]) -> None:
    while len(study.trials) < 30:
        trial = study.ask()
        values: dict[str, Any] = {"f": answer_well(**trial.parameters, z=trial.fidelities["steady"])}  # type: ignore[arg-type]
        answer = moody(trial.parameters["a"], trial.fidelities["broken"])
        try:
            study.tell(trial, values | {"g": answer}, {"broken": 1.0})
        except TrialError as error:
            study.tell(trial, values, failures={"broken": error.message})


@pytest.mark.slow
def test_what_is_no_number_reaches_no_model_no_front_and_no_hypervolume(
    tmp_path: Path, until_the_end: ExitStack
) -> None:
    moody = Moody()
    problem = make_problem(moody, cost="measured")
    study = until_the_end.enter_context(Study(problem, n_fronts=2, storage=tmp_path / "study.db"))
    run_moody(study, moody)
    n_failed = sum("broken" in trial.failures for trial in study.trials)
    assert 10 <= n_failed < len(study.trials)
    assert all("f" in trial.values for trial in study.trials)
    beliefs = believe(study.table())
    assert beliefs is not None
    assert [len(data.values) for data in beliefs.data] == [len(study.trials), len(study.trials) - n_failed]
    for data, surrogate in zip(beliefs.data, beliefs.surrogates, strict=True):
        assert np.isfinite(data.values).all()
        assert np.isfinite(surrogate.weights).all()
    front = study.pareto_front()
    numbers = [number for point in front for each in (point.predicted, point.uncertainty) for number in each.values()]
    assert numbers
    assert np.isfinite(numbers).all()
    assert 0.0 < front_volume(study.problem, front, box_around(study.problem, [front], study.table())) <= 1.0
    stored = json.dumps([dict(trial.values) for trial in study.trials], allow_nan=False)
    assert "NaN" not in stored


def test_a_failure_without_a_reason_is_a_failure_still(study: Study) -> None:
    trial = study.ask()
    assert set(study.fail(trial, " ").failures.values()) == {"no reason was given"}
    assert study.fail(trial, "") == study.trials[0]  # once more, and nothing changes

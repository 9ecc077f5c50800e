"""Many simulators at a time: quicker, and no question twice."""

import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from imoca import Fidelity, Objective, Problem, Real, Simulator, Study
from imoca.trials import Run

SLEEP = 0.5
N_TRIALS = 16


def sleepy(x: float, y: float) -> float:
    time.sleep(SLEEP)
    return x + y


def make_study(folder: Path, name: str) -> Study:
    problem = Problem([Real("x", 0, 1), Real("y", 0, 1)], [Simulator("s", [Objective("f", "minimize")], sleepy)])
    return Study(problem, method="random", storage=folder / f"{name}.db")


def seconds_of_runs(study: Study) -> float:
    """From the first start to the last end; starting the workers themselves is not what is compared."""
    runs = study.runs
    return max(run.ended or 0.0 for run in runs) - min(run.started for run in runs)


def most_at_a_time(runs: tuple[Run, ...]) -> int:
    return max(sum(other.started <= run.started < (other.ended or 0.0) for other in runs) for run in runs)


@pytest.mark.slow
def test_four_workers_are_at_least_three_times_as_quick_as_one(tmp_path: Path, until_the_end: ExitStack) -> None:
    one, four = (
        until_the_end.enter_context(make_study(tmp_path, "one")),
        until_the_end.enter_context(make_study(tmp_path, "four")),
    )
    one.optimize(N_TRIALS, workers=1)
    four.optimize(N_TRIALS, workers=4)
    assert len(one.trials) == len(four.trials) == N_TRIALS
    assert most_at_a_time(one.runs) == 1
    assert most_at_a_time(four.runs) == 4
    assert seconds_of_runs(one) / seconds_of_runs(four) > 3.0


@pytest.mark.slow
def test_four_dask_workers_are_at_least_three_times_as_quick_as_one(tmp_path: Path, until_the_end: ExitStack) -> None:
    distributed = pytest.importorskip("distributed", reason="Dask is not installed: pip install imoca[dask]")
    one, four = (
        until_the_end.enter_context(make_study(tmp_path, "one")),
        until_the_end.enter_context(make_study(tmp_path, "four")),
    )
    with distributed.LocalCluster(
        n_workers=4, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0"
    ) as cluster:
        one.optimize(N_TRIALS, dask=cluster.scheduler_address, workers=1)
        four.optimize(N_TRIALS, dask=cluster.scheduler_address)
    assert len(one.trials) == len(four.trials) == N_TRIALS
    assert most_at_a_time(four.runs) == 4
    assert seconds_of_runs(one) / seconds_of_runs(four) > 3.0


def left(x: float, y: float, z: float) -> float:
    time.sleep(0.02)
    return (x - 0.2) ** 2 + y + 0.1 * (1 - z)


def right(x: float, y: float, z: float) -> float:
    time.sleep(0.02)
    return (x - 0.8) ** 2 - y


@pytest.mark.slow
def test_no_question_repeats_one_that_is_still_running(tmp_path: Path, until_the_end: ExitStack) -> None:
    fidelity = Fidelity.continuous()
    problem = Problem(
        [Real("x", 0, 1), Real("y", 0, 1)],
        [
            Simulator("left", [Objective("l", "minimize")], left, fidelity=fidelity, cost="0.1 + z**2"),
            Simulator("right", [Objective("r", "minimize")], right, fidelity=fidelity, cost="0.1 + z**2"),
        ],
    )
    study = until_the_end.enter_context(Study(problem, storage=tmp_path / "study.db", n_fronts=2))
    study.optimize(6.0, workers=4)
    questions = [tuple(trial.parameters.items()) + tuple(trial.fidelities.items()) for trial in study.trials]
    assert len(set(questions)) == len(questions)
    designs = [(trial.parameters["x"], trial.parameters["y"]) for trial in study.trials]
    started = {run.trial: run.started for run in reversed(study.runs)}
    ended = {run.trial: run.ended or 0.0 for run in study.runs}
    for i, design in enumerate(designs):
        pending = [j for j in range(i) if started[j] <= started[i] < ended[j]]
        assert design not in [designs[j] for j in pending]
    assert any(started[j] < started[i] < ended[j] for i in started for j in started if i != j)

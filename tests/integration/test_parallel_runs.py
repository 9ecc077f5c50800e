"""Many simulators at a time, and no question twice."""

import os
import time
import uuid
from contextlib import ExitStack
from pathlib import Path
from typing import ClassVar

import pytest

from imoca import Fidelity, Objective, Problem, Real, Simulator, Study
from imoca.methods.random_search import RandomSearch
from imoca.runners.base import Finished, Job
from imoca.runners.execution import run_job
from imoca.trials import Candidate, TrialTable
from imoca.trials.trial import Run

MEETING = "IMOCA_TEST_MEETING"  # where simulators of one test meet
PATIENCE = 120.0  # seconds after which those who were waited for do not come


def meet_three_others(x: float, y: float) -> float:
    """Answers only when four run at the same time: one after the other they would never end."""
    folder = Path(os.environ[MEETING])
    (folder / uuid.uuid4().hex).touch()
    deadline = time.monotonic() + PATIENCE
    while len(list(folder.iterdir())) < 4:
        if time.monotonic() > deadline:
            raise TimeoutError("nobody came")
        time.sleep(0.02)
    return x + y


def add(x: float, y: float) -> float:
    return x + y


@pytest.fixture(autouse=True)
def meeting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "meeting").mkdir()
    monkeypatch.setenv(MEETING, str(tmp_path / "meeting"))


def make_study(folder: Path, simulate: object) -> Study:
    simulator = Simulator("s", [Objective("f", "minimize")], simulate)  # type: ignore[arg-type]
    problem = Problem([Real("x", 0, 1), Real("y", 0, 1)], [simulator])
    return Study(problem, method="random", storage=folder / "study.db")


def most_at_a_time(runs: tuple[Run, ...]) -> int:
    return max(sum(other.started <= run.started < (other.ended or 0.0) for other in runs) for run in runs)


def check_met(study: Study) -> None:
    assert len(study.trials) == 8
    assert not any(trial.failures for trial in study.trials)
    assert most_at_a_time(study.runs) == 4


@pytest.mark.slow
def test_four_workers_run_four_simulators_at_a_time(tmp_path: Path, until_the_end: ExitStack) -> None:
    study = until_the_end.enter_context(make_study(tmp_path, meet_three_others))
    study.optimize(8.0, workers=4)
    check_met(study)


@pytest.mark.slow
def test_four_dask_workers_run_four_simulators_at_a_time(tmp_path: Path, until_the_end: ExitStack) -> None:
    distributed = pytest.importorskip("distributed", reason="Dask is not installed: pip install imoca[dask]")
    study = until_the_end.enter_context(make_study(tmp_path, meet_three_others))
    with distributed.LocalCluster(
        n_workers=4, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0"
    ) as cluster:
        study.optimize(8.0, dask=cluster.scheduler_address)
    check_met(study)


@pytest.mark.slow
def test_one_worker_runs_one_simulator_at_a_time(tmp_path: Path, until_the_end: ExitStack) -> None:
    study = until_the_end.enter_context(make_study(tmp_path, add))
    study.optimize(8.0, workers=1)
    assert len(study.trials) == 8
    assert most_at_a_time(study.runs) == 1


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
    study.optimize(4.0, workers=4)
    questions = [tuple(trial.parameters.items()) + tuple(trial.fidelities.items()) for trial in study.trials]
    assert len(set(questions)) == len(questions)
    designs = [(trial.parameters["x"], trial.parameters["y"]) for trial in study.trials]
    started = {run.trial: run.started for run in reversed(study.runs)}
    ended = {run.trial: run.ended or 0.0 for run in study.runs}
    for i, design in enumerate(designs):
        pending = [j for j in range(i) if started[j] <= started[i] < ended[j]]
        assert design not in [designs[j] for j in pending]
    assert any(started[j] < started[i] < ended[j] for i in started for j in started if i != j)


class ThreeAtOnce:
    """A runner of three, of which the job that was submitted last is the first to end."""

    runs_here = False

    def __init__(self) -> None:
        self.running: list[Job] = []
        self.together: list[list[tuple[int, str]]] = []  # what ran, whenever something ended

    def n_slots(self) -> int:
        return 3

    def submit(self, job: Job) -> None:
        self.running.append(job)

    def collect(self, timeout: float) -> list[Finished]:
        self.together.append([(job.trial, job.simulator.name) for job in self.running])
        job = self.running.pop()
        return [Finished(job, run_job(job))]

    def cancel(self) -> None:
        self.running.clear()

    def close(self) -> None:
        pass


class Watching(RandomSearch):
    """Notes which simulators had answered when a question was asked."""

    seen: ClassVar[list[dict[int, list[str]]]] = []

    def suggest(self, table: TrialTable, seed: int) -> Candidate:
        answered = {t.number: [name for name in t.fidelities if name not in t.pending] for t in table.trials}
        self.seen.append(answered)
        return super().suggest(table, seed)


def test_a_free_worker_takes_another_simulator_of_a_running_design_and_every_answer_is_known_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    runner = ThreeAtOnce()
    monkeypatch.setattr("imoca.study.study.make_runner", lambda *_: runner)
    simulators = [Simulator(name, [Objective(f"{name} f", "minimize")], add) for name in ("s", "t")]
    study = Study(Problem([Real("x", 0, 1), Real("y", 0, 1)], simulators), method="random")
    Watching.seen.clear()
    monkeypatch.setattr(study, "_method", Watching())
    study.optimize(trials=3, progress=False)
    assert runner.together[0] == [(0, "s"), (0, "t"), (1, "s")]
    assert runner.together[1] == [(0, "s"), (0, "t"), (1, "t")]  # the first that ended leaves its place to its sibling
    assert Watching.seen == [{}, {0: []}, {0: [], 1: ["s", "t"]}]

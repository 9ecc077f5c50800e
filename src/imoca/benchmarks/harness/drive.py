"""Drive one stored study to its end, noting what every suggestion took."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from imoca.benchmarks.harness.run_spec import RunSpec
from imoca.problem.problem import Problem
from imoca.runners.base import Job
from imoca.runners.execution import check_runnable, run_job
from imoca.storage.base import Storage
from imoca.study.accounting import bill, is_cost_guessed
from imoca.study.loop import stop_if_mostly_failing
from imoca.study.study import Study
from imoca.trials import Trial, TrialState


@dataclass(frozen=True)
class Suggestions:
    """CPU seconds per trial, in a file of its own: a line each, so that a kill costs one line at the most."""

    path: Path

    def add(self, trial: int, seconds: float) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps([trial, seconds]) + "\n")

    def seconds(self) -> dict[int, float]:
        """By the number of the trial; one whose line was lost or torn is absent."""
        found: dict[int, float] = {}
        for line in self.path.read_text(encoding="utf-8").splitlines() if self.path.exists() else ():
            try:
                trial, seconds = json.loads(line)
            except ValueError:
                continue
            found[trial] = seconds
        return found


def open_study(spec: RunSpec, problem: Problem, storage: Storage | None) -> Study:
    """The study of a run, begun or continued; without a storage it lives in memory."""
    return Study(
        problem,
        method=spec.method.name,  # type: ignore[arg-type]  # checked by the study
        seed=spec.seed,
        storage=storage,
        n_fronts=spec.method.n_fronts,
        initial_design=spec.method.initial_design,  # type: ignore[arg-type]
        fidelity_reduction=spec.method.fidelity_reduction,
    )


def drive(spec: RunSpec, study: Study, suggestions: Suggestions) -> tuple[Trial, ...]:
    """Ask, run and tell in this process until the run is over; all its trials.

    Trials are those of ``Study.optimize``, which does not tell a suggestion from a simulation.
    """
    check_runnable(study.problem, study.folder)
    for trial in study.trials:
        if trial.state is TrialState.RUNNING:  # asked before a kill
            _answer(study, trial)
    while _goes_on(spec, study, suggestions):
        before = time.process_time()
        trial = study.ask()
        suggestions.add(trial.number, time.process_time() - before)
        _answer(study, trial)
        stop_if_mostly_failing(study.trials)
    return within_limits(spec, study.problem, study.trials)


def within_limits(spec: RunSpec, problem: Problem, trials: Sequence[Trial]) -> tuple[Trial, ...]:
    """The trials up to the one that reached the budget, for a database may hold those of a larger one."""
    costs = bill(problem, trials).spent.sum(axis=1).cumsum()
    n_affordable = int((costs < spec.budget).sum()) + 1
    return tuple(trials[: min(n_affordable, spec.trials or n_affordable)])


def _goes_on(spec: RunSpec, study: Study, suggestions: Suggestions) -> bool:
    trials = study.trials
    if spec.trials is not None and len(trials) >= spec.trials:
        return False
    if spec.time is not None and sum(suggestions.seconds().values()) >= spec.time:
        return False
    return study.cost_spent < spec.budget or is_cost_guessed(study.problem, trials)


def _answer(study: Study, trial: Trial) -> None:
    values: dict[str, float] = {}
    costs: dict[str, float] = {}
    failures: dict[str, str] = {}
    for simulator in study.problem.simulators:
        fidelity = trial.fidelities[simulator.name]
        folder = study.runs_folder / f"trial-{trial.number:05d}" / simulator.name
        answer = run_job(Job(trial.number, simulator, trial.parameters, fidelity, 1, study.folder, folder))
        values |= answer.values
        costs |= answer.costs
        failures |= answer.failures
    study.tell(trial, values, costs, failures)

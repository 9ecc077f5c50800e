"""The runs of open trials: what is still to be run, and what a trial's runs add up to."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from imoca.problem.problem import Problem
from imoca.problem.simulator import Simulator
from imoca.runners.base import Job
from imoca.trials.trial import Answer, Run, RunState, Trial

MOST_DEATHS = 3  # of drivers in a row while one simulator of a trial ran, after which that run has failed
SHORTEST = 1e-9  # seconds of wall time: a cost is positive
LEAST_TIME = 0.5  # share of the seconds between start and end that a run itself takes, if it is long


def is_settled(simulator: Simulator, runs: Sequence[Run]) -> bool:
    """Whether the simulator has answered, or failed once more than it may be tried again."""
    own = [run for run in runs if run.simulator == simulator.name]
    n_failed = sum(run.state is RunState.FAILED for run in own)
    return any(run.state is RunState.ANSWERED for run in own) or n_failed > simulator.retries


def after_driver_death(simulator: Simulator, run: Run, runs: Sequence[Run], ended: float) -> Run:
    """What becomes of a run whose driver died: lost and run again, but failed if that has happened too often in a row.

    ``runs`` are the ones of its trial before it.
    """
    lost = dataclasses.replace(run, ended=ended)
    earlier = [each for each in runs if each.simulator == run.simulator]
    in_a_row = [*reversed(earlier)][: MOST_DEATHS - 1]
    if len(in_a_row) < MOST_DEATHS - 1 or not all(each.is_lost_with_driver for each in in_a_row):
        return lost
    reason = f"The process that drives the study died {MOST_DEATHS} times in a row while this ran."
    costs = {simulator.name: max(lost.elapsed, SHORTEST)} if simulator.is_cost_measured else {}
    return dataclasses.replace(lost, answer=Answer(costs=costs, failures={simulator.name: reason}))


def next_job(
    problem: Problem, trial: Trial, simulator: Simulator, runs: Sequence[Run], study_folder: Path, runs_folder: Path
) -> Job:
    """The next attempt, given the trial's runs so far."""
    attempt = 1 + sum(run.simulator == simulator.name for run in runs)
    folder = _run_folder(problem, trial, simulator, attempt, runs_folder)
    fidelity = trial.fidelities[simulator.name]
    return Job(trial.number, simulator, trial.parameters, fidelity, attempt, study_folder, folder)


def asked_simulators(problem: Problem, trial: Trial) -> list[Simulator]:
    return [simulator for simulator in problem.simulators if simulator.name in trial.fidelities]


def merged_answer(problem: Problem, trial: Trial, runs: Sequence[Run]) -> Answer:
    """The last run of every simulator that is settled is its answer; what the ones before it cost was wasted."""
    values: dict[str, float] = {}
    errors: dict[str, float] = {}
    costs: dict[str, float] = {}
    failures: dict[str, str] = {}
    wasted: dict[str, float] = {}
    pending: list[str] = []
    for simulator in asked_simulators(problem, trial):
        if not is_settled(simulator, runs):
            pending.append(simulator.name)
            continue
        *earlier, last = [run for run in runs if run.simulator == simulator.name]
        if last.answer is not None:
            values |= last.answer.values
            errors |= last.answer.errors
            costs |= last.answer.costs
            failures |= last.answer.failures
        if earlier:
            wasted[simulator.name] = sum(_cost_of(problem, simulator, trial, run) for run in earlier)
    return Answer(values, costs, failures, wasted, tuple(pending), errors)


def are_costs_times(problem: Problem, runs: Sequence[Run]) -> bool:
    """Whether what runs cost are seconds: of every simulator none took less, and the dearest took about that long."""
    for simulator in problem.simulators:
        own = [run for run in runs if run.simulator == simulator.name and run.state is RunState.ANSWERED]
        told = [(run.answer.costs.get(simulator.name, math.inf), run.elapsed) for run in own if run.answer is not None]
        if not simulator.is_cost_measured or not told or any(cost > seconds for cost, seconds in told):
            return False
        dearest, seconds = max(told)
        if dearest < LEAST_TIME * seconds:
            return False
    return True


def _cost_of(problem: Problem, simulator: Simulator, trial: Trial, run: Run) -> float:
    """What a run cost in the simulator's own units: as told, else its wall time, else as declared."""
    if run.answer is not None and simulator.name in run.answer.costs:
        return run.answer.costs[simulator.name]
    if simulator.is_cost_measured:
        return run.elapsed
    x = problem.space.encode(trial.parameters)[None]
    z = np.array([simulator.fidelity.encode(trial.fidelities[simulator.name])])
    return float(simulator.costs(problem.space, x, z)[0, 0])


def _run_folder(problem: Problem, trial: Trial, simulator: Simulator, attempt: int, runs_folder: Path) -> Path:
    """A folder that does not exist yet; a simulator's name may hold anything, so its place goes with it."""
    safe_name = re.sub(r"[^A-Za-z0-9_-]", "_", simulator.name)[:50]
    index = problem.simulators.index(simulator) + 1
    parent = runs_folder / f"trial-{trial.number:05d}" / f"{index}-{safe_name}"
    folder = parent / f"attempt-{attempt}"
    copy = 1
    while folder.exists():  # left by a study that was begun anew under the same name
        copy += 1
        folder = parent / f"attempt-{attempt}-{copy}"
    return folder

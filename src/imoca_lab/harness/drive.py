"""Drive one stored study to its end, noting what every suggestion took."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from imoca import Problem, Study, Trial
from imoca.arrays import Array
from imoca.snapshot import bill, is_cost_guessed
from imoca.trials import TrialTable
from imoca_lab.harness.run_spec import RunSpec


@dataclass(frozen=True)
class Suggestions:
    """CPU seconds per trial, in a file of its own: a line each, so that a kill costs one line at the most."""

    path: Path

    def add(self, trial: int, seconds: float) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write("\n" + json.dumps([trial, seconds]))  # the end of a line first: a kill may have left half of one

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


def open_study(spec: RunSpec, problem: Problem, storage: Path | None) -> Study:
    """The study of a run, begun or continued; without a storage it lives in memory."""
    return Study(problem, method=spec.method.name, seed=spec.seed, storage=storage, **spec.method.settings.given)


def drive(spec: RunSpec, study: Study, suggestions: Suggestions) -> tuple[Trial, ...]:
    """Optimise until the run is over; all its trials.

    What a kill lost is run again and not counted: a run that was killed has the result of one that was not.
    """
    spent = sum(suggestions.seconds().values())

    def has_time() -> bool:
        return spec.time is None or spent < spec.time

    def noted(trial: Trial, seconds: float) -> bool:
        nonlocal spent
        suggestions.add(trial.number, seconds)
        spent += seconds
        return has_time()

    if not study.table().is_finished.all():
        study.optimize(trials=len(study.table()), progress=False)  # what a kill left open, and nothing more
    n_before = -1  # what was lost is known when its trial is finished, so there may be something left to spend
    while has_time() and n_before < len(study.table()) and not _is_spent(spec, study.table()):
        n_before = len(study.table())
        lost = float(bill(study.table()).wasted.sum())
        study.optimize(spec.budget + lost, trials=spec.trials, on_question=noted, progress=False)
    return within_limits(spec, study.table())


def _is_spent(spec: RunSpec, table: TrialTable) -> bool:
    return bool(net_costs(table).sum() >= spec.budget) and not is_cost_guessed(table)


def within_limits(spec: RunSpec, table: TrialTable) -> tuple[Trial, ...]:
    """The trials up to the one that reached the budget, for a database may hold those of a larger one."""
    n_affordable = int((net_costs(table).cumsum() < spec.budget).sum()) + 1
    return table.trials[: min(n_affordable, spec.trials or n_affordable)]


def net_costs(table: TrialTable) -> Array:  # (n,)
    """What each trial cost, without what was lost by attempts before the last one."""
    costs = bill(table)
    return costs.by_trial - costs.wasted.sum(axis=1)

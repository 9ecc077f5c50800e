"""What trials cost, in units of the budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from imoca.arrays import Array, BoolArray
from imoca.errors import FigureError
from imoca.models.cost import CostModel, LearnedCostModel, cost_model, costs_of_runs
from imoca.problem.allowance import Allowance
from imoca.trials.table import TrialTable
from imoca.trials.trial import Run, RunState, SimulatorState

LARGEST = 1e150  # that a run counts, and all of them: whatever was told, sums and squares of it are numbers


@dataclass(frozen=True)
class Bill:
    """Per trial and simulator, in the problem's order; NaN where a cost is not known here.

    It is not where the cost is a function, none of its values is stored, and the study is only looked at.
    """

    spent: Array  # (n, n_simulators), while a simulator runs what earlier attempts took
    wasted: Array  # (n, n_simulators), the share of it that earlier attempts took
    expected: Array  # (n, n_simulators), of simulators that run
    setup: Array  # (n,), of preparing the design, whichever simulators were asked
    is_verification: BoolArray  # (n,), whether a trial was asked in order to verify a design

    @property
    def by_trial(self) -> Array:  # (n,)
        return self.spent.sum(axis=1) + self.setup

    @property
    def total(self) -> float:
        """NaN if a part of it is not known."""
        return min(float(self.by_trial.sum()), LARGEST)

    def check_known(self) -> None:
        if n_unknown := int(np.isnan(self.spent).any(axis=1).sum()):
            raise FigureError(
                f"What {n_unknown} of {len(self.spent)} trials cost is unknown here: it is told by a function that is"
                " not imported for looking at a study.",
                hint="Their costs were not stored; in Python a Study of the same problem knows them.",
            )

    @property
    def verification(self) -> float:
        """What of the total went into verifying designs; the rest is the search's."""
        return float(self.by_trial[self.is_verification].sum())


def bill(table: TrialTable, runs: Sequence[Run] = ()) -> Bill:
    """A run that failed costs what was told, else what was declared; attempts before the last one are charged too.

    Where the cost is measured, a failed run of which no cost was told is free, and so is any before the first answer:
    nobody knows what it is worth. ``runs``, the journal, tells of attempts
    that were lost or failed and are repeated: trials know of them only once they have their answer.
    """
    repeated = Repeated.among(table, runs)
    spent, lost, expected = np.zeros((3, *table.costs.shape))
    for s in range(len(table.problem.simulators)):
        model = cost_model(table, s)
        told = table.costs[:, s]
        declared = _declared(table, s, model, np.isnan(told) & (table.states[:, s] != SimulatorState.NOT_RUN))
        is_running = table.states[:, s] == SimulatorState.PENDING
        expected[:, s] = np.where(is_running, declared, 0.0)
        lost[:, s] = _counted(table, s, model, table.wasted[:, s]) + repeated.counted(table, s, model, declared)
        spent[:, s] = _counted(table, s, model, told) + lost[:, s]
        if not isinstance(model, LearnedCostModel):
            spent[:, s] += np.where(is_running, 0.0, declared)
    spent, lost, expected = (np.minimum(costs, LARGEST) for costs in (spent, lost, expected))
    is_verification = np.array([trial.is_verification for trial in table.trials], dtype=np.bool_)
    return Bill(spent, lost, expected, np.full(len(table), table.problem.setup_cost), is_verification)


def allowed_bill(table: TrialTable, allowance: Allowance | None, runs: Sequence[Run] = ()) -> Bill:
    """In the unit of what may be spent."""
    return seconds_bill(table, runs) if allowance is not None and allowance.is_time else bill(table, runs)


def seconds_bill(table: TrialTable, runs: Sequence[Run] = ()) -> Bill:
    """The same in seconds of simulator time, where the cost of every simulator is measured.

    What runs is expected to take what the runs before it tell; the first ones are expected to take nothing.
    """
    expected = np.zeros(table.costs.shape)
    for s in range(len(table.problem.simulators)):
        model, rows = cost_model(table, s), np.flatnonzero(table.states[:, s] == SimulatorState.PENDING)
        if isinstance(model, LearnedCostModel) and model.residual is not None:
            expected[rows, s] = model.own_costs(table.x[rows], table.z[rows, s])
    lost = np.nan_to_num(table.wasted) + Repeated.among(table, runs).told
    spent, lost, expected = (
        np.minimum(costs, LARGEST) for costs in (np.nan_to_num(table.costs) + lost, lost, expected)
    )
    is_verification = np.array([trial.is_verification for trial in table.trials], dtype=np.bool_)
    return Bill(spent, lost, expected, np.zeros(len(table)), is_verification)


@dataclass(frozen=True)
class Repeated:
    """Attempts that were lost or failed, at simulators that have not answered yet."""

    told: Array  # (n, n_simulators), what they cost as told or measured, in the simulator's own units, together
    n_untold: Array  # (n, n_simulators), how many cost what is declared

    @staticmethod
    def among(table: TrialTable, runs: Sequence[Run]) -> Repeated:
        told, n_untold = np.zeros((2, *table.costs.shape))
        rows = {trial.number: i for i, trial in enumerate(table.trials) if trial.pending}
        columns = {simulator.name: s for s, simulator in enumerate(table.problem.simulators)}
        for run in runs:
            is_over = run.trial in rows and run.state in (RunState.LOST, RunState.FAILED)
            if not is_over or table.states[at := (rows[run.trial], columns[run.simulator])] != SimulatorState.PENDING:
                continue
            cost = None if run.answer is None else run.answer.costs.get(run.simulator)
            if cost is None and not table.problem.simulators[at[1]].is_cost_measured:
                n_untold[at] += 1
            else:
                told[at] += run.elapsed if cost is None else cost
        return Repeated(told, n_untold)

    def counted(self, table: TrialTable, s: int, model: CostModel, declared: Array) -> Array:  # (n,) -> (n,)
        """What they count in the budget."""
        told = np.where(self.told[:, s] > 0.0, self.told[:, s], np.nan)
        n_untold = self.n_untold[:, s]
        return _counted(table, s, model, told) + np.where(n_untold > 0, n_untold * declared, 0.0)


def is_cost_guessed(table: TrialTable) -> bool:
    """Whether some measured cost was seen at one fidelity only, so that a full run's cost is a mere guess.

    It is none where the user said what to expect.
    """
    for s, simulator in enumerate(table.problem.simulators):
        if simulator.is_cost_measured and simulator.as_expected is None:
            seen = np.unique(table.z[~np.isnan(table.costs[:, s]), s])
            if len(seen) == 1 and seen[0] != 1.0:
                return True
    return False


def _counted(table: TrialTable, s: int, model: CostModel, raw: Array) -> Array:  # (n,)
    """What runs that cost ``raw`` in the simulator's own units count in the budget.

    Nothing as long as no run that answered tells what a full one costs.
    """
    if isinstance(model, LearnedCostModel) and model.residual is None:
        return np.zeros(len(raw))
    simulator, full = table.problem.simulators[s], table.declared[:, s, 1]
    counted = np.where(np.isnan(raw), 0.0, np.nan)
    with np.errstate(over="ignore"):  # what is told may be of any size; the bill is cut off
        is_stored = ~np.isnan(raw) & ~np.isnan(full)
        counted[is_stored] = simulator.full_cost * raw[is_stored] / full[is_stored]
        rows = np.flatnonzero(np.isnan(counted))
        if len(rows) and not simulator.is_cost_sealed:
            counted[rows] = model.counted(table.x[rows], raw[rows])
    return counted


def _declared(table: TrialTable, s: int, model: CostModel, is_wanted: BoolArray) -> Array:  # (n,)
    """What runs of the wanted trials count in the budget: as stored, else as the cost model says."""
    costs = np.where(is_wanted, table.declared[:, s, 0], 0.0)
    rows = np.flatnonzero(np.isnan(costs))
    if not table.problem.simulators[s].is_cost_sealed:
        costs[rows] = costs_of_runs(model, table.x[rows], table.z[rows, s])
    return costs

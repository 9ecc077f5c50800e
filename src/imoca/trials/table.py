"""All trials of a study as arrays. They are encoded once, here; everything that computes reads this table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from imoca.arrays import Array, BoolArray, IntArray
from imoca.errors import TrialError
from imoca.problem.problem import Problem
from imoca.problem.simulator import Simulator
from imoca.trials.trial import Answer, SimulatorState, Trial, TrialState


@dataclass(frozen=True, eq=False)
class TrialTable:
    """One row per trial; columns are in the problem's order of simulators and of outputs.

    Values are maximised: here, by ``Problem.signs``, a goal of "minimize" flips the sign of what came.
    """

    problem: Problem
    trials: tuple[Trial, ...]
    x: Array  # (n, d) designs in the unit cube
    z: Array  # (n, n_simulators) fidelities, 1 at full accuracy, NaN where a simulator was not asked
    values: Array  # (n, n_outputs) maximised, NaN where there is none
    errors: Array  # (n, n_outputs) standard errors as told, 0 where none was
    costs: Array  # (n, n_simulators) as told or measured, in the simulator's own units, NaN where nothing was
    wasted: Array  # (n, n_simulators) by earlier attempts at the run, NaN where there were none
    states: IntArray  # (n, n_simulators) of SimulatorState
    declared: Array  # (n, n_simulators, 2) Problem.declared_costs as they were stored, NaN where they were not

    @staticmethod
    def encode(problem: Problem, trials: Sequence[Trial]) -> TrialTable:
        try:
            return TrialTable._encode(problem, trials)
        except (KeyError, ValueError, TypeError, OverflowError) as error:  # only of a database that is not by us
            raise TrialError(
                f"The trials are not those of the problem: {type(error).__name__}: {error}.",
                hint="Whoever wrote them has mixed two studies up; nothing can be said of them.",
            ) from error

    @staticmethod
    def _encode(problem: Problem, trials: Sequence[Trial]) -> TrialTable:
        simulators = [simulator.name for simulator in problem.simulators]
        outputs = [output.name for output in problem.outputs]
        return TrialTable(
            problem,
            tuple(trials),
            problem.space.encode_all([trial.parameters for trial in trials]),
            _columns([_encoded(simulator, trials) for simulator in problem.simulators], len(trials)),
            _cells([[trial.values.get(name) for name in outputs] for trial in trials], len(outputs)) * problem.signs,
            _cells([[trial.errors.get(name, 0.0) for name in outputs] for trial in trials], len(outputs)),
            _cells([[trial.costs.get(name) for name in simulators] for trial in trials], len(simulators)),
            _cells([[trial.wasted.get(name) for name in simulators] for trial in trials], len(simulators)),
            _states(trials, simulators),
            _declared(trials, simulators),
        )

    def __len__(self) -> int:
        return len(self.trials)

    def renewed(self, trials: Sequence[Trial]) -> TrialTable:
        """The table of ``trials``; those that this table holds already are not encoded again."""
        n_known = len(self.trials)
        new_rows = [i for i, trial in enumerate(trials) if i >= n_known or trial is not self.trials[i]]
        if not new_rows and len(trials) == n_known:
            return self
        fresh = TrialTable.encode(self.problem, [trials[i] for i in new_rows])
        n_kept = min(n_known, len(trials))
        arrays = {}
        for name in ARRAYS:
            known, new = getattr(self, name), getattr(fresh, name)
            arrays[name] = np.empty((len(trials), *known.shape[1:]), dtype=known.dtype)
            arrays[name][:n_kept] = known[:n_kept]
            arrays[name][new_rows] = new
        return TrialTable(self.problem, tuple(trials), **arrays)

    def rows(self, chosen: IntArray | BoolArray | slice) -> TrialTable:
        """Some of the trials, in their order."""
        kept = np.arange(len(self))[chosen]
        arrays = {name: getattr(self, name)[kept] for name in ARRAYS}
        return TrialTable(self.problem, tuple(self.trials[i] for i in kept.tolist()), **arrays)

    @cached_property
    def is_finished(self) -> BoolArray:  # (n,)
        """Whether every simulator that was asked has answered or failed."""
        return np.array([trial.state is not TrialState.RUNNING for trial in self.trials], dtype=np.bool_)

    @cached_property
    def was_run(self) -> BoolArray:  # (n, n_simulators)
        """Whether a simulator has answered or failed."""
        return np.isin(self.states, [SimulatorState.ANSWERED, SimulatorState.FAILED])

    @cached_property
    def is_verified(self) -> BoolArray:  # (n,)
        """Whether every output was measured at full accuracy, whatever came."""
        return self.has_all_outputs & (self.z == 1.0).all(axis=1)

    @cached_property
    def is_feasible(self) -> BoolArray:  # (n,)
        """Whether no answer of a trial, be it cheap, violates a constraint."""
        columns = self.problem.modelled_columns[len(self.problem.objectives) :]
        bounds = [(limit.lower, limit.upper) for limit in self.problem.constraints]
        low = np.array([-np.inf if lower is None else lower for lower, _ in bounds])
        high = np.array([np.inf if upper is None else upper for _, upper in bounds])
        return ~np.any((self.values[:, columns] < low) | (self.values[:, columns] > high), axis=1)

    @cached_property
    def has_all_outputs(self) -> BoolArray:  # (n,)
        return np.all(~np.isnan(self.values), axis=1)

    @cached_property
    def verified(self) -> TrialTable:
        """The designs whose outputs were all measured at full accuracy, whatever came: a row each.

        What several trials measured, together or again, is combined, and the last of them stands for all.
        """
        simulators = [self.problem.simulators.index(self.problem.simulator_of(o.name)) for o in self.problem.outputs]
        known = np.where(self.z[:, simulators] == 1.0, self.values, np.nan)
        by_design: dict[bytes, list[int]] = {}
        for i in np.flatnonzero(~np.isnan(known).all(axis=1)).tolist():
            by_design.setdefault(self.x[i].tobytes(), []).append(i)
        whole = [rows for rows in by_design.values() if not np.isnan(known[rows]).all(axis=0).any()]
        whole.sort(key=lambda rows: rows[-1])
        found = self.rows(np.array([rows[-1] for rows in whole], dtype=np.int64))
        values, errors, trials = found.values.copy(), found.errors.copy(), list(found.trials)
        for place, rows in enumerate(whole):
            if len(rows) > 1:
                pairs = [combined(known[rows, j], self.errors[rows, j]) for j in range(known.shape[1])]
                values[place], errors[place] = zip(*pairs, strict=True)
                trials[place] = trials[place].answered(self._answer(values[place], errors[place]))
        return replace(found, values=values, errors=errors, trials=tuple(trials))

    def _answer(self, values: Array, errors: Array) -> Answer:  # (n_outputs,), (n_outputs,)
        names = [output.name for output in self.problem.outputs]
        measured = dict(zip(names, (values * self.problem.signs).tolist(), strict=True))
        return Answer(measured, errors={name: e for name, e in zip(names, errors.tolist(), strict=True) if e})


def combined(values: Array, errors: Array) -> tuple[float, float]:  # (m,), NaN where there is none; (m,)
    """Repeated measurements of one thing as one: their mean, weighted by 1 / error^2, and its standard error.

    Those without an error outweigh all others; the error of their mean is what their scatter makes it.
    """
    values, errors = values[~np.isnan(values)], errors[~np.isnan(values)]
    smallest = float(errors.min())
    if smallest > 0.0:
        weights = (smallest / errors) ** 2
        return float(weights @ values / weights.sum()), smallest / float(np.sqrt(weights.sum()))
    exact = values[errors == 0.0]
    if np.ptp(exact) == 0.0:
        return float(exact[0]), 0.0
    return float(exact.mean()), float(exact.std(ddof=1) / np.sqrt(len(exact)))


ARRAYS = ("x", "z", "values", "errors", "costs", "wasted", "states", "declared")


def _encoded(simulator: Simulator, trials: Sequence[Trial]) -> Array:  # (n,)
    rows = [i for i, trial in enumerate(trials) if simulator.name in trial.fidelities]
    z = np.full(len(trials), np.nan)
    z[rows] = simulator.fidelity.encode_all([trials[i].fidelities[simulator.name] for i in rows])
    return z


def _columns(columns: Sequence[Array], n: int) -> Array:  # (n, len(columns))
    return np.column_stack(columns).reshape(n, len(columns))


def _cells(rows: list[list[float | None]], n_columns: int) -> Array:  # (n, n_columns)
    return np.array(rows, dtype=np.float64).reshape(len(rows), n_columns)


def _declared(trials: Sequence[Trial], simulators: Sequence[str]) -> Array:  # (n, n_simulators, 2)
    rows = [[trial.declared.get(name, (None, None)) for name in simulators] for trial in trials]
    return np.array(rows, dtype=np.float64).reshape(len(trials), len(simulators), 2)


def _states(trials: Sequence[Trial], simulators: Sequence[str]) -> IntArray:  # (n, n_simulators)
    rows = [[trial.state_of(name) for name in simulators] for trial in trials]
    return np.array(rows, dtype=np.int64).reshape(len(trials), len(simulators))

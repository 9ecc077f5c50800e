"""Trials to arrays. The only place where a goal of "minimize" flips a sign."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from imoca.arrays import Array
from imoca.problem.problem import Problem
from imoca.problem.simulator import Objective, Simulator
from imoca.trials import Trial

SMALLEST_SCALE = 1e-300  # a spread below this is no spread


@dataclass(frozen=True)
class OutputData:
    """Observations of one objective: maximised, and standardised to mean 0 and deviation 1."""

    x: Array  # (n, d)
    z: Array  # (n,)
    values: Array  # (n,)
    sign: float  # +1 to maximise, -1 to minimise
    centre: float
    scale: float

    def to_user(self, values: Array) -> Array:
        """Standardised and maximised values back to what the simulator returns."""
        return self.sign * (self.centre + self.scale * values)


def output_data(
    problem: Problem,
    objective: Objective,
    trials: Sequence[Trial],
    x: Array,  # (n_trials, d) their encoded designs
) -> OutputData:
    """Every answer that ``objective`` received, from whichever trials hold one."""
    rows = [i for i, trial in enumerate(trials) if objective.name in trial.values]
    sign = 1.0 if objective.goal == "maximize" else -1.0
    raw = sign * np.array([trials[i].values[objective.name] for i in rows], dtype=np.float64)
    centre, scale = centre_and_scale(raw)
    z = encode_fidelities(problem.simulator_of(objective.name), [trials[i] for i in rows])
    return OutputData(x[rows], z, (raw - centre) / scale, sign, centre, scale)


def encode_designs(problem: Problem, trials: Sequence[Trial]) -> Array:  # (n, d)
    return problem.space.encode_all([trial.parameters for trial in trials])


def encode_fidelities(simulator: Simulator, trials: Sequence[Trial]) -> Array:  # (n,)
    return simulator.fidelity.encode_all([trial.fidelities[simulator.name] for trial in trials])


def centre_and_scale(raw: Array) -> tuple[float, float]:
    """Mean and standard deviation; a constant sample has scale 1."""
    centre = float(raw.mean()) if len(raw) else 0.0
    scale = float((raw - centre).std()) if len(raw) > 1 else 0.0
    is_constant = scale <= max(SMALLEST_SCALE, 1e-14 * abs(centre))
    return centre, 1.0 if is_constant else scale

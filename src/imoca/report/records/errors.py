"""What a knob buys: the learned error of a cheap run, in the user's units, beside what the run costs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from imoca.arrays import Array
from imoca.methods.beliefs import Beliefs
from imoca.methods.initial_design import sobol_designs
from imoca.models.kernel import TARGET_FIDELITY
from imoca.problem.accuracy import FidelityValue
from imoca.report.records.fidelities import fidelity_ticks
from imoca.report.records.models import check_cost_is_known
from imoca.snapshot.prediction import in_units
from imoca.snapshot.snapshot import Snapshot

N_DESIGNS = 256
N_GRID = 11  # fidelities of a knob that is continuous
N_DRAWS = 32  # of both values at every design
LIKELY = 0.9


@dataclass(frozen=True)
class ErrorRecord:
    """Of one output against its simulator's fidelity."""

    output: str
    simulator: str
    settings: tuple[FidelityValue, ...]
    z: tuple[float, ...]
    typical: tuple[float, ...]  # median over designs of |value at z - value at full accuracy|
    likely: tuple[float, ...]  # what nine of ten of them stay below
    spread: float  # standard deviation of the output over designs, at full accuracy
    cost_ratios: tuple[float, ...]  # of a run, as shares of one at full accuracy
    n_full: int  # answers at full accuracy
    tick_z: tuple[float, ...]
    tick_labels: tuple[str, ...]
    unit: str | None = None  # of the output
    setting_unit: str | None = None


def error_records(snapshot: Snapshot) -> tuple[ErrorRecord, ...]:
    """For every output whose simulator has a fidelity."""
    problem, beliefs = snapshot.problem, snapshot.beliefs
    if beliefs is None:
        return ()
    x = sobol_designs(problem, N_DESIGNS, np.random.default_rng(0))
    records = []
    for j, output in enumerate(problem.modelled):
        simulator = problem.simulator_of(output.name)
        if not simulator.fidelity.has_knob:
            continue
        check_cost_is_known(simulator)
        z = simulator.fidelity.grid(N_GRID)
        cheap, full = drawn_values(beliefs, j, x, z, np.random.default_rng(j))
        errors = np.abs(cheap - full[:, :, None]).reshape(-1, len(z))
        cost = beliefs.costs[problem.simulators.index(simulator)].ratio(x, z).mean(axis=0)
        records.append(
            ErrorRecord(
                output.name,
                simulator.name,
                tuple(simulator.fidelity.decode(float(each)) for each in z),
                tuple(z.tolist()),
                tuple(np.median(errors, axis=0).tolist()),
                tuple(np.quantile(errors, LIKELY, axis=0).tolist()),
                float(full.std()),
                tuple((cost / cost[-1]).tolist()),
                int(beliefs.modelled[j].is_full_accuracy.sum()),
                *fidelity_ticks(simulator.fidelity),
                output.unit,
                simulator.fidelity.unit,
            )
        )
    return tuple(records)


def drawn_values(
    beliefs: Beliefs, j: int, x: Array, z: Array, rng: np.random.Generator
) -> tuple[Array, Array]:  # (N_DRAWS, n, m) of a run at each fidelity, (N_DRAWS, n) at full accuracy
    """Joint draws of both from the posterior, design by design, in the user's units: one route for every model.

    The posterior, not the prior, because it is what the answers have taught; draws, because a difference of values
    that are modelled as logarithms has no closed form. A cheap run also scatters, by what its noise exceeds that of a
    full one.
    """
    moments = beliefs.modelled[j].moments(x, z)
    first, second = rng.standard_normal((2, N_DRAWS, len(x)))
    full = moments.mean_f + np.sqrt(moments.var_f) * first
    slope = moments.cov / moments.var_f[:, None]
    rest = np.maximum(moments.var_g - slope * moments.cov, 0.0)
    scatter = np.maximum(moments.noise - beliefs.modelled[j].noise_of_runs(TARGET_FIDELITY), 0.0)
    cheap = moments.mean_g + slope * (full - moments.mean_f)[:, :, None] + np.sqrt(rest + scatter) * second[:, :, None]
    cheap[:, :, z == 1.0] = full[:, :, None]  # the same function: what differs is round-off
    return in_units(beliefs, j, cheap), in_units(beliefs, j, full)

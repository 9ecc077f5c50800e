"""The circuit: a four-output regulator that shall be efficient, hold its voltages and ripple little.

33 variables, nine objectives and a continuous fidelity as in [Belakaria2020], whose own circuit is not public:
this one is an open counterpart. The fidelity is how many clock cycles ngspice simulates, and how finely; too
few cycles leave the outputs unsettled, so that the stored charge still feeds the loads and an efficiency above
one can come out. That is the bias of low fidelities and is not clipped.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Literal

import numpy as np

from imoca.arrays import Array
from imoca.errors import ProblemError
from imoca.problem import DeclaredCost, Fidelity, Goal, Objective, Problem, Real, SearchSpace, Simulator
from imoca_lab.benchmark import Benchmark, CostMode, Setting, check_option, with_stored_front
from imoca_lab.problems.circuit.netlist import (
    DESIGN_NAMES,
    FLYING_NAMES,
    N_OUTPUTS,
    OUTPUT_NAMES,
    WIDTH_NAMES,
    accuracy,
    regulator_from,
)
from imoca_lab.problems.circuit.ngspice import TIMEOUT, require_ngspice, simulate_ngspice
from imoca_lab.problems.circuit.pwl import simulate_pwl

PARAMETERS = (
    Real("frequency", 5.0, 50.0, log=True),  # MHz
    *(Real(name, 40.0, 1000.0, log=True) for name in WIDTH_NAMES),  # micrometres
    *(Real(name, 0.1, 1.0, log=True) for name in FLYING_NAMES),  # shares of 12 nF
    *(Real(name, 0.1, 1.0, log=True) for name in OUTPUT_NAMES),  # shares of 240 nF
)
SPACE = SearchSpace(PARAMETERS)
GOALS: dict[str, Goal] = {
    "efficiency": "maximize",
    **dict.fromkeys((f"voltage_{i + 1}" for i in range(N_OUTPUTS)), "maximize"),  # V
    **dict.fromkeys((f"ripple_{i + 1}" for i in range(N_OUTPUTS)), "minimize"),  # V, peak to peak
}
SIGNS = np.array([1.0 if goal == "maximize" else -1.0 for goal in GOALS.values()])
REFERENCE_POINT = np.array([0.3, 0.5, 0.8, 0.35, 0.2, -0.05, -0.05, -0.05, -0.05])
NOMINAL_COST = "10 * 12**z"  # minutes, the paper's 10 to 120
N_REMEMBERED = 16  # runs; a trial asks for nine objectives, at as many fidelities as it likes

Backend = Literal["ngspice", "pwl"]
Run = Callable[..., float | dict[str, float]]


def circuit(
    setting: Setting = "coupled", cost: CostMode = "work", backend: Backend = "ngspice", timeout: float = TIMEOUT
) -> Benchmark:
    """One simulator that answers all nine objectives, or the paper's one simulator per objective.

    ``cost="work"`` counts time steps, ``"nominal"`` declares the paper's minutes, ``"wall"`` takes the clock.
    ``backend="pwl"`` needs no ngspice, but is another problem with a front of its own: never mix the two.
    A ``timeout`` (seconds per run of ngspice) other than the default cannot be written to a study file, nor can
    the wall time of separate objectives, for both are arguments bound to the simulator functions.
    """
    check_option("circuit", "setting", setting, Setting)
    check_option("circuit", "cost", cost, CostMode)
    check_option("circuit", "backend", backend, Backend)
    if not timeout > 0.0:
        raise ProblemError(f"The circuit's timeout is {timeout!r} s.", hint="Give a positive number of seconds.")
    if backend == "ngspice":
        require_ngspice()
    name = "circuit" if backend == "ngspice" else "circuit_pwl"
    problem = Problem(parameters=PARAMETERS, simulators=_simulators(setting, cost, backend, timeout))
    return with_stored_front(name, problem, REFERENCE_POINT, TrueValues(backend, timeout))


def _simulators(setting: Setting, cost: CostMode, backend: Backend, timeout: float) -> list[Simulator]:
    costs: dict[str, DeclaredCost] = {"work": n_steps, "nominal": NOMINAL_COST, "wall": "measured"}
    declared = costs[cost]
    fidelity = Fidelity.continuous()
    if setting == "coupled":
        outputs = [Objective(name, goal) for name, goal in GOALS.items()]
        run = _bound(regulator if backend == "ngspice" else regulator_pwl, backend, timeout)
        return [Simulator("regulator", outputs, run, fidelity=fidelity, cost=declared)]
    functions = SEPARATE if backend == "ngspice" else SEPARATE_PWL
    runs = {name: _bound(function, backend, timeout) for name, function in functions.items()}
    if cost == "wall":  # every objective must pay for a run of its own, or all but the first seem free
        runs = {name: partial(run, is_remembered=False) for name, run in runs.items()}
    return [
        Simulator(name, [Objective(name, goal)], runs[name], fidelity=fidelity, cost=declared)
        for name, goal in GOALS.items()
    ]


def _bound(run: Run, backend: Backend, timeout: float) -> Run:
    return partial(run, timeout=timeout) if backend == "ngspice" and timeout != TIMEOUT else run


def n_steps(z: float) -> float:
    """Work of a run: cycles times points per cycle, 460 at z = 0 and 6040 at z = 1."""
    return float(accuracy(z).n_steps)


# 33 named parameters: the functions collect them, and `regulator_from` checks that none is missing or unknown.


def regulator(*, z: float, timeout: float = TIMEOUT, **design: float) -> dict[str, float]:
    """All nine objectives by ngspice."""
    return simulate_ngspice(regulator_from(design), accuracy(z), timeout)


def regulator_pwl(*, z: float, **design: float) -> dict[str, float]:
    """All nine objectives with linear switches."""
    return simulate_pwl(regulator_from(design), accuracy(z))


@lru_cache(maxsize=N_REMEMBERED)
def _remembered(backend: Backend, z: float, timeout: float, design: tuple[tuple[str, float], ...]) -> dict[str, float]:
    """One run for all objectives asked at the same design and fidelity; a failure is not remembered."""
    return _run(backend, z, timeout, dict(design))


def _run(backend: Backend, z: float, timeout: float, design: dict[str, float]) -> dict[str, float]:
    return regulator(z=z, timeout=timeout, **design) if backend == "ngspice" else regulator_pwl(z=z, **design)


def _one(
    name: str, design: dict[str, float], z: float, is_remembered: bool, timeout: float, backend: Backend = "ngspice"
) -> float:
    if is_remembered:
        return _remembered(backend, z, timeout, tuple(design.items()))[name]
    return _run(backend, z, timeout, design)[name]


# One importable function per objective, so that the paper's setting fits into a study file too.


def efficiency(*, z: float, is_remembered: bool = True, timeout: float = TIMEOUT, **design: float) -> float:
    return _one("efficiency", design, z, is_remembered, timeout)


def voltage_1(*, z: float, is_remembered: bool = True, timeout: float = TIMEOUT, **design: float) -> float:
    return _one("voltage_1", design, z, is_remembered, timeout)


def voltage_2(*, z: float, is_remembered: bool = True, timeout: float = TIMEOUT, **design: float) -> float:
    return _one("voltage_2", design, z, is_remembered, timeout)


def voltage_3(*, z: float, is_remembered: bool = True, timeout: float = TIMEOUT, **design: float) -> float:
    return _one("voltage_3", design, z, is_remembered, timeout)


def voltage_4(*, z: float, is_remembered: bool = True, timeout: float = TIMEOUT, **design: float) -> float:
    return _one("voltage_4", design, z, is_remembered, timeout)


def ripple_1(*, z: float, is_remembered: bool = True, timeout: float = TIMEOUT, **design: float) -> float:
    return _one("ripple_1", design, z, is_remembered, timeout)


def ripple_2(*, z: float, is_remembered: bool = True, timeout: float = TIMEOUT, **design: float) -> float:
    return _one("ripple_2", design, z, is_remembered, timeout)


def ripple_3(*, z: float, is_remembered: bool = True, timeout: float = TIMEOUT, **design: float) -> float:
    return _one("ripple_3", design, z, is_remembered, timeout)


def ripple_4(*, z: float, is_remembered: bool = True, timeout: float = TIMEOUT, **design: float) -> float:
    return _one("ripple_4", design, z, is_remembered, timeout)


def efficiency_pwl(*, z: float, is_remembered: bool = True, **design: float) -> float:
    return _one("efficiency", design, z, is_remembered, TIMEOUT, "pwl")


def voltage_1_pwl(*, z: float, is_remembered: bool = True, **design: float) -> float:
    return _one("voltage_1", design, z, is_remembered, TIMEOUT, "pwl")


def voltage_2_pwl(*, z: float, is_remembered: bool = True, **design: float) -> float:
    return _one("voltage_2", design, z, is_remembered, TIMEOUT, "pwl")


def voltage_3_pwl(*, z: float, is_remembered: bool = True, **design: float) -> float:
    return _one("voltage_3", design, z, is_remembered, TIMEOUT, "pwl")


def voltage_4_pwl(*, z: float, is_remembered: bool = True, **design: float) -> float:
    return _one("voltage_4", design, z, is_remembered, TIMEOUT, "pwl")


def ripple_1_pwl(*, z: float, is_remembered: bool = True, **design: float) -> float:
    return _one("ripple_1", design, z, is_remembered, TIMEOUT, "pwl")


def ripple_2_pwl(*, z: float, is_remembered: bool = True, **design: float) -> float:
    return _one("ripple_2", design, z, is_remembered, TIMEOUT, "pwl")


def ripple_3_pwl(*, z: float, is_remembered: bool = True, **design: float) -> float:
    return _one("ripple_3", design, z, is_remembered, TIMEOUT, "pwl")


def ripple_4_pwl(*, z: float, is_remembered: bool = True, **design: float) -> float:
    return _one("ripple_4", design, z, is_remembered, TIMEOUT, "pwl")


SEPARATE: dict[str, Run] = {
    run.__name__: run
    for run in (efficiency, voltage_1, voltage_2, voltage_3, voltage_4, ripple_1, ripple_2, ripple_3, ripple_4)
}
SEPARATE_PWL: dict[str, Run] = {
    "efficiency": efficiency_pwl,
    "voltage_1": voltage_1_pwl,
    "voltage_2": voltage_2_pwl,
    "voltage_3": voltage_3_pwl,
    "voltage_4": voltage_4_pwl,
    "ripple_1": ripple_1_pwl,
    "ripple_2": ripple_2_pwl,
    "ripple_3": ripple_3_pwl,
    "ripple_4": ripple_4_pwl,
}


@dataclass(frozen=True)
class TrueValues:
    """Maximised values at full fidelity: about a second per design by ngspice, a few milliseconds linear."""

    backend: Backend
    timeout: float = TIMEOUT

    def __call__(
        self,
        unit_designs: Array,  # (n, 33)
    ) -> Array:  # (n, 9)
        columns = SPACE.columns(unit_designs)
        rows = np.stack([columns[name] for name in DESIGN_NAMES], axis=1)
        runs = [self._run(dict(zip(DESIGN_NAMES, row.tolist(), strict=True))) for row in rows]
        values = np.array([[run[name] for name in GOALS] for run in runs]).reshape(len(rows), len(GOALS))
        return SIGNS * values

    def _run(self, design: dict[str, float]) -> dict[str, float]:
        if self.backend == "ngspice":
            return regulator(z=1.0, timeout=self.timeout, **design)
        return simulate_pwl(regulator_from(design), accuracy(1.0), leap=True)

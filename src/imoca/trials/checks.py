"""Checks on what simulators and users answer. Only finite real numbers pass."""

from __future__ import annotations

from collections.abc import Mapping

from imoca.errors import CostError, TrialError
from imoca.problem.names import is_number
from imoca.problem.simulator import Simulator

LARGEST_VALUE = 1e150  # its square is still a number


def check_values(simulator: Simulator, values: Mapping[str, object]) -> dict[str, float]:
    """One finite number per output of the simulator, no more and no less."""
    names = [output.name for output in simulator.outputs]
    unknown = [name for name in values if name not in names]
    missing = [name for name in names if name not in values]
    if unknown or missing:
        faults = [f"{word} {found}" for word, found in (("unknown", unknown), ("missing", missing)) if found]
        raise TrialError(
            f"Simulator {simulator.name!r} answered with {', '.join(faults)} output(s).",
            hint=f"Give exactly the outputs {names}.",
        )
    return {name: _finite(f"Output {name!r}", values[name]) for name in names}


def check_cost(simulator_name: str, cost: object) -> float:
    """A positive finite cost in the simulator's own units."""
    if not is_number(cost) or float(cost) <= 0.0:
        raise CostError(
            f"The cost of simulator {simulator_name!r} came as {cost!r}.",
            hint="Tell a positive finite number in the simulator's own units (seconds, core hours, ...).",
        )
    return float(cost)


def _finite(what: str, value: object) -> float:
    if not is_number(value) or abs(float(value)) > LARGEST_VALUE:
        raise TrialError(
            f"{what} came as {value!r}.",
            hint=f"Tell a finite number up to {LARGEST_VALUE:g} in size, or report the simulator as failed with"
            " study.fail or failures=.",
        )
    return float(value)

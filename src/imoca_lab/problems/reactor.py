"""A reactor that runs away: as much product from as little catalyst as possible, and above 680 K its simulation ends.

A cooled tube in which a gas reacts along a bed of catalyst: what reacts heats, what is hotter reacts faster, and the
coolant outside, as warm as the gas that comes in, takes the heat away. With more feed or a warmer coolant the hottest
place grows hotter, slowly and then by a hundred kelvin at once. The more product of the same length, the nearer to
that: the whole front lies on the edge of what can be computed.

The tube is cut into steps, and the fidelity is how many. In long steps the gas is cooled before it has burnt, so that
a coarse model computes reactors that run away in a fine one, never the other way round.
"""

from dataclasses import dataclass

import numpy as np

from imoca.arrays import Array, BoolArray
from imoca.problem import Fidelity, Objective, Problem, Real, Simulator
from imoca_lab.benchmark import Benchmark, with_stored_front

VELOCITY = 1.0  # m / s
HEATING = 20.0  # K by which a mol / m^3 heats the gas when it reacts
COOLING = 12.0  # of the difference from the coolant, per second
ACTIVATION, REFERENCE_TEMPERATURE = 7000.0, 620.0  # K; at the latter the rate is 1 / s
HOTTEST = 680.0  # K
LOW, HIGH = np.array([5.0, 560.0, 0.3]), np.array([45.0, 650.0, 3.0])  # feed, mol / m^3; coolant, K; length, m
STEPS = [16, 32, 64, 128, 256, 512]
REFERENCE_POINT = np.array([5.0, -3.2])  # mol / (m^2 s) of product, minus m


class RunawayError(RuntimeError):
    """The reactor gets too hot."""


@dataclass(frozen=True)
class Outlet:
    """What leaves n reactors, and how hot the hottest place of each was."""

    product: Array  # (n,) mol / (m^2 s)
    peak: Array  # (n,) K


def reactor() -> Benchmark:
    """Three parameters, one simulator of two objectives."""
    names = ("feed", "coolant", "length")
    problem = Problem(
        parameters=[Real(name, low, high) for name, low, high in zip(names, LOW.tolist(), HIGH.tolist(), strict=True)],
        simulators=[
            Simulator(
                "tube",
                [Objective("product", "maximize"), Objective("catalyst", "minimize")],
                tube,
                fidelity=Fidelity.levels(STEPS),
                cost=[float(steps) for steps in STEPS],
            )
        ],
    )
    return with_stored_front("reactor", problem, REFERENCE_POINT, true_values, is_feasible=is_safe)


def tube(feed: float, coolant: float, length: float, z: int) -> dict[str, float]:
    """One run in ``z`` steps; the catalyst is as much as the tube is long."""
    outlet = outlets(np.array([[feed, coolant, length]]), z)
    if outlet.peak[0] > HOTTEST:
        raise RunawayError(f"the reactor runs away: {outlet.peak[0]:.0f} K at its hottest place")
    return {"product": float(outlet.product[0]), "catalyst": length}


def rate(temperature: Array) -> Array:  # 1 / s
    return np.asarray(np.exp(ACTIVATION * (1.0 / REFERENCE_TEMPERATURE - 1.0 / temperature)))


def outlets(designs: Array, steps: int) -> Outlet:  # (n, 3)
    """Step by step: how much reacts at the temperature of the middle of a step, guessed from its beginning, and what
    is left of the heat at its end."""
    feed, coolant, length = designs.T
    duration = length / VELOCITY / steps
    half_kept = np.exp(-0.5 * COOLING * duration)  # of an excess over the coolant, after half of a step
    unreacted, excess = np.ones_like(feed), np.zeros_like(feed)
    peak = excess
    for _ in range(steps):
        reacted = unreacted * -np.expm1(-0.5 * rate(coolant + excess) * duration)
        middle = coolant + (excess + HEATING * feed * reacted) * half_kept
        reacted = unreacted * -np.expm1(-rate(middle) * duration)
        excess = (excess * half_kept + HEATING * feed * reacted) * half_kept
        unreacted = unreacted - reacted
        peak = np.maximum(peak, excess)
    return Outlet(VELOCITY * feed * (1.0 - unreacted), coolant + peak)


def is_safe(unit_designs: Array) -> BoolArray:  # (n, 3) -> (n,)
    """Whether a run at full accuracy answers."""
    return np.asarray(outlets(LOW + np.asarray(unit_designs) * (HIGH - LOW), STEPS[-1]).peak <= HOTTEST)


def true_values(unit_designs: Array) -> Array:  # (n, 3) -> (n, 2) maximised
    """At full accuracy; a reactor that runs away is worth nothing, which is the reference point."""
    designs = LOW + np.asarray(unit_designs) * (HIGH - LOW)
    outlet = outlets(designs, STEPS[-1])
    values = np.column_stack([outlet.product, -designs[:, 2]])
    return np.where((outlet.peak <= HOTTEST)[:, None], values, REFERENCE_POINT)

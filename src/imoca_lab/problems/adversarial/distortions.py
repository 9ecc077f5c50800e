"""Ways in which cheap runs mislead: a function each, of one output, the design in the unit cube and z < 1.

None is asked at z = 1, where every problem is its base. Errors are in spreads, the standard deviation of the truth
over the cube. What looks random is a hash of the output's name, the design and z, so that a run can be repeated.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from imoca.arrays import Array

WAVE_HEIGHT = 0.5  # root mean square, in spreads: several times what tells good designs from each other
SLOW_CYCLES, FAST_CYCLES = 2, 8  # of a wave across the cube; whole numbers, so that its mean is 0 and its power 1
SHIFT = 0.2  # of every parameter at z = 0, as a share of its range
WRONG_HALF = 0.5  # the first parameter below which cheap runs are wrong, or fail
LAST_JUMP = 0.95  # z from which a late error is gone
OUTLIER_SHARE, OUTLIER_HEIGHT = 0.05, 10.0  # of the runs; in spreads
FAILING_BELOW = 0.5  # z


@dataclass(frozen=True)
class Output:
    """One output of a base problem as a distortion sees it, in the user's own units and sign."""

    name: str
    values: Callable[[Array, float], float]  # (d,) in the unit cube, z -> the base's own value
    centre: float  # mean of the truth over the cube
    spread: float  # standard deviation of it

    def truth(self, u: Array) -> float:
        return self.values(u, 1.0)


class DivergedError(RuntimeError):
    """What a cheap run raises where it has no answer; a user's solver would do the same."""


def honest(output: Output, u: Array, z: float) -> float:
    """The base's own fidelity."""
    return output.values(u, z)


def negated(output: Output, u: Array, z: float) -> float:
    """Upside down at z = 0: good designs look bad. Flat half-way, and from there ever truer."""
    return output.centre + (2.0 * z - 1.0) * (output.truth(u) - output.centre)


def constant(output: Output, u: Array, z: float) -> float:
    """The same for every design up to z = 1/2, then ever truer."""
    return _mixed(output.truth(u), output.centre, z)


def noise(output: Output, u: Array, z: float) -> float:
    """Nothing but noise of the truth's spread up to z = 1/2, then ever less of it."""
    drawn = output.spread * float(ndtri(drawn_share("noise", output.name, u, z)))
    return _mixed(output.truth(u), output.centre + drawn, z)


def wave(output: Output, u: Array, z: float) -> float:
    """A wave of short length is added, too short to be learned from a few dozen runs."""
    return output.truth(u) + (1.0 - z) * _wave_error(output, u, FAST_CYCLES)


def shifted(output: Output, u: Array, z: float) -> float:
    """The truth of another design, moved along every parameter and reflected at the faces: so is the optimum."""
    moved = u + SHIFT * (1.0 - z)
    return output.truth(np.where(moved > 1.0, 2.0 - moved, moved))


def half_right(output: Output, u: Array, z: float) -> float:
    """Honest in one half of the cube, upside down in the other."""
    return negated(output, u, z) if u[0] < WRONG_HALF else honest(output, u, z)


def wrong_order(output: Output, u: Array, z: float) -> float:
    """Of the levels 0, 1/2 and 1 the cheapest is honest and the middle one is off by a slow wave."""
    return honest(output, u, z) if z == 0.0 else output.truth(u) + _wave_error(output, u, SLOW_CYCLES)


def late_jump(output: Output, u: Array, z: float) -> float:
    """A slow wave that does not fade as z grows, and is gone at once just before z = 1."""
    return stuck(output, u, z) if z < LAST_JUMP else output.truth(u)


def stuck(output: Output, u: Array, z: float) -> float:
    """A slow wave that does not fade at all: two fidelities that agree are both wrong."""
    return output.truth(u) + _wave_error(output, u, SLOW_CYCLES)


def outliers(output: Output, u: Array, z: float) -> float:
    """Honest, but one run in twenty is absurd, one way or the other."""
    share = drawn_share("outliers", output.name, u, z)
    if share >= OUTLIER_SHARE:
        return honest(output, u, z)
    sign = 1.0 if share < 0.5 * OUTLIER_SHARE else -1.0
    return honest(output, u, z) + sign * OUTLIER_HEIGHT * output.spread


def failing(output: Output, u: Array, z: float) -> float:
    """Honest, but the cheap half of the runs fails in one half of the cube."""
    if z < FAILING_BELOW and u[0] < WRONG_HALF:
        raise DivergedError(f"{output.name} diverged at z = {z:.3g}")
    return honest(output, u, z)


Distortion = Callable[[Output, Array, float], float]
DISTORTIONS: dict[str, Distortion] = {
    distortion.__name__: distortion
    for distortion in (
        honest,
        negated,
        constant,
        noise,
        wave,
        shifted,
        half_right,
        wrong_order,
        late_jump,
        stuck,
        outliers,
        failing,
    )
}


def drawn_share(purpose: str, output: str, u: Array, z: float) -> float:
    """A number in (0, 1) that looks random and is always the same for the same question."""
    asked = np.round(np.append(u, z), 12) + 0.0  # no negative zero
    digest = hashlib.blake2b(f"{purpose} {output} ".encode() + asked.astype("<f8").tobytes(), digest_size=6).digest()
    return (int.from_bytes(digest, "little") + 0.5) / 2**48


def unit_wave(output: str, u: Array, n_cycles: int) -> float:
    """A sum of sines, one per parameter, with phases of the output's own; mean 0 and mean square 1 over the cube."""
    phases = [drawn_share(f"phase {n_cycles}", output, np.array([float(i)]), 0.0) for i in range(len(u))]
    return float(np.sqrt(2.0 / len(u)) * np.sin(2.0 * np.pi * (n_cycles * u + phases)).sum())


def _wave_error(output: Output, u: Array, n_cycles: int) -> float:
    return WAVE_HEIGHT * output.spread * unit_wave(output.name, u, n_cycles)


def _mixed(truth: float, lie: float, z: float) -> float:
    """The lie alone up to z = 1/2, then ever more of the truth."""
    share = max(0.0, 2.0 * z - 1.0)
    return share * truth + (1.0 - share) * lie

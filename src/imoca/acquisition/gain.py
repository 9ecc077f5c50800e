"""What a gain is: information about the Pareto front, as a function of posterior moments alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

import numpy as np

from imoca.arrays import Array, IntArray
from imoca.models.gp import Moments, Partials

RESOLUTION = 1e-3  # of the spread of the observations: nobody pays to know an objective better than this
TAU_SQUARED_MAX = 1.0 - 1e-12  # keeps 1 - tau^2 off zero, where the derivative of its root is infinite


Number = TypeVar("Number", float, Array)


class Gain(Protocol):
    """Expected information (in nats) about the Pareto front from one evaluation of each output."""

    def values(self, moments: Sequence[Moments]) -> list[Array]:
        """One array (n, m_j) per output j: the gain at n designs and the m_j fidelities of its moments."""

    def partials(self, moments: Sequence[Moments], chosen: Sequence[IntArray], weights: Array) -> list[Partials]:
        """Derivatives of the weighted sum of gains (n,), output j taken at fidelity column ``chosen[j]`` (n,).

        The weights (n, K) are how much each gain counts: nothing where its simulator is not run.
        """


@dataclass(frozen=True)
class BlurredGain:
    """A gain that counts nothing better known than a blur: as if every answer had further noise of this deviation.

    Nats have no scale: of an objective that is known to a hundredth of what matters a further run tells as much as
    of one that is hardly known. Where simulators compete for being run at all, the cheapest would be asked for ever.
    """

    sharp: Gain
    blurs: Array  # (K,) one per output, standardised

    def values(self, moments: Sequence[Moments]) -> list[Array]:
        return self.sharp.values(self._blurred(moments))

    def partials(self, moments: Sequence[Moments], chosen: Sequence[IntArray], weights: Array) -> list[Partials]:
        return self.sharp.partials(self._blurred(moments), chosen, weights)

    def _blurred(self, moments: Sequence[Moments]) -> list[Moments]:
        return [replace(each, noise=each.noise + blur**2) for each, blur in zip(moments, self.blurs, strict=True)]


def squared_correlation(moments: Moments) -> Array:  # (n, m)
    """tau^2 between what is observed, y = g(x, z) + noise, and what matters, f(x) = g(x, z*).

    The resolution counts as noise. Without it a design that is known exactly would look informative for ever:
    its tiny remaining variance, however small, is about as large as the fitted noise of a deterministic simulator.
    """
    observed = moments.var_g + observation_variance(moments.noise)
    return np.clip(moments.cov**2 / (moments.var_f[:, None] * observed), 0.0, TAU_SQUARED_MAX)


def observation_variance(noise_variance: Number) -> Number:
    return noise_variance + RESOLUTION**2


def correlation_partials(
    moments: Moments,
    chosen: IntArray,  # (n,)
    by_tau_squared: Array,  # (n,) derivative of the gain in tau^2
    by_mean_f: Array,  # (n,)
    by_var_f: Array,  # (n,) at constant tau
) -> Partials:
    """Partials of a gain that depends on (tau^2, mean_f, var_f)."""
    rows = np.arange(len(chosen))
    cov, observed = (
        moments.cov[rows, chosen],
        moments.var_g[rows, chosen] + observation_variance(moments.noise[chosen]),
    )
    tau_squared = cov**2 / (moments.var_f * observed)
    return Partials(
        mean_g=np.zeros_like(cov),
        var_g=-by_tau_squared * tau_squared / observed,
        mean_f=by_mean_f,
        var_f=by_var_f - by_tau_squared * tau_squared / moments.var_f,
        cov=by_tau_squared * 2.0 * cov / (moments.var_f * observed),
    )

"""iMOCA-E: entropy of the observation given that the *target* function is bounded by the front maxima.

Given f <= f*, the standardised observation u follows an extended-skew Gaussian. Its entropy drop depends on two
numbers only, gamma = (f* - mean_f) / std_f and the correlation tau, so it is tabulated once per process by accurate
quadrature and interpolated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.interpolate import BSpline, make_interp_spline
from scipy.special import log_ndtr

from imoca.acquisition.gain import correlation_partials, squared_correlation
from imoca.acquisition.truncated_gain import LOG_SQRT_2PI, inverse_mills_ratio
from imoca.arrays import Array, IntArray
from imoca.models.gp import Moments, Partials

GAMMA_RANGE = (-40.0, 12.0)  # above 12 the gain is below 1e-30; below -40 it is held constant
N_GAMMA, N_DECORRELATION = 241, 81  # nodes; chosen so that the interpolation error stays below 1e-6
N_QUADRATURE = 81
HALF_WINDOW = 10.0  # quadrature nodes reach so many standard deviations


def skew_entropy_drop_by_quadrature(gamma: Array, tau: Array) -> Array:
    """Eq. (4.11) of [Belakaria2020] without the mean over samples, by the trapezoidal rule (broadcasts).

    Departure: the printed moments of u have a wrong sign (docs/explanation/errata.md). The trapezoidal rule converges
    exponentially on an analytic integrand that vanishes at both ends; it is applied in u where the factor Phi
    is wider than the density (tau^2 <= 1/2) and in v = (gamma - tau u) / sqrt(1 - tau^2) where it is narrower.
    """
    gamma, tau = np.broadcast_arrays(np.asarray(gamma, float), np.abs(np.asarray(tau, float)))
    decorrelation = np.sqrt(1.0 - tau**2)
    unit = np.linspace(-HALF_WINDOW, HALF_WINDOW, N_QUADRATURE)
    step = unit[1] - unit[0]
    ratio = inverse_mills_ratio(gamma)
    in_v = tau**2 > 0.5
    safe_tau = np.where(in_v, tau, 1.0)[..., None]
    safe_decorrelation = np.where(in_v, 1.0, decorrelation)[..., None]

    u = (-tau * ratio)[..., None] + unit
    v_of_u = (gamma[..., None] - tau[..., None] * u) / safe_decorrelation
    v = np.minimum(gamma * decorrelation, 0.0)[..., None] + unit
    u_of_v = (gamma[..., None] - decorrelation[..., None] * v) / safe_tau
    u, v = np.where(in_v[..., None], u_of_v, u), np.where(in_v[..., None], v, v_of_u)
    measure = np.where(in_v, decorrelation / safe_tau[..., 0], 1.0) * step

    log_cdf = log_ndtr(v)
    density = np.exp(-0.5 * u**2 - LOG_SQRT_2PI + log_cdf - log_ndtr(gamma)[..., None])
    expectation = measure * (density * log_cdf).sum(axis=-1)
    return 0.5 * tau**2 * gamma * ratio - log_ndtr(gamma) + expectation


@dataclass(frozen=True)
class SkewTable:
    """The entropy drop as a tensor-product cubic spline in (arcsinh gamma, sqrt(1 - tau^2)).

    ``rows`` maps arcsinh(gamma) to the spline coefficients in the second coordinate, ``basis`` evaluates
    the second coordinate's B-splines. So the mean over S samples is taken before the fidelities come in.
    """

    rows: BSpline  # -> (n_coefficients,)
    basis: BSpline  # -> (n_coefficients,)
    rows_slope: BSpline
    basis_slope: BSpline


@cache
def skew_table() -> SkewTable:
    asinh_gamma = np.linspace(math.asinh(GAMMA_RANGE[0]), math.asinh(GAMMA_RANGE[1]), N_GAMMA)
    decorrelation = np.linspace(0.0, 1.0, N_DECORRELATION) ** 2  # denser at 0, where the drop changes fast
    drops = skew_entropy_drop_by_quadrature(np.sinh(asinh_gamma)[:, None], np.sqrt(1.0 - decorrelation**2))
    across = make_interp_spline(decorrelation, drops, k=3, axis=1)
    basis = BSpline(across.t, np.eye(N_DECORRELATION), 3)
    rows = make_interp_spline(asinh_gamma, np.moveaxis(across.c, 0, 1), k=3)  # c has the spline axis first
    return SkewTable(rows, basis, rows.derivative(), basis.derivative())


def mean_entropy_drop(
    asinh_gamma: Array,  # (S, n)
    decorrelation: Array,  # (n, m)
) -> Array:  # (n, m)
    """The tabulated drop, averaged over the S samples."""
    table = skew_table()
    row = table.rows(asinh_gamma).mean(axis=0)  # (n, n_coefficients)
    basis = table.basis(decorrelation)  # (n, m, n_coefficients)
    return np.maximum((basis @ row[:, :, None])[:, :, 0], 0.0)


@dataclass(frozen=True)
class SkewGain:
    """Eq. (4.11) of [Belakaria2020]: tau tells what a low fidelity cannot know, so no reduction is needed."""

    front_maxima: Array  # (S, K)

    def values(self, moments: Sequence[Moments]) -> list[Array]:
        return [mean_entropy_drop(self._asinh_gamma(j, each), _decorrelation(each)) for j, each in enumerate(moments)]

    def partials(self, moments: Sequence[Moments], chosen: Sequence[IntArray], weights: Array) -> list[Partials]:
        table = skew_table()
        answer = []
        for j, (each, column) in enumerate(zip(moments, chosen, strict=True)):
            asinh_gamma = self._asinh_gamma(j, each)  # (S, n)
            decorrelation = _decorrelation(each)[np.arange(len(column)), column]
            row, row_slope = table.rows(asinh_gamma).mean(axis=0), table.rows_slope(asinh_gamma)
            basis, basis_slope = table.basis(decorrelation), table.basis_slope(decorrelation)
            gamma, std = np.sinh(asinh_gamma), np.sqrt(each.var_f)
            by_gamma = (row_slope * basis).sum(axis=-1) / np.cosh(asinh_gamma)  # (S, n)
            inside = (asinh_gamma > np.arcsinh(GAMMA_RANGE[0])) & (asinh_gamma < np.arcsinh(GAMMA_RANGE[1]))
            by_gamma = np.where(inside, by_gamma, 0.0)
            partials = correlation_partials(
                each,
                column,
                by_tau_squared=-(row * basis_slope).sum(axis=-1) / (2.0 * decorrelation),
                by_mean_f=-by_gamma.mean(axis=0) / std,
                by_var_f=-(by_gamma * gamma).mean(axis=0) / (2.0 * each.var_f),
            )
            answer.append(partials.times(weights[:, j]))
        return answer

    def _asinh_gamma(self, j: int, moments: Moments) -> Array:  # (S, n)
        return tabulated_gamma(self.front_maxima[:, j], moments.mean_f, moments.var_f)


def tabulated_gamma(maxima: Array, mean_f: Array, var_f: Array) -> Array:  # (S,), (n,), (n,) -> (S, n)
    """arcsinh of gamma, the coordinate of the table, within its range."""
    gamma = (maxima[:, None] - mean_f) / np.sqrt(var_f)
    return np.arcsinh(np.clip(gamma, *GAMMA_RANGE))


def _decorrelation(moments: Moments) -> Array:  # (n, m)
    return np.sqrt(1.0 - squared_correlation(moments))

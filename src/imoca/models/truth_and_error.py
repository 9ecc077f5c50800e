"""Truth plus error: what a cheap run says is the truth plus an error of its own.

``g(x, z) = f(x) + sum_k w_k(z) d_k(x) + 4 w_k (1 - w_k) b_k(x)``, with f, d_k, b_k independent Gaussian processes.
Every error has length scales of its own, not unlike the truth's, and w_k falls from 1 at the cheapest setting to 0 at
full accuracy. The last term, which vanishes at both ends, says that the error need not fall in the way w_k supposes:
without it two cheap fidelities would determine f exactly. Cheap runs also scatter, by ``nu w``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from imoca.arrays import Array, IntArray
from imoca.models.fading import Fading, KnobFading, LevelFading, SourceFading
from imoca.models.form import NOISE_VARIANCE, SIGNAL_VARIANCE, Likeness, Prior
from imoca.models.kernel import Block, BlockGradient, WeightedFunctions

EVENNESS = (10.0, 1.5)  # of the truth: nearly at one scale, until the data tell of several
LENGTH_RATIOS = (0.5, 1.0)  # log-sd of an error's length scales over the truth's: of each, and of all, if shorter
ERROR_VARIANCE = (0.1, 1.5)  # fidelities are alike until the data say otherwise
BEND_VARIANCE = (1e-4, 1.5)  # near zero: without a run at full accuracy the fit stays there
SCATTER_VARIANCE = (1e-4, 2.0)  # of remeshing, early stopping and the like
SOURCE_RATIO = (1.0, 0.5)  # of the truth in a source: rho
NOISY_START = 0.1  # noise variance, of standardised values


@dataclass(frozen=True)
class Error:
    """One error term at given hyperparameters."""

    fading: Fading
    parameters: Array  # (t,) of the fading, as logarithms
    length_scales: Array  # (d,)
    variance: float  # e^2, of the error at the cheapest setting
    bend_variance: float  # by which the error strays from how it is supposed to fall

    def weights(self, z: Array) -> Array:  # (n, 2)
        """Of d_k and b_k."""
        weights = np.empty((len(z), 2))
        weights[:, 0] = w = self.fading.weights(z, self.parameters)
        weights[:, 1] = 4.0 * w * (1.0 - w)
        return weights

    @property
    def block(self) -> Block:
        return Block(self.length_scales, WeightedFunctions(np.array([self.variance, self.bend_variance]), self.weights))

    def log_gradient(self, weights: Array, slopes: Array, by_block: BlockGradient) -> Array:  # (d + 1 + bends + t,)
        """From the weights at the data and their derivatives (n, t) in the parameters."""
        variances = np.array([self.variance, self.bend_variance])
        multiplied = variances * (by_block.by_fidelity @ weights)  # (n, 2)
        by_variance = (weights * multiplied).sum(axis=0)
        by_weight = multiplied[:, 0] + 4.0 * (1.0 - 2.0 * weights[:, 0]) * multiplied[:, 1]
        kept = 2 if self.fading.bends else 1
        return np.concatenate([by_block.by_log_lengths, by_variance[:kept], 2.0 * by_weight @ slopes])


@dataclass(frozen=True)
class TruthAndError:
    """The kernel at given hyperparameters."""

    length_scales: Array  # (d,) of the truth
    signal_variance: float  # s^2, of the truth
    evenness: float  # alpha of the truth: how nearly it changes at one scale
    errors: tuple[Error, ...]
    scatter_variance: float  # nu^2, of a run at the cheapest setting
    noise_variance: float  # eta^2, of any run
    ratios: Array  # (n_sources - 1,) rho of sources without order, else empty

    @property
    def blocks(self) -> tuple[Block, ...]:
        truth = WeightedFunctions(np.array([self.signal_variance]), self.truth_weights)
        return (Block(self.length_scales, truth, self.evenness), *(error.block for error in self.errors))

    def truth_weights(self, z: Array) -> Array:  # (n, 1)
        """1, but for sources without order, which may answer in another scale."""
        if not len(self.ratios):
            return np.ones((len(z), 1))
        return np.append(self.ratios, 1.0)[self._sources(z)][:, None]

    def noise(self, z: Array) -> Array:
        return self.noise_variance + self.scatter_variance * sum(
            (error.weights(z)[:, 0] ** 2 for error in self.errors), np.zeros(len(z))
        )

    def information_gap(self, z: Array) -> Array:
        """``sqrt(1 - rho^2)`` with rho the prior correlation of g(x, z) and f(x): [Kandasamy2017]'s exact form."""
        error = sum(
            (error.weights(z) ** 2 @ np.array([error.variance, error.bend_variance]) for error in self.errors),
            np.zeros(len(z)),
        )
        truth = self.signal_variance * self.truth_weights(z)[:, 0] ** 2
        return np.sqrt(error / (truth + error))

    def to_logs(self) -> Array:
        parts = [np.log(self.length_scales)]
        for error in self.errors:
            bend = [math.log(error.bend_variance)] if error.fading.bends else []
            parts += [np.log(error.length_scales), np.array([math.log(error.variance), *bend]), error.parameters]
        scatter = [math.log(self.scatter_variance)] if self.errors else []
        tail = [math.log(self.evenness), math.log(self.signal_variance), *scatter, math.log(self.noise_variance)]
        return np.concatenate([*parts, np.array(tail), np.log(self.ratios)])

    def log_gradient(self, z: Array, by_block: Sequence[BlockGradient], by_noise: Array) -> Array:
        truth = self.truth_weights(z)
        by_truth = self.signal_variance * (by_block[0].by_fidelity @ truth * truth)[:, 0]  # (n,), summed: d / d log s^2
        parts, scatter = [by_block[0].by_log_lengths], 0.0
        for error, by_error in zip(self.errors, by_block[1:], strict=True):
            weights, slopes = error.weights(z), error.fading.slopes(z, error.parameters)
            gradient = error.log_gradient(weights, slopes, by_error)
            by_scatter = self.scatter_variance * by_noise * weights[:, 0]
            if slopes.shape[1]:
                gradient[-slopes.shape[1] :] += 2.0 * by_scatter @ slopes
            scatter += float(by_scatter @ weights[:, 0])
            parts.append(gradient)
        tail = [
            by_block[0].by_log_evenness,
            float(by_truth.sum()),
            *([scatter] if self.errors else []),
            self.noise_variance * float(by_noise.sum()),
        ]
        by_ratios = [2.0 * by_truth[self._sources(z) == source].sum() for source in range(len(self.ratios))]
        return np.concatenate([*parts, tail, by_ratios])

    def _sources(self, z: Array) -> IntArray:
        return np.rint(z * len(self.ratios)).astype(np.int64)


@dataclass(frozen=True)
class TruthAndErrorForm:
    """The kernels of one simulator, by how its errors fade."""

    fadings: tuple[Fading, ...]
    n_ratios: int = 0  # sources without order, full accuracy not counted

    @staticmethod
    def exact() -> TruthAndErrorForm:
        """No knob: the truth alone."""
        return TruthAndErrorForm(())

    @staticmethod
    def knobs(positions: IntArray) -> TruthAndErrorForm:  # (n_settings, n_knobs)
        """Several knobs with levels, of which every setting has one each: one error per knob."""
        each = [tuple(column.tolist()) for column in positions.T]
        return TruthAndErrorForm(tuple(LevelFading(max(levels) + 1, levels) for levels in each))

    @staticmethod
    def knob() -> TruthAndErrorForm:
        return TruthAndErrorForm((KnobFading(),))

    @staticmethod
    def levels(n: int) -> TruthAndErrorForm:
        return TruthAndErrorForm((LevelFading(n),))

    @staticmethod
    def sources(n: int) -> TruthAndErrorForm:
        """Without order, full accuracy last; a source is ``rho f`` plus an error of its own."""
        return TruthAndErrorForm(tuple(SourceFading(source, n) for source in range(n - 1)), n - 1)

    def prior(self, n_columns: int) -> Prior:
        """An error changes along the parameters along which the truth does, all in all as fast or faster.

        Cheap runs alone cannot tell truth from error. With length scales that know nothing of each other a fit in many
        parameters gives some of these to the one and the rest to the other; and if errors could be smoother than the
        truth as well as rougher, the two would change places.
        """
        parts, truth, likenesses = [Prior.length_scales(n_columns)], slice(n_columns), list[Likeness]()
        for fading in self.fadings:
            at = sum(len(part.mean) for part in parts)
            likenesses.append(Likeness(slice(at, at + n_columns), truth, *LENGTH_RATIOS))
            parts += [Prior.length_scales(n_columns), Prior.log_normal(*ERROR_VARIANCE)]
            parts += [Prior.log_normal(*BEND_VARIANCE)] if fading.bends else []
            parts.append(fading.prior())
        parts += [Prior.log_normal(*EVENNESS), Prior.log_normal(*SIGNAL_VARIANCE)]
        parts += [Prior.log_normal(*SCATTER_VARIANCE)] if self.fadings else []
        parts.append(Prior.log_normal(*NOISE_VARIANCE))
        parts += [Prior.log_normal(*SOURCE_RATIO, self.n_ratios)] if self.n_ratios else []
        return reduce(Prior.with_likeness, likenesses, Prior.joined(parts))

    def kernel(self, logs: Array, n_columns: int) -> TruthAndError:
        scales, errors, at = np.exp(logs), [], n_columns
        for fading in self.fadings:
            lengths, at = scales[at : at + n_columns], at + n_columns
            variances, at = scales[at : at + 1 + fading.bends], at + 1 + fading.bends
            parameters, at = logs[at : at + fading.n_parameters], at + fading.n_parameters
            bend_variance = float(variances[1]) if fading.bends else 0.0
            errors.append(Error(fading, parameters, lengths, float(variances[0]), bend_variance))
        n_scatters = 1 if errors else 0
        evenness, signal_variance, *scatter, noise_variance = scales[at : at + 3 + n_scatters].tolist()
        return TruthAndError(
            scales[:n_columns],
            signal_variance,
            evenness,
            tuple(errors),
            scatter[0] if scatter else 0.0,
            noise_variance,
            scales[at + 3 + n_scatters :],
        )

    def starts(self, prior: Prior, n_columns: int) -> list[Array]:
        """The prior medians; functions that change twice as fast; and noise instead of detail."""
        rougher, noisier = prior.mean.copy(), prior.mean.copy()
        rougher[:n_columns] -= math.log(2.0)
        noise_at = len(prior.mean) - 1 - self.n_ratios
        noisier[noise_at] = math.log(NOISY_START)
        return [prior.mean, rougher, noisier]

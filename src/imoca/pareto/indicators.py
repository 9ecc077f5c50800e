"""How good a recovered front is, as one number; every objective is maximised."""

import math
from dataclasses import dataclass
from itertools import combinations

import moocore
import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import logsumexp

from imoca.arrays import Array
from imoca.errors import IndicatorError
from imoca.pareto.dominance import finite_points, non_dominated

# Points of a front whose exact hypervolume takes a second or two on one core, measured. Twice as many take
# seven times as long with six objectives and fifty times with nine; with five, thousands take a second.
EXACT_WITHIN_SECONDS = {6: 600, 7: 200, 8: 100, 9: 60, 10: 40}
LARGEST_EXACT_MULTIPLE = 2  # where it takes up to a minute; beyond, an exact hypervolume is refused
EXACT_AT_A_GLANCE = 0.5  # of those points, whose exact hypervolume takes some hundredths of a second
N_DIRECTIONS = 65_536  # some hundredths of a second, too
N_HYPERVOLUME_SAMPLES = 200_000  # standard error about 0.3 % for nine objectives, in a second or two
SAMPLES_AT_ONCE = 5_000  # keeps the table of samples against points in the cache
N_R2_WEIGHTS = 200  # at least so many weights, unless told which


def hypervolume(
    values: Array,  # (n, K) maximised
    reference_point: Array,  # (K,) maximised
) -> float:
    """Volume between the points and the reference point.

    A point that does not exceed the reference point in every objective adds nothing; no point at all gives 0.
    Exact, and refused where that would take minutes: six or more objectives and too many points for them.
    """
    values, reference_point = _points_and_reference(values, reference_point)
    front = _counting_front(values, reference_point)
    largest = LARGEST_EXACT_MULTIPLE * _n_exact(values.shape[1])
    if len(front) > largest:
        raise IndicatorError(
            f"The exact hypervolume of {len(front)} points in {values.shape[1]} objectives would take minutes;"
            f" it is computed for up to {largest:.0f} non-dominated points.",
            hint="Use estimate_hypervolume, which samples and tells its standard error.",
        )
    return _exact_volume(front, reference_point)


@dataclass(frozen=True)
class HypervolumeEstimate:
    """A hypervolume and how far off it may be; the error of an exact one is 0."""

    volume: float
    standard_error: float


def estimate_hypervolume(
    values: Array,  # (n, K) maximised
    reference_point: Array,  # (K,) maximised
    rng: np.random.Generator,
) -> HypervolumeEstimate:
    """The exact hypervolume where that takes a second or two, a sampled one otherwise."""
    values, reference_point = _points_and_reference(values, reference_point)
    front = _counting_front(values, reference_point)
    if len(front) <= _n_exact(values.shape[1]):
        return HypervolumeEstimate(_exact_volume(front, reference_point), 0.0)
    return sample_hypervolume(front, reference_point, N_HYPERVOLUME_SAMPLES, rng)


def glance_hypervolume(
    values: Array,  # (n, K) maximised
    reference_point: Array,  # (K,) maximised
) -> float:
    """The exact hypervolume where that takes a moment, else by a fixed set of directions, which takes one too.

    For fronts that are compared with each other on a page: moocore's quasi-Monte Carlo over directions from the
    reference point is within about half a percent for nine objectives, and all fronts share its directions, so that a
    front that dominates another never has less. What is published is exact, or sampled with its standard error.
    """
    values, reference_point = _points_and_reference(values, reference_point)
    front = _counting_front(values, reference_point)
    if len(front) <= _n_exact(values.shape[1]) * EXACT_AT_A_GLANCE:
        return _exact_volume(front, reference_point)
    return float(moocore.hv_approx(front, ref=reference_point, maximise=True, nsamples=N_DIRECTIONS))


def sample_hypervolume(
    values: Array,  # (n, K) maximised
    reference_point: Array,  # (K,) maximised
    n_samples: int,
    rng: np.random.Generator,
) -> HypervolumeEstimate:
    """Monte Carlo over the union of the boxes between the points and the reference point.

    A sample falls into a box drawn in proportion to its volume, and counts one over the number of boxes that
    cover it [Karp1989]: the relative error stays bounded however thin the union is in its bounding box, which
    uniform samples miss in many objectives. Where the bounding box is smaller than all boxes added up, as many
    overlap, it is sampled uniformly instead: the relative variance is at most the sampled volume over the union
    less one, either way.
    """
    if n_samples < 2:
        raise IndicatorError(f"A hypervolume from {n_samples} sample(s).", hint="Draw two or more, for their spread.")
    values, reference_point = _points_and_reference(values, reference_point)
    sides = _counting_front(values, reference_point) - reference_point  # (m, K)
    if len(sides) == 0:
        return HypervolumeEstimate(0.0, 0.0)
    log_volumes = np.log(sides).sum(axis=1)
    log_sum, log_bounding = float(logsumexp(log_volumes)), float(np.log(sides.max(axis=0)).sum())
    probabilities = np.exp(log_volumes - log_sum) if log_sum < log_bounding else None
    shares = np.concatenate(
        [
            _sample_shares(sides, probabilities, min(SAMPLES_AT_ONCE, n_samples - start), rng)
            for start in range(0, n_samples, SAMPLES_AT_ONCE)
        ]
    )
    total = math.exp(min(log_sum, log_bounding))
    return HypervolumeEstimate(total * float(shares.mean()), total * float(shares.std(ddof=1)) / math.sqrt(n_samples))


def _sample_shares(sides: Array, probabilities: Array | None, n: int, rng: np.random.Generator) -> Array:  # (n,)
    """One over the number of boxes around each sample, itself drawn from one of them with these probabilities.

    Without probabilities samples are drawn from the bounding box, and count one if some box covers them.
    """
    corners = sides.max(axis=0) if probabilities is None else sides[rng.choice(len(sides), size=n, p=probabilities)]
    samples = corners * rng.random((n, sides.shape[1]))
    is_inside = np.ones((n, len(sides)), dtype=np.bool_)
    for coordinate, side in zip(samples.T, sides.T, strict=True):
        is_inside &= coordinate[:, None] <= side
    n_around = is_inside.sum(axis=1)
    return np.minimum(n_around, 1.0) if probabilities is None else 1.0 / n_around


def hypervolume_difference(
    recovered: Array,  # (n, K) maximised
    reference_point: Array,  # (K,) maximised
    whole_hypervolume: float,  # of the true front, from the same reference point
) -> float:
    """What the recovered points lack of the whole hypervolume; 0 for the true front, the whole for no points.

    Slightly negative where the points beat the front from which the whole was computed.
    """
    if not (math.isfinite(whole_hypervolume) and whole_hypervolume > 0.0):
        raise IndicatorError(
            f"The whole hypervolume is {whole_hypervolume!r}, but must be a positive finite number.",
            hint="Give the hypervolume of the true front, such as that of a benchmark.",
        )
    return float(whole_hypervolume) - hypervolume(recovered, reference_point)


def _points_and_reference(values: Array, reference_point: Array) -> tuple[Array, Array]:
    """Both as float64, refused unless finite and of matching shape."""
    values = finite_points(values, "values")
    reference_point = np.asarray(reference_point, dtype=np.float64)
    if reference_point.shape != (values.shape[1],):
        raise IndicatorError(
            f"The reference point has shape {reference_point.shape} for {values.shape[1]} objectives.",
            hint="Give one reference value per objective.",
        )
    if not np.isfinite(reference_point).all():
        raise IndicatorError(
            f"The reference point {reference_point.tolist()} is not finite.",
            hint="Choose a value slightly worse than any you would accept, for each objective.",
        )
    return values, reference_point


def _counting_front(values: Array, reference_point: Array) -> Array:  # (m, K)
    """The points that have a share in the hypervolume."""
    counting = values[(values > reference_point).all(axis=1)]
    return counting[non_dominated(counting)]


def _exact_volume(front: Array, reference_point: Array) -> float:
    return float(moocore.hypervolume(front, ref=reference_point, maximise=True)) if len(front) else 0.0


def _n_exact(n_objectives: int) -> float:
    """The number of points up to which an exact hypervolume is quick."""
    if n_objectives < min(EXACT_WITHIN_SECONDS):
        return math.inf
    return EXACT_WITHIN_SECONDS[min(n_objectives, max(EXACT_WITHIN_SECONDS))]


def average_distance(
    recovered: Array,  # (n, K) maximised
    reference_front: Array,  # (m, K) maximised, m >= 1
) -> float:
    """Mean over the reference front of the distance to the nearest recovered point.

    What [Belakaria2020] calls R2. Objectives are scaled by the reference front's range, so the unit is that
    range; an objective constant along the front is left unscaled. Nothing recovered is infinitely far.
    """
    recovered, reference_front = _two_fronts(recovered, reference_front)
    if len(recovered) == 0:
        return float("inf")
    scale = _front_scale(reference_front)
    return float(cdist(reference_front / scale, recovered / scale).min(axis=1).mean())


def tchebycheff_r2(
    recovered: Array,  # (n, K) maximised
    reference_front: Array,  # (m, K) maximised, m >= 1; one row: the ideal point itself
    weights: Array | None = None,  # (w, K) >= 0, each row with some weight; an even lattice unless given
) -> float:
    """The R2 indicator of [Hansen1998] with weighted Tchebycheff utilities; not what [Belakaria2020] calls R2.

    Mean over the weights of how much farther the best recovered point is from the ideal point than the best
    of the reference front, where the distance is the largest weighted shortfall. The ideal point is the best
    of each objective along the reference front, by whose range objectives are scaled; one that is constant
    along it is left unscaled. 0 for the reference front itself, negative where it is beaten, and infinite for
    no points. Departure: a point beyond the ideal gains by it instead of losing, so more is never worse.
    """
    recovered, reference_front = _two_fronts(recovered, reference_front)
    weights = _checked_weights(weights, reference_front.shape[1])
    if len(recovered) == 0:
        return float("inf")
    ideal, scale = reference_front.max(axis=0), _front_scale(reference_front)
    lost = _least_shortfall((ideal - recovered) / scale, weights)
    return float((lost - _least_shortfall((ideal - reference_front) / scale, weights)).mean())


def simplex_weights(
    n_objectives: int,
    n_divisions: int,
) -> Array:  # (w, K), each row adds up to 1
    """All weights that are multiples of one over the number of divisions [Das1998]."""
    if n_objectives < 1 or n_divisions < 1:
        raise IndicatorError(
            f"Weights for {n_objectives} objectives in {n_divisions} divisions.",
            hint="Both must be 1 or more.",
        )
    # K - 1 bars among the divisions cut them into K parts
    bars = np.array(list(combinations(range(n_divisions + n_objectives - 1), n_objectives - 1)), dtype=np.int64)
    ends = np.full((len(bars), 1), n_divisions + n_objectives - 1)
    return (np.diff(np.hstack([-np.ones_like(ends), bars, ends]), axis=1) - 1) / n_divisions


def _least_shortfall(shortfall: Array, weights: Array) -> Array:  # (n, K), (w, K) -> (w,)
    """For each weight the largest weighted shortfall of the point where that is least."""
    return np.array([(shortfall * weight).max(axis=1).min() for weight in weights])


def _checked_weights(weights: Array | None, n_objectives: int) -> Array:  # (w, K)
    if weights is None:
        n_divisions = 1
        while math.comb(n_divisions + n_objectives - 1, n_objectives - 1) < N_R2_WEIGHTS and n_objectives > 1:
            n_divisions += 1
        return simplex_weights(n_objectives, n_divisions)
    weights = finite_points(weights, "weights")
    if len(weights) == 0 or weights.shape[1] != n_objectives or (weights < 0.0).any() or not weights.any(axis=1).all():
        raise IndicatorError(
            f"Weights of shape {weights.shape} for {n_objectives} objectives must be one or more rows of numbers"
            " from 0 on, with one above 0 in each.",
            hint="Leave them out for an even lattice, or make one by simplex_weights.",
        )
    return weights


def _two_fronts(recovered: Array, reference_front: Array) -> tuple[Array, Array]:
    """Both as finite tables of the same objectives, the reference front not empty."""
    recovered = finite_points(recovered, "recovered")
    reference_front = finite_points(reference_front, "reference_front")
    if recovered.shape[1] != reference_front.shape[1]:
        raise IndicatorError(
            f"recovered has {recovered.shape[1]} objectives, the reference front {reference_front.shape[1]}.",
            hint="Compare fronts of the same problem.",
        )
    if len(reference_front) == 0:
        raise IndicatorError(
            "The reference front is empty.", hint="Give at least one point to measure the distance from."
        )
    return recovered, reference_front


def _front_scale(reference_front: Array) -> Array:  # (K,)
    """The range of each objective along the front, 1 where it has none."""
    span = np.ptp(reference_front, axis=0)
    return np.where(span > 0.0, span, 1.0)

"""Which answers are impossible: one absurd number, believed, bends a model everywhere.

First a look that costs nothing: an answer is suspected if it lies beyond all the others by several times what they
span, or if a model of all misses it alone. Only then is one fitted without the suspects; those that it finds impossible
are set aside. An answer that its neighbours agree with is believed: a narrow peak is no mistake. So is one far from all
other designs, which tell nothing about it, and one whose own standard error is that large. Good and bad values are
treated alike.
"""

from __future__ import annotations

import logging

import numpy as np

from imoca.arrays import Array, BoolArray
from imoca.models.fitting import fit
from imoca.models.form import Form
from imoca.models.gp import GaussianProcess

logger = logging.getLogger(__name__)

FEWEST_ANSWERS = 8  # fewer do not tell what is usual
MARGIN = 6.0  # spans of the others; a 10 among answers in [0, 1] reaches 8, benchmarks 3.7, poles 30
LARGEST_SHARE = 0.1  # of the answers, at least one: more are a feature of the simulator
LIMIT = 6.0  # predictive deviations
LEAST_OFF = 0.2  # standard deviations of all answers: what is missed by less bends no model, however sure that is
LINEAR = 3.0  # median deviations within which values count as they are, beyond by their logarithm
RECORD = 0.2  # standard deviations beyond all others that a prediction is, at least, beside poles
MOST_FORESEEN = 100.0  # times the farthest of the others: such an answer nothing foresees
NEARER = 0.5  # than the nearest usual answer: flukes at separate designs hardly ever are
REMOTE = 2.0  # times as far from the others as
SPACING_QUANTILE = 0.9  # of them are from their nearest; a tenth of the questions, spread out, makes the rest judgeable
ALIKE = 10.0  # neighbours on one peak differ by less
FEWEST_TO_STAND_OUT = 20  # answers: a model of fewer misses some
CONTRAST = 20.0  # times what it misses as a rule that a model misses an answer which stands out, and at least
LEAST_MISSED = 2.5  # deviations
ROUND_OFF = 1e-12  # relative: answers that differ by less are equal


def set_aside(
    x: Array,  # (n, d)
    z: Array,  # (n,)
    values: Array,  # (n,) finite, in any scale
    form: Form,
    errors: Array | None = None,  # (n,) standard errors told with the values, in the same scale
) -> BoolArray:  # (n,)
    """True where the model, fitted without an answer, finds it impossible, and no neighbour agrees with it."""
    return judged(x, z, values, suspected(values), form, np.zeros(len(values)) if errors is None else errors)


def judged(x: Array, z: Array, values: Array, suspects: BoolArray, form: Form, errors: Array) -> BoolArray:  # (n,)
    """Those of the suspects that are to be set aside."""
    if not suspects.any():
        return suspects
    telling = ~(suspects & explained(values, errors, suspects))
    if not telling.all():
        found = np.zeros(len(values), dtype=np.bool_)
        rest = x[telling], z[telling], values[telling], suspects[telling]
        found[telling] = judged(*rest, form, errors[telling])
        return found
    suspects = suspects & ~confirmed(x, values, suspects) & ~remote(x, suspects)
    n_suspects, n = int(suspects.sum()), len(values)
    if n_suspects > max(1.0, LARGEST_SHARE * n):
        logger.warning(
            "%d of %d answers are unlike all others. So many are no accident: they are believed. "
            "If they stand for failed runs, let these runs fail instead.",
            n_suspects,
            n,
        )
        return np.zeros(n, dtype=np.bool_)
    if n_suspects:
        suspects[suspects] = impossible(x, z, values, suspects, form, errors)
    return suspects


def standing_out(process: GaussianProcess) -> BoolArray:  # (n,)
    """Answers that the model, which saw them, misses far more than it misses most others when each is left out.

    Some wrong answers among cheap runs make a fit call everything noise; then it misses them alone. A run that is
    dearer than most is believed: it contradicts cheap ones where these mislead.
    """
    fidelities = process.z.reshape(len(process.z), -1).mean(axis=1)
    departures = np.abs(process.values - np.median(process.values))
    if len(fidelities) < FEWEST_TO_STAND_OUT or np.median(departures) <= ROUND_OFF:  # few, or half of them equal
        return np.zeros(len(fidelities), dtype=np.bool_)
    precisions = (process.inverse_factor**2).sum(axis=0)
    missed = np.abs(process.weights) / np.sqrt(precisions)  # in deviations of the prediction without it
    limit = max(CONTRAST * float(np.median(missed)), LEAST_MISSED)
    return (missed > limit) & (fidelities <= np.median(fidelities)) & (fidelities < 1.0)


def suspected(values: Array) -> BoolArray:  # (n,)
    """The largest group, less than half, that is farther from the median than all others by MARGIN times their span."""
    suspects = np.zeros(len(values), dtype=np.bool_)
    if len(values) < FEWEST_ANSWERS:
        return suspects
    with np.errstate(over="ignore", invalid="ignore"):  # of the largest numbers there are
        departures = np.abs(values - np.median(values))
        order = np.argsort(departures, kind="stable")
        ordered, departures = values[order], departures[order]
        spans = np.maximum.accumulate(ordered) - np.minimum.accumulate(ordered)  # of the first, the first two, ...
        last_usual = len(values) // 2 + np.flatnonzero((np.diff(departures) > MARGIN * spans[:-1])[len(values) // 2 :])
    are_half_equal = departures[len(values) // 2] <= ROUND_OFF * abs(ordered[0])  # 0 as a rule and sometimes not, say
    if len(last_usual) and not are_half_equal:
        suspects[order[last_usual[0] + 1 :]] = True
    return suspects


def explained(values: Array, errors: Array, suspects: BoolArray) -> BoolArray:  # (n,)
    """Answers that are so far from the usual ones by their own told errors: believed, they count for little."""
    return np.asarray(np.abs(values - np.median(values[~suspects])) <= LIMIT * errors)


def confirmed(x: Array, values: Array, suspects: BoolArray) -> BoolArray:  # (n,)
    """Suspects beside others that are alike: on the same side, and off by about as much.

    Beside is half as far as the nearest usual answer, or nearer than it where two are.
    """
    rows = np.flatnonzero(suspects)
    departures = values[rows] - np.median(values[~suspects])
    with np.errstate(divide="ignore", invalid="ignore"):  # one that stands out may be the median
        ratios = departures[:, None] / departures
    are_alike = (ratios <= ALIKE) & (ratios >= 1.0 / ALIKE) & ~np.eye(len(rows), dtype=np.bool_)
    between = np.where(are_alike, _distances(x[rows], x[rows]), np.inf)
    to_usual = _distances(x[rows], x[~suspects]).min(axis=1, keepdims=True)
    is_nearer = between < to_usual
    agrees = (between < NEARER * to_usual) | (is_nearer & (is_nearer.sum(axis=1, keepdims=True) >= 2))
    confirmed_rows = np.zeros(len(values), dtype=np.bool_)
    confirmed_rows[rows] = agrees.any(axis=1) | agrees.any(axis=0)
    return confirmed_rows


def remote(x: Array, suspects: BoolArray) -> BoolArray:  # (n,)
    """Suspects at designs unlike the others, which tell nothing about them.

    A method gathers its questions where the good designs are; what lies elsewhere is then far beyond all others.
    """
    usual = x[~suspects]
    apart = _distances(usual, usual)
    nearest = np.where(apart > 0.0, apart, np.inf).min(axis=1)  # a design may be run twice
    spacing = np.quantile(nearest, SPACING_QUANTILE, method="lower")  # between two infinities there is nothing
    is_remote = np.zeros(len(x), dtype=np.bool_)
    is_remote[suspects] = _distances(x[suspects], usual).min(axis=1) > REMOTE * spacing
    return is_remote


def impossible(
    x: Array, z: Array, values: Array, suspects: BoolArray, form: Form, errors: Array
) -> BoolArray:  # (n_suspects,)
    """Suspects that a model of the others misses by more than LIMIT deviations and where it foresaw no record.

    A model of exact answers is sure of them to the last digits, and surer than it should be.
    Beside a pole every answer lies far beyond the others, and a model, which knows no poles, is sure that it does not.
    But it does predict more there than was ever seen; where an answer is a mistake it seldom does.
    """
    usual = values[~suspects]
    centre = np.median(usual)
    departures = np.abs(usual - centre)
    spread = np.median(departures) or departures.mean()  # half of them may be equal
    if spread == 0.0:  # all of them: nothing tells how far off is far
        return np.zeros(suspects.sum(), dtype=np.bool_)
    with np.errstate(over="ignore"):
        scaled = np.arcsinh((values - centre) / (LINEAR * spread))
        scaled_errors = errors / np.hypot(LINEAR * spread, values - centre)  # by the delta method
    known = scaled[~suspects]
    middle, scale = known.mean(), known.std()
    told_noise = (scaled_errors / scale) ** 2
    process = fit(x[~suspects], z[~suspects], (known - middle) / scale, form, told_noise=told_noise[~suspects])
    moments = process.moments(x[suspects], z[suspects])
    means = middle + scale * moments.mean_g.diagonal()
    noise = process.kernel.noise(z[suspects]) + told_noise[suspects]
    deviations = scale * np.sqrt(moments.var_g.diagonal() + noise)
    is_missed = np.abs(scaled[suspects] - means) > np.maximum(LIMIT * deviations, LEAST_OFF * scale)
    is_above = values[suspects] > centre
    is_record = np.where(is_above, means - known.max(), known.min() - means) > RECORD * scale
    is_within_reach = np.abs(values[suspects] - centre) < MOST_FORESEEN * departures.max()
    return np.asarray(is_missed & ~(is_record & is_within_reach))


def _distances(x: Array, others: Array) -> Array:  # (n, d), (m, d) -> (n, m)
    return np.sqrt(((x[:, None, :] - others) ** 2).sum(axis=2))

"""How much of a function's variation each of its inputs accounts for: Sobol indices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from imoca.arrays import Array

SMALLEST_SPREAD = 1e-9  # of a function, relative to its size: below it nothing varies, and nothing can be shared out


@dataclass(frozen=True)
class SobolIndices:
    """Of p inputs and S functions; NaN of a function that does not vary."""

    first: Array  # (p, S) share of the variance that knowing the input alone would remove
    total: Array  # (p, S) share that would be left if all other inputs were known: with all it does together with them


def sobol_indices(
    function: Callable[[Array], Array],  # (n, d) -> (n, S)
    decode: Callable[[Array], Array],  # uniform coordinates (n, p) -> (n, d)
    uniform: Array,  # (n, 2 p) two designs per row, evenly spread
) -> SobolIndices:
    """By designs that share one input with one of two independent sets, the others with the other.

    First order by eq. (b) of table 2 of [Saltelli2010], values centred; total by [Jansen1999], eq. (f) there.
    """
    n, n_inputs = len(uniform), uniform.shape[1] // 2
    a, b = uniform[:, :n_inputs], uniform[:, n_inputs:]
    at_a, at_b = function(decode(a)), function(decode(b))
    centre = 0.5 * (at_a.mean(axis=0) + at_b.mean(axis=0))
    variance = 0.5 * (((at_a - centre) ** 2).mean(axis=0) + ((at_b - centre) ** 2).mean(axis=0))  # (S,)
    first, total = np.empty((2, n_inputs, at_a.shape[1]))
    for i in range(n_inputs):
        mixed = a.copy()
        mixed[:, i] = b[:, i]
        at_mixed = function(decode(mixed))
        first[i] = ((at_b - centre) * (at_mixed - at_a)).sum(axis=0) / n
        total[i] = 0.5 * ((at_mixed - at_a) ** 2).sum(axis=0) / n
    varies = np.sqrt(variance) > SMALLEST_SPREAD * np.maximum(np.abs(centre), 1.0)
    scale = np.where(varies, variance, np.nan)
    total = np.clip(total / scale, 0.0, 1.0)
    return SobolIndices(np.clip(first / scale, 0.0, total), total)  # by chance the smaller may be found to be larger

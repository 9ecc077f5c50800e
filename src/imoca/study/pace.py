"""How long a budget will last, told from the trials that finished so far."""

from __future__ import annotations

import math
from collections.abc import Sequence

from imoca.wording import duration

N_NEEDED = 3  # trials before anything is said
CERTAIN = 0.25  # relative error of the pace up to which one number is said
UNKNOWN = 0.6  # from which on nothing is: the range would span a factor of four


def time_left_words(steps: Sequence[tuple[float, float]], left: float) -> str:
    """Such as "about 3 h left", of trials by what they cost and how many seconds they took, and what is left to spend.

    A range where trials differ much, and nothing where nothing can be told.
    """
    error = relative_error(steps)
    if error >= UNKNOWN or left <= 0.0:
        return ""
    seconds = left * sum(seconds for _, seconds in steps) / sum(cost for cost, _ in steps)
    if error <= CERTAIN:
        return f"about {duration(seconds)} left"
    return f"{duration(seconds / (1.0 + error))} to {duration(seconds / (1.0 - error))} left"


def relative_error(steps: Sequence[tuple[float, float]]) -> float:
    """Of what is spent per second, a ratio of two sums: its standard error over itself, as in sampling surveys.

    Infinite while nothing is known.
    """
    n, cost, seconds = len(steps), sum(c for c, _ in steps), sum(t for _, t in steps)
    if n < N_NEEDED or not (cost > 0.0 and seconds > 0.0):
        return math.inf
    strays = sum((c - cost / seconds * t) ** 2 for c, t in steps)
    return math.sqrt(strays * n / (n - 1)) / cost

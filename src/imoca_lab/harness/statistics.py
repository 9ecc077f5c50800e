"""Are two methods different? Counted seed by seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb


@dataclass(frozen=True)
class SignTest:
    """How often one of a pair was better; pairs that tie do not count."""

    n_better: int
    n_worse: int
    n_ties: int

    @property
    def p_value(self) -> float:
        """Probability, if both were equally good, of a count at least as uneven: two-sided, exact."""
        n, smaller = self.n_better + self.n_worse, min(self.n_better, self.n_worse)
        tail = sum(comb(n, k) for k in range(smaller + 1)) / 2**n
        return min(1.0, 2.0 * tail)


def sign_test(values: Sequence[float], others: Sequence[float]) -> SignTest:
    """Pairs of the same seed; less is better. Two infinite values tie."""
    pairs = list(zip(values, others, strict=True))
    n_better, n_worse = sum(a < b for a, b in pairs), sum(a > b for a, b in pairs)
    return SignTest(n_better, n_worse, len(pairs) - n_better - n_worse)

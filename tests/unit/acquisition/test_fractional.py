"""Dinkelbach against brute force."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from imoca.acquisition.fractional import choose_fidelities


def brute_force(gains: list[np.ndarray], costs: list[np.ndarray], row: int) -> float:
    vectors = product(*(range(gain.shape[1]) for gain in gains))
    return max(
        sum(gain[row, c] for gain, c in zip(gains, vector, strict=True))
        / sum(cost[row, c] for cost, c in zip(costs, vector, strict=True))
        for vector in vectors
    )


@given(st.integers(0, 2**31), st.integers(1, 3), st.integers(1, 7))
def test_the_chosen_vector_is_the_best_of_all(seed: int, n_simulators: int, n_grid: int) -> None:
    rng = np.random.default_rng(seed)
    gains = [rng.exponential(size=(4, n_grid + s)) for s in range(n_simulators)]
    costs = [rng.uniform(0.01, 1.0, size=gain.shape) for gain in gains]
    chosen, ratio = choose_fidelities(gains, costs)
    for row in range(4):
        assert ratio[row] == pytest.approx(brute_force(gains, costs, row), rel=1e-10)
        gain = sum(g[row, c[row]] for g, c in zip(gains, chosen, strict=True))
        cost = sum(g[row, c[row]] for g, c in zip(costs, chosen, strict=True))
        assert gain / cost == pytest.approx(ratio[row])


def test_a_forbidden_fidelity_is_never_chosen(rng: np.random.Generator) -> None:
    gains = [rng.random((50, 6)) for _ in range(2)]
    for gain in gains:
        gain[:, 1:4] = -np.inf
    chosen, ratio = choose_fidelities(gains, [rng.uniform(0.1, 1.0, (50, 6)) for _ in range(2)])
    assert np.isfinite(ratio).all()
    assert not np.isin(chosen, [1, 2, 3]).any()


def test_no_gain_anywhere_is_a_ratio_of_zero() -> None:
    _, ratio = choose_fidelities([np.zeros((3, 4))], [np.ones((3, 4))])
    np.testing.assert_array_equal(ratio, 0.0)

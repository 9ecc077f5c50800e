"""Dinkelbach against brute force."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from imoca.acquisition.fractional import NOT_RUN, choose_fidelities, picked


def ratio_of(
    gains: list[np.ndarray], costs: list[np.ndarray], row: int, vector: tuple[int | None, ...], setup: float
) -> float:
    """Of one choice of columns; None leaves a simulator out."""
    run = [s for s, column in enumerate(vector) if column is not None]
    return float(sum(gains[s][row, vector[s]] for s in run) / (setup + sum(costs[s][row, vector[s]] for s in run)))


def brute_force(
    gains: list[np.ndarray], costs: list[np.ndarray], row: int, setup: float = 0.0, *, may_leave_out: bool = False
) -> float:
    left_out = [None] if may_leave_out else []
    vectors = product(*([*left_out, *range(gain.shape[1])] for gain in gains))
    return max(ratio_of(gains, costs, row, vector, setup) for vector in vectors if any(c is not None for c in vector))


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


@given(st.integers(0, 2**31), st.integers(1, 3), st.integers(1, 5), st.sampled_from([0.0, 1e-3, 0.5, 2.0, 50.0]))
def test_the_chosen_simulators_are_the_best_of_all_subsets(
    seed: int, n_simulators: int, n_grid: int, setup: float
) -> None:
    rng = np.random.default_rng(seed)
    gains = [rng.exponential(size=(4, n_grid + s)) * rng.choice([0.01, 1.0], size=(4, 1)) for s in range(n_simulators)]
    costs = [rng.uniform(0.01, 1.0, size=gain.shape) for gain in gains]
    chosen, ratio = choose_fidelities(gains, costs, setup, may_leave_out=True)
    for row in range(4):
        assert ratio[row] == pytest.approx(brute_force(gains, costs, row, setup, may_leave_out=True), rel=1e-10)
        vector = tuple(None if column[row] == NOT_RUN else int(column[row]) for column in chosen)
        assert any(column is not None for column in vector)
        assert ratio_of(gains, costs, row, vector, setup) == pytest.approx(ratio[row], rel=1e-10)


def test_without_a_set_up_cost_one_simulator_is_run_and_with_a_dear_one_all() -> None:
    gains, costs = [np.full((1, 1), 1.0), np.full((1, 1), 0.9)], [np.ones((1, 1)), np.ones((1, 1))]
    for setup, expected in ((0.0, [0, NOT_RUN]), (100.0, [0, 0])):
        chosen, _ = choose_fidelities(gains, costs, setup, may_leave_out=True)
        assert [int(columns[0]) for columns in chosen] == expected


def test_with_a_set_up_cost_all_simulators_are_weighed_together(rng: np.random.Generator) -> None:
    gains, costs = [rng.exponential(size=(6, 4)) for _ in range(2)], [rng.uniform(0.01, 1.0, (6, 4)) for _ in range(2)]
    _, ratio = choose_fidelities(gains, costs, 0.7)
    np.testing.assert_allclose(ratio, [brute_force(gains, costs, row, 0.7) for row in range(6)], rtol=1e-10)


def test_where_nothing_tells_anything_something_is_asked_nevertheless() -> None:
    chosen, ratio = choose_fidelities([np.zeros((3, 4))] * 2, [np.ones((3, 4))] * 2, may_leave_out=True)
    np.testing.assert_array_equal(ratio, 0.0)
    assert (np.array(chosen) != NOT_RUN).any(axis=0).all()


def test_what_is_not_run_is_worth_nothing_and_costs_nothing() -> None:
    np.testing.assert_array_equal(picked(np.arange(6.0).reshape(2, 3) + 1.0, np.array([2, NOT_RUN])), [3.0, 0.0])


def test_a_forbidden_fidelity_is_never_chosen(rng: np.random.Generator) -> None:
    gains = [rng.random((50, 6)) for _ in range(2)]
    for gain in gains:
        gain[:, 1:4] = -np.inf
    chosen, ratio = choose_fidelities(gains, [rng.uniform(0.1, 1.0, (50, 6)) for _ in range(2)])
    assert np.isfinite(ratio).all()
    assert not np.isin(chosen, [1, 2, 3]).any()
    chosen, ratio = choose_fidelities(gains, [rng.uniform(0.1, 1.0, (50, 6)) for _ in range(2)], may_leave_out=True)
    assert np.isfinite(ratio).all()
    assert not np.isin(chosen, [1, 2, 3]).any()


def test_no_gain_anywhere_is_a_ratio_of_zero() -> None:
    _, ratio = choose_fidelities([np.zeros((3, 4))], [np.ones((3, 4))])
    np.testing.assert_array_equal(ratio, 0.0)

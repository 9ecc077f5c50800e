"""Sobol indices of functions whose indices are known in closed form."""

from collections.abc import Callable

import numpy as np
import pytest

from imoca.arrays import Array
from imoca.models.sensitivity import SobolIndices, sobol_indices
from imoca.sobol import sobol_sequence


def indices_of(function: Callable[[Array], Array], n_inputs: int, n: int = 4096) -> SobolIndices:
    uniform = sobol_sequence(2 * n_inputs, np.random.default_rng(0)).random(n)
    return sobol_indices(function, lambda u: u, uniform)


def test_shares_of_a_weighted_sum_are_its_squared_weights() -> None:
    weights = np.array([1.0, 2.0, 0.0, 3.0])
    found = indices_of(lambda x: (5.0 + x @ weights)[:, None], 4)
    expected = weights**2 / (weights**2).sum()
    assert found.first[:, 0] == pytest.approx(expected, abs=0.005)
    assert found.total[:, 0] == pytest.approx(expected, abs=0.005)


def test_shares_of_ishigamis_function() -> None:
    """Closed forms with a = 7, b = 0.1: the third input matters only together with the first."""

    def ishigami(u: Array) -> Array:
        x = np.pi * (2.0 * u - 1.0)
        return (np.sin(x[:, 0]) + 7.0 * np.sin(x[:, 1]) ** 2 + 0.1 * x[:, 2] ** 4 * np.sin(x[:, 0]))[:, None]

    a, b, pi = 7.0, 0.1, np.pi
    alone, second, both = 0.5 * (1.0 + b * pi**4 / 5.0) ** 2, a**2 / 8.0, b**2 * pi**8 * (1.0 / 18.0 - 1.0 / 50.0)
    whole = alone + second + both
    found = indices_of(ishigami, 3)
    assert found.first[:, 0] == pytest.approx([alone / whole, second / whole, 0.0], abs=0.01)
    assert found.total[:, 0] == pytest.approx([(alone + both) / whole, second / whole, both / whole], abs=0.01)


def test_shares_of_a_product_of_two_signs_belong_to_neither_alone() -> None:
    found = indices_of(lambda x: (np.sign(x[:, 0] - 0.5) * np.sign(x[:, 1] - 0.5))[:, None], 2)
    assert found.first[:, 0] == pytest.approx([0.0, 0.0], abs=0.01)
    assert found.total[:, 0] == pytest.approx([1.0, 1.0], abs=0.01)


def test_every_function_has_shares_of_its_own_and_one_that_does_not_vary_has_none() -> None:
    found = indices_of(lambda x: np.column_stack([x[:, 0], 100.0 * x[:, 1], np.full(len(x), 3.0)]), 2, n=256)
    assert found.first[:, 0] == pytest.approx([1.0, 0.0], abs=0.02)
    assert found.first[:, 1] == pytest.approx([0.0, 1.0], abs=0.02)
    assert np.isnan(found.first[:, 2]).all()
    assert np.isnan(found.total[:, 2]).all()
    assert not (found.first > found.total).any()

"""The reduced fidelity space, condition by condition."""

import math

import numpy as np
import pytest
from deciding import is_in_reduced_space

from imoca.acquisition.fidelity_space import BETA_MINIMUM, FidelityReduction
from imoca.models.gp import GaussianProcess
from imoca.models.product import ProductKernel

GRID = np.linspace(0.0, 1.0, 11)


def make_process(fidelity_scale: float, rng: np.random.Generator, signal: float = 1.0) -> GaussianProcess:
    scales = ProductKernel(np.array([0.2, 0.2]), fidelity_scale, signal, 1e-6)
    return GaussianProcess.condition(rng.random((4, 2)), np.ones(4), rng.standard_normal(4), scales)


def test_the_target_is_always_allowed_and_its_neighbourhood_never(rng: np.random.Generator) -> None:
    moments = make_process(2.0, rng).moments(rng.random((20, 2)), GRID)
    allowed = FidelityReduction(1).allowed(moments, GRID, np.full((20, 11), 1e-6))
    assert allowed[:, -1].all()
    nearest = 1.0 - 1.0 / BETA_MINIMUM  # xi(z) > ||xi|| / beta
    assert not allowed[:, (nearest <= GRID) & (GRID < 1.0)].any()
    assert allowed[:, nearest - 0.01 > GRID].any()


def test_late_in_a_study_fidelities_closer_to_the_target_are_allowed(rng: np.random.Generator) -> None:
    moments = make_process(1.0, rng).moments(rng.random((20, 2)), GRID)
    cheap = np.full((20, 11), 1e-6)
    early, late = (FidelityReduction(t).allowed(moments, GRID, cheap) for t in (1, 100_000))
    beta = math.sqrt(0.5 * math.log(2 * 100_000 + 1))
    assert late.sum() > early.sum()
    assert not late[:, (1.0 / beta > 1.0 - GRID) & (GRID < 1.0)].any()


def test_a_fidelity_that_is_known_well_for_its_price_is_left_out(rng: np.random.Generator) -> None:
    process = make_process(2.0, rng)
    at_data = process.moments(process.x, GRID)
    afar = process.moments(np.array([[3.0, 3.0]]), GRID)
    dear = np.full((1, 11), 1.0)
    assert not FidelityReduction(1).allowed(at_data, GRID, np.repeat(dear, 4, axis=0))[:, 0].any()
    assert FidelityReduction(1).allowed(afar, GRID, dear)[0, 0]


@pytest.mark.parametrize("signal", [0.01, 100.0])
def test_the_choice_does_not_depend_on_the_scale_of_the_values(signal: float, rng: np.random.Generator) -> None:
    seeds = rng.integers(1000), rng.random((20, 2))
    masks = []
    for scale in (1.0, signal):
        scales = ProductKernel(np.array([0.2, 0.2]), 2.0, scale, 1e-6 * scale)
        generator = np.random.default_rng(seeds[0])
        process = GaussianProcess.condition(generator.random((4, 2)), np.ones(4), np.zeros(4), scales)
        masks.append(FidelityReduction(3).allowed(process.moments(seeds[1], GRID), GRID, np.full((20, 11), 0.2)))
    np.testing.assert_array_equal(masks[0], masks[1])


@pytest.mark.parametrize("settling", [1.0, 2.5])
@pytest.mark.parametrize("iteration", [1, 40, 5000])
def test_the_reduced_space_is_that_of_the_formula_worked_out_number_by_number(
    iteration: int, settling: float, rng: np.random.Generator
) -> None:
    scales = ProductKernel(np.array([0.4, 0.7]), 1.7, 2.3, 1e-4, settling)
    process = GaussianProcess.condition(rng.random((9, 2)), rng.random(9), rng.standard_normal(9), scales)
    x, shares = rng.random((12, 2)), np.linspace(0.05, 1.0, 11) ** 2
    allowed = FidelityReduction(iteration).allowed(process.moments(x, GRID), GRID, np.tile(shares, (12, 1)))
    expected = [
        [is_in_reduced_space(process, design, z, share, iteration) for z, share in zip(GRID, shares, strict=True)]
        for design in x
    ]
    np.testing.assert_array_equal(allowed, expected)
    assert 0 < allowed[:, :-1].sum() < allowed[:, :-1].size

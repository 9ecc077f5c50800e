"""The spring that breaks: by hand, by the closed form of a spring of constant width, and its front on the edge."""

import math

import numpy as np
import pytest
from stored_fronts import largest_gain_by_a_step

from imoca.pareto import hypervolume, non_dominated
from imoca.problem import FunctionReference
from imoca.studyfile.problem import problem_from_toml, problem_to_toml
from imoca_lab.problems.cantilever import (
    HIGH,
    LOW,
    PIECES,
    REFERENCE_POINT,
    BrokenError,
    cantilever,
    deflection,
    is_whole,
    mass,
    root_stress,
    spring,
    true_values,
)
from imoca_lab.stored_front import load_front

FORCE, LENGTH, STIFFNESS = 200.0, 400.0, 210e3


def test_a_spring_of_constant_width_is_exact_with_any_number_of_pieces() -> None:
    expected = 4.0 * FORCE * LENGTH**3 / (STIFFNESS * 40.0 * 8.0**3)
    for pieces in PIECES:
        assert deflection(np.array([[40.0, 40.0, 8.0]]), pieces)[0] == pytest.approx(expected)
    assert mass(np.array([[40.0, 40.0, 8.0]]))[0] == pytest.approx(7.85e-6 * 400.0 * 40.0 * 8.0)


def test_a_spring_that_narrows_is_that_of_the_integral() -> None:
    """Of s^2 / (b1 + c s), in closed form."""
    root, tip, thickness = 60.0, 10.0, 6.0
    slope = (root - tip) / LENGTH
    integral = LENGTH**2 / (2 * slope) - tip * LENGTH / slope**2 + tip**2 / slope**3 * math.log(root / tip)
    expected = 12.0 * FORCE / (STIFFNESS * thickness**3) * integral
    errors = [abs(deflection(np.array([[root, tip, thickness]]), n)[0] / expected - 1.0) for n in PIECES]
    assert errors[0] > 0.02
    assert errors[-1] < 1e-3
    assert (np.diff(errors) < 0.0).all()


def test_a_coarse_model_lets_live_what_breaks_in_a_fine_one() -> None:
    design = np.array([[42.0, 10.0, 6.0]])
    assert root_stress(design, 2)[0] < 300.0 < root_stress(design, 64)[0]
    assert set(spring(42.0, 10.0, 6.0, 2)) == {"deflection", "mass"}
    with pytest.raises(BrokenError, match="MPa"):
        spring(42.0, 10.0, 6.0, 64)


def test_a_third_of_the_designs_break_and_are_worth_nothing(rng: np.random.Generator) -> None:
    x = rng.random((4000, 3))
    assert 0.3 < 1.0 - is_whole(x).mean() < 0.35
    coarse = root_stress(LOW + x * (HIGH - LOW), PIECES[0]) > 300.0
    assert 0.22 < coarse.mean() < 0.27
    values = true_values(x)
    np.testing.assert_array_equal(values[~is_whole(x)], np.tile(REFERENCE_POINT, (int((~is_whole(x)).sum()), 1)))
    assert (values[is_whole(x)] != REFERENCE_POINT).all()


def test_the_stored_front_lies_on_the_edge_and_no_step_from_it_is_better() -> None:
    stored = load_front("cantilever", 3)
    stresses = root_stress(LOW + stored.designs * (HIGH - LOW), PIECES[-1])
    assert (stresses <= 300.0).all()
    assert (stresses > 299.9).mean() > 0.95
    np.testing.assert_allclose(true_values(stored.designs), stored.values, rtol=1e-8)
    assert largest_gain_by_a_step(stored, true_values) < 1e-3
    reached = hypervolume(stored.values, REFERENCE_POINT) / stored.hypervolume
    assert 0.99 < reached <= 1.0


def test_no_random_design_is_better_than_the_front(rng: np.random.Generator) -> None:
    stored, values = load_front("cantilever", 3), true_values(rng.random((20_000, 3)))
    together = non_dominated(np.concatenate([stored.values, values]))
    assert (
        hypervolume(np.concatenate([stored.values, values])[together], REFERENCE_POINT) <= 1.0001 * stored.hypervolume
    )


def test_it_survives_a_study_file() -> None:
    problem = cantilever().problem
    again = problem_from_toml(problem_to_toml(problem))
    assert again == problem
    assert again.simulators[0].run == FunctionReference("imoca_lab.problems.cantilever:spring")

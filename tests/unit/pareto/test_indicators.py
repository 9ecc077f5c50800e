import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from imoca.arrays import Array
from imoca.errors import IndicatorError
from imoca.pareto.indicators import (
    average_distance,
    estimate_hypervolume,
    glance_hypervolume,
    hypervolume,
    hypervolume_difference,
    sample_hypervolume,
    simplex_weights,
    tchebycheff_r2,
)

N_OBJECTIVES = st.integers(1, 4)
UNIT_POINTS = N_OBJECTIVES.flatmap(
    lambda k: hnp.arrays(
        np.float64,
        st.tuples(st.integers(1, 6), st.just(k)),
        elements=st.integers(0, 1000).map(lambda i: i / 1000),
    )
)


def test_hypervolume_of_three_points_computed_by_hand() -> None:
    values = np.array([[1.0, 3.0], [2.0, 2.0], [3.0, 1.0]])
    assert hypervolume(values, np.zeros(2)) == pytest.approx(3.0 + 2.0 + 1.0)


def test_hypervolume_of_two_boxes_in_three_dimensions_by_hand() -> None:
    values = np.array([[1.0, 1.0, 2.0], [2.0, 1.0, 1.0]])
    assert hypervolume(values, np.zeros(3)) == pytest.approx(2.0 + 2.0 - 1.0)


def test_hypervolume_is_measured_from_a_shifted_reference_point() -> None:
    assert hypervolume(np.array([[-1.0, -2.0]]), np.array([-4.0, -3.0])) == pytest.approx(3.0)


def test_a_point_that_does_not_dominate_the_reference_adds_nothing() -> None:
    assert hypervolume(np.array([[2.0, 2.0], [9.0, -1.0]]), np.zeros(2)) == pytest.approx(4.0)
    assert hypervolume(np.array([[-1.0, 5.0]]), np.zeros(2)) == 0.0


def test_no_points_have_no_hypervolume() -> None:
    assert hypervolume(np.empty((0, 2)), np.zeros(2)) == 0.0


@settings(max_examples=25, deadline=None)
@given(UNIT_POINTS)
def test_hypervolume_matches_monte_carlo_within_five_standard_errors(values: Array) -> None:
    n = 20_000
    samples = np.random.default_rng(0).random((n, values.shape[1]))
    covered = np.any((samples[:, None, :] <= values[None]).all(axis=2), axis=1)
    fraction = hypervolume(values, np.zeros(values.shape[1]))
    error = math.sqrt(max(fraction * (1.0 - fraction), 1.0 / n) / n)
    assert abs(covered.mean() - fraction) < 5.0 * error


def test_average_distance_of_a_front_to_itself_is_zero() -> None:
    front = np.array([[0.0, 1.0], [1.0, 0.0]])
    assert average_distance(front, front) == 0.0


def test_average_distance_computed_by_hand_with_scaled_objectives() -> None:
    reference = np.array([[0.0, 10.0], [2.0, 0.0]])  # ranges 2 and 10
    recovered = np.array([[0.0, 10.0]])
    assert average_distance(recovered, reference) == pytest.approx(math.sqrt(2.0) / 2.0)


def test_average_distance_leaves_a_constant_objective_unscaled() -> None:
    reference = np.array([[0.0, 5.0], [4.0, 5.0]])
    recovered = np.array([[0.0, 2.0], [4.0, 2.0]])
    assert average_distance(recovered, reference) == pytest.approx(3.0)


def test_average_distance_is_taken_over_the_reference_front_not_the_recovered_one() -> None:
    reference = np.array([[0.0, 1.0], [1.0, 0.0]])
    with_stray = np.array([[0.0, 1.0], [1.0, 0.0], [-9.0, -9.0]])
    assert average_distance(with_stray, reference) == 0.0


def test_average_distance_from_nothing_is_infinite() -> None:
    assert average_distance(np.empty((0, 2)), np.ones((1, 2))) == math.inf


@settings(deadline=None)
@given(UNIT_POINTS, st.integers(0, 2**31))
def test_average_distance_agrees_with_a_double_loop(reference: Array, seed: int) -> None:
    recovered = np.random.default_rng(seed).random((4, reference.shape[1]))
    span = reference.max(axis=0) - reference.min(axis=0)
    scale = np.where(span > 0.0, span, 1.0)
    nearest = [min(math.dist(r / scale, p / scale) for p in recovered) for r in reference]
    assert average_distance(recovered, reference) == pytest.approx(sum(nearest) / len(nearest))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite_is_refused(bad: float) -> None:
    good, poor = np.ones((2, 2)), np.array([[1.0, bad]])
    with pytest.raises(IndicatorError, match="not finite"):
        hypervolume(poor, np.zeros(2))
    with pytest.raises(IndicatorError, match="not finite"):
        hypervolume(good, np.array([0.0, bad]))
    with pytest.raises(IndicatorError, match="recovered"):
        average_distance(poor, good)
    with pytest.raises(IndicatorError, match="reference_front"):
        average_distance(good, poor)


def test_wrong_shapes_are_refused() -> None:
    with pytest.raises(IndicatorError, match="reference point has shape"):
        hypervolume(np.ones((2, 2)), np.zeros(3))
    with pytest.raises(IndicatorError, match="values has shape"):
        hypervolume(np.ones(2), np.zeros(2))
    with pytest.raises(IndicatorError, match="recovered has 2 objectives"):
        average_distance(np.ones((2, 2)), np.ones((2, 3)))
    with pytest.raises(IndicatorError, match="empty"):
        average_distance(np.ones((2, 2)), np.empty((0, 2)))


# Hypervolume of many objectives.


def sphere_points(n: int, n_objectives: int, rng: np.random.Generator) -> Array:
    normal = np.abs(rng.normal(size=(n, n_objectives)))
    return normal / np.linalg.norm(normal, axis=1, keepdims=True)


@pytest.mark.parametrize("n_objectives", [2, 5, 8])
@pytest.mark.parametrize("is_bent_inwards", [False, True])
def test_sampled_hypervolume_matches_the_exact_one_within_four_standard_errors(
    n_objectives: int, is_bent_inwards: bool, rng: np.random.Generator
) -> None:
    points = sphere_points(30, n_objectives, rng)
    values = 1.0 - points if is_bent_inwards else points
    reference = np.full(n_objectives, -0.1)
    estimate = sample_hypervolume(values, reference, 20_000, rng)
    exact = hypervolume(values, reference)
    assert abs(estimate.volume - exact) < 4.0 * estimate.standard_error
    assert estimate.standard_error < 0.02 * exact


def test_the_stated_standard_error_is_the_spread_of_repeated_estimates(rng: np.random.Generator) -> None:
    values, reference = sphere_points(20, 4, rng), np.zeros(4)
    estimates = [sample_hypervolume(values, reference, 500, rng) for _ in range(200)]
    stated = np.mean([estimate.standard_error for estimate in estimates])
    assert np.std([estimate.volume for estimate in estimates]) == pytest.approx(stated, rel=0.2)


def test_many_boxes_over_each_other_are_sampled_as_precisely_as_their_bounding_box(rng: np.random.Generator) -> None:
    values = 0.7 + 0.3 * sphere_points(100, 4, rng)
    estimate, exact = sample_hypervolume(values, np.zeros(4), 20_000, rng), hypervolume(values, np.zeros(4))
    assert abs(estimate.volume - exact) < 4.0 * estimate.standard_error
    bounding = np.prod(values.max(axis=0))
    assert estimate.standard_error == pytest.approx(exact * np.sqrt((bounding / exact - 1.0) / 20_000), rel=0.03)


def test_the_sampled_hypervolume_of_one_box_or_of_separate_scales_is_exact_by_hand(rng: np.random.Generator) -> None:
    one = sample_hypervolume(np.array([[1e-200, 2e-150, 1e200]]), np.zeros(3), 10, rng)
    assert one.volume == pytest.approx(2e-150)
    assert one.standard_error == pytest.approx(0.0, abs=1e-160)
    # a point that does not exceed the reference, and a dominated one, add nothing
    values = np.array([[2.0, 3.0], [5.0, -1.0], [1.0, 1.0]])
    assert sample_hypervolume(values, np.zeros(2), 10, rng).volume == pytest.approx(6.0)
    assert sample_hypervolume(values - 10.0, np.zeros(2), 10, rng).volume == 0.0


def test_a_glance_is_exact_for_few_points_and_agrees_with_samples_for_many(rng: np.random.Generator) -> None:
    few = sphere_points(20, 9, rng)
    assert glance_hypervolume(few, np.zeros(9)) == hypervolume(few, np.zeros(9))
    many, reference = 0.3 + 0.7 * sphere_points(120, 9, rng), np.full(9, 0.1)
    sampled = sample_hypervolume(many, reference, 40_000, rng)
    assert (
        abs(glance_hypervolume(many, reference) - sampled.volume) < 4.0 * sampled.standard_error + 0.01 * sampled.volume
    )
    assert sampled.standard_error < 0.02 * sampled.volume
    below = np.full((1, 9), 0.05)  # does not exceed the reference point
    assert glance_hypervolume(np.concatenate([many, below]), reference) == glance_hypervolume(many, reference)


def test_at_a_glance_a_front_that_dominates_another_never_has_less(rng: np.random.Generator) -> None:
    front = sphere_points(100, 9, rng)
    volumes = [
        glance_hypervolume(front[:n] * stretch, np.zeros(9))
        for n, stretch in ((60, 1.0), (99, 1.0), (100, 1.0), (100, 1.001))
    ]
    assert volumes == sorted(volumes)
    assert volumes[-1] > volumes[0]


@pytest.mark.slow
def test_the_estimate_is_exact_for_few_points_and_sampled_for_many(rng: np.random.Generator) -> None:
    few, many = sphere_points(20, 9, rng), sphere_points(150, 9, rng)
    exact = estimate_hypervolume(few, np.zeros(9), rng)
    assert exact.standard_error == 0.0
    assert exact.volume == hypervolume(few, np.zeros(9))
    sampled = estimate_hypervolume(many, np.zeros(9), rng)
    assert 0.0 < sampled.standard_error < 0.01 * sampled.volume
    uniform = rng.random((200_000, 9)) * 0.6  # a box in which the union is not too thin
    covered = np.zeros(len(uniform), dtype=np.bool_)
    for point in many:
        covered |= (uniform <= point).all(axis=1)
    inside = sample_hypervolume(np.minimum(many, 0.6), np.zeros(9), 100_000, rng)
    share = covered.mean()
    error = math.hypot(inside.standard_error, 0.6**9 * math.sqrt(share * (1.0 - share) / len(uniform)))
    assert abs(inside.volume - 0.6**9 * share) < 4.0 * error


def test_an_exact_hypervolume_that_would_take_minutes_is_refused_with_the_way_out(rng: np.random.Generator) -> None:
    with pytest.raises(IndicatorError, match="estimate_hypervolume"):
        hypervolume(sphere_points(300, 9, rng), np.zeros(9))
    dominated = 0.1 * sphere_points(300, 9, rng)
    assert hypervolume(np.concatenate([dominated, np.ones((1, 9))]), np.zeros(9)) == pytest.approx(1.0)


def test_hypervolume_difference_by_hand() -> None:
    values = np.array([[1.0, 3.0], [3.0, 1.0]])
    assert hypervolume_difference(values, np.zeros(2), 9.0) == pytest.approx(4.0)
    assert hypervolume_difference(np.empty((0, 2)), np.zeros(2), 9.0) == 9.0
    assert hypervolume_difference(values, np.zeros(2), 4.5) == pytest.approx(-0.5)


# R2 with Tchebycheff utilities.


def test_r2_computed_by_hand() -> None:
    reference = np.array([[0.0, 10.0], [2.0, 0.0]])  # ideal (2, 10), ranges 2 and 10
    recovered = np.array([[0.0, 5.0]])  # scaled shortfalls 1 and 1/2
    weights = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    # recovered: 1, 1/2, 1/2; reference: 0, 0, 1/2
    assert tchebycheff_r2(recovered, reference, weights) == pytest.approx((1.0 + 0.5 + 0.0) / 3.0)


def test_r2_against_the_ideal_point_alone_is_the_unary_indicator() -> None:
    recovered, weights = np.array([[0.0, 1.0], [1.0, 0.0]]), simplex_weights(2, 4)
    # ideal (1, 1), so the shortfalls are (1, 0) and (0, 1): the smaller weight counts
    assert tchebycheff_r2(recovered, np.ones((1, 2)), weights) == pytest.approx((0 + 0.25 + 0.5 + 0.25 + 0) / 5)


def test_r2_of_the_reference_front_is_zero_and_of_nothing_infinite(rng: np.random.Generator) -> None:
    front = sphere_points(20, 3, rng)
    assert tchebycheff_r2(front, front) == 0.0
    assert tchebycheff_r2(np.empty((0, 3)), front) == math.inf


@given(UNIT_POINTS, st.integers(0, 2**31))
def test_r2_agrees_with_a_triple_loop_and_never_grows_with_a_further_point(reference: Array, seed: int) -> None:
    rng = np.random.default_rng(seed)
    recovered, weights = 1.5 * rng.random((4, reference.shape[1])), 0.01 + rng.random((3, reference.shape[1]))
    span = reference.max(axis=0) - reference.min(axis=0)
    scale = [s if s > 0 else 1.0 for s in span]
    ideal = reference.max(axis=0)

    def utility(points: Array, weight: Array) -> float:
        return min(max(w * (i - p) / s for w, i, p, s in zip(weight, ideal, row, scale, strict=True)) for row in points)

    differences = [utility(recovered, weight) - utility(reference, weight) for weight in weights]
    value = tchebycheff_r2(recovered, reference, weights)
    assert value == pytest.approx(sum(differences) / len(differences), abs=1e-12)
    more = np.concatenate([recovered, 1.5 * rng.random((1, reference.shape[1]))])
    assert tchebycheff_r2(more, reference, weights) <= value + 1e-12


def test_simplex_weights_are_all_the_multiples_that_add_up_to_one() -> None:
    np.testing.assert_allclose(simplex_weights(2, 2), [[0.0, 1.0], [0.5, 0.5], [1.0, 0.0]])
    for n_objectives, n_divisions in ((1, 5), (3, 4), (4, 3), (6, 2)):
        weights = simplex_weights(n_objectives, n_divisions)
        multiples = {
            tuple(parts) for parts in np.ndindex(*(n_divisions + 1,) * n_objectives) if sum(parts) == n_divisions
        }
        assert {tuple(row) for row in np.rint(weights * n_divisions).astype(int)} == multiples
        assert len(weights) == len(multiples)


@pytest.mark.parametrize("n_objectives", range(1, 10))
def test_the_default_weights_of_r2_are_some_hundreds(n_objectives: int, rng: np.random.Generator) -> None:
    front = sphere_points(5, n_objectives, rng)
    n_divisions = 1
    while n_objectives > 1 and math.comb(n_divisions + n_objectives - 1, n_divisions) < 200:
        n_divisions += 1
    weights = simplex_weights(n_objectives, n_divisions)
    assert tchebycheff_r2(0.5 * front, front) == pytest.approx(tchebycheff_r2(0.5 * front, front, weights))
    assert len(weights) < 600


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_the_new_indicators_refuse_what_is_not_finite(bad: float, rng: np.random.Generator) -> None:
    good, poor = np.ones((2, 2)), np.array([[1.0, bad]])
    for sampled in (estimate_hypervolume, lambda v, r, g: sample_hypervolume(v, r, 10, g)):
        with pytest.raises(IndicatorError, match="not finite"):
            sampled(poor, np.zeros(2), rng)
        with pytest.raises(IndicatorError, match="not finite"):
            sampled(good, np.array([0.0, bad]), rng)
    with pytest.raises(IndicatorError, match="not finite"):
        hypervolume_difference(poor, np.zeros(2), 1.0)
    for whole in (bad, 0.0, -1.0):
        with pytest.raises(IndicatorError, match="whole hypervolume"):
            hypervolume_difference(good, np.zeros(2), whole)
    for arguments in ((poor, good, good), (good, poor, good), (good, good, poor)):
        with pytest.raises(IndicatorError, match="not finite"):
            tchebycheff_r2(*arguments)


def test_the_new_indicators_refuse_wrong_shapes(rng: np.random.Generator) -> None:
    good = np.ones((2, 2))
    with pytest.raises(IndicatorError, match="reference point has shape"):
        estimate_hypervolume(good, np.zeros(3), rng)
    with pytest.raises(IndicatorError, match="values has shape"):
        sample_hypervolume(np.ones(2), np.zeros(2), 10, rng)
    with pytest.raises(IndicatorError, match="1 sample"):
        sample_hypervolume(good, np.zeros(2), 1, rng)
    with pytest.raises(IndicatorError, match="recovered has 2 objectives"):
        tchebycheff_r2(good, np.ones((2, 3)))
    with pytest.raises(IndicatorError, match="empty"):
        tchebycheff_r2(good, np.empty((0, 2)))
    for weights in (np.ones((2, 3)), np.empty((0, 2)), np.array([[1.0, -1.0]]), np.zeros((1, 2))):
        with pytest.raises(IndicatorError, match="Weights"):
            tchebycheff_r2(good, good, weights)
    with pytest.raises(IndicatorError, match="divisions"):
        simplex_weights(2, 0)

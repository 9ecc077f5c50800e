from typing import Any

import numpy as np
import pytest

from imoca.arrays import Array
from imoca.pareto.dominance import non_dominated
from imoca.pareto.indicators import hypervolume
from imoca.problem.fidelity import Fidelity
from imoca.studyfile.problem import problem_from_toml, problem_to_toml
from imoca_lab.problems.qv import LOW_LEVEL_WEIGHTS, bowl, bowl_values, qv, shifted_bowl, true_values
from imoca_lab.stored_front import load_front

DESIGNS = np.random.default_rng(0).uniform(-5.12, 5.12, size=(50_000, 8))


def test_both_bowls_by_hand() -> None:
    assert bowl(*[0.0] * 8) == 0.0
    assert bowl(*[1.0] * 8) == pytest.approx(1.0)  # the cosine is 1
    assert bowl(*[1.5] * 8) == pytest.approx((2.25 + 20.0) ** 0.25)  # the cosine is -1
    assert bowl(2.0, *[0.0] * 7) == pytest.approx((4.0 / 8.0) ** 0.25)
    assert shifted_bowl(*(1.5,) * 8, z="high") == 0.0
    assert shifted_bowl(*(0.0,) * 8, z="high") == pytest.approx((2.25 + 20.0) ** 0.25)


def test_the_low_level_weights_the_squares_in_turn() -> None:
    assert shifted_bowl(*(1.5,) * 8, z="low") == 0.0
    first = (2.5, *(1.5,) * 7)
    assert shifted_bowl(*first, z="low") == pytest.approx((0.9 / 8.0) ** 0.25)
    second = (1.5, 2.5, *(1.5,) * 6)
    assert shifted_bowl(*second, z="low") == pytest.approx((1.1 / 8.0) ** 0.25)


def test_the_printed_formula_has_no_value_over_much_of_the_domain() -> None:
    def under_the_root(x: Array) -> Array:
        return (x**2 - 20.0 * np.pi * x + 10.0).mean(axis=1)

    assert (under_the_root(DESIGNS) < 0.0).mean() == pytest.approx(0.39, abs=0.01)
    assert (under_the_root(DESIGNS - 1.5) < 0.0).mean() == pytest.approx(0.047, abs=0.005)
    assert (under_the_root(np.random.default_rng(1).random((20_000, 8))) < 0.0).mean() > 0.999
    assert np.isfinite(bowl_values(DESIGNS, np.ones(8))).all()


def test_the_low_level_differs_as_specified() -> None:
    low, high = bowl_values(DESIGNS - 1.5, LOW_LEVEL_WEIGHTS), bowl_values(DESIGNS - 1.5, np.ones(8))
    assert np.corrcoef(low, high)[0, 1] == pytest.approx(0.9968, abs=3e-4)
    assert np.sqrt(np.mean((low - high) ** 2)) == pytest.approx(0.010, abs=5e-4)


def test_only_the_second_objective_has_a_fidelity() -> None:
    problem = qv().problem
    first, second = problem.simulators
    assert not first.fidelity.has_knob
    assert second.fidelity == Fidelity.levels(["low", "high"])
    x = np.full((1, 8), 0.5)
    np.testing.assert_allclose(second.cost_ratio(problem.space, x, np.array([0.0, 1.0]))[0], [0.1, 1.0])


def test_true_values_are_the_negated_simulators_at_full_fidelity() -> None:
    problem, unit_designs = qv().problem, np.random.default_rng(1).random((5, 8))
    for u, row in zip(unit_designs, true_values(unit_designs), strict=True):
        named: dict[str, Any] = problem.space.decode(u)
        np.testing.assert_allclose(row, [-bowl(**named), -shifted_bowl(**named, z="high")], rtol=1e-12)


def test_the_problem_survives_a_study_file() -> None:
    problem = qv().problem
    assert problem_from_toml(problem_to_toml(problem)) == problem


def test_the_stored_front_is_what_its_designs_give_and_covers_nearly_the_whole_volume() -> None:
    benchmark, stored = qv(), load_front("qv", 8)
    # Near its minimum a fourth root turns the tenth digit of a design into the fifth of a value.
    np.testing.assert_allclose(true_values(stored.designs), stored.values, atol=2e-4)
    assert len(stored.values) <= 300
    assert non_dominated(stored.values).all()
    volume = hypervolume(stored.values, benchmark.reference_point)
    assert 0.99 * benchmark.hypervolume < volume <= benchmark.hypervolume


def test_the_front_ends_at_the_minima_of_both_bowls() -> None:
    front, corner = qv().reference_front, 22.25**0.25
    np.testing.assert_allclose(front[front[:, 0].argmax()], [0.0, -corner], atol=1e-3)
    np.testing.assert_allclose(front[front[:, 1].argmax()], [-corner, 0.0], atol=1e-3)


def test_designs_with_parameters_at_the_two_minima_only_bound_the_front_from_below() -> None:
    """k parameters at 1.5 and 8 - k at 0: a staircase of the front, by hand."""
    k = np.arange(9)
    stairs = -np.stack([(22.25 * k / 8) ** 0.25, (22.25 * (8 - k) / 8) ** 0.25], axis=1)
    benchmark = qv()
    assert hypervolume(stairs, benchmark.reference_point) < benchmark.hypervolume
    front = benchmark.reference_front
    for stair in stairs:
        assert (front >= stair - 0.02).all(axis=1).any()


def test_mixed_designs_never_beat_the_front(rng: np.random.Generator) -> None:
    """Parameters drawn next to the valleys of either bowl: random search that knows the structure."""
    front = qv().reference_front
    valleys = np.array([0.0, 0.5, 0.75, 1.0, 1.5])
    x = rng.choice(valleys, size=(20_000, 8)) + rng.choice([0.0, 1e-3, 1e-2], size=(20_000, 1)) * rng.normal(
        size=(20_000, 8)
    )
    values = true_values((x + 5.12) / 10.24)
    values = values[non_dominated(values)]
    assert not (values[:, None, :] > front[None] + 0.01).all(axis=2).any()


def test_no_step_from_a_stored_design_gains_a_thousandth_of_the_range_in_every_objective() -> None:
    stored, rng = load_front("qv", 8), np.random.default_rng(2)
    for scale in (1e-1, 1e-2, 1e-3, 1e-4):
        tried = np.clip(stored.designs + scale * rng.normal(size=(40, *stored.designs.shape)), 0.0, 1.0)
        gain = true_values(tried.reshape(-1, 8)).reshape(40, *stored.values.shape) - stored.values
        assert (gain / np.ptp(stored.values, axis=0)).min(axis=2).max() < 1e-3

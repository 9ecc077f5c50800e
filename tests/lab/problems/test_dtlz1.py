from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from scipy.stats import spearmanr
from simulating import function_of

from imoca.arrays import Array
from imoca.errors import ProblemError
from imoca.pareto.dominance import non_dominated
from imoca.pareto.indicators import hypervolume
from imoca.problem.fidelity import Fidelity
from imoca.studyfile.problem import problem_from_toml, problem_to_toml
from imoca_lab.problems.dtlz1 import (
    PAPER_FREQUENCY,
    Variant,
    distance,
    dtlz1,
    dtlz1_values,
    paper_true_values,
    resolution_error,
    true_values,
)
from imoca_lab.stored_front import load_front

DESIGNS = np.random.default_rng(0).random((50_000, 5))
VARIANTS = ["standard", "paper"]


def test_the_centre_by_hand() -> None:
    values = dtlz1_values(np.full((1, 5), 0.5), 1.0)[0]
    np.testing.assert_allclose(values, 0.5 * np.array([1 / 32, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2]), atol=1e-12)


def test_a_design_on_the_lattice_of_crests_by_hand() -> None:
    # offsets 0.3, -0.1, 0.2, 0, 0.5, all on crests: r = 9 + 1 + 4 + 0 + 25 = 39, so the scale is 20
    x = np.array([[0.8, 0.4, 0.7, 0.5, 1.0]])
    assert distance(x)[0] == pytest.approx(39.0)
    shares = [0.8 * 0.4 * 0.7 * 0.5, 0.0, 0.8 * 0.4 * 0.7 * 0.5, 0.8 * 0.4 * 0.3, 0.8 * 0.6, 0.2]
    np.testing.assert_allclose(dtlz1_values(x, 1.0)[0], 20.0 * np.array(shares), atol=1e-10)


def test_half_way_between_two_crests_every_parameter_adds_200() -> None:
    assert distance(np.array([[0.55, 0.5, 0.5, 0.5, 0.5]]))[0] == pytest.approx(200.25)
    # at the printed frequency 0.55 is only a quarter turn away, 0.6 half a turn
    assert distance(np.array([[0.55, 0.5, 0.5, 0.5, 0.5]]), PAPER_FREQUENCY)[0] == pytest.approx(100.25)
    assert distance(np.array([[0.6, 0.5, 0.5, 0.5, 0.5]]), PAPER_FREQUENCY)[0] == pytest.approx(201.0)


def test_the_objectives_add_up_to_half_of_one_plus_r() -> None:
    np.testing.assert_allclose(dtlz1_values(DESIGNS, 1.0).sum(axis=1), 0.5 * (1.0 + distance(DESIGNS)))


def test_the_printed_cosine_outside_the_sum_never_lets_r_vanish() -> None:
    offset = DESIGNS - 0.5
    printed = 100.0 * (5.0 + (offset**2).sum(axis=1) - np.cos(10.0 * np.pi * offset[:, 0]))
    assert printed.min() > 400.0
    assert printed.max() < 725.0
    assert distance(np.full((1, 5), 0.5))[0] == 0.0


def test_the_error_of_a_level_by_hand_and_within_its_bound() -> None:
    # z = 0.6: a = 0.4, and at x = 0 the angle is 0.2 pi + pi
    assert resolution_error(np.zeros((1, 5)), 0.6)[0] == pytest.approx(-5.0 * 0.4 * np.cos(0.2 * np.pi))
    np.testing.assert_array_equal(resolution_error(DESIGNS, 1.0), 0.0)
    assert 3.9 < np.abs(resolution_error(DESIGNS, 0.2)).max() <= 4.0
    # maximised, the error is subtracted: the minimised objective gains it
    np.testing.assert_allclose(
        dtlz1_values(DESIGNS, 0.2) - dtlz1_values(DESIGNS, 1.0), resolution_error(DESIGNS, 0.2)[:, None] * np.ones(6)
    )


def test_the_objectives_spread_far_wider_than_the_error() -> None:
    np.testing.assert_allclose(dtlz1_values(DESIGNS, 1.0).std(axis=0), [16.4, 16.4, 26.8, 43.2, 66.2, 91.6], rtol=0.04)


@pytest.mark.parametrize(
    ("z", "documented"),
    [(0.2, [0.89, 0.90, 0.974, 0.994, 0.999, 1.0]), (0.6, [0.961, 0.960, 0.991, 0.998, 1.0, 1.0])],
)
def test_low_levels_rank_designs_as_documented(z: float, documented: list[float]) -> None:
    low, full = dtlz1_values(DESIGNS[:2000], z), dtlz1_values(DESIGNS[:2000], 1.0)
    correlations = [spearmanr(low[:, j], full[:, j]).statistic for j in range(6)]
    np.testing.assert_allclose(correlations, documented, atol=0.025)


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_objective_has_its_own_three_levels(variant: Variant) -> None:
    problem = dtlz1(variant).problem
    assert [s.name for s in problem.simulators] == [f"f{j}" for j in range(1, 7)]
    for simulator in problem.simulators:
        assert simulator.fidelity == Fidelity.levels([0.2, 0.6, 1.0])
        ratio = simulator.cost_ratio(problem.space, np.full((1, 5), 0.5), np.array([0.0, 0.5, 1.0]))
        np.testing.assert_allclose(ratio[0], [0.01, 0.1, 1.0])


@pytest.mark.parametrize("variant", VARIANTS)
def test_true_values_are_the_negated_simulators_at_full_fidelity(variant: Variant) -> None:
    benchmark = dtlz1(variant)
    for u, row in zip(DESIGNS[:5], benchmark.true_values(DESIGNS[:5]), strict=True):
        named = benchmark.problem.space.decode(u)
        np.testing.assert_allclose(
            row, [-function_of(s)(**named, z=1.0) for s in benchmark.problem.simulators], rtol=1e-12
        )


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_problem_survives_a_study_file(variant: Variant) -> None:
    problem = dtlz1(variant).problem
    assert problem_from_toml(problem_to_toml(problem)) == problem


def test_an_unknown_variant_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ProblemError, match="printed") as caught:
        dtlz1("printed")  # type: ignore[arg-type]
    assert "standard, paper" in caught.value.hint


def test_the_front_is_not_the_plane() -> None:
    totals = -dtlz1().reference_front.sum(axis=1)
    assert totals.min() >= 0.5
    assert (totals > 0.6).mean() > 0.9
    assert (totals > 30.0).any()


def test_the_corners_of_the_front_by_hand() -> None:
    # all objectives but one vanish where some parameters lie on faces: 25 per face in r
    front = dtlz1().reference_front
    for j, corner in enumerate([63.0, 63.0, 50.5, 38.0, 25.5, 13.0]):
        expected = np.zeros(6)
        expected[j] = -corner
        assert np.abs(front - expected).max(axis=1).min() < 1e-6


@pytest.mark.parametrize(("variant", "values"), [("standard", true_values), ("paper", paper_true_values)])
def test_the_stored_front_is_what_its_designs_give_and_covers_nearly_the_whole_volume(
    variant: Variant, values: Callable[[Array], Array]
) -> None:
    benchmark = dtlz1(variant)
    stored = load_front(benchmark.name, 5)
    np.testing.assert_allclose(values(stored.designs), stored.values, atol=1e-5)
    assert len(stored.values) <= 300
    assert non_dominated(stored.values).all()
    volume = hypervolume(stored.values, benchmark.reference_point)
    assert 0.97 * benchmark.hypervolume < volume <= benchmark.hypervolume


def test_the_volume_left_free_is_that_of_the_lattice_counted_within_the_box_of_the_corners() -> None:
    """The free volume by another route: the exact hypervolume of the best lattice points in a small box."""
    lattice = np.array(list(product(np.arange(11) / 10, repeat=5)))
    values = true_values(lattice[np.abs(lattice - 0.5).sum(axis=1) < 0.75])
    corners = -np.diag([63.0, 63.0, 50.5, 38.0, 25.5, 13.0])
    front = np.concatenate([values[non_dominated(values)][:300], corners])
    benchmark = dtlz1()
    lower_bound = hypervolume(front, benchmark.reference_point)
    assert lower_bound < benchmark.hypervolume < 1e12
    assert benchmark.hypervolume - lower_bound < 1e-3 * benchmark.hypervolume


@pytest.mark.parametrize("variant", VARIANTS)
def test_no_random_design_beats_the_stored_front(variant: Variant) -> None:
    benchmark = dtlz1(variant)
    values = benchmark.true_values(DESIGNS[:5000])
    assert not (values[:, None, :] > benchmark.reference_front[None] + 1e-3).all(axis=2).any()


@pytest.mark.parametrize("variant", VARIANTS)
def test_no_step_from_a_stored_design_gains_a_thousandth_of_the_range_in_every_objective(variant: Variant) -> None:
    benchmark, rng = dtlz1(variant), np.random.default_rng(2)
    stored = load_front(benchmark.name, 5)
    for scale in (1e-1, 1e-2, 1e-3):
        tried = np.clip(stored.designs + scale * rng.normal(size=(40, *stored.designs.shape)), 0.0, 1.0)
        gain = benchmark.true_values(tried.reshape(-1, 5)).reshape(40, *stored.values.shape) - stored.values
        assert (gain / np.ptp(stored.values, axis=0)).min(axis=2).max() < 1e-3

"""Each distortion on a made-up output whose truth is known: the sum of the design."""

import math

import numpy as np
import pytest
from scipy.stats import kstest

from imoca.arrays import Array
from imoca_lab.problems.adversarial.distortions import (
    DISTORTIONS,
    DivergedError,
    Output,
    constant,
    drawn_share,
    failing,
    half_right,
    late_jump,
    negated,
    noise,
    outliers,
    shifted,
    stuck,
    unit_wave,
    wave,
    wrong_order,
)

SUM = Output("sum", lambda u, z: float(u.sum()) + 10.0 * (1.0 - z), centre=1.0, spread=0.4)  # honest: off by 10 (1 - z)
CONTINUOUS = sorted(set(DISTORTIONS) - {"stuck", "wrong_order", "outliers"})  # those whose error goes to 0 with z
DESIGNS = np.random.default_rng(0).random((2000, 2))


def design(*u: float) -> Array:
    return np.array(u)


@pytest.mark.parametrize("name", CONTINUOUS)
def test_the_error_is_gone_where_z_reaches_one_unless_it_is_meant_to_stay(name: str) -> None:
    for u in DESIGNS[:20]:
        assert DISTORTIONS[name](SUM, u, 1.0 - 1e-9) == pytest.approx(u.sum(), abs=1e-6)


def test_negated_is_mirrored_about_the_centre_then_flat_then_half_as_steep() -> None:
    assert negated(SUM, design(0.2, 0.1), 0.0) == pytest.approx(2.0 - 0.3)
    assert {negated(SUM, u, 0.5) for u in DESIGNS} == {1.0}
    assert negated(SUM, design(0.2, 0.1), 0.75) == pytest.approx(1.0 + 0.5 * (0.3 - 1.0))


def test_constant_says_the_centre_until_half_way_and_half_the_truth_at_three_quarters() -> None:
    assert {constant(SUM, u, z) for u in DESIGNS[:50] for z in (0.0, 0.3, 0.5)} == {1.0}
    assert constant(SUM, design(0.2, 0.1), 0.75) == pytest.approx(0.5 * 0.3 + 0.5 * 1.0)


def test_noise_is_normal_about_the_centre_and_knows_nothing_of_the_truth() -> None:
    drawn = np.array([noise(SUM, u, 0.25) for u in DESIGNS])
    assert kstest((drawn - 1.0) / 0.4, "norm").pvalue > 0.01
    assert abs(np.corrcoef(drawn, DESIGNS.sum(axis=1))[0, 1]) < 3.0 / math.sqrt(len(DESIGNS))


def test_noise_is_the_same_when_asked_again_and_another_at_another_z_or_for_another_output() -> None:
    u = design(0.2, 0.1)
    assert noise(SUM, u, 0.25) == noise(SUM, u.copy(), 0.25)
    other = Output("other", SUM.values, SUM.centre, SUM.spread)
    assert len({noise(SUM, u, 0.25), noise(SUM, u, 0.26), noise(other, u, 0.25)}) == 3


def test_drawn_shares_are_uniform_and_the_same_on_every_machine() -> None:
    shares = np.array([drawn_share("noise", "sum", u, 0.5) for u in DESIGNS])
    assert kstest(shares, "uniform").pvalue > 0.01
    assert drawn_share("noise", "sum", design(0.0, 0.25), 0.5) == drawn_share("noise", "sum", design(-0.0, 0.25), 0.5)
    assert drawn_share("noise", "branin", design(0.25, 0.5), 0.0) == pytest.approx(0.680956643855259, abs=1e-12)


@pytest.mark.parametrize("n_cycles", [2, 8])
def test_a_wave_has_mean_zero_and_mean_square_one(n_cycles: int) -> None:
    axis = (np.arange(64) + 0.5) / 64  # exact for sines of whole cycles
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    heights = np.array([unit_wave("branin", u, n_cycles) for u in grid])
    assert heights.mean() == pytest.approx(0.0, abs=1e-12)
    assert (heights**2).mean() == pytest.approx(1.0)


def test_a_wave_comes_back_after_each_of_its_cycles() -> None:
    for n_cycles in (2, 8):
        here, there = (unit_wave("branin", design(start, 0.3), n_cycles) for start in (0.1, 0.1 + 1.0 / n_cycles))
        assert here == pytest.approx(there)
        opposite = design(0.1 + 0.5 / n_cycles, 0.3 + 0.5 / n_cycles)
        assert unit_wave("branin", opposite, n_cycles) == pytest.approx(-here)


def test_the_short_wave_fades_in_proportion_and_is_half_a_spread_high() -> None:
    errors = {z: np.array([wave(SUM, u, z) - u.sum() for u in DESIGNS]) for z in (0.0, 0.75)}
    np.testing.assert_allclose(errors[0.75], 0.25 * errors[0.0], atol=1e-12)
    assert np.sqrt((errors[0.0] ** 2).mean()) == pytest.approx(0.5 * 0.4, rel=0.05)


def test_shifted_is_the_truth_of_a_moved_design_reflected_at_the_faces() -> None:
    assert shifted(SUM, design(0.2, 0.1), 0.0) == pytest.approx(0.4 + 0.3)
    assert shifted(SUM, design(0.2, 0.1), 0.5) == pytest.approx(0.3 + 0.2)
    assert shifted(SUM, design(0.95, 0.1), 0.0) == pytest.approx(0.85 + 0.3)  # 1.15 comes back to 0.85


def test_half_right_is_upside_down_on_the_left_and_honest_on_the_right() -> None:
    assert half_right(SUM, design(0.2, 0.1), 0.0) == pytest.approx(1.7)
    assert half_right(SUM, design(0.7, 0.1), 0.25) == pytest.approx(0.8 + 7.5)


def test_of_the_levels_in_wrong_order_the_middle_one_has_the_wave() -> None:
    u = design(0.2, 0.1)
    assert wrong_order(SUM, u, 0.0) == pytest.approx(10.3)  # the base's own error
    assert wrong_order(SUM, u, 0.5) == pytest.approx(0.3 + 0.2 * unit_wave("sum", u, 2))


def test_the_late_error_is_the_same_at_every_z_until_it_jumps_and_the_stuck_one_stays() -> None:
    u = design(0.2, 0.1)
    off = 0.3 + 0.2 * unit_wave("sum", u, 2)
    for z in (0.0, 0.5, 0.9499):
        assert late_jump(SUM, u, z) == stuck(SUM, u, z) == pytest.approx(off)
    assert late_jump(SUM, u, 0.95) == pytest.approx(0.3)
    assert stuck(SUM, u, 1.0 - 1e-12) == pytest.approx(off)


def test_one_run_in_twenty_is_ten_spreads_off_to_either_side() -> None:
    errors = np.array([outliers(SUM, u, 0.5) - SUM.values(u, 0.5) for u in DESIGNS])
    is_off = errors != 0.0
    np.testing.assert_allclose(np.abs(errors[is_off]), 4.0)
    margin = 3.0 * math.sqrt(0.05 * 0.95 / len(DESIGNS))
    assert is_off.mean() == pytest.approx(0.05, abs=margin)
    assert 0.3 < (errors[is_off] > 0.0).mean() < 0.7


def test_cheap_runs_fail_on_the_left_and_nowhere_else() -> None:
    with pytest.raises(DivergedError, match="sum diverged"):
        failing(SUM, design(0.2, 0.1), 0.49)
    assert failing(SUM, design(0.2, 0.1), 0.5) == pytest.approx(0.3 + 5.0)
    assert failing(SUM, design(0.5, 0.1), 0.0) == pytest.approx(0.6 + 10.0)

import math
from functools import cache

import numpy as np
import pytest
from scipy.stats import qmc, spearmanr
from simulating import function_of
from stored_fronts import largest_gain_by_a_step

from imoca.arrays import Array
from imoca.pareto.dominance import non_dominated
from imoca.pareto.indicators import hypervolume
from imoca.study.study import Study
from imoca.studyfile.problem import problem_from_toml, problem_to_toml
from imoca_lab.benchmark import CostMode, Setting
from imoca_lab.problems.rocket.flight import (
    EARTH_ROTATION,
    EXHAUST_SPEED,
    MASS_FLOW,
    TIME_UNIT,
    Flight,
    accurate_flights,
    distance_degrees,
    fall_to_ground,
    simulate_rocket,
)
from imoca_lab.problems.rocket.problem import HIGH, LOW, rocket, tolerance, trajectory, true_values
from imoca_lab.stored_front import load_front

DESIGN = (0.96, 70.0, 1.01)
UNIT_DESIGNS = qmc.Sobol(3, rng=0).random_base2(6)
DESIGNS = LOW + UNIT_DESIGNS * (HIGH - LOW)


@cache
def flights(z: float) -> tuple[Flight, ...]:
    return tuple(
        simulate_rocket(fuel_fraction, angle, radius, tolerance(z)) for fuel_fraction, angle, radius in DESIGNS
    )


def outcomes(z: float) -> Array:  # (n, 2) hours, degrees
    return np.array(
        [list(trajectory(fuel_fraction, angle, radius, z).values()) for fuel_fraction, angle, radius in DESIGNS]
    )


def test_the_units_of_the_model_are_those_of_the_earth() -> None:
    assert abs(TIME_UNIT - 804.9996) < 1e-4
    assert abs(EARTH_ROTATION - 0.0587015) < 1e-7
    assert abs(MASS_FLOW - 4.285714) < 1e-6


# The seven validations against closed solutions.


@pytest.mark.slow
def test_without_gravity_the_speed_at_burnout_is_that_of_the_rocket_equation() -> None:
    flight = simulate_rocket(*DESIGN, 1e-9, gravity=False, rotation=0.0, end_time=1.0)
    assert not flight.landed
    expected = EXHAUST_SPEED * math.log(1.0 / (1.0 - 0.96))
    assert expected == pytest.approx(1.1266065, abs=1e-7)
    assert math.hypot(flight.vx, flight.vy) == pytest.approx(expected, rel=1e-8)
    assert math.atan2(flight.vy, flight.vx) == pytest.approx(math.radians(70.0), rel=1e-9)


@pytest.mark.slow
def test_energy_and_angular_momentum_are_constant_after_burnout() -> None:
    def invariants(flight: Flight) -> tuple[float, float]:
        speed_squared = flight.vx**2 + flight.vy**2
        return (
            0.5 * speed_squared - 1.0 / math.hypot(flight.x, flight.y),
            flight.y * flight.vx - flight.x * flight.vy,
        )

    burnout = 0.96 / MASS_FLOW
    early = invariants(simulate_rocket(*DESIGN, 1e-8, end_time=burnout + 0.7))
    late = invariants(simulate_rocket(*DESIGN, 1e-8, end_time=5.0))
    assert late[0] == pytest.approx(early[0], abs=1e-8)
    assert late[1] == pytest.approx(early[1], abs=1e-11)


@pytest.mark.slow
def test_the_flight_lasts_as_long_as_kepler_says_from_any_state_after_burnout() -> None:
    flight = simulate_rocket(*DESIGN, 1e-8)
    for end_time in (0.96 / MASS_FLOW + 0.5, 3.0):
        state = simulate_rocket(*DESIGN, 1e-8, end_time=end_time)
        rest, angle = fall_to_ground(np.array([[state.x], [state.y]]), np.array([[state.vx], [state.vy]]))
        assert end_time + rest[0] == pytest.approx(flight.time, abs=4e-7)
        assert state.swept_angle + angle[0] == pytest.approx(flight.swept_angle, abs=4e-7)
    assert flight.time == pytest.approx(5.0575493, abs=4e-7)


def test_the_final_mass_is_what_the_fuel_leaves() -> None:
    for fuel_fraction in (0.93, 0.975):
        flight = simulate_rocket(fuel_fraction, 70.0, 1.02, 1e-6)
        assert flight.landed
        assert flight.mass == pytest.approx(1.0 - fuel_fraction, rel=1e-4)


@pytest.mark.slow
def test_without_thrust_a_circular_orbit_closes_after_one_period() -> None:
    radius = 1.5
    period = 2.0 * math.pi * radius**1.5
    flight = simulate_rocket(
        0.96, 70.0, radius, 1e-8, thrust=False, rotation=radius**-1.5, end_time=period
    )  # the ground speed of an Earth turning that fast is the circular speed
    assert flight.time == period
    assert math.hypot(flight.x, flight.y - radius) < 1e-6
    assert flight.swept_angle == pytest.approx(2.0 * math.pi, abs=1e-6)
    assert flight.mass == 1.0


def test_without_rotation_a_vertical_flight_falls_back_where_it_started() -> None:
    flight = simulate_rocket(0.96, 90.0, 1.01, 1e-5, rotation=0.0)
    assert flight.landed
    assert abs(flight.swept_angle) < 1e-14


@pytest.mark.slow
def test_the_error_is_proportional_to_the_tolerance() -> None:
    fuel_fraction, angle, radius = (np.array([number]) for number in DESIGN)
    exact = accurate_flights(fuel_fraction, angle, radius)[0][0]
    errors = [abs(simulate_rocket(*DESIGN, rtol).time - exact) for rtol in (1e-4, 1e-5, 1e-6, 1e-7)]
    ratios = np.array(errors[:-1]) / np.array(errors[1:])
    assert (ratios > 6.0).all()
    assert (ratios < 16.0).all()


# The fidelity table: work, bias and rank correlation, with the scatter of 64 designs.


def test_every_design_lands_at_the_lowest_fidelity() -> None:
    corners = LOW + np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)]) * (HIGH - LOW)
    assert all(
        simulate_rocket(fuel_fraction, angle, radius, tolerance(0.0)).landed for fuel_fraction, angle, radius in corners
    )
    assert all(flight.landed for flight in flights(0.0))


@pytest.mark.parametrize(
    ("z", "work"),
    [(0.0, 77), (0.1, 141), (0.2, 260), (0.3, 480), (0.5, 1761), pytest.param(0.75, 9096, marks=pytest.mark.slow)],
)
def test_the_mean_work_is_that_of_the_specification(z: float, work: float) -> None:
    assert np.mean([flight.n_evaluations for flight in flights(z)]) == pytest.approx(work, rel=0.03)


@pytest.mark.parametrize(
    ("z", "bias_hours", "bias_degrees"), [(0.0, 7.1, 4.6), (0.1, 2.0, 1.2), (0.2, 0.6, 0.4), (0.3, 0.2, 0.1)]
)
def test_low_fidelities_overestimate_by_the_specified_percentage(
    z: float, bias_hours: float, bias_degrees: float
) -> None:
    truth = true_values(UNIT_DESIGNS)[:, :2].mean(axis=0)
    bias = 100.0 * (outcomes(z).mean(axis=0) / truth - 1.0)
    np.testing.assert_allclose(bias, [bias_hours, bias_degrees], rtol=0.15, atol=0.1)


@pytest.mark.parametrize(
    ("z", "specified"), [(0.0, [0.9972, 0.9995]), (0.1, [0.9994, 0.9999]), (0.2, [0.9998, 0.9998]), (0.3, [1.0, 1.0])]
)
def test_low_fidelities_rank_designs_as_specified(z: float, specified: list[float]) -> None:
    truth, cheap = true_values(UNIT_DESIGNS), outcomes(z)
    correlations = [spearmanr(truth[:, j], cheap[:, j]).statistic for j in range(2)]
    np.testing.assert_allclose(correlations, specified, atol=5e-4)


@pytest.mark.parametrize(
    ("z", "specified"),
    [(0.0, [0.208, 0.090]), (0.1, [0.058, 0.024]), (0.2, [0.018, 0.007]), (0.3, [0.006, 0.002]), (0.5, [5e-4, 5e-4])],
)
def test_low_fidelities_err_by_the_specified_share_of_the_spread(z: float, specified: list[float]) -> None:
    truth = true_values(UNIT_DESIGNS)[:, :2]
    error = np.sqrt(((outcomes(z) - truth) ** 2).mean(axis=0)) / truth.std(axis=0)
    np.testing.assert_allclose(error, specified, rtol=0.06, atol=5e-4)


@pytest.mark.slow
def test_full_fidelity_agrees_with_the_accurate_solver_and_costs_600_times_the_lowest() -> None:
    designs = DESIGNS[:10]
    runs = [simulate_rocket(fuel_fraction, angle, radius, tolerance(1.0)) for fuel_fraction, angle, radius in designs]
    time, swept_angle = accurate_flights(*designs.T)
    np.testing.assert_allclose([run.time for run in runs], time, rtol=2e-6)
    np.testing.assert_allclose([run.swept_angle for run in runs], swept_angle, rtol=2e-6)
    full = np.mean([run.n_evaluations for run in runs])
    assert full == pytest.approx(46929, rel=0.1)
    assert full / np.mean([flight.n_evaluations for flight in flights(0.0)[:10]]) == pytest.approx(600, rel=0.1)


def test_the_accurate_solver_has_converged() -> None:
    fuel_fraction, angle, radius = DESIGNS.T
    coarse = accurate_flights(fuel_fraction, angle, radius)
    fine = accurate_flights(fuel_fraction, angle, radius, n_burn_steps=1600)
    np.testing.assert_allclose(coarse[0], fine[0], atol=1e-7)
    np.testing.assert_allclose(coarse[1], fine[1], atol=1e-8)


def test_the_distance_is_measured_on_the_turning_earth_and_never_exceeds_half_a_turn() -> None:
    assert distance_degrees(0.0, math.radians(30.0)) == pytest.approx(30.0)
    assert distance_degrees(1.0, EARTH_ROTATION) == pytest.approx(0.0, abs=1e-6)
    assert distance_degrees(0.0, math.radians(200.0)) == pytest.approx(160.0)


# The benchmark.


def test_the_coupled_problem_pays_once_for_both_flight_objectives() -> None:
    problem = rocket().problem
    assert [simulator.name for simulator in problem.simulators] == ["trajectory", "aim"]
    assert [(o.name, o.goal) for o in problem.objectives] == [
        ("flight_time", "maximize"),
        ("distance", "maximize"),
        ("tilt", "minimize"),
    ]
    assert problem.simulator("aim").full_cost == 0.001
    named = dict(zip(problem.space.names, DESIGN, strict=True))
    run, aim = problem.simulator("trajectory").run, problem.simulator("aim").run
    assert callable(run)
    assert callable(aim)
    outputs, work = run(**named, z=0.2)
    assert set(outputs) == {"flight_time", "distance"}
    assert work == simulate_rocket(*DESIGN, tolerance(0.2)).n_evaluations
    assert aim(**named) == 20.0


@pytest.mark.parametrize("cost", ["work", "nominal", "wall"])
def test_the_settings_differ_in_who_answers_but_not_in_the_answers(cost: CostMode) -> None:
    coupled, separate = rocket(cost=cost).problem, rocket("per_objective", cost=cost).problem
    assert [simulator.name for simulator in separate.simulators] == ["flight_time", "distance", "aim"]
    named = dict(zip(coupled.space.names, DESIGN, strict=True))
    together = function_of(coupled.simulator("trajectory"))(**named, z=0.1)
    for name in ("flight_time", "distance"):
        alone = function_of(separate.simulator(name))(**named, z=0.1)
        if cost == "work":
            assert alone == (together[0][name], together[1])
        else:
            assert alone == together[name]


def test_the_nominal_cost_spans_a_factor_of_600() -> None:
    problem = rocket(cost="nominal").problem
    ratio = problem.simulator("trajectory").cost_ratio(problem.space, np.full((1, 3), 0.5), np.array([0.0, 0.5]))
    np.testing.assert_allclose(ratio[0], [1 / 600, 600**-0.5])


@pytest.mark.parametrize("setting", ["coupled", "per_objective"])
def test_the_wall_clock_is_measured_by_the_study(setting: Setting) -> None:
    study = Study(rocket(setting, cost="wall").problem)  # starts with a design at z = 0.7, some 6000 evaluations
    study.optimize(budget=0.01, progress=False)
    flights_ = [simulator.name for simulator in study.problem.simulators if simulator.name != "aim"]
    assert all(list(trial.costs) == flights_ for trial in study.trials)
    assert all(0.0 < seconds < 60.0 for trial in study.trials for seconds in trial.costs.values())


@pytest.mark.parametrize("setting", ["coupled", "per_objective"])
@pytest.mark.parametrize("cost", ["work", "nominal", "wall"])
def test_the_problem_survives_its_study_file(setting: Setting, cost: CostMode) -> None:
    problem = rocket(setting, cost=cost).problem
    assert problem_from_toml(problem_to_toml(problem)) == problem


def test_true_values_are_the_limit_of_the_simulators_outputs() -> None:
    values = true_values(UNIT_DESIGNS[:5])
    expected = [
        list(trajectory(fuel_fraction, angle, radius, 0.7).values()) for fuel_fraction, angle, radius in DESIGNS[:5]
    ]
    np.testing.assert_allclose(values[:, :2], expected, rtol=1e-4)
    np.testing.assert_allclose(values[:, 2], DESIGNS[:5, 1] - 90.0)


def test_the_stored_front_is_what_its_designs_give() -> None:
    stored = load_front("rocket", n_parameters=3)
    np.testing.assert_allclose(true_values(stored.designs), stored.values, atol=1e-5)
    assert len(stored.values) <= 300
    assert non_dominated(stored.values).all()


def test_the_hypervolume_exceeds_what_two_hundred_points_of_an_independent_search_reached() -> None:
    benchmark = rocket()
    stored = hypervolume(benchmark.reference_front, benchmark.reference_point)
    assert 1.787e4 < benchmark.hypervolume < 1.07 * 1.787e4
    assert 0.9 * 1.787e4 < stored < benchmark.hypervolume


def test_random_search_covers_the_specified_share_of_the_volume() -> None:
    benchmark, rng = rocket(), np.random.default_rng(0)
    shares = [hypervolume(true_values(rng.random((50, 3))), benchmark.reference_point) / 1.787e4 for _ in range(20)]
    assert np.mean(shares) == pytest.approx(0.56, abs=0.03)


def test_no_step_from_a_stored_design_gains_a_thousandth_of_the_range_in_every_objective() -> None:
    assert largest_gain_by_a_step(load_front("rocket", n_parameters=3), true_values) < 1e-3

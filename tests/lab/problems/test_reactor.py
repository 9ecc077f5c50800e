"""The reactor that runs away: its limits in closed form, another integrator, and its front on the edge."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from stored_fronts import largest_gain_by_a_step

from imoca.arrays import Array
from imoca.pareto import hypervolume, non_dominated
from imoca.problem import FunctionReference
from imoca.studyfile.problem import problem_from_toml, problem_to_toml
from imoca_lab.problems import reactor as module
from imoca_lab.problems.reactor import (
    HIGH,
    LOW,
    REFERENCE_POINT,
    STEPS,
    RunawayError,
    is_safe,
    outlets,
    rate,
    reactor,
    true_values,
    tube,
)
from imoca_lab.stored_front import load_front

SAFE = np.array([[40.0, 575.0, 2.0], [20.0, 600.0, 1.0], [10.0, 630.0, 0.5], [44.0, 565.0, 3.0]])


def some_designs(n: int) -> Array:
    return LOW + np.random.default_rng(0).random((n, 3)) * (HIGH - LOW)


def test_hardly_any_feed_reacts_at_the_temperature_of_the_coolant() -> None:
    designs = some_designs(20)
    designs[:, 0] = 1e-6
    constant = np.exp(7000.0 * (1.0 / 620.0 - 1.0 / designs[:, 1]))
    for steps in STEPS:
        outlet = outlets(designs, steps)
        np.testing.assert_allclose(outlet.product, 1e-6 * (1.0 - np.exp(-constant * designs[:, 2])), rtol=1e-4)
        np.testing.assert_allclose(outlet.peak, designs[:, 1], atol=1e-3)


def test_without_coolant_all_heat_stays_in_the_gas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "COOLING", 0.0)
    designs = some_designs(50)
    outlet = outlets(designs, 64)
    np.testing.assert_allclose(outlet.peak, designs[:, 1] + 20.0 * outlet.product, rtol=1e-12)


@pytest.mark.parametrize("design", SAFE)
def test_fine_steps_are_those_of_another_integrator_and_errors_fall_with_the_square_of_the_step(design: Array) -> None:
    feed, coolant, length = design

    def slopes(_: float, state: Array) -> list[float]:
        unreacted, temperature = state
        reacting = float(rate(np.array(temperature))) * unreacted
        return [-reacting, 20.0 * feed * reacting - 12.0 * (temperature - coolant)]

    exact = solve_ivp(slopes, (0.0, length), [1.0, coolant], rtol=1e-10, atol=1e-10, max_step=length / 2000)
    product = feed * (1.0 - exact.y[0, -1])
    errors = np.array([abs(outlets(design[None], steps).product[0] - product) for steps in STEPS])
    assert errors[-1] < 1e-3 * product
    assert outlets(design[None], STEPS[-1]).peak[0] == pytest.approx(exact.y[1].max(), abs=0.2)
    assert errors[3] / errors[5] == pytest.approx(16.0, rel=0.2)  # four times as many steps
    assert errors[0] > 10.0 * errors[3]


def test_a_coarse_model_computes_what_runs_away_in_a_fine_one_and_never_the_other_way_round() -> None:
    design = {"feed": 45.0, "coolant": 577.0, "length": 2.0}
    assert set(tube(**design, z=16)) == {"product", "catalyst"}
    with pytest.raises(RunawayError, match="K at its hottest"):
        tube(**design, z=512)
    designs = some_designs(4000)
    all_outlets = [outlets(designs, steps) for steps in STEPS]
    runs_away = np.array([outlet.peak > 680.0 for outlet in all_outlets])
    assert not (runs_away[:-1] & ~runs_away[1:]).any()
    assert 0.28 < runs_away[0].mean() < 0.33
    assert 0.37 < runs_away[-1].mean() < 0.42
    coarse, fine = (all_outlets[i].product[~runs_away[-1]] for i in (0, -1))
    assert (coarse < fine).all()
    assert np.sqrt(((coarse - fine) ** 2).mean()) / fine.std() == pytest.approx(0.096, abs=0.01)


def test_what_runs_away_is_worth_nothing_and_the_rest_what_a_full_run_says() -> None:
    designs = some_designs(40)
    x = (designs - LOW) / (HIGH - LOW)
    for design, safe, values in zip(designs, is_safe(x), true_values(x), strict=True):
        feed, coolant, length = design.tolist()
        if safe:
            told = tube(feed, coolant, length, 512)
            np.testing.assert_allclose(values, [told["product"], -told["catalyst"]])
        else:
            np.testing.assert_array_equal(values, REFERENCE_POINT)
            with pytest.raises(RunawayError):
                tube(feed, coolant, length, 512)


def test_the_largest_safe_feed_is_best_as_the_front_is_made() -> None:
    designs = some_designs(2000)
    more = designs * np.array([1.02, 1.0, 1.0])
    before, after = outlets(designs, 512), outlets(more, 512)
    assert (after.product > before.product).all()
    assert (after.peak > before.peak).all()
    smallest = designs.copy()
    smallest[:, 0] = LOW[0]
    assert (outlets(smallest, 512).peak <= 680.0).all()


def test_the_stored_front_lies_on_the_edge_and_no_step_from_it_is_better() -> None:
    stored = load_front("reactor", 3)
    peaks = outlets(LOW + stored.designs * (HIGH - LOW), STEPS[-1]).peak
    assert (peaks <= 680.0).all()
    assert (peaks > 679.9).mean() > 0.95
    np.testing.assert_allclose(true_values(stored.designs), stored.values, rtol=1e-8)
    assert largest_gain_by_a_step(stored, true_values) < 1e-3
    assert 0.99 < hypervolume(stored.values, REFERENCE_POINT) / stored.hypervolume <= 1.0


def test_no_random_design_is_better_than_the_front(rng: np.random.Generator) -> None:
    stored, values = load_front("reactor", 3), true_values(rng.random((20_000, 3)))
    together = np.concatenate([stored.values, values])
    assert hypervolume(together[non_dominated(together)], REFERENCE_POINT) <= 1.0001 * stored.hypervolume


def test_it_survives_a_study_file() -> None:
    problem = reactor().problem
    again = problem_from_toml(problem_to_toml(problem))
    assert again == problem
    assert again.simulators[0].run == FunctionReference("imoca_lab.problems.reactor:tube")

"""What a knob buys, against errors that are known."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from imoca.errors import MethodError
from imoca.methods.calibration import FEWEST_FULL, MOST_DESIGNS, plan, steps_of
from imoca.problem.fidelity import Continuous, Fidelity
from imoca.problem.parameters import Real
from imoca.problem.problem import Problem
from imoca.problem.simulator import Objective, Simulator
from imoca.snapshot.calibration import TELLS, Calibration, errors_at
from imoca.study.study import Study

KNOB = Fidelity.continuous(10.0, 1000.0, log=True, unit="cells")


def problem_of(*simulators: Simulator) -> Problem:
    return Problem([Real("x", 0, 1), Real("y", 0, 1)], simulators)


def calibrated(run: Any, fidelity: Fidelity, cost: Any, seed: int = 0) -> tuple[Calibration, float]:
    simulator = Simulator("s", [Objective("f", "minimize")], run, fidelity=fidelity, cost=cost)
    with Study(problem_of(simulator), seed=seed) as study:
        return study.calibrate(progress=False), study.cost_spent


@given(
    st.lists(st.floats(0.001, 1.0), min_size=1, max_size=7),
    st.booleans(),
    st.floats(3.0, 20.0),
)
def test_a_plan_costs_no_more_than_it_may(prices: list[float], is_ordered: bool, full_runs: float) -> None:
    sorted_prices = np.sort(prices)
    settings = np.linspace(0.0, 0.9, len(prices))
    made = plan(settings, sorted_prices, is_ordered, full_runs)
    if made is None:
        assert FEWEST_FULL * (1.0 + sorted_prices[0]) > full_runs - 1e-6  # nothing could be compared
        return
    price = dict(zip(settings.tolist(), sorted_prices.tolist(), strict=True))
    cost = made.n_full * (1.0 + sum(price[z] for z in made.steps))
    assert made.steps[0] == settings[0]
    assert FEWEST_FULL <= made.n_full <= MOST_DESIGNS
    assert cost <= full_runs + 1e-6
    for nearest in (None, *range(1, len(made.steps))):
        both, n = made.pair(nearest) or ((), 0)
        assert cost + n * sum(price[z] for z in both) <= full_runs + 1e-6
        assert set(both) <= set(made.steps)
        assert 0 <= n <= MOST_DESIGNS - made.n_full


@pytest.mark.parametrize(
    ("prices", "full_runs", "n_full", "n_further"),
    [
        ([0.05, 0.1], 3.0, 2, 4),  # 2 * 1.15, and 0.7 left for pairs at 0.15
        ([0.05, 0.1], 6.0, 4, 9),  # 4 * 1.15, and 1.4
        ([0.05, 0.1], 9.0, 6, 10),  # 6 * 1.15, and 2.1 for as many as there may be
        ([0.1], 3.0, 2, 0),  # nothing tells of further designs
        ([0.1], 6.0, 5, 0),  # so that they all go to full accuracy
    ],
)
def test_more_full_runs_are_of_more_designs(prices: list[float], full_runs: float, n_full: int, n_further: int) -> None:
    made = plan(np.linspace(0.0, 0.5, len(prices)), np.array(prices), True, full_runs)
    assert made is not None
    pair = made.pair()
    assert (made.n_full, 0 if pair is None else pair[1]) == (n_full, n_further)


def test_more_full_runs_tell_errors_better_that_do_not_fade_as_one() -> None:
    def run(x: float, y: float, z: float) -> float:
        return x + y + (0.0 if z == 1000.0 else math.exp(2.0 * math.sin(1e4 * (x + 7.0 * y) + z)))

    true = float(np.exp(2.0 * np.sin(np.linspace(0.0, 2.0 * np.pi, 9999))).mean())  # over a period
    simulator = Simulator("s", [Objective("f", "minimize")], run, fidelity=KNOB, cost="z")
    misses: dict[float, list[float]] = {3.0: [], 9.0: []}
    for full_runs, found in misses.items():
        for seed in range(20):
            with Study(problem_of(simulator), seed=seed) as study:
                (knob,) = study.calibrate(full_runs=full_runs, progress=False).knobs
                assert study.cost_spent <= full_runs
            found += [abs(math.log(each.outputs[0].error / true)) for each in knob.settings]
    assert np.mean(misses[9.0]) < 0.75 * np.mean(misses[3.0])


def test_of_several_knobs_one_is_turned_up_at_a_time() -> None:
    fidelity = Fidelity.knobs(panels=[2, 3, 5, 7, 9], steps=[10, 100])
    tried: list[Any] = [fidelity.decode(float(z)) for z in steps_of(fidelity)]
    assert sorted((each["panels"], each["steps"]) for each in tried) == [(2, 10), (2, 100), (5, 10), (9, 10)]


def test_an_error_that_fades_as_one_is_known_where_it_was_not_seen(rng: np.random.Generator) -> None:
    """g = f + w d: two full runs give w, and every design its own d."""
    f, d = rng.standard_normal((2, 12))
    weights = np.array([1.0, 0.6, 0.2, 0.0])
    values = f[:, None] + weights * d[:, None]
    values[2:, 2:] = np.nan  # only two designs have more than the two cheapest settings
    for step in range(3):
        found = errors_at(values, step, (0, 1))
        np.testing.assert_allclose(found.errors, weights[step] * d, atol=1e-9)
        np.testing.assert_allclose(found.truths, f, atol=1e-9)
        assert found.typical == pytest.approx(weights[step] * np.abs(d).mean())


def test_an_error_that_does_not_is_known_mostly() -> None:
    """Independent errors at every setting: what is left over of the two full runs stands for the others' errors."""
    found = []
    for seed in range(400):
        rng = np.random.default_rng(seed)
        values = np.column_stack([rng.standard_normal((10, 2)), np.zeros(10)])
        values[2:, 2] = np.nan
        found.append(errors_at(values, 1, (0, 1)).typical)
    assert np.median(found) == pytest.approx(1.0, rel=0.25)


def test_errors_of_a_study_are_those_of_its_simulator() -> None:
    def run(x: float, y: float, z: float) -> float:
        return x + y + 3.0 / z

    found, cost = calibrated(run, KNOB, "z")
    (knob,) = found.knobs
    assert cost <= 3.0
    for each in knob.settings:
        setting: Any = each.setting
        assert each.price == pytest.approx(setting / 1000.0)
        assert each.outputs[0].error == pytest.approx(3.0 / setting - 3.0 / 1000.0)
        assert each.told == pytest.approx(1.0)  # an offset leaves the order of designs as it is
    assert "let the knob go lower" in found.advice[0]


def test_what_was_run_before_is_not_run_again() -> None:
    with Study(problem_of(Simulator("s", [Objective("f", "minimize")], bent, fidelity=KNOB, cost="z"))) as study:
        first, spent = study.calibrate(progress=False), study.cost_spent
        again = study.calibrate(progress=False)
        assert (study.cost_spent, again) == (spent, first)


def bent(x: float, y: float, z: float) -> float:
    """Below about 100 cells it computes something else."""
    return x + 2.0 * y + (math.sin(37.0 * x) * 3.0 if z < 80.0 else 0.0)


def test_a_cheap_end_that_tells_nothing_is_named_and_left_out() -> None:
    found, _ = calibrated(bent, KNOB, "z")
    (knob,) = found.knobs
    assert knob.settings[0].told < TELLS
    useful = knob.lowest_useful
    assert useful is not None
    assert isinstance(useful.setting, float)
    assert useful.setting >= 80.0
    suggested = knob.suggested
    assert isinstance(suggested, Continuous)
    assert suggested.low == pytest.approx(useful.setting, rel=0.005)
    assert (suggested.high, suggested.log, suggested.unit) == (1000.0, True, "cells")
    assert any("10 tells too little of 'f'" in words for words in found.advice)


def test_a_knob_that_buys_nothing() -> None:
    def run(x: float, y: float, z: float) -> float:
        return x + y if z == 1000.0 else math.sin(41.0 * x + 53.0 * y)

    found, _ = calibrated(run, KNOB, "z")
    assert found.knobs[0].suggested == Fidelity.none()
    assert "not worth having" in found.advice[0]


def test_a_knob_that_saves_nothing_is_not_tried() -> None:
    found, cost = calibrated(bent, KNOB, "1000 + z")
    assert cost <= 3.0
    assert not found.knobs[0].settings
    assert "nothing is known" in found.advice[0]


def test_of_sources_the_useless_one_goes() -> None:
    def run(x: float, y: float, z: str) -> float:
        truth = x + 2.0 * y
        return {"line": 1.1 * truth + 0.2, "noise": math.sin(59.0 * x + 31.0 * y), "truth": truth}[z]

    found, cost = calibrated(run, Fidelity.sources(["noise", "line", "truth"]), [0.05, 0.1, 1.0])
    assert cost <= 3.0
    assert found.knobs[0].suggested == Fidelity.sources(["line", "truth"])


def test_two_knobs_where_one_matters() -> None:
    def run(x: float, y: float, mesh: int, steps: int) -> float:
        return x + 2.0 * y + (0.0 if mesh > 1 else 4.0 * math.sin(43.0 * x)) + 0.01 / steps

    found, cost = calibrated(run, Fidelity.knobs(mesh=[1, 2, 4], steps=[10, 20, 50]), "mesh * steps")
    assert cost <= 3.0
    assert found.knobs[0].suggested == Fidelity.knobs(mesh=[2, 4], steps=[10, 20, 50])


def test_a_measured_price_is_learned_first() -> None:
    def run(x: float, y: float, z: float) -> tuple[float, float]:
        return x + y + 1.0 / z, 5.0 + z

    found, _ = calibrated(run, KNOB, "measured")
    for each in found.knobs[0].settings:
        setting: Any = each.setting
        assert each.price == pytest.approx((5.0 + setting) / 1005.0, rel=0.3)


def test_wrong_use() -> None:
    without = Study(problem_of(Simulator("s", [Objective("f", "minimize")], lambda x, y: x)))
    with without, pytest.raises(MethodError, match="no simulator has a fidelity"):
        without.calibrate()
    with Study(problem_of(Simulator("s", [Objective("f", "minimize")], bent, fidelity=KNOB, cost="z"))) as study:
        with pytest.raises(MethodError, match="at least 3 full runs"):
            study.calibrate(full_runs=1.0)
        assert not study.trials

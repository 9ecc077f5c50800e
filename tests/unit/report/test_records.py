"""The numbers behind the figures, each known by another route."""

import math
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from imoca import Fidelity, Objective, Problem, Real, Simulator, Study
from imoca.methods.beliefs import believe
from imoca.models.dataset import output_data
from imoca.models.gp import GaussianProcess
from imoca.report.records import (
    FULL,
    FidelityRecord,
    PromiseRecord,
    convergence_record,
    correlation_records,
    cost_records,
    fidelity_map,
    fidelity_records,
    front_record,
    summary_record,
    trust_records,
)
from imoca.snapshot.snapshot import Snapshot
from imoca.trials import Answer, Trial, TrialTable
from imoca.trials.trial import Promise


def left(x: float, y: float, z: float) -> float:
    return (x - 0.2) ** 2 + y + 0.03 * (20 - z) * np.sin(9 * x)


def right(x: float, y: float, z: str) -> float:
    return (x - 0.8) ** 2 - y + (0.1 if z == "coarse" else 0.0) * x


@pytest.fixture(scope="module")
def study() -> Study:
    problem = Problem(
        [Real("x", 0, 1), Real("y", 0, 1)],
        [
            Simulator(
                "left",
                [Objective("l", "minimize", log=False)],
                left,
                fidelity=Fidelity.continuous(10, 20),
                cost="z - 9",
            ),
            Simulator(
                "right", [Objective("r", "maximize")], right, fidelity=Fidelity.levels(["coarse", "fine"]), cost=[1, 4]
            ),
        ],
    )
    made = Study(problem, n_fronts=2)
    made.optimize(8.0)
    return made


def test_costs_per_band_add_up_to_what_was_spent(study: Study) -> None:
    records = cost_records(study.snapshot())
    assert sum(sum(record.costs) + record.wasted for record in records) == pytest.approx(study.cost_spent)
    assert all(sum(record.n_runs) == len(study.trials) for record in records)
    levels = records[1]
    assert levels.bands == ("coarse", "fine")
    assert levels.costs == pytest.approx((0.25 * levels.n_runs[0], 1.0 * levels.n_runs[1]))


def test_the_fidelities_are_those_of_the_trials(study: Study) -> None:
    left_record, right_record = fidelity_records(study.snapshot())
    assert left_record.settings == tuple(trial.fidelities["left"] for trial in study.trials)
    assert left_record.z == pytest.approx([(float(s) - 10) / 10 for s in left_record.settings])  # type: ignore[arg-type]
    assert set(right_record.z) <= {0.0, 1.0}
    assert left_record.costs_before[0] == 0.0
    assert left_record.costs_before[-1] < study.cost_spent


def test_a_map_counts_runs_and_shares_of_the_cost_by_fifths_of_the_way_and_full_accuracy() -> None:
    nothing: tuple[Any, ...] = ((), ())
    one = FidelityRecord(
        "a", (0, 1, 2), (0.0,) * 3, (0, 0, 0), (0.0, 0.199, 1.0), (False,) * 3, (1.0, 1.0, 4.0), *nothing
    )
    other = FidelityRecord("b", (0, 1), (0.0,) * 2, (0, 0), (0.2, 0.999), (False, True), (0.5, 1.5), *nothing)
    found = fidelity_map([one, other])
    assert found.bands == ("0 to 20 %", "20 to 40 %", "40 to 60 %", "60 to 80 %", "80 to 100 %", FULL)
    assert found.n_runs == ((2, 0, 0, 0, 0, 1), (0, 1, 0, 0, 1, 0))
    np.testing.assert_allclose(found.shares, [[0.25, 0, 0, 0, 0, 0.5], [0, 0.0625, 0, 0, 0.1875, 0]])
    unknown = fidelity_map([one, replace(other, costs=(math.nan, 1.5))])  # then it is of runs
    assert not unknown.is_of_cost
    np.testing.assert_allclose(unknown.shares, np.array(found.n_runs) / 5.0)
    assert fidelity_map([replace(one, costs=(0.0,) * 3)]).shares == ((0.0,) * 6,)  # of what runs for the first time


def test_a_simulator_without_a_knob_has_no_fidelities_to_show() -> None:
    outputs = [Objective("f", "minimize")], [Objective("g", "minimize")]
    exact = Simulator("exact", outputs[0])
    coarse = Simulator("coarse", outputs[1], fidelity=Fidelity.levels([1, 2]), cost=[1, 3])
    made = Study(Problem([Real("x", 0, 1)], [exact, coarse]))
    made.add({"x": 0.5}, {"coarse": 1}, {"f": 1.0, "g": 2.0})
    (record,) = fidelity_records(made.snapshot())
    assert (record.simulator, record.settings) == ("coarse", (1,))


def test_a_left_out_prediction_is_what_the_others_alone_predict(study: Study) -> None:
    beliefs = believe(study.table())
    assert beliefs is not None
    record = trust_records(study.snapshot())[0]
    data = output_data(study.table(), 0)
    kernel = beliefs.surrogates[0].kernel
    for i in (0, 5, len(record.trials) - 1):
        others = np.arange(len(data.values)) != i
        process = GaussianProcess.condition(data.x[others], data.z[others], data.values[others], kernel)
        moments = process.moments(data.x[i : i + 1], data.z[i : i + 1])
        assert record.predicted[i] == pytest.approx(float(data.to_user(moments.mean_g[0, 0])), abs=1e-6)
        deviation = data.scale * np.sqrt(moments.var_g[0, 0] + kernel.noise(data.z[i : i + 1])[0])
        assert record.deviations[i] == pytest.approx(deviation, rel=1e-2, abs=1e-6)
    assert record.observed == pytest.approx([trial.values["l"] for trial in study.trials])


def test_an_observation_of_a_logarithm_misses_where_its_logarithm_does() -> None:
    objective = Objective("f", "minimize", log=True)
    rough = Study(Problem([Real("x", 0, 1)], [Simulator("s", [objective])]))
    for x in np.linspace(0.0, 1.0, 12).tolist():
        rough.add({"x": x}, {}, {"f": float(np.exp(3.0 * np.sin(9.0 * x) + (2.0 if x == 1.0 else 0.0)))})
    snapshot = rough.snapshot()
    assert snapshot.beliefs is not None
    (record,), surrogate = trust_records(snapshot), snapshot.beliefs.surrogates[0]
    off = []
    for i in range(12):
        others = np.arange(12) != i
        data = surrogate.x[others], surrogate.z[others], surrogate.values[others]
        moments = GaussianProcess.condition(*data, surrogate.kernel).moments(surrogate.x[[i]], np.ones(1))
        deviation = np.sqrt(moments.var_g[0, 0] + surrogate.noise_at_target)
        off.append(abs(surrogate.values[i] - moments.mean_g[0, 0]) / deviation)
    assert list(record.is_miss) == [each > 2.0 for each in off]
    apart = np.abs(np.array(record.observed) - np.array(record.predicted)) / np.array(record.deviations)
    assert (np.abs(np.array(off) - 2.0) > 1e-3).all()  # none is a matter of rounding
    assert ((apart > 2.0) == (np.array(off) > 2.0)).all()


def test_promises_are_those_that_were_stored_with_what_came_of_them() -> None:
    problem = Problem([Real("x", 0, 1)], [Simulator("s", [Objective("f", "minimize"), Objective("g", "maximize")])])
    trials = [Trial(i, {"x": x}, {"s": None}, {}, Answer({"f": x, "g": x})) for i, x in enumerate((0.1, 0.5, 0.9))]
    promised = {"f": Promise(0.2, 0.1, 0.4), "g": Promise(0.6, 0.5, 0.7)}
    trials.append(Trial(3, {"x": 0.3}, {"s": None}, {}, Answer({"f": 0.3, "g": 0.8}), promised=promised))
    trials.append(Trial(4, {"x": 0.4}, {"s": None}, {}, promised=promised))  # not answered yet
    f, g = trust_records(Snapshot("random", 0, TrialTable.encode(problem, trials)))
    assert f.promises == (PromiseRecord(3, 0.2, 0.1, 0.4, 0.3),)
    assert (f.n_promises_kept, g.n_promises_kept) == (1, 0)


def test_fidelities_correlate_with_full_accuracy_as_the_functions_do(study: Study) -> None:
    rng = np.random.default_rng(1)
    informed = Study(study.problem)
    for x, y in rng.random((40, 2)).tolist():
        for z in (10.0, 15.0, 20.0):
            values = {"l": left(x, y, z), "r": right(x, y, "fine")}
            informed.add({"x": x, "y": y}, {"left": z, "right": "fine"}, values)
    left_record, right_record = correlation_records(informed.snapshot())
    assert left_record.correlations[-1] == pytest.approx(1.0)
    assert right_record.correlations[-1] == pytest.approx(1.0)
    assert right_record.cost_ratios == pytest.approx((0.25, 1.0))
    x, y = rng.random((2, 4000))
    low, full = ([left(a, b, z) for a, b in zip(x, y, strict=True)] for z in (10.0, 20.0))
    assert left_record.correlations[0] == pytest.approx(np.corrcoef(low, full)[0, 1], abs=0.03)


def test_the_front_comes_closer_and_its_volume_ends_at_that_of_the_recommended_front(study: Study) -> None:
    record = convergence_record(study.snapshot())
    assert record.n_trials[-1] == len(study.trials)
    assert record.costs[-1] == pytest.approx(study.cost_spent)
    assert record.distances[-1] == 0.0
    assert record.distances[0] > 0.0
    assert all(0.0 <= volume <= 1.0 for volume in record.hypervolumes)
    assert record.hypervolumes[-1] > 0.0


def test_the_summary_counts_the_same_runs_at_full_accuracy(study: Study) -> None:
    front = front_record(study.snapshot())
    summary = summary_record(study.snapshot())
    assert summary.cost_at_full_accuracy == 2 * len(study.trials)
    assert summary.cost_spent == study.cost_spent
    assert summary.n_front == sum(not point.is_earlier for point in front.points) > 0
    assert {objective.goal for objective in front.objectives} == {"minimize", "maximize"}


def test_a_study_without_answers_has_records_without_points(tmp_path: Path, until_the_end: ExitStack) -> None:
    problem = Problem([Real("x", 0, 1)], [Simulator("s", [Objective("f", "minimize")])])
    empty = until_the_end.enter_context(Study(problem, storage=tmp_path / "study.db"))
    empty.ask()
    assert front_record(empty.snapshot()).points == ()
    assert convergence_record(empty.snapshot()).costs == ()
    assert trust_records(empty.snapshot()) == ()
    assert correlation_records(empty.snapshot()) == ()
    assert cost_records(empty.snapshot())[0].n_runs == (0,)

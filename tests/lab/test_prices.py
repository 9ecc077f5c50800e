"""What the experiments about prices share and sum up, by hand; what they publish is in test_published_results.py."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from experiments.cost_over_designs import varied
from experiments.own_time import Clock
from experiments.parallel import VirtualWorkers, cost_of, summary_of
from experiments.reaching import record, spent_to_the_front
from experiments.settled import summary_of as settled_summary
from experiments.subsets import priced
from imoca.problem.simulator import Simulator
from imoca.runners.base import Job
from imoca_lab.problems.branin_currin import branin_currin


def test_the_front_is_reached_where_the_median_comes_and_stays_within_one_per_cent_of_the_best_end() -> None:
    tracks = {
        "a": [{"spent": [1.0, 2.0, 3.0, 4.0], "lacking": [0.5, 0.005, 0.3, 0.0]}],
        "b": [
            {"spent": [1.0, 2.0], "lacking": [0.5, 0.009]},
            {"spent": [1.0, 3.0], "lacking": [0.5, 0.001]},
            {"spent": [1.0, 9.0], "lacking": [0.5, 0.4]},
        ],
    }
    assert spent_to_the_front(tracks) == {"a": [4.0, 4.0], "b": [3.0, 2.0, 3.0, float("inf")]}


def test_rows_of_other_calls_stay_and_those_of_the_same_columns_are_replaced(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    record(path, [{"problem": "a", "cost": 1}, {"problem": "b", "cost": 2}], ["problem"])
    record(path, [{"problem": "b", "cost": 3}, {"problem": "c", "cost": 4}], ["problem"])
    rows = json.loads(path.read_text(encoding="utf-8"))["rows"]
    assert [(row["problem"], row["cost"]) for row in rows] == [("a", 1), ("b", 3), ("c", 4)]
    assert all(row["command"].startswith("python ") for row in rows)


def test_a_clock_counts_what_was_slept() -> None:
    clock = Clock()
    before = clock.now()
    clock.sleep(1000.0)
    assert 1000.0 <= clock.now() - before < 1100.0


def job_of(simulator: Simulator, fidelity: float) -> Job:
    return Job(0, simulator, {"x1": 1.0, "x2": 2.0}, fidelity, 0, Path(), Path())


def test_virtual_workers_end_in_their_time_and_say_how_busy_they_were() -> None:
    problem, clock = branin_currin().problem, Clock()
    workers = VirtualWorkers(problem, 2, 1e6, clock)
    branin, currin = problem.simulators
    dear, cheap = job_of(branin, 1.0), job_of(currin, 0.0)
    assert cost_of(problem, dear) == 1.0
    assert cost_of(problem, cheap) == pytest.approx(0.1 / 1.1)
    began = clock.now()
    workers.submit(dear)
    workers.submit(cheap)
    assert [each.job for each in workers.collect(0.2)] == [cheap]
    assert clock.now() - began == pytest.approx(1e6 * 0.1 / 1.1, rel=1e-3)
    workers.submit(cheap)
    assert workers.busy() == pytest.approx(1.0, rel=1e-3)  # both, until the last began
    assert [each.job for each in workers.collect(0.2)] == [cheap]
    assert [each.job for each in workers.collect(0.2)] == [dear]
    workers.submit(dear)
    assert workers.busy() == pytest.approx((1.0 + 0.2 / 1.1) / 2.0, rel=1e-3)


def test_of_several_workers_cost_and_time_to_the_front_are_apart() -> None:
    def row(n: int, cost: float, seconds: float) -> dict[str, Any]:
        lacking = [0.5, 0.0]
        return {
            "workers": n,
            "busy": 0.8,
            "by cost": {"spent": [1.0, cost], "lacking": lacking},
            "by time": {"spent": [1.0, seconds], "lacking": lacking},
        }

    one, four = summary_of("p", [row(1, 4.0, 400.0), row(4, 5.0, 125.0)], 100.0)
    assert (one["workers"], one["cost"], one["seconds"]) == (1, 4.0, 400.0)
    assert (four["workers"], four["cost"], four["seconds"], four["busy"]) == (4, 5.0, 125.0, 0.8)
    assert four["cost with what runs"] == pytest.approx(4.0)  # of 5 worker times 100 s, four fifths were used
    _, late = summary_of("p", [row(1, 4.0, 400.0), row(4, 5.0, 800.0)], 100.0)
    assert late["cost with what runs"] == 5.0  # all that was ever spent


def test_costs_vary_tenfold_over_the_first_parameter_whatever_counts_as_one() -> None:
    base = branin_currin().problem
    ends = np.array([[0.0, 0.3], [1.0, 0.3], [0.5, 0.3]])
    for direction, factors in (("rising", [1.0, 10.0, 10.0**0.5]), ("falling", [10.0, 1.0, 10.0**0.5])):
        hours, full_runs = (varied(base, direction, unit) for unit in ("mean", "design"))  # type: ignore[arg-type]
        for s in range(2):
            at = [problem.declared_costs(s, x, 0.5)[0] for problem in (hours, full_runs) for x in ends]
            assert np.array(at[:3]) / at[2] == pytest.approx(np.array(factors) / 10.0**0.5)
            assert at[3:] == pytest.approx([base.declared_costs(s, ends[0], 0.5)[0]] * 3)


def test_full_runs_cost_ten_to_one_and_one_on_average() -> None:
    for seed, order in ((0, [20 / 11, 2 / 11]), (1, [2 / 11, 20 / 11])):
        problem = priced(branin_currin().problem, "ten to one", 0.5, seed)
        assert [simulator.full_cost for simulator in problem.simulators] == pytest.approx(order)
        assert problem.setup_cost == 0.5
    assert [each.full_cost for each in priced(branin_currin().problem, "equal", 0.0, 1).simulators] == [1.0, 1.0]


def test_a_rule_to_stop_is_judged_by_the_median_cost_and_the_worst_front() -> None:
    def run(within: float | None, ended: float, lacking: float, settled: bool = True) -> dict[str, Any]:
        times = None if within is None else ended / within
        return {
            "problem": "p",
            "settled": settled,
            "within 1 % at": within,
            "search ended at": ended,
            "times as much": times,
            "lacks then": lacking,
        }

    def judged(*runs: dict[str, Any]) -> tuple[Any, ...]:
        (row,) = settled_summary(runs)
        return row["stopped"], row["times"], row["lacking"], row["is met"]

    (moving,) = settled_summary([run(2.0, 9.0, 0.0, settled=False)])
    assert (moving["within"], moving["ended"], moving["times"]) == (2.0, 9.0, None)  # near, but never at rest

    good = run(2.0, 2.8, 0.01)
    assert judged(good, run(2.0, 3.2, 0.02)) == (2, pytest.approx(1.5), 0.02, True)
    assert judged(good, run(2.0, 3.4, 0.0)) == (2, pytest.approx(1.55), 0.01, False)
    assert judged(good, good, run(2.0, 1.0, 0.031)) == (3, pytest.approx(1.4), 0.031, False)
    assert judged(good, run(None, 1.0, 0.02)) == (2, pytest.approx(1.4), 0.02, False)  # it never came near
    assert judged(good, run(2.0, 9.0, 0.0, settled=False)) == (1, pytest.approx(1.4), 0.01, False)
    assert judged(run(None, 9.0, 0.5, settled=False)) == (0, None, None, False)

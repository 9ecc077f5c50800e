"""The comparison on simulators of others: what counts, what is kept, and that no method spends more than another."""

import json
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from experiments.third_party.knob import Timed, reading
from experiments.third_party.nsga2 import evolve
from experiments.third_party.records import (
    FullRun,
    Outcome,
    RunRecord,
    front_volume,
    is_feasible,
    label,
    read_records,
    write_records,
)
from experiments.third_party.report import PAGES, comparison_table, front_table, knob_table, with_summary, with_tables
from experiments.third_party.run import full_cost, run_nsga2, run_study
from experiments.third_party.shares import final_shares, pooled_front, reached_at, shares_along
from experiments.third_party.simulators import EXAMPLES, Kept
from imoca import Constraint, Fidelity, Objective, Problem, Real, Simulator
from imoca.problem.cost import ExpressionCost

RESULTS = Path(__file__).parents[2] / "experiments" / "results" / "third_party"


def bowl(x: float, y: float, z: str) -> dict[str, float]:
    """Fails in a corner; too lenient at a low fidelity."""
    if x > 0.9 and y > 0.9:
        raise RuntimeError("it broke")
    error = 0.3 if z == "coarse" else 0.0
    return {"f": x**2 + y**2 + error, "g": (x - 1.0) ** 2 + y**2, "stress": 0.3 - x - error}


PROBLEM = Problem(
    parameters=[Real("x", 0.0, 1.0), Real("y", 0.0, 1.0)],
    simulators=[
        Simulator(
            "bowl",
            [Objective("f", "minimize"), Objective("g", "minimize"), Constraint("stress", upper=0.0)],
            bowl,
            fidelity=Fidelity.levels(["coarse", "fine"]),
            cost=[0.1, 1.0],
        ),
        Simulator("length", [Objective("length", "maximize")], lambda x, y: x + y, full_cost=0.01),
    ],
)


def at(f: float, g: float, stress: float, length: float = 1.0) -> FullRun:
    return FullRun(1.0, {"x": 0.5, "y": 0.5}, {"f": f, "g": g, "stress": stress, "length": length})


def test_only_feasible_designs_count_in_the_volume() -> None:
    reference = {"f": 2.0, "g": 2.0, "length": 0.0}
    assert front_volume(PROBLEM, reference, [at(1.0, 1.5, -0.1)]) == pytest.approx(1.0 * 0.5 * 1.0)
    assert front_volume(PROBLEM, reference, [at(1.0, 1.5, -0.1), at(0.0, 0.0, 0.1)]) == pytest.approx(0.5)
    two = [at(1.0, 1.5, 0.0), at(1.5, 1.0, 0.0)]  # overlap in a square of side 0.5
    assert front_volume(PROBLEM, reference, two) == pytest.approx(0.5 + 0.5 - 0.25)
    assert front_volume(PROBLEM, reference, []) == 0.0
    assert is_feasible(PROBLEM, two[0].values)


def test_a_run_is_made_once_and_a_failure_stays_one(tmp_path: Path) -> None:
    asked = []

    def simulate(x: float, z: str) -> float:
        asked.append((x, z))
        return 1.0 / x

    kept = Kept(simulate, "a simulator", tmp_path)
    assert [kept(x=2.0, z="fine") for _ in range(3)] == [0.5, 0.5, 0.5]
    for _ in range(2):
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            kept(x=0.0, z="fine")
    assert kept(x=2.0, z="coarse") == 0.5
    assert asked == [(2.0, "fine"), (0.0, "fine"), (2.0, "coarse")]
    assert Kept(simulate, "another one", tmp_path)(x=2.0, z="fine") == 0.5
    assert len(asked) == 4


@pytest.mark.slow
@pytest.mark.parametrize("method", ["imoca-p", "random", "nsga2"])
def test_no_method_spends_more_than_the_budget_or_leaves_a_full_run_of_it(method: str) -> None:
    budget = 12.0
    found = run_nsga2(PROBLEM, 4, 0, budget) if method == "nsga2" else run_study(PROBLEM, method, 0, budget)
    assert budget - full_cost(PROBLEM) - 0.1 <= found.spent <= budget + 1e-6
    assert all(run.spent <= found.spent + 1e-9 for run in found.full_runs)
    for run in found.full_runs:
        x, y = float(run.parameters["x"]), float(run.parameters["y"])
        assert run.values == pytest.approx(bowl(x, y, "fine") | {"length": x + y}, rel=1e-4, abs=1e-5)
    assert sum(found.runs["bowl"].values()) == found.questions
    assert found.runs["bowl"]["fine"] >= len(found.full_runs) > 0
    assert any(run.spent > 0.9 * budget for run in found.full_runs)  # those that predict verify with what is kept back


def valley(x: float, y: float) -> dict[str, float]:
    """The front is at y = 0; half of the designs are infeasible, a third of these fail."""
    if y > 0.83:
        raise RuntimeError("it broke")
    return {"f": x**2 + y**2, "g": (x - 1.0) ** 2 + y**2, "stress": y - 0.5}


def test_nsga2_comes_nearer_to_the_front_and_shuns_what_fails_or_is_infeasible() -> None:
    outputs = (Objective("f", "minimize"), Objective("g", "minimize"), Constraint("stress", upper=0.0))
    problem = Problem(PROBLEM.parameters, [Simulator("valley", outputs, valley)])
    answers = list(islice(evolve(problem, 12, seed=0), 144))
    bad = [answer.values is None or answer.values["stress"] > 0.0 for answer in answers]
    assert any(answer.values is None for answer in answers[:12])
    assert sum(bad[:12]) >= 3
    assert sum(bad[-48:]) <= 3
    heights = [float(answer.parameters["y"]) for answer in answers]
    assert np.median(heights[-48:]) < 0.3 * np.median(heights[:12])


def test_a_reading_by_hand() -> None:
    simulator = PROBLEM.simulators[0]
    stress = simulator.outputs[2]
    full = [Timed({"stress": value}, 2.0) for value in (-0.2, 0.1, 0.3, 0.4)]
    cheap = [Timed({"stress": -0.4}, 1.0), Timed({"stress": -0.1}, 3.0), Timed(None, 5.0), Timed({"stress": 0.2}, 1.5)]
    found = reading(simulator, stress, "coarse", cheap, full)
    assert (found.cpu_seconds, found.failed, found.missed) == (2.25, 1, 1)
    assert found.rank_correlation == pytest.approx(1.0)
    assert found.largest_error == pytest.approx(0.2)
    assert reading(simulator, simulator.outputs[2], "fine", full[:2], full[:2]).rank_correlation is None


@pytest.mark.parametrize("name", [name for name in EXAMPLES if (RESULTS / f"{name}-knob.json").exists()])
def test_the_costs_of_a_study_file_are_those_that_were_measured(name: str) -> None:
    readings = json.loads((RESULTS / f"{name}-knob.json").read_text())["readings"]
    problem = EXAMPLES[name].declared()
    for s, simulator in enumerate(problem.simulators):
        if not simulator.fidelity.has_knob:
            continue
        measured = {each["fidelity"]: each["cpu_seconds"] for each in readings if each["simulator"] == simulator.name}
        for z in simulator.fidelity.grid(5).tolist():
            counted, full = problem.declared_costs(s, problem.spread_designs[0], z)
            seconds = measured[label(simulator.fidelity.decode(z))]
            if isinstance(simulator.cost, ExpressionCost):  # one formula for all settings of the knobs
                assert counted * full == pytest.approx(seconds, rel=0.15)
            else:
                assert counted * full == pytest.approx(float(f"{seconds:.2g}"))


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_page_of_the_gallery_shows_the_committed_results(name: str) -> None:
    page = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    assert page == with_tables(page, EXAMPLES[name])
    for kind, path in (("knob", f"{name}-knob.json"), ("comparison", f"{name}.jsonl"), ("front", f"{name}.jsonl")):
        assert (f"<!-- {kind} -->" in page) == (RESULTS / path).exists()
    assert (f"]({name}.png)" in page) == (PAGES / f"{name}.png").exists()


def test_the_index_of_the_gallery_shows_the_committed_results() -> None:
    page = (PAGES / "index.md").read_text(encoding="utf-8")
    assert page == with_summary(page)
    assert page.count("\n| [") == len(EXAMPLES)


def test_tables_by_hand() -> None:
    of_f = {"simulator": "s", "output": "f", "fidelity": "9 x 3", "cpu_seconds": 0.0434, "failed": 2}
    of_f |= {"rank_correlation": 0.984, "largest_error": 1.56, "missed": None}
    of_g = of_f | {"output": "g", "rank_correlation": None, "largest_error": 17.3}
    assert knob_table([of_f, of_g]).splitlines()[2:] == ["| s | 9 x 3 | 0.043 | 0.98 / – | 1.56 / 17.3 | 2 |"]
    assert knob_table([of_f, of_g | {"missed": 3}]).splitlines()[2].endswith("| 2 | 3 |")
    records = []
    for method, seed, gains in (("a", 0, [8.0]), ("a", 1, [10.0]), ("b", 0, [7.0, 8.0, 9.0])):
        runs = tuple(FullRun(1.0 + i, {}, {"gain": g, "front_to_back": 7.0, "boom": 1.0}) for i, g in enumerate(gains))
        outcome = Outcome(40.0, 10 + seed, 0, {}, 5.0, runs)
        records.append(RunRecord("antenna", method, seed, 40.0, "a command", {}, outcome))
    assert final_shares(EXAMPLES["antenna"], records) == {"a": [0.5, 1.0], "b": [0.75]}  # 2, 4 and 3 dB above 6, of 4
    assert comparison_table(EXAMPLES["antenna"], records).splitlines()[2:] == [
        "| a | 2 | 75.0 % | 62.5 to 87.5 % | 10.5 | 1 | 5 | – |",
        "| b | 1 | 75.0 % | – | 10 | 3 | 5 | – |",
    ]
    way = shares_along(EXAMPLES["antenna"], records[2], 4.0, np.array([0.5, 1.0, 2.5, 40.0]))
    assert way.tolist() == [0.0, 0.25, 0.5, 0.75]


def antenna_record(method: str, seed: int, runs: list[tuple[float, float, float]]) -> RunRecord:
    """Of runs by spent, gain and boom."""
    full_runs = tuple(
        FullRun(spent, dict.fromkeys(PARAMETERS, 0.4), {"gain": gain, "front_to_back": 7.0, "boom": boom})
        for spent, gain, boom in runs
    )
    return RunRecord("antenna", method, seed, 40.0, "a command", {}, Outcome(40.0, 10, 0, {}, 5.0, full_runs))


PARAMETERS = [each.name for each in EXAMPLES["antenna"].declared().parameters]


def test_where_a_method_is_as_far_as_others_end_by_hand() -> None:
    """Volumes are what is above 6 dB, times 1; of three seeds the middle one counts."""
    records = [
        antenna_record("imoca-p", 0, [(1.0, 7.0, 1.0), (5.0, 9.0, 1.0)]),
        antenna_record("imoca-p", 1, [(2.0, 8.0, 1.0)]),
        antenna_record("imoca-p", 2, [(4.0, 9.0, 1.0)]),
        antenna_record("random", 0, [(30.0, 7.5, 1.0)]),
        antenna_record("nsga2", 0, [(30.0, 10.0, 1.0)]),
    ]
    found = reached_at(EXAMPLES["antenna"], records, "imoca-p")
    assert found == {"imoca-p": 5.0, "random": 4.0, "nsga2": None}  # 1, 2 and 3 of four at a cost of 4
    assert reached_at(EXAMPLES["antenna"], records, "botorch-momf") == {}
    table = comparison_table(EXAMPLES["antenna"], records).splitlines()[2:]
    assert [row.split(" | ")[-1] for row in table] == ["– |", "– |", "4.0 |"]


def test_designs_of_a_front_are_shown_evenly_and_by_whom_they_were_found() -> None:
    gains = [(8.0, 1.0), (7.0, 0.9), (9.0, 1.2), (7.5, 0.95), (8.5, 1.1), (6.5, 0.8), (6.0, 0.7)]
    records = [antenna_record("b", 0, [(1.0, *each) for each in gains]), antenna_record("a", 0, [(1.0, 7.9, 1.05)])]
    found = pooled_front(EXAMPLES["antenna"].declared(), records)
    assert [run.values["gain"] for _, run in found] == [6.0, 6.5, 7.0, 7.5, 8.0, 8.5, 9.0]  # that of a is beaten
    assert {method for method, _ in found} == {"b"}
    rows = front_table(EXAMPLES["antenna"], records).splitlines()
    assert rows[0] == "| found by | gain [dBi] | front_to_back [dB] | boom [wavelengths] |"  # not its eleven parameters
    assert [row.split(" | ")[1] for row in rows[2:]] == ["6", "7", "7.5", "8", "9"]


def test_records_come_back_as_they_were_written(tmp_path: Path) -> None:
    outcome = run_nsga2(PROBLEM, 4, 3, 2.5)
    records = [RunRecord("bowl", method, 3, 2.5, "a command", {"python": "3"}, outcome) for method in ("b", "a")]
    write_records(tmp_path / "new" / "bowl.jsonl", records)
    assert read_records(tmp_path / "new" / "bowl.jsonl") == records[::-1]
    assert read_records(tmp_path / "none.jsonl") == []

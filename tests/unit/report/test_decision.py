"""What a reader decides by: robust designs and the budget, by hand."""

import json
import math

import numpy as np
import pytest

from imoca import Constraint, Objective, Problem, Real, Simulator, Study
from imoca.report.page.decision import BALANCE, MOST_HIGHLIGHTS, Budget, budget_of, highlights
from imoca.report.page.navigator import Commands, navigator_content
from imoca.report.strict_json import inside_script, to_json
from imoca.snapshot.accounting import Bill
from imoca.snapshot.designs import robust_values
from imoca.snapshot.recommendation import ParetoPoint
from imoca.trials.trial import Run


def problem_of(n: int) -> Problem:
    objectives = [Objective(f"f{j}", "maximize" if j % 2 else "minimize") for j in range(n)]
    return Problem([Real("x", 0.0, 1.0)], [Simulator("s", objectives)])


def point(*values: float, spread: float = 0.0, is_measured: bool = False, is_doubtful: bool = False) -> ParetoPoint:
    named = {f"f{j}": value for j, value in enumerate(values)}
    likely = {name: (value - spread, value + spread) for name, value in named.items()}
    measured = named if is_measured else None
    return ParetoPoint({"x": values[0]}, named, named, measured, likely, is_doubtful=is_doubtful)


def test_a_design_is_judged_by_the_worse_end_of_its_interval_unless_it_was_measured() -> None:
    front = [point(1.0, 5.0, spread=0.5), point(2.0, 6.0, spread=0.5, is_measured=True)]
    assert robust_values(problem_of(2), front).tolist() == [[-1.5, 4.5], [-2.0, 6.0]]


def test_a_lucky_design_is_not_held_up_as_the_best() -> None:
    lucky, sure = point(0.0, 0.0, spread=3.0), point(1.0, 0.0, spread=0.1)
    best = {each.reason: each.point for each in highlights(problem_of(2), [lucky, sure])}
    assert best[next(reason for reason in best if "best f0" in reason)] is sure


def test_of_many_objectives_five_designs_are_shown_and_the_balance_leads() -> None:
    rng = np.random.default_rng(0)
    found = highlights(problem_of(9), [point(*row) for row in rng.uniform(size=(60, 9)).tolist()])
    assert len(found) == MOST_HIGHLIGHTS
    assert found[0].reason.startswith(BALANCE)
    assert len({each.point.id for each in found}) == MOST_HIGHLIGHTS


def test_doubtful_designs_are_shown_only_where_there_are_no_others() -> None:
    doubtful, good = point(0.0, 1.0, is_doubtful=True), point(0.5, 0.5)
    assert {each.point.id for each in highlights(problem_of(2), [doubtful, good])} == {good.id}
    assert {each.point.id for each in highlights(problem_of(2), [doubtful])} == {doubtful.id}


def bill_of(*costs: float) -> Bill:
    spent = np.array(costs)[:, None]
    nothing = np.zeros_like(spent)
    return Bill(spent, nothing, nothing, np.zeros(len(costs)), np.zeros(len(costs), dtype=np.bool_))


def test_the_pace_is_the_cost_over_the_time_in_which_something_ran() -> None:
    """Two runs at once from 0 to 10 and 5 to 20, a pause, one from 100 to 110: 30 seconds for a cost of 6."""
    runs = [Run(0, "s", 1, 0.0, None, 10.0), Run(1, "s", 1, 5.0, None, 20.0), Run(2, "s", 1, 100.0, None, 110.0)]
    budget = budget_of(bill_of(1.0, 2.0, 3.0), [*runs, Run(2, "s", 2, 200.0)], 12.0)
    assert budget.pace == pytest.approx(6.0 / 30.0)
    assert budget.words == "6 of 12 full-fidelity runs spent; 6 left, about 30 s at the pace so far."


def test_a_budget_without_times_limits_or_known_costs_says_what_it_can() -> None:
    assert budget_of(bill_of(1.0), [], None).words == "1 full-fidelity runs spent."
    assert Budget(7.0, 2.0, 6.0, None).words == (
        "7 of 6 full-fidelity runs spent, 2 of it to verify designs: nothing is left."
    )
    assert "unknown" in Budget(math.nan, 0.0, 6.0, None).words


def test_the_navigator_is_told_the_designs_of_the_front_with_their_numbers(hostile_study: Study) -> None:
    snapshot = hostile_study.snapshot()
    budget, commands = budget_of(snapshot.bill, (), None), Commands(" wing.toml")
    content = navigator_content(snapshot.problem, snapshot.front, snapshot.verdict, budget, commands)
    told = json.loads(to_json(content))
    assert [design["id"] for design in told["designs"]] == [each.id for each in snapshot.front]
    for design, each in zip(told["designs"], snapshot.front, strict=True):
        assert design["parameters"] == list(each.parameters.values())
        assert design["predicted"] == pytest.approx(list(each.predicted.values()), rel=1e-6)
        assert design["state"] == each.state
    assert [column["name"] for column in told["columns"]] == [
        *(objective.name for objective in snapshot.problem.objectives),
        *snapshot.problem.space.names,
    ]
    begin = [(told["designs"][each["design"]]["id"], each["reason"]) for each in told["begin"]]
    assert begin == [(each.point.id, each.reason) for each in highlights(snapshot.problem, snapshot.front)]
    assert told["verify"]["before"] == "imoca verify wing.toml "
    assert told["next"]["command"].startswith("imoca ask wing.toml")


def test_constraints_stand_between_objectives_and_parameters() -> None:
    simulator = Simulator("s", [Objective("f", "minimize", unit="kg"), Constraint("g", upper=2.0)])
    with Study(Problem([Real("x", 0.0, 1.0, unit="mm")], [simulator]), method="random") as study:
        snapshot = study.snapshot()
        budget = Budget(0.0, 0.0, None, None)
        content = navigator_content(snapshot.problem, snapshot.front, snapshot.verdict, budget, Commands(None))
    assert [(each["kind"], each["unit"]) for each in content["columns"]] == [
        ("objective", "kg"),
        ("constraint", None),
        ("parameter", "mm"),
    ]
    assert content["columns"][1]["bound"] == "at most 2"
    assert content["verify"] == {"before": 'study.verify(["', "between": '", "', "after": '"])'}
    assert content["next"]["command"] == ""


def test_json_holds_no_number_that_a_browser_refuses_and_ends_no_script() -> None:
    assert to_json({"a": [math.nan, math.inf, 1.5]}) == '{"a":[null,null,1.5]}'
    assert inside_script('"</script>&"') == '"\\u003c/script\\u003e\\u0026"'

"""Studies are compared in one box, each by the fronts it would have recommended on the way."""

import numpy as np
import pytest

from imoca import Objective, Problem, Real, Simulator, Study
from imoca.dashboard.comparison import History, compare, comparison_figure, history_of, is_comparable
from imoca.problem.simulator import Goal
from imoca.snapshot.history import Checkpoint
from imoca.snapshot.recommendation import ParetoPoint
from imoca.trials.table import TrialTable
from imoca.trials.trial import Answer, Trial


def problem(*goals: Goal) -> Problem:
    outputs = [Objective(f"o{i}", goal) for i, goal in enumerate(goals)]
    return Problem([Real("x", 0, 1)], [Simulator("s", outputs, None)])


def history(values: list[tuple[float, float]], front: list[tuple[float, float]]) -> History:
    trials = tuple(
        Trial(i, {"x": 0.5}, {"s": None}, answer=Answer({"o0": a, "o1": b})) for i, (a, b) in enumerate(values)
    )
    points = tuple(ParetoPoint({"x": 0.5}, {"o0": a, "o1": b}, {"o0": 0.0, "o1": 0.0}, None) for a, b in front)
    table = TrialTable.encode(problem("maximize", "maximize"), trials)
    return History(table, (Checkpoint(len(trials), 1.0, points),))


def test_hypervolumes_in_the_common_box_computed_by_hand() -> None:
    small = history([(0.0, 0.0), (2.0, 2.0)], [(2.0, 2.0)])
    large = history([(0.0, 0.0), (4.0, 4.0)], [(4.0, 2.0), (2.0, 4.0)])
    one, other = compare([("small", small), ("large", large)])
    assert one.hypervolumes == pytest.approx((0.25,))  # alone it would fill its own box: 1
    assert other.hypervolumes == pytest.approx((0.75,))


def test_only_studies_with_the_same_objectives_and_goals_are_comparable() -> None:
    snapshot = Study(problem("minimize", "maximize"), method="random").snapshot()
    assert is_comparable(snapshot, Study(problem("minimize", "maximize"), method="imoca-t").snapshot())
    assert not is_comparable(snapshot, Study(problem("minimize", "minimize")).snapshot())
    assert not is_comparable(snapshot, Study(problem("minimize")).snapshot())


@pytest.mark.slow
def test_the_last_front_of_a_history_is_the_one_the_study_recommends_thinned() -> None:
    study = Study(problem("minimize", "maximize"), method="random")
    for x in np.linspace(0.0, 1.0, 6):
        study.add({"x": float(x)}, {}, {"o0": float((x - 0.3) ** 2), "o1": float(x)})
    made = history_of(study.snapshot()).checkpoints
    assert [each.cost for each in made] == pytest.approx([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    whole, last = study.pareto_front(), made[-1].front
    assert [p.measured for p in last if p.verified] == [p.measured for p in whole if p.verified]
    xs = [p.parameters["x"] for p in whole]
    assert all(min(abs(float(p.parameters["x"]) - float(x)) for x in xs) < 0.02 for p in last)


def test_a_study_without_answers_has_no_history() -> None:
    made = history_of(Study(problem("minimize", "maximize"), method="random").snapshot())
    assert made.checkpoints == ()
    assert compare([("empty", made)])[0].hypervolumes == ()


def test_a_hostile_name_is_escaped_in_the_figure() -> None:
    figure = comparison_figure(compare([("<b>$x$</b>", history([(0.0, 0.0), (1.0, 1.0)], [(1.0, 1.0)]))]))
    assert figure.data[0].name == "&lt;b&gt;&#36;x&#36;&lt;/b&gt;"

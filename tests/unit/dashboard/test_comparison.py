"""Studies are compared in one box, each by the fronts it would have recommended on the way."""

import numpy as np
import pytest

from imoca import Objective, Problem, Real, Simulator, Study
from imoca.dashboard.comparison import History, compare, comparison_figure, front_history, is_comparable
from imoca.study.recommendation import ParetoPoint
from imoca.trials import Answer, Trial


def problem(*goals: str) -> Problem:
    outputs = [Objective(f"o{i}", goal) for i, goal in enumerate(goals)]  # type: ignore[arg-type]
    return Problem([Real("x", 0, 1)], [Simulator("s", outputs, None)])


def history(values: list[tuple[float, float]], front: list[tuple[float, float]]) -> History:
    trials = tuple(
        Trial(i, {"x": 0.5}, {"s": None}, answer=Answer({"o0": a, "o1": b})) for i, (a, b) in enumerate(values)
    )
    points = tuple(ParetoPoint({"x": 0.5}, {"o0": a, "o1": b}, {"o0": 0.0, "o1": 0.0}, None) for a, b in front)
    return History(problem("maximize", "maximize"), trials, (1.0,), (points,))


def test_hypervolumes_in_the_common_box_computed_by_hand() -> None:
    small = history([(0.0, 0.0), (2.0, 2.0)], [(2.0, 2.0)])
    large = history([(0.0, 0.0), (4.0, 4.0)], [(4.0, 2.0), (2.0, 4.0)])
    one, other = compare([("small", small), ("large", large)])
    assert one.hypervolumes == pytest.approx((0.25,))  # alone it would fill its own box: 1
    assert other.hypervolumes == pytest.approx((0.75,))


def test_only_studies_with_the_same_objectives_and_goals_are_comparable() -> None:
    study = Study(problem("minimize", "maximize"), method="random")
    assert is_comparable(study, Study(problem("minimize", "maximize"), method="imoca-t"))
    assert not is_comparable(study, Study(problem("minimize", "minimize")))
    assert not is_comparable(study, Study(problem("minimize")))


@pytest.mark.slow
def test_the_last_front_of_a_history_is_the_one_the_study_recommends() -> None:
    study = Study(problem("minimize", "maximize"), method="random")
    for x in np.linspace(0.0, 1.0, 6):
        study.add({"x": float(x)}, {}, {"o0": float((x - 0.3) ** 2), "o1": float(x)})
    made = front_history(study, n_steps=3)
    assert made.costs == pytest.approx((2.0, 4.0, 6.0))
    assert list(made.fronts[-1]) == study.pareto_front()


def test_a_study_without_answers_has_no_history() -> None:
    made = front_history(Study(problem("minimize", "maximize"), method="random"))
    assert made.costs == made.fronts == ()
    assert compare([("empty", made)])[0].hypervolumes == ()


def test_a_hostile_name_is_escaped_in_the_figure() -> None:
    figure = comparison_figure(compare([("<b>$x$</b>", history([(0.0, 0.0), (1.0, 1.0)], [(1.0, 1.0)]))]))
    assert figure.data[0].name == "&lt;b&gt;&#36;x&#36;&lt;/b&gt;"

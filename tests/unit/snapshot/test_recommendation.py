"""The recommended front: what is on it, in which order, with which numbers."""

import dataclasses

import numpy as np
import pytest
from deciding import believe, is_verified, posterior, recommend, trial_at

from imoca.models import doubt
from imoca.pareto.dominance import non_dominated
from imoca.pareto.search import Front
from imoca.problem.fidelity import Fidelity
from imoca.problem.parameters import Real
from imoca.problem.problem import Problem
from imoca.problem.simulator import Objective, Simulator
from imoca.snapshot import recommendation
from imoca.snapshot.recommendation import ParetoPoint, believe_answers, chosen_few, design_id, recommended
from imoca.trials import Answer, Trial, TrialTable

KNOB = Fidelity.continuous()
SIGN = {"drag": -1.0, "lift": 1.0}  # drag is minimised
PROBLEM = Problem(
    [Real("a", 0.0, 2.0), Real("b", 0.0, 1.0)],
    [
        Simulator("s", [Objective("drag", "minimize")], fidelity=KNOB, cost="0.1 + z"),
        Simulator("t", [Objective("lift", "maximize")], fidelity=KNOB, cost="0.1 + z"),
    ],
)


def simulate(x: np.ndarray) -> dict[str, float]:
    """Both are best along a curve between (0.2, 0.5) and (0.8, 0.5); in units of their own."""
    return {
        "drag": float(300.0 + 1000.0 * ((x[0] - 0.2) ** 2 + (x[1] - 0.5) ** 2)),
        "lift": float(5.0 - 7.0 * ((x[0] - 0.8) ** 2 + (x[1] - 0.5) ** 2)),
    }


def cheap_trials(n: int = 12) -> list[Trial]:
    x = np.random.default_rng(6).random((n, 2))
    return [trial_at(PROBLEM, i, x[i], [0.4, 0.4], Answer(simulate(x[i]))) for i in range(n)]


def verified_trial(number: int, x: tuple[float, float], better_by: float = 0.0) -> Trial:
    """Measured at full accuracy, ``better_by`` of the typical spread better than the surrogates expect."""
    values = simulate(np.array(x))
    answer = Answer({"drag": values["drag"] - 200.0 * better_by, "lift": values["lift"] + 2.0 * better_by})
    return trial_at(PROBLEM, number, np.array(x), [1.0, 1.0], answer)


def standing(point: ParetoPoint) -> list[float]:
    """The values it stands with, both to be maximised."""
    values = point.measured or point.predicted
    return [SIGN[name] * values[name] for name in ("drag", "lift")]


def test_verified_designs_come_first_and_each_kind_is_sorted_from_the_worst_to_the_best_first_objective() -> None:
    front = recommend(PROBLEM, [*cheap_trials(), verified_trial(12, (0.4, 0.5)), verified_trial(13, (0.6, 0.5))])
    n_verified = sum(point.verified for point in front)
    assert n_verified == 2
    assert len(front) > 20
    for part in (front[:n_verified], front[n_verified:]):
        values = np.array([standing(point) for point in part])
        assert not any(point.verified for point in part) or all(point.verified for point in part)
        assert non_dominated(values).all()
        assert (np.diff(values[:, 0]) > 0.0).all()  # the drag falls
        assert (np.diff(values[:, 1]) < 0.0).all()


def test_no_design_of_a_dense_grid_is_predicted_to_beat_the_front() -> None:
    trials = cheap_trials()
    values = np.array([standing(point) for point in recommend(PROBLEM, trials)])
    beliefs = believe(PROBLEM, trials)
    assert beliefs is not None
    grid = np.stack(np.meshgrid(*[np.linspace(0.0, 1.0, 41)] * 2), axis=-1).reshape(-1, 2)
    means = beliefs.means_at_target(grid)
    predicted = np.column_stack([data.sign * data.to_user(means[:, j]) for j, data in enumerate(beliefs.data)])
    scales = np.array([data.scale for data in beliefs.data])
    beaten_by = ((predicted[:, None] - values) / scales).max(axis=2).min(axis=1)
    assert beaten_by.max() < 0.03


def test_a_few_designs_stand_for_the_whole_front_better_than_a_few_of_it_drawn_at_random() -> None:
    whole = np.array([standing(point) for point in recommend(PROBLEM, cheap_trials())])
    table = TrialTable.encode(PROBLEM, cheap_trials())
    care = dataclasses.replace(recommendation.THOROUGH, most=5)
    few = np.array([standing(p) for p in recommended(table, believe_answers(table), 0, care=care)])
    assert len(few) == 5

    def farthest(chosen: np.ndarray) -> float:
        """From a design of the whole front to the nearest one chosen, in units of the front's range."""
        apart = (whole[:, None] - chosen) / np.ptp(whole, axis=0)
        return float(np.linalg.norm(apart, axis=2).min(axis=1).max())

    rng = np.random.default_rng(0)
    drawn = [farthest(rng.permutation(whole)[:5]) for _ in range(200)]
    assert farthest(few) < np.quantile(drawn, 0.25)


def test_predicted_values_and_uncertainties_are_those_of_plain_algebra_in_the_users_units(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without any doubt, which has its own tests: one deviation of the model, and 1.645 for the likely interval."""
    monkeypatch.setattr(doubt, "FACTORS", np.ones(1))
    monkeypatch.setattr(doubt, "FACTOR_PRIOR", np.ones(1))
    monkeypatch.setattr(doubt, "OFFSETS", np.zeros(1))
    monkeypatch.setattr(doubt, "OFFSET_PRIOR", np.ones(1))
    monkeypatch.setattr(doubt, "by_fitting", lambda n, d: 1.0)
    trials = cheap_trials()
    beliefs = believe(PROBLEM, trials)
    assert beliefs is not None
    front = recommend(PROBLEM, trials)
    for point in front[:: len(front) // 5]:
        x = np.array([float(point.parameters["a"]) / 2.0, float(point.parameters["b"])])
        for name, surrogate in zip(("drag", "lift"), beliefs.surrogates, strict=True):
            raw = np.array([trial.values[name] for trial in trials])
            mean, variance = posterior(surrogate, x, 1.0)
            assert point.predicted[name] == pytest.approx(raw.mean() + SIGN[name] * raw.std() * mean, rel=1e-5)
            deviation = raw.std() * np.sqrt(variance + surrogate.noise_at_target)
            assert point.uncertainty[name] == pytest.approx(deviation, rel=1e-2)
            low, high = point.interval[name]
            assert high - low == pytest.approx(2.0 * 1.645 * deviation, rel=1e-2)
            assert 0.5 * (low + high) == pytest.approx(point.predicted[name])
    assert min(point.predicted["drag"] for point in front) == pytest.approx(300.0, abs=30.0)
    assert max(point.predicted["lift"] for point in front) == pytest.approx(5.0, abs=0.3)


def contradicting(number: int, x: tuple[float, float]) -> tuple[Trial, Trial]:
    """Two designs side by side, the one as much better as the other worse than expected: no surrogate believes it."""
    return verified_trial(number, x, 0.4), verified_trial(number + 1, (x[0], x[1] + 1e-6), -0.4)


def test_a_verified_design_stands_with_what_was_measured() -> None:
    lucky, unlucky = contradicting(12, (0.5, 0.5))
    front = recommend(PROBLEM, [*cheap_trials(), lucky, unlucky])
    (point,) = [point for point in front if point.verified]
    assert point.measured == lucky.values
    assert point.parameters == lucky.parameters
    assert point.predicted["drag"] == pytest.approx(simulate(np.array([0.5, 0.5]))["drag"], abs=20.0)
    # Whatever it dominates by its measured values is gone.
    others = np.array([standing(each) for each in front if not each.verified])
    assert len(others) > 20
    assert not (others <= np.array(standing(point))).all(axis=1).any()


def test_a_verified_design_that_another_one_dominates_is_gone() -> None:
    lucky, unlucky = contradicting(12, (0.5, 0.5))
    second_best = verified_trial(14, (0.5, 0.5 - 1e-6), 0.3)
    front = recommend(PROBLEM, [*cheap_trials(), second_best, unlucky, lucky])
    assert [point.measured for point in front if point.verified] == [lucky.values]


def test_a_verified_design_is_not_dropped_for_a_mere_prediction() -> None:
    bad = verified_trial(12, (0.0, 0.0))
    first, *others = recommend(PROBLEM, [*cheap_trials(), bad])
    assert first.measured == bad.values
    assert any(np.all(np.array(standing(other)) > np.array(standing(first))) for other in others)


def test_a_verified_design_stands_once_though_it_is_predicted_too(monkeypatch: pytest.MonkeyPatch) -> None:
    known, other = np.array([0.5, 0.5]), np.array([0.3, 0.5])
    both = Front(np.stack([known, other]), np.array([[0.0, 1.0], [1.0, 0.0]]))
    monkeypatch.setattr(recommendation, "predicted_front", lambda *_: both)
    monkeypatch.setattr(recommendation, "is_below_front", lambda values, _: np.zeros(len(values), dtype=np.bool_))
    front = recommend(PROBLEM, [*cheap_trials(), verified_trial(12, (0.5, 0.5))])
    assert [point.verified for point in front] == [True, False]
    assert front[1].parameters == {"a": pytest.approx(0.6), "b": pytest.approx(0.5)}


def test_a_failure_is_no_knowledge() -> None:
    """The model is as unsure of values where simulators failed as if nothing had been asked there."""
    half = [
        trial_at(PROBLEM, 17 + i, np.array([0.6, 0.1 * i]), [1.0, 1.0], Answer({"lift": 2.0}, failures={"s": "no"}))
        for i in range(2)
    ]
    table = TrialTable.encode(PROBLEM, [*cheap_trials(), *half])
    beliefs = recommendation.believe_answers(table)
    assert beliefs is not None
    assert [len(each.x) for each in beliefs.surrogates] == [12, 14]


def failed_trials(first: int) -> list[Trial]:
    """Both simulators fail where the first column is above 0.5: the better half of the front of lift."""
    x = np.random.default_rng(7).random((24, 2))
    broken = Answer({}, failures={"s": "no mesh", "t": "no mesh"})
    return [
        trial_at(PROBLEM, first + i, x[i], [0.4, 0.4], broken if x[i, 0] > 0.5 else Answer(simulate(x[i])))
        for i in range(24)
    ]


def test_where_runs_fail_nothing_is_recommended_and_each_design_says_how_likely_it_runs() -> None:
    front = recommend(PROBLEM, failed_trials(0))
    a = np.array([float(point.parameters["a"]) / 2.0 for point in front])
    assert (a < 0.5).all()
    assert a.max() > 0.3
    feasibility = np.array([point.feasibility for point in front])
    assert feasibility.min() > 0.8
    beliefs = recommendation.believe_answers(TrialTable.encode(PROBLEM, failed_trials(0)))
    assert beliefs is not None
    of_s, of_t = beliefs.failures
    assert of_s is not None
    assert of_t is not None
    x = np.array([PROBLEM.space.encode(point.parameters) for point in front])
    expected = (1.0 - of_s.at_target(x)) * (1.0 - of_t.at_target(x))
    np.testing.assert_allclose(feasibility, expected, rtol=1e-9)


def test_an_id_stays_while_the_design_stays_and_differs_between_designs() -> None:
    trials = cheap_trials()
    first, again = recommend(PROBLEM, trials), recommend(PROBLEM, trials)
    assert [point.id for point in first] == [point.id for point in again]
    ids = {point.id for point in first}
    assert len(ids) >= len(first) - 2
    assert all(len(each) == 6 and each.startswith("F") for each in ids)


def test_a_prediction_wider_than_all_that_was_seen_is_marked_as_doubtful() -> None:
    few, many = (
        recommend(PROBLEM, cheap_trials(3)),
        recommend(PROBLEM, [*cheap_trials(40), verified_trial(40, (0.5, 0.5))]),
    )
    assert all(point.is_doubtful for point in few)
    assert not any(point.is_doubtful for point in many)


def test_probabilities_fall_where_others_are_surely_better() -> None:
    bad = verified_trial(12, (0.0, 0.0))
    front = recommend(PROBLEM, [*cheap_trials(), bad])
    assert front[0].probability < 0.2
    assert np.mean([point.probability for point in front[1:]]) > 0.3
    assert all(0.0 <= point.probability <= 1.0 for point in front)


def test_verified_designs_keep_their_own_numbers_whatever_the_order_of_the_trials() -> None:
    pairs = contradicting(12, (0.3, 0.5)), contradicting(14, (0.7, 0.5))
    (first, _), (second, _) = pairs
    for trials in ([*cheap_trials(), *pairs[0], *pairs[1]], [*pairs[1], *pairs[0], *cheap_trials()]):
        found = [(point.parameters, point.measured) for point in recommend(PROBLEM, trials) if point.verified]
        assert found == [(each.parameters, each.values) for each in (second, first)]  # the lower drag comes last


def test_a_trial_counts_as_verified_only_if_every_objective_was_measured_at_full_accuracy() -> None:
    whole = verified_trial(0, (0.5, 0.5))
    assert is_verified(PROBLEM, whole)
    x = np.array([0.5, 0.5])
    assert not is_verified(PROBLEM, trial_at(PROBLEM, 1, x, [1.0, 0.9], whole.answer))
    half = Answer({"drag": 1.0}, failures={"t": "diverged"})
    assert not is_verified(PROBLEM, trial_at(PROBLEM, 2, x, [1.0, 1.0], half))
    assert not is_verified(PROBLEM, trial_at(PROBLEM, 3, x, [1.0, 1.0]))


def test_half_an_answer_teaches_its_objective_and_stands_nowhere() -> None:
    """Its drag, far below all others, pulls the prediction down; it is on no front as a measurement."""
    half = trial_at(PROBLEM, 12, np.array([0.9, 0.1]), [1.0, 1.0], Answer({"drag": -500.0}, failures={"t": "no"}))
    assert not any(point.verified for point in recommend(PROBLEM, [*cheap_trials(), half]))
    predicted = []
    for trials in (cheap_trials(), [*cheap_trials(), half]):
        beliefs = recommendation.believe_answers(TrialTable.encode(PROBLEM, trials))
        assert beliefs is not None
        means = beliefs.means_at_target(np.array([[0.9, 0.1]]))[:, 0]
        predicted.append(float(beliefs.data[0].to_user(means)[0]))
    assert predicted[1] < predicted[0] - 500.0


def test_questions_still_running_change_nothing() -> None:
    trials = cheap_trials()
    running = trial_at(PROBLEM, 12, np.array([0.5, 0.5]), [1.0, 1.0])
    assert recommend(PROBLEM, [*trials, running]) == recommend(PROBLEM, trials)


def test_nothing_is_recommended_before_every_objective_has_an_answer() -> None:
    assert recommend(PROBLEM, []) == []
    half = trial_at(PROBLEM, 0, np.array([0.5, 0.5]), [1.0, 1.0], Answer({"drag": 1.0}, failures={"t": "no"}))
    assert recommend(PROBLEM, [half]) == []


def test_a_few_designs_of_the_front_are_verified_ones_first_and_none_that_is_doubtful() -> None:
    def point(x: float, f: float, verified: bool, doubtful: bool) -> ParetoPoint:
        values = {"f": f, "g": 1.0 - f}
        return ParetoPoint({"x": x}, values, {"f": 0.1, "g": 0.1}, values if verified else None, is_doubtful=doubtful)

    outputs = [Objective("f", "maximize"), Objective("g", "maximize")]
    problem = Problem([Real("x", 0, 1)], [Simulator("s", outputs)])
    front = [
        *(point(0.1 * i, 0.1 * i, True, False) for i in range(2)),
        *(point(0.2 + 0.1 * i, 0.2 + 0.1 * i, False, i % 2 == 0) for i in range(8)),
    ]
    few = chosen_few(problem, front, 4)
    assert [each.verified for each in few] == [True, True, False, False]
    assert not any(each.is_doubtful for each in few)
    assert len(chosen_few(problem, front, 1)) == 1
    assert len(chosen_few(problem, front, 50)) == 2 + 4


def test_of_fifty_fronts_of_two_hundred_designs_hardly_more_than_one_has_two_with_the_same_id() -> None:
    """By chance 200 * 199 / 2 pairs in 16^5 names: 0.019 pairs a front, 3.8 in all two hundred."""
    fronts = [[design_id({"x": float(i), "front": k}) for i in range(200)] for k in range(200)]
    assert sum(len(set(front)) < len(front) for front in fronts) <= 12

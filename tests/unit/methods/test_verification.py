"""When a question goes to full accuracy, and what it then asks for."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from deciding import believe, suggest, trial_at

from imoca.errors import MethodError
from imoca.methods import MethodSettings, get_method
from imoca.methods import beliefs as beliefs_module
from imoca.methods.recall import recall
from imoca.methods.target_search import TargetSearch
from imoca.methods.thinking import Thinking
from imoca.methods.verification import (
    PATIENCE,
    PATIENCE_AT_LIMITS,
    can_do_without_cheap_runs,
    expected_costs,
    is_verification_due,
    most_worth_verifying,
    planned,
)
from imoca.models.cost import cost_models
from imoca.models.doubt import explained_by_cheap_runs
from imoca.models.gp import GaussianProcess
from imoca.models.truth_and_error import TruthAndErrorForm
from imoca.pareto.indicators import hypervolume
from imoca.problem.fidelity import Fidelity
from imoca.problem.parameters import Real
from imoca.problem.problem import Problem
from imoca.problem.simulator import Constraint, Objective, Simulator
from imoca.trials import Answer, Trial, TrialTable

PROBLEM = Problem(
    [Real("a", 0.0, 1.0), Real("b", 0.0, 1.0)],
    [
        Simulator("s", [Objective("f", "minimize")], fidelity=Fidelity.continuous(), cost="(1 + a) * (0.1 + 0.9 * z)"),
        Simulator(
            "t", [Objective("g", "minimize")], fidelity=Fidelity.continuous(), cost="0.2 + 0.8 * z", full_cost=3.0
        ),
    ],
    cost_relative_to="design",
)
FULL = 4.0  # both at full accuracy


def values_at(x: np.ndarray) -> dict[str, float]:
    return {"f": float(np.sum((x - 0.3) ** 2)) - 5.0, "g": float(np.sum((x - 0.7) ** 2)) - 5.0}


def trials_at(fidelities: list[float]) -> list[Trial]:
    x = np.random.default_rng(3).random((len(fidelities), 2))
    return [trial_at(PROBLEM, i, x[i], [z, z], Answer(values_at(x[i]))) for i, z in enumerate(fidelities)]


def is_due(fidelities: list[float], share: float) -> bool:
    """Where cheap runs tell everything: both simulators answer the same at any fidelity."""
    trials = trials_at(fidelities)
    beliefs = believe(PROBLEM, trials)
    assert beliefs is not None
    return is_verification_due(TrialTable.encode(PROBLEM, trials), beliefs, share)


def test_the_cost_of_every_question_counts_but_not_of_what_was_not_run() -> None:
    trials = [
        *trials_at([0.0, 0.5]),
        trial_at(PROBLEM, 2, np.array([0.2, 0.2]), [1.0, np.nan], Answer({"f": 1.0})),
        trial_at(PROBLEM, 3, np.array([0.2, 0.2]), [1.0, 0.25], None),  # still running
    ]
    table = TrialTable.encode(PROBLEM, trials)
    np.testing.assert_allclose(
        expected_costs(table, cost_models(table)), [0.1 + 3 * 0.2, 0.55 + 3 * 0.6, 1.0, 1.0 + 3 * 0.4]
    )


def test_cheap_questions_have_their_chance_first() -> None:
    n = int(PATIENCE * FULL / 0.7)  # questions at the lowest fidelity cost 0.7
    assert not is_due([0.0] * n, share=0.9)
    assert is_due([0.0] * (n + 2), share=0.9)
    assert not is_due([0.0] * (n + 2), share=0.0)


@pytest.mark.parametrize("decides", [True, False])
def test_where_a_constraint_decides_cheap_questions_have_less_of_a_chance(decides: bool) -> None:
    """One that no answer violated is as good as none."""
    outputs: list[Objective | Constraint] = [
        Objective("f", "minimize"),
        Constraint("g", upper=-4.9 if decides else 0.0),
    ]
    problem = Problem(
        PROBLEM.parameters, [Simulator("s", outputs, fidelity=Fidelity.continuous(), cost="0.1 + 0.9 * z")]
    )
    patience = PATIENCE_AT_LIMITS if decides else PATIENCE
    n = round(patience / 0.1)  # questions at the lowest fidelity cost 0.1
    x = np.random.default_rng(3).random((n + 1, 2))
    trials = [trial_at(problem, i, each, [0.0], Answer(values_at(each))) for i, each in enumerate(x)]
    for n_asked, is_expected in ((n - 1, False), (n + 1, True)):
        beliefs = believe(problem, trials[:n_asked])
        assert beliefs is not None
        assert is_verification_due(TrialTable.encode(problem, trials[:n_asked]), beliefs, 0.9) == is_expected


def test_no_more_than_its_share_of_the_cost_goes_to_full_accuracy() -> None:
    cheap = [0.0] * 40  # cost 28
    for share in (0.2, 0.5, 0.8):
        n_full = 0
        while is_due([*cheap, *[1.0] * n_full], share):
            n_full += 1
        spent = FULL * n_full
        assert spent <= (share + 0.01) * (28.0 + spent) < spent + 1.2 * FULL


def test_where_all_runs_are_at_full_accuracy_none_is_due() -> None:
    assert not is_due([1.0] * 30, share=0.5)


def surrogate_of(cheap: np.ndarray, full: np.ndarray, rng: np.random.Generator) -> GaussianProcess:
    """Answers (n,) at the lowest fidelity and at full accuracy, at the same designs and at others between them."""
    x, form = rng.random((len(cheap), 2)), TruthAndErrorForm.knob()
    designs, z = np.concatenate([x, x]), np.repeat([0.0, 1.0], len(x))
    kernel = form.kernel(form.prior(2).mean, 2)
    return GaussianProcess.condition(designs, z, np.concatenate([cheap, full]), kernel)


def test_cheap_runs_explain_what_they_predict_of_full_accuracy(rng: np.random.Generator) -> None:
    full = rng.standard_normal(12)
    alike = explained_by_cheap_runs(surrogate_of(full + 0.01 * rng.standard_normal(12), full, rng))
    contrary = explained_by_cheap_runs(surrogate_of(-full, full, rng))
    assert alike > 0.8
    assert contrary == 0.0
    few = surrogate_of(-full[:2], full[:2], rng)  # two at full accuracy tell nothing yet
    assert explained_by_cheap_runs(few) == 1.0
    x = rng.random((5, 2))
    at_full = GaussianProcess.condition(x, np.ones(5), np.arange(5.0), few.kernel)
    assert explained_by_cheap_runs(at_full) == 1.0


def misled_trials(n_full: int) -> list[Trial]:
    """Thirty cheap answers are but noise."""
    true, rng = trials_at([0.0] * 30 + [1.0] * n_full), np.random.default_rng(4)
    noise = [Answer({name: float(rng.normal(-4.7, 0.3)) for name in trial.values}) for trial in true[:30]]
    return [*(replace(trial, answer=answer) for trial, answer in zip(true[:30], noise, strict=True)), *true[30:]]


def test_where_cheap_runs_mislead_all_of_the_cost_goes_to_full_accuracy() -> None:
    for trials, is_misled in ((misled_trials(40), True), (trials_at([0.0] * 30 + [1.0] * 40), False)):
        beliefs = believe(PROBLEM, trials)
        assert beliefs is not None
        assert is_verification_due(TrialTable.encode(PROBLEM, trials), beliefs, 0.5) == is_misled


def test_cheap_runs_without_which_full_ones_predict_each_other_better_are_left_out() -> None:
    for trials, is_misled in ((misled_trials(8), True), (trials_at([0.0] * 30 + [1.0] * 8), False)):
        beliefs = believe(PROBLEM, trials)
        assert beliefs is not None
        assert beliefs.is_misled == (is_misled, is_misled)
        assert [len(each.x) for each in beliefs.surrogates] == [8 if is_misled else 38] * 2
        assert (beliefs.explained_by_cheap_runs == 0.0) == is_misled
    product = beliefs_module.believe(
        TrialTable.encode(PROBLEM, misled_trials(8)), "product"
    )  # the paper's is left as it is
    assert product is not None
    assert product.is_misled == (False, False)


@pytest.mark.parametrize(("n_honest", "is_misled"), [(1, (True, False)), (2, (False, False, False))])
def test_cheap_runs_are_left_out_where_half_of_the_outputs_are_misled(
    n_honest: int, is_misled: tuple[bool, ...]
) -> None:
    names = ["f", "g", "h"][: n_honest + 1]
    knob, cost = Fidelity.continuous(), "0.1 + 0.9 * z"
    simulators = [Simulator(each, [Objective(each, "minimize")], fidelity=knob, cost=cost) for each in names]
    problem = Problem(PROBLEM.parameters, simulators)
    trials = [
        trial_at(
            problem, t.number, x, [0.0 if t.number < 30 else 1.0] * len(names), Answer({**honest, "f": t.values["f"]})
        )
        for t in misled_trials(8)
        for x in [PROBLEM.space.encode(t.parameters)]
        for honest in [dict.fromkeys(names[1:], values_at(x)["g"])]
    ]
    beliefs = believe(problem, trials)
    assert beliefs is not None
    assert beliefs.is_misled == is_misled


@pytest.mark.parametrize(("d", "n_full", "expected"), [(2, 0, True), (7, 0, True), (8, 8, False), (8, 9, True)])
def test_a_search_of_full_runs_alone_needs_as_many_as_it_begins_with_or_must_soon_have_them(
    d: int, n_full: int, expected: bool
) -> None:
    simulator = Simulator("s", [Objective("f", "minimize")], fidelity=Fidelity.continuous(), cost="0.1 + 0.9 * z")
    problem = Problem([Real(f"x{i}", 0.0, 1.0) for i in range(d)], [simulator])
    x = np.random.default_rng(0).random((n_full + 3, d))
    trials = [trial_at(problem, i, each, [float(i < n_full)], Answer({"f": 0.0})) for i, each in enumerate(x)]
    assert can_do_without_cheap_runs(TrialTable.encode(problem, trials)) == expected


def test_what_full_runs_alone_say_is_recalled_as_it_was(rng: np.random.Generator) -> None:
    trials = misled_trials(8)
    then = believe(PROBLEM, trials)
    assert then is not None
    asked = trial_at(PROBLEM, len(trials), np.zeros(2), [1.0, 1.0], fitted=then.fitted)
    recalled = recall(TrialTable.encode(PROBLEM, trials), asked, "truth-and-error", then.costs)
    assert recalled is not None
    assert recalled.is_misled == then.is_misled
    x = rng.random((20, 2))
    np.testing.assert_allclose(recalled.means_at_target(x), then.means_at_target(x), atol=1e-9)


@pytest.mark.parametrize("n_full", [4, 8])
def test_where_cheap_runs_tell_nothing_it_is_asked_as_if_there_were_none(n_full: int) -> None:
    """After four full runs the search that knows no other begins with designs all over the space."""
    trials = misled_trials(n_full)
    asked = suggest(get_method("imoca-p", MethodSettings(verify=0.5, n_fronts=2)), PROBLEM, trials)
    full = TrialTable.encode(PROBLEM, trials).rows(slice(30, None))
    assert asked == replace(TargetSearch("ehi", n_fronts=2).suggest(full, 0), fitted={})
    assert set(asked.fidelities.values()) == {1.0}


@pytest.mark.parametrize("method", ["imoca-p", "imoca-e", "imoca-t"])
def test_a_question_that_is_due_is_that_of_the_largest_expected_hypervolume(method: str) -> None:
    trials = trials_at([0.0] * 30)
    asked = suggest(get_method(method, MethodSettings(verify=0.5, n_fronts=2)), PROBLEM, trials)
    beliefs = believe(PROBLEM, trials)
    assert beliefs is not None
    search, rng = TargetSearch("ehi", n_fronts=10), np.random.default_rng([0, 30])
    rng.random()  # by which it is chosen whether cheap runs are heard
    (ehi,) = search.questions(beliefs, 30, Thinking(), rng)
    assert asked == ehi
    assert set(asked.fidelities.values()) == {1.0}
    cheap = suggest(get_method(method, MethodSettings(verify=0.0, n_fronts=2)), PROBLEM, trials)
    assert cheap.parameters != asked.parameters


@pytest.mark.parametrize("share", [-0.1, 1.5, "half", True, float("nan")])
def test_a_share_that_is_none_is_refused(share: object) -> None:
    with pytest.raises(MethodError, match="share of the cost"):
        MethodSettings(verify=share)  # type: ignore[arg-type]


def test_of_some_designs_that_is_run_which_is_expected_to_add_most_hypervolume_for_its_cost(
    rng: np.random.Generator,
) -> None:
    """Expectations by Monte Carlo, of two objectives that are independent given the model."""
    beliefs = believe(PROBLEM, trials_at([0.0] * 12))
    assert beliefs is not None
    x = rng.random((40, 2))
    mean, std = beliefs.means_and_deviations_at_target(x)
    for reached in (mean[:3], np.empty((0, 2))):
        everything = np.concatenate([reached, mean])
        reference = everything.min(axis=0) - 0.1 * np.ptp(everything, axis=0)
        draws = mean + std * rng.standard_normal((400, *mean.shape))
        before = hypervolume(np.concatenate([reached, reference[None]]), reference)
        expected = np.array([np.mean([_added(reached, d, reference, before) for d in draws[:, i]]) for i in range(40)])
        costs = rng.uniform(0.5, 3.0, 40)
        chosen = most_worth_verifying(beliefs, x, reached, costs, 1, rng)
        assert (expected / costs)[chosen] > 0.9 * (expected / costs).max()
        dear = costs.copy()
        dear[chosen] *= 100.0
        assert most_worth_verifying(beliefs, x, reached, dear, 1, rng) != chosen


def _added(reached: np.ndarray, point: np.ndarray, reference: np.ndarray, before: float) -> float:
    return hypervolume(np.concatenate([reached, point[None], reference[None]]), reference) - before


@pytest.mark.parametrize("n_objectives", [2, 3])
def test_planned_designs_together_add_nearly_as_much_as_the_best_of_all_subsets(
    n_objectives: int, rng: np.random.Generator
) -> None:
    directions = np.abs(rng.standard_normal((14, n_objectives)))
    values, reference = directions / np.linalg.norm(directions, axis=1, keepdims=True), np.zeros(n_objectives)
    for reached in (values[:2], values[:0]):

        def total(rows: tuple[int, ...], reached: np.ndarray = reached) -> float:
            return hypervolume(np.concatenate([reached, values[list(rows)]]), reference)

        best = max(map(total, combinations(range(14), 4)))
        chosen = planned(values, np.ones(14), reached, reference, 4)
        assert len(set(chosen.tolist())) == 4
        assert total(tuple(chosen)) > 0.98 * best


CORNERS = np.array([[0.9, 0.35], [0.35, 0.9], [0.6, 0.6]])  # the best one is no part of the best two


def test_the_best_design_is_no_part_of_the_best_two() -> None:
    """0.36 of 0.315, 0.315, 0.36; together 0.5075 without it and 0.465 with it."""
    alone, two = (planned(CORNERS, np.ones(3), np.empty((0, 2)), np.zeros(2), n).tolist() for n in (1, 2))
    assert alone == [2]
    assert sorted(two) == [0, 1]


def test_an_exchange_for_a_dearer_design_must_pay() -> None:
    """The second adds 0.105 for its cost; 0.0425 more is not worth a cost of one more."""
    dear = planned(CORNERS, np.array([1.0, 2.0, 1.0]), np.empty((0, 2)), np.zeros(2), 2)
    assert sorted(dear.tolist()) == [0, 2]


def test_the_next_design_is_one_of_those_that_are_planned(rng: np.random.Generator) -> None:
    beliefs = believe(PROBLEM, trials_at([0.0] * 12))
    assert beliefs is not None
    x = rng.random((60, 2))
    mean = beliefs.means_at_target(x)
    reference = mean.min(axis=0) - 0.1 * np.ptp(mean, axis=0)
    costs, nothing = np.ones(60), np.empty((0, 2))
    for n in (2, 3, 4, 5):
        plan = planned(mean, costs, nothing, reference, n)
        assert most_worth_verifying(beliefs, x, nothing, costs, n, rng) in plan

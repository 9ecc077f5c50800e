"""What our own time is worth: by hand, and by what is asked because of it."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from deciding import believe, trial_at

from imoca.methods.method import SeveralMethod
from imoca.methods.registry import get_method
from imoca.methods.settings import MethodSettings
from imoca.methods.thinking import LARGEST_SHARE, MOST_AT_ONCE, Question, Thinking, thinking_after
from imoca.models.cost import LearnedCostModel, fitted_cost_models
from imoca.problem.fidelity import Fidelity
from imoca.problem.parameters import Real
from imoca.problem.problem import Problem
from imoca.problem.simulator import Objective, Simulator
from imoca.trials import Answer, Candidate, Trial, TrialTable

SECONDS = {"s0": 10.0, "s1": 30.0}  # of a full run
FULL_COSTS = {"s0": 1.0, "s1": 3.0}
N_TRIALS = 16


def make_problem(cost: str = "measured") -> Problem:
    knob = Fidelity.continuous()
    simulators = [
        Simulator(f"s{j}", [Objective(f"f{j}", "maximize")], fidelity=knob, cost=cost, full_cost=FULL_COSTS[f"s{j}"])
        for j in range(2)
    ]
    return Problem([Real("a", 0.0, 1.0), Real("b", 0.0, 1.0)], simulators)


def make_trials(problem: Problem, thinking: Sequence[float] = (), n: int = N_TRIALS) -> list[Trial]:
    """Answered at random; runs take a hundredth of a full one at the cheap end. The last ones remember thinking."""
    rng, trials = np.random.default_rng(0), []
    for i in range(n):
        x, z = rng.random(2), np.array([0.0, 0.5, 1.0])[[i % 3, (i + 1) % 3]]
        values = {"f0": float(np.sin(3 * x[0]) + x[1] - 0.1 * (1 - z[0])), "f1": float(np.cos(2 * x[0]) - x[1] ** 2)}
        costs = {name: full * 100.0 ** (each - 1.0) for (name, full), each in zip(SECONDS.items(), z, strict=True)}
        answer = Answer(values, costs if problem.simulators[0].is_cost_measured else {})
        trials.append(trial_at(problem, i, x, z.tolist(), answer))
    remembered = {"f0": (0.0,), "f1": (0.0,)}  # of some model, whichever
    for i, seconds in enumerate(thinking, start=n - len(thinking)):
        trials[i] = replace(trials[i], thinking=seconds, fitted=remembered)
    return trials


def thought(problem: Problem, trials: Sequence[Trial]) -> Thinking:
    table = TrialTable.encode(problem, trials)
    return thinking_after(table, fitted_cost_models(table))


def test_it_takes_as_long_as_it_mostly_did_and_is_worth_its_share_of_full_runs() -> None:
    problem = make_problem()
    found = thought(problem, make_trials(problem, [99.0, 2.0, 0.0, 0.0, 5.0, 3.0, 0.0, 400.0, 1.0]))
    assert found.seconds == 3.0  # the median of the last five: 2, 5, 3, 400 and 1
    share = (2.0 + 5.0 + 3.0 + 400.0 + 1.0) / 8  # of every question since
    assert found.price == pytest.approx(share * (1.0 + 3.0) / (10.0 + 30.0), rel=0.02)  # ten seconds count 1


def test_nothing_is_known_of_it_where_no_question_by_a_model_remembers_it() -> None:
    problem = make_problem()
    assert thought(problem, make_trials(problem)) == Thinking()
    first = replace(make_trials(problem)[-1], thinking=5.0)  # of the initial design
    assert thought(problem, [*make_trials(problem)[:-1], first]) == Thinking()


def test_declared_costs_are_no_times_whatever_is_remembered() -> None:
    problem = make_problem("0.01 + z")
    assert thought(problem, make_trials(problem, [5.0, 5.0])) == Thinking()


def test_questions_are_added_until_their_runs_are_worth_choosing_them() -> None:
    """Two runs of 0.1 and 0.3 s each; every one is chosen as if those before it were answered by their means."""
    problem = make_problem()
    trials = make_trials(problem)
    beliefs = believe(problem, trials)
    assert beliefs is not None
    seen: list[int] = []

    def choose(then: object) -> Question:
        seen.append(then.n_data)  # type: ignore[attr-defined]
        return np.array([0.1, 0.9 + len(seen) / 1000.0]), np.zeros(2)

    costs = thought(problem, make_trials(problem, [1.0])).costs
    first = (np.array([0.5, 0.5]), np.zeros(2))
    assert len(Thinking(costs, 0.0).with_others(first, beliefs, choose)) == 1
    for n in (1, 2, 5):
        seen.clear()
        chosen = Thinking(costs, LARGEST_SHARE * 0.4 * (n - 0.2)).with_others(first, beliefs, choose)
        assert len(chosen) == n
        assert seen == [N_TRIALS + i for i in range(1, n)]
    assert len(Thinking(costs, 1e6).with_others(first, beliefs, choose)) == MOST_AT_ONCE
    assert len(Thinking(costs, 1e6).with_others(first, beliefs, lambda _: first)) == 1  # nothing else is worth asking
    left_out = (np.array([0.5, 0.5]), np.array([np.nan, 0.0]))  # 0.3 s
    assert len(Thinking(costs, LARGEST_SHARE * 0.31).with_others(left_out, beliefs, choose)) == 2


def test_what_a_question_more_would_tell_is_believed_at_its_mean() -> None:
    problem = make_problem()
    beliefs = believe(problem, make_trials(problem))
    assert beliefs is not None
    x, z = np.array([0.3, 0.8]), np.array([0.0, np.nan])
    after = beliefs.believing(x, z)
    assert after.surrogates[1] is beliefs.surrogates[1]  # its simulator is left out
    slow = beliefs.surrogates[0].believing(x[None], z[:1])
    for got, wanted in zip(
        after.surrogates[0].mean_and_variance_at_target(np.array([[0.35, 0.7]])),
        slow.mean_and_variance_at_target(np.array([[0.35, 0.7]])),
        strict=True,
    ):
        np.testing.assert_allclose(got, wanted, rtol=1e-4)


def several(method: str, problem: Problem, trials: Sequence[Trial]) -> tuple[Candidate, ...]:
    made = get_method(method, MethodSettings() if method == "ehi" else MethodSettings(n_fronts=2, verify=0.0))
    assert isinstance(made, SeveralMethod)
    table = TrialTable.encode(problem, trials)
    asked = made.suggest_several(table, 0)
    assert asked[0] == made.suggest(table, 0)
    return asked


@pytest.mark.parametrize("method", ["imoca-p", "imoca-e", "imoca-t", "ehi"])
def test_several_are_asked_at_once_where_choosing_takes_long_and_one_elsewhere(method: str) -> None:
    problem = make_problem()
    assert len(several(method, problem, make_trials(problem))) == 1
    asked = several(method, problem, make_trials(problem, [12.0]))
    assert len(asked) > 1
    assert asked == several(method, problem, make_trials(problem, [12.0]))  # the same again
    assert len({(*each.parameters.values(), *each.fidelities.values()) for each in asked}) == len(asked)
    is_full = [set(each.fidelities.values()) == {1.0} for each in asked]
    assert all(is_full) == (method == "ehi")


@pytest.mark.parametrize("method", ["imoca-p", "ehi"])
def test_so_many_are_asked_that_choosing_takes_its_share_of_the_simulators_time(method: str) -> None:
    problem = make_problem()
    asked = several(method, problem, make_trials(problem, [12.0]))
    models = dict(zip((simulator.name for simulator in problem.simulators), learned(problem), strict=True))
    seconds = [
        sum(
            float(models[name].own_costs(problem.space.encode(each.parameters)[None], np.array([z]))[0])
            for name, z in each.fidelities.items()
        )
        for each in asked
    ]
    assert sum(seconds) >= 12.0 / LARGEST_SHARE > sum(seconds[:-1])


def learned(problem: Problem) -> list[LearnedCostModel]:
    models = fitted_cost_models(TrialTable.encode(problem, make_trials(problem)))
    return [model for model in models if isinstance(model, LearnedCostModel)]


def test_a_method_that_knows_no_model_chooses_one() -> None:
    assert not isinstance(get_method("random"), SeveralMethod)


def test_our_own_time_makes_questions_dearer_that_are_worth_more() -> None:
    """A question that takes longer to choose than to run is not asked at the cheapest fidelity."""
    problem = make_problem()
    made = get_method("imoca-p", MethodSettings(n_fronts=2, verify=0.0))
    cheap, dear = (
        made.suggest(TrialTable.encode(problem, make_trials(problem, thinking)), 0) for thinking in ((), (20.0,))
    )
    assert sum(map(float, dear.fidelities.values())) > sum(map(float, cheap.fidelities.values()))  # type: ignore[arg-type]

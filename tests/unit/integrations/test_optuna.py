"""iMOCA in Optuna: Optuna's own suite for samplers, and the questions of a study of ours."""

import pickle
from collections.abc import Callable, Iterator
from typing import Any

import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.testing.pytest_samplers import (
    BasicSamplerTestCase,
    MultiObjectiveSamplerTestCase,
    RelativeSamplerTestCase,
)

from imoca import Choice, Constraint, Fidelity, Integer, Objective, Problem, Real, Simulator, Study
from imoca.errors import MethodError, ParameterError, TrialError
from imoca.integrations.optuna import ImocaSampler
from imoca.integrations.optuna_distributions import parameter_of, to_imoca, to_optuna
from imoca.methods.registry import get_method
from imoca.methods.settings import MethodSettings
from imoca.problem.parameters import Parameter
from imoca.problem.simulator import Output
from imoca.trials.table import TrialTable

SPACE: dict[str, optuna.distributions.BaseDistribution] = {
    "x": FloatDistribution(0.0, 1.0),
    "n": IntDistribution(1, 4),
    "skin": CategoricalDistribution(["al", "cfrp"]),
}


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    yield
    optuna.logging.set_verbosity(optuna.logging.INFO)


def make_simulators(cost: str = "0.1 + z", *more: Output) -> list[Simulator]:
    levels = Fidelity.levels(["beam", "solid"])
    return [
        Simulator("cfd", [Objective("drag", "minimize"), *more], fidelity=Fidelity.continuous(0.1, 1.0), cost=cost),
        Simulator("scale", [Objective("lift", "maximize")], fidelity=levels, cost=[1.0, 4.0]),
        Simulator("balance", [Objective("mass", "minimize")], cost=2.0),
    ]


def make_study(sampler: ImocaSampler, **options: Any) -> optuna.Study:
    return optuna.create_study(directions=["minimize", "maximize", "minimize"], sampler=sampler, **options)


def objective_of(sampler: ImocaSampler) -> Callable[[optuna.Trial], tuple[float, float, float]]:
    def objective(trial: optuna.Trial) -> tuple[float, float, float]:
        x, n = trial.suggest_float("x", 0.0, 1.0), trial.suggest_int("n", 1, 4)
        skin = trial.suggest_categorical("skin", ["al", "cfrp"])
        return values_of(x, n, skin, sampler.fidelity(trial, "cfd"), sampler.fidelity(trial, "scale"))

    return objective


def values_of(x: Any, n: Any, skin: Any, cfd: Any, scale: Any) -> tuple[float, float, float]:
    bias = 0.1 if scale == "beam" else 0.0
    return (x - 0.3) ** 2 + n * (1.0 - cfd), n - x + bias, x * n + (skin == "al")


class TestOptunasOwnSuite(BasicSamplerTestCase, RelativeSamplerTestCase):
    @pytest.fixture
    def sampler(self) -> Callable[[], optuna.samplers.BaseSampler]:
        simulator = Simulator("s", [Objective("f", "minimize")], fidelity=Fidelity.continuous(), cost="0.1 + z")
        return lambda: ImocaSampler([simulator], method="random", seed=0)


class TestOptunasOwnSuiteOfSeveralObjectives(MultiObjectiveSamplerTestCase):
    @pytest.fixture
    def sampler(self) -> Callable[[], optuna.samplers.BaseSampler]:
        outputs = [Objective("f", "minimize"), Objective("g", "maximize")]
        return lambda: ImocaSampler([Simulator("s", outputs)], method="random", seed=0)


@pytest.mark.slow
def test_it_suggests_what_a_study_of_ours_asks() -> None:
    """Through the initial design and into questions of the model."""
    settings = MethodSettings(n_fronts=2)
    sampler = ImocaSampler(make_simulators(), seed=3, search_space=SPACE, settings=settings)
    study = make_study(sampler)
    study.optimize(objective_of(sampler), n_trials=12)
    parameters: list[Parameter] = [Real("x", 0, 1), Integer("n", 1, 4), Choice("skin", ["0", "1"])]
    with Study(Problem(parameters, make_simulators()), seed=3, n_fronts=2) as ours:
        for theirs in study.trials:
            asked = ours.ask()
            x, n, skin = asked.parameters.values()
            cfd, scale, _ = asked.fidelities.values()
            assert theirs.params["x"] == pytest.approx(x, abs=1e-6)
            assert theirs.params["fidelity:cfd"] == pytest.approx(cfd, abs=1e-6)
            same = (theirs.params["n"], theirs.params["skin"], theirs.params["fidelity:scale"])
            assert same == (n, ["al", "cfrp"][int(str(skin))], scale)
            ours.tell(asked, dict(zip(["drag", "lift", "mass"], theirs.values, strict=True)))
        assert not get_method("imoca-p").is_start(ours.table(), 3)
        expected = [(*point.parameters.values(), *point.interval["drag"]) for point in ours.pareto_front()]
    front = sampler.pareto_front(study)
    assert len(front) == len(expected) > 2
    for point, (x, n, skin, *ends) in zip(front, expected, strict=True):
        assert point.parameters["x"] == pytest.approx(x, abs=1e-4)
        assert (point.parameters["n"], point.parameters["skin"]) == (n, ["al", "cfrp"][int(str(skin))])
        assert list(point.interval["drag"]) == pytest.approx(ends, rel=1e-3, abs=1e-3)


def test_the_first_trial_is_by_chance_at_the_cheapest_fidelity_and_the_space_is_learned_from_it() -> None:
    sampler = ImocaSampler(make_simulators(), method="random", seed=0)
    study = make_study(sampler)
    assert sampler.pareto_front(study) == []
    study.optimize(objective_of(sampler), n_trials=2)
    first, second = study.trials
    assert (first.params["fidelity:cfd"], first.params["fidelity:scale"]) == (0.1, "beam")
    assert (second.params["fidelity:cfd"], second.params["fidelity:scale"]) == (1.0, "solid")  # random search is full
    assert "fidelity:balance" not in first.params


def table_of(sampler: ImocaSampler, study: optuna.Study) -> TrialTable:
    space = sampler._space(study)
    problem = sampler._problem(study, space)
    return TrialTable.encode(problem, list(sampler._trials(study, problem, space, None)))


def test_failed_and_pruned_trials_are_failures_running_ones_wait_and_those_of_another_space_are_left_out() -> None:
    sampler = ImocaSampler(make_simulators(), method="random", seed=0, search_space=SPACE)
    study = make_study(sampler)
    design = {"x": 0.5, "n": 2, "skin": "al"}
    told = objective_of(sampler)

    def failing(trial: optuna.Trial) -> tuple[float, float, float]:
        told(trial)
        raise (ValueError if trial.number == 1 else optuna.TrialPruned)

    study.optimize(told, n_trials=1)
    study.optimize(failing, n_trials=2, catch=[ValueError])
    running = study.ask()
    running.suggest_float("x", 0.0, 1.0)  # the rest of what was suggested is known all the same
    study.add_trial(optuna.create_trial(params={"y": 1.0}, distributions={"y": SPACE["x"]}, values=[1.0, 2.0, 3.0]))
    study.add_trial(optuna.create_trial(params=design, distributions=SPACE, values=[1.0, 2.0, float("inf")]))
    study.add_trial(optuna.create_trial(params=design, distributions=SPACE, values=[1.0, 2.0, 3.0]))
    trials = table_of(sampler, study).trials
    assert [str(trial.state) for trial in trials] == ["complete", "failed", "failed", "running", "failed", "complete"]
    assert [trial.number for trial in trials] == list(range(6))
    assert (trials[1].failures["cfd"], trials[2].failures["scale"]) == ("fail", "pruned")
    assert "inf" in trials[4].failures["balance"]
    assert dict(trials[5].values) == {"drag": 1.0, "lift": 2.0, "mass": 3.0}
    assert dict(trials[5].fidelities) == {"cfd": 1.0, "scale": "solid", "balance": None}  # nothing was said: full
    assert dict(trials[5].parameters) == {"x": 0.5, "n": 2, "skin": "0"}


def test_a_design_may_be_enqueued_at_a_fidelity() -> None:
    sampler = ImocaSampler(make_simulators(), method="imoca-t", seed=0, search_space=SPACE)
    study = make_study(sampler)
    study.enqueue_trial({"x": 0.5, "n": 2, "skin": "cfrp", "fidelity:cfd": 1.0, "fidelity:scale": "solid"})
    study.optimize(objective_of(sampler), n_trials=1)
    (trial,) = table_of(sampler, study).trials
    assert dict(trial.parameters) == {"x": 0.5, "n": 2, "skin": "1"}
    assert dict(trial.fidelities) == {"cfd": 1.0, "scale": "solid", "balance": None}
    (point,) = [point for point in sampler.pareto_front(study) if point.verified]
    assert dict(point.parameters) == {"x": 0.5, "n": 2, "skin": "cfrp"}


def test_a_cost_that_is_measured_must_be_told_and_is_kept() -> None:
    sampler = ImocaSampler(make_simulators("measured"), method="random", seed=0, search_space=SPACE)
    study = make_study(sampler)
    objective = objective_of(sampler)
    with pytest.raises(TrialError, match=r"The cost of \['cfd'\] is measured"):
        study.optimize(objective, n_trials=1)

    def with_cost(trial: optuna.Trial) -> tuple[float, float, float]:
        trial.set_user_attr("imoca:cost", {"cfd": 12.5})
        return objective(trial)

    study = make_study(sampler)
    study.optimize(with_cost, n_trials=1)
    assert dict(table_of(sampler, study).trials[0].costs) == {"cfd": 12.5}


def test_constraints_are_those_of_optuna() -> None:
    simulators = make_simulators("0.1 + z", Constraint("stress", upper=0.0))
    sampler = ImocaSampler(simulators, method="imoca-t", seed=0, search_space=SPACE)
    study = make_study(sampler)
    objective = objective_of(sampler)
    with pytest.raises(TrialError, match=r"The constraint\(s\) \['stress'\] were not told"):
        study.optimize(objective, n_trials=1)

    def constrained(trial: optuna.Trial) -> tuple[float, float, float]:
        trial.set_constraint("stress", -3.0)
        return objective(trial)

    study = make_study(sampler)
    study.optimize(constrained, n_trials=1)
    assert table_of(sampler, study).trials[0].values["stress"] == -3.0
    with pytest.raises(MethodError, match="zero or less"):
        ImocaSampler(make_simulators("0.1 + z", Constraint("stress", upper=240.0)))


def test_directions_that_are_not_those_of_the_objectives_are_refused() -> None:
    sampler = ImocaSampler(make_simulators(), method="random", seed=0, search_space=SPACE)
    study = optuna.create_study(directions=["minimize", "minimize", "minimize"], sampler=sampler)
    with pytest.raises(MethodError, match="'minimize', 'maximize', 'minimize'"):
        study.optimize(objective_of(sampler), n_trials=1)


def test_what_is_not_there_is_refused_in_words() -> None:
    sampler = ImocaSampler(make_simulators(), method="random", seed=0, search_space=SPACE)
    trial = make_study(sampler).ask()
    with pytest.raises(MethodError, match="There is no simulator 'flow'"):
        sampler.fidelity(trial, "flow")
    assert sampler.fidelity(trial, "balance") is None
    knobs = Fidelity.knobs(a=[1, 2], b=[1, 2])
    with pytest.raises(ParameterError, match="The fidelity of simulator 's'"):
        ImocaSampler([Simulator("s", [Objective("f", "minimize")], fidelity=knobs, cost="a")])


def test_threads_are_given_different_designs() -> None:
    sampler = ImocaSampler(make_simulators(), method="imoca-t", seed=0, search_space=SPACE)
    study = make_study(sampler)
    study.optimize(objective_of(sampler), n_trials=8, n_jobs=4)
    assert len({trial.params["x"] for trial in study.trials}) == 8
    assert all(trial.state is optuna.trial.TrialState.COMPLETE for trial in study.trials)


def test_a_sampler_can_be_pickled_and_goes_on() -> None:
    sampler = ImocaSampler(make_simulators(), method="random", seed=5, search_space=SPACE)
    study = make_study(sampler)
    study.optimize(objective_of(sampler), n_trials=1)
    again = pickle.loads(pickle.dumps(sampler))  # noqa: S301
    frozen = study.ask()._cached_frozen_trial
    assert again.sample_relative(study, frozen, SPACE) == sampler.sample_relative(study, frozen, SPACE)


@pytest.mark.parametrize(
    ("distribution", "value", "known", "nearby"),
    [
        (FloatDistribution(0.5, 2.0, log=True), 1.25, 1.25, 1.25),
        (FloatDistribution(-1.0, 1.0, step=0.25), 0.5, 0.5, 0.45),
        (IntDistribution(3, 9, step=2), 7, 7, 6.6),
        (IntDistribution(1, 100, log=True), 40, 40.0, 40.3),
        (CategoricalDistribution([None, 1, "a"]), None, "0", "0"),
        (CategoricalDistribution([None, 1, "a"]), "a", "2", "2"),
    ],
)
def test_values_go_there_and_back(distribution: Any, value: Any, known: Any, nearby: Any) -> None:
    assert parameter_of("p", distribution).check(to_imoca(distribution, value)) == known
    back = to_optuna(distribution, nearby)
    assert back == value
    assert type(back) is type(value)
    assert distribution._contains(distribution.to_internal_repr(back))


def test_a_parameter_may_be_called_z() -> None:
    sampler = ImocaSampler(make_simulators(), method="random", seed=0, search_space={"z": FloatDistribution(5.0, 6.0)})
    study = make_study(sampler)
    study.optimize(lambda trial: (trial.suggest_float("z", 5.0, 6.0), 1.0, 2.0), n_trials=2)
    found = [point.parameters["z"] for point in sampler.pareto_front(study)]
    assert all(5.0 <= float(z) <= 6.0 for z in (*found, *(trial.params["z"] for trial in study.trials)))

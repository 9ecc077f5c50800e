"""Both main methods run to the end of a small budget on every benchmark problem, a few questions beyond the start."""

import numpy as np
import pytest

import imoca_lab
from imoca import Problem, Study, TrialState
from imoca.methods.initial_design import initial_size
from imoca.methods.registry import MethodName
from imoca.trials.trial import Trial
from imoca_lab.problems.circuit.ngspice import is_installed

pytestmark = pytest.mark.slow

# Cantilever and reactor, whose runs fail, are in tests/integration/test_failing_runs.py.
N_FRONTS = 3  # fewer than by default: what is tested is the way, not how good the questions are

NGSPICE = pytest.mark.skipif(not is_installed(), reason="the program ngspice is not installed")
CIRCUITS = [("circuit", "pwl"), pytest.param("circuit", "ngspice", marks=NGSPICE)]
# Spent a few questions after the initial design, which is cheap beside one full run of some problems.
BUDGETS = {
    "branin_currin": 2.5,
    "trap": 2.5,
    "adversarial": 2.5,
    "branin_currin_disc": 5.0,
    "c2_dtlz2": 3.5,
    "tanaka": 5.0,
    "osyczka_kundu": 5.0,
    "ackley_rosenbrock_sphere": 2.6,
    "dtlz1": 1.45,
    "dtlz2": 5.0,
    "qv": 25.0,
    "momf_branin_currin": 0.35,
    "momf_park": 0.35,
    "rocket": 0.22,
    "panel": 1.46,
    "network_on_chip": 2.65,
}
CIRCUIT_BUDGET = 2.9
PER_OBJECTIVE_BUDGETS = {"rocket": 0.42, "network_on_chip": 5.3, "circuit": 26.0}


@pytest.mark.parametrize("method", ["imoca-p", "imoca-t"])
@pytest.mark.parametrize(
    ("name", "backend"),
    [*((name, None) for name in imoca_lab.DESCRIPTIONS if name in BUDGETS), *CIRCUITS],
)
def test_both_methods_spend_a_budget_and_recommend_a_front(name: str, backend: str | None, method: MethodName) -> None:
    check_run(imoca_lab.get(name, backend=backend).problem, method, BUDGETS.get(name, CIRCUIT_BUDGET))


@pytest.mark.parametrize(("name", "backend"), [("rocket", None), ("network_on_chip", None), *CIRCUITS])
def test_imoca_t_spends_a_budget_where_every_objective_has_its_own_fidelity(name: str, backend: str | None) -> None:
    problem = imoca_lab.get(name, setting="per_objective", backend=backend).problem
    assert len(problem.simulators) == len(problem.objectives)
    check_run(problem, "imoca-t", PER_OBJECTIVE_BUDGETS[name])


def check_run(problem: Problem, method: MethodName, budget: float) -> None:
    study, spent = Study(problem, method=method, n_fronts=N_FRONTS), []
    study.optimize(budget, on_trial=lambda _: spent.append(study.cost_spent), progress=False)
    check_questions(problem, study.trials)
    assert spent[-2] < budget <= spent[-1]
    if not any(simulator.is_cost_measured for simulator in problem.simulators):
        assert spent[-1] == pytest.approx(sum(declared_cost(problem, trial) for trial in study.trials))
    check_front(study)


def check_questions(problem: Problem, trials: tuple[Trial, ...]) -> None:
    """All are answered, and at least two were asked by the method's models: only those tell what was fitted."""
    outputs = {output.name for output in problem.outputs}
    for trial in trials:
        assert trial.state is TrialState.COMPLETE
        assert not trial.failures
        assert set(trial.values) == outputs
        assert np.isfinite(list(trial.values.values())).all()
    n_initial = initial_size(problem, "cheap")
    asked_by_model = [trial.number for trial in trials if trial.fitted]
    assert asked_by_model == list(range(n_initial, len(trials)))
    assert len(asked_by_model) >= 2
    designs = {tuple(trial.parameters.items()) for trial in trials}
    assert len(designs) > n_initial  # the models ask for new designs too


def declared_cost(problem: Problem, trial: Trial) -> float:
    """Of one trial, in full-fidelity runs, straight from the declarations."""
    x = problem.space.encode(trial.parameters)
    return sum(
        simulator.cost_ratio(problem.space, x[None], np.array([simulator.fidelity.encode(fidelity)]))[0, 0]
        for simulator, fidelity in ((each, trial.fidelities[each.name]) for each in problem.simulators)
    )


def check_front(study: Study) -> None:
    front, space = study.pareto_front(), study.problem.space
    assert front
    x = np.array([space.encode(space.check(point.parameters)) for point in front])
    assert ((x >= 0.0) & (x <= 1.0)).all()
    for point in front:
        assert set(point.predicted) == {output.name for output in study.problem.modelled}
        assert np.isfinite(list(point.predicted.values())).all()
        assert (np.array(list(point.uncertainty.values())) >= 0.0).all()

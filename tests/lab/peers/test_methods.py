"""BoTorch's methods: the contract of every method, what each tutorial promises, and life without torch."""

import importlib.util
import subprocess
import sys
from collections.abc import Sequence

import numpy as np
import pytest

from imoca import Study
from imoca.errors import MethodError
from imoca.methods import Method, added_method_names, get_method
from imoca.methods.initial_design import initial_question, initial_size
from imoca.methods.settings import MethodSettings
from imoca.models.cost import cost_models
from imoca.problem.fidelity import Fidelity
from imoca.problem.parameters import Real
from imoca.problem.problem import Problem
from imoca.problem.simulator import Constraint, Goal, Objective, Simulator
from imoca.testing import MethodContract
from imoca.testing.method import MIXED, answered
from imoca.trials.table import TrialTable
from imoca.trials.trial import Answer, Candidate, Trial
from imoca_lab.peers.observations import observe, output_fidelities, shared_fidelities
from imoca_lab.peers.tutorial_start import MOST_DESIGNS, fewest_designs, is_start_over, start_question

pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit:DeprecationWarning")  # BoTorch, as it is imported
needs_botorch = pytest.mark.skipif(
    importlib.util.find_spec("botorch") is None,
    reason="BoTorch is not installed: pip install -c constraints-peers.txt 'imoca[peers]'",
)
SHARED = ("botorch-momf", "botorch-hvkg")
PEERS = added_method_names()
CONSTRAINED = ("botorch-qlognehvi", "botorch-momf")
FULL = tuple(name for name in PEERS if name not in SHARED)


def two_simulators() -> Problem:
    goals: tuple[Goal, ...] = ("maximize", "minimize")
    simulators = [
        Simulator(f"s{j}", [Objective(f"f{j}", goal)], fidelity=Fidelity.continuous(), cost="0.1 + z**2")
        for j, goal in enumerate(goals)
    ]
    return Problem([Real("a", -1.0, 1.0), Real("b", 0.1, 10.0, log=True)], simulators)


def one_simulator(cost: str) -> Problem:
    outputs = [Objective("f", "maximize"), Objective("g", "maximize")]
    return Problem([Real("a", 0.0, 1.0)], [Simulator("s", outputs, fidelity=Fidelity.continuous(), cost=cost)])


def some_trials(problem: Problem, method: str, n: int) -> list[Trial]:
    """A space-filling design at fidelities that the method understands."""
    trials = []
    for number in range(n):
        question = initial_question(problem, "target", number, seed=1)
        if method in SHARED:
            z = (number * 0.37) % 1.0
            fidelities = {each.name: each.fidelity.decode(z) for each in problem.simulators}
            question = Candidate(question.parameters, fidelities)
        trials.append(answered(problem, number, question))
    return trials


def started(problem: Problem) -> int:
    return max(initial_size(problem, "cheap"), fewest_designs(problem))


def ask(method: str, problem: Problem, trials: list[Trial], seed: int = 0) -> Candidate:
    settings = MethodSettings(initial_design="cheap" if method in SHARED else None)
    return get_method(method, settings).suggest(TrialTable.encode(problem, trials), seed)


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tutorials' own "smoke test": the same calls with next to no effort."""
    from imoca_lab.peers import entropy, hvkg, improvement, momf

    for module in (momf, hvkg, improvement, entropy):
        monkeypatch.setattr(module, "RAW_SAMPLES", 16)
        monkeypatch.setattr(module, "N_RESTARTS", 2)
    for module in (momf, improvement):
        monkeypatch.setattr(module, "N_SAMPLES", 16)
        monkeypatch.setattr(module, "OPTIONS", module.OPTIONS | {"maxiter": 5})
    for name, value in (("N_RESTARTS", 1), ("N_FANTASIES", 2), ("N_PARETO_POINTS", 2), ("MAX_ITERATIONS", 3)):
        monkeypatch.setattr(hvkg, name, value)
    for name in ("N_FRONTS", "N_FRONT_POINTS"):
        monkeypatch.setattr(entropy, name, 3)


@needs_botorch
@pytest.mark.slow
@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("method", PEERS)
@pytest.mark.parametrize("problem", [two_simulators(), MIXED], ids=["continuous", "mixed"])
def test_a_suggestion_is_valid_and_the_same_from_the_same_seed(method: str, problem: Problem) -> None:
    import torch

    trials = some_trials(problem, method, started(problem))
    state, n_threads = torch.random.get_rng_state(), torch.get_num_threads()
    question = ask(method, problem, trials)
    problem.space.check(question.parameters)
    z = [each.fidelity.encode(question.fidelities[each.name]) for each in problem.simulators]
    assert all(0.0 <= each <= 1.0 for each in z)
    if method in FULL:
        assert z == [1.0] * len(z)
    assert question == ask(method, problem, trials)
    torch.testing.assert_close(torch.random.get_rng_state(), state)  # the caller's generator goes on undisturbed
    assert torch.get_num_threads() == n_threads


@needs_botorch
@pytest.mark.slow
@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("method", PEERS)
def test_a_pending_question_is_not_asked_again(method: str) -> None:
    problem = two_simulators()
    trials = some_trials(problem, method, started(problem))
    first = ask(method, problem, trials)
    second = ask(method, problem, [*trials, Trial.asked(len(trials), first)])
    gap = problem.space.encode(first.parameters) - problem.space.encode(second.parameters)
    fidelity = problem.simulators[0].fidelity
    z_gap = fidelity.encode(first.fidelities["s0"]) - fidelity.encode(second.fidelities["s0"])
    assert np.hypot(np.linalg.norm(gap), z_gap) > 1e-2


@needs_botorch
@pytest.mark.slow
@pytest.mark.parametrize("method", PEERS)
def test_torch_uses_one_thread_during_a_suggestion(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    from imoca_lab.peers import full_fidelity, shared_fidelity

    used = []
    searches = {name: module for module, names in ((shared_fidelity, SHARED), (full_fidelity, FULL)) for name in names}

    def record(*_: object) -> np.ndarray:
        used.append(torch.get_num_threads())
        return np.full(3 if method in SHARED else 2, 0.5)

    monkeypatch.setattr(searches[method], "suggest_" + method.removeprefix("botorch-"), record)
    torch.set_num_threads(2)
    problem = two_simulators()
    question = ask(method, problem, some_trials(problem, method, started(problem)))
    assert used == [1]
    assert question.parameters["a"] == 0.0
    assert torch.get_num_threads() == 2


@needs_botorch
def test_numbers_that_fail_botorch_lead_to_other_draws_and_then_to_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    from imoca_lab.peers import full_fidelity
    from imoca_lab.peers.models import N_ATTEMPTS

    calls = []

    def fail(*_: object) -> np.ndarray:
        calls.append(0)
        raise RuntimeError("NaN")

    monkeypatch.setattr(full_fidelity, "suggest_jes", fail)
    problem = two_simulators()
    trials = some_trials(problem, "botorch-jes", started(problem))
    assert ask("botorch-jes", problem, trials) == initial_question(problem, "target", len(trials), 0)
    assert len(calls) == N_ATTEMPTS


@needs_botorch
def test_the_shared_cost_and_its_gradient_are_those_of_the_formula() -> None:
    import torch

    from imoca_lab.peers.shared_cost import SharedCost

    outputs = [[Objective("f", "maximize")], [Objective("g", "maximize")]]
    problem = Problem(
        [Real("a", 0.0, 2.0)],
        [
            Simulator("s", outputs[0], fidelity=Fidelity.continuous(), cost="0.1 + z**2"),
            Simulator("t", outputs[1], fidelity=Fidelity.continuous(), cost="1 + a * z", full_cost=3.0),
        ],
        cost_relative_to="design",
    )

    def by_hand(points: torch.Tensor) -> torch.Tensor:
        a, z = 2.0 * points[..., :1], points[..., 1:]
        return (0.1 + z**2) / 1.1 + 3.0 * (1.0 + a * z) / (1.0 + a)

    cost = SharedCost(cost_models(TrialTable.encode(problem, [])))
    points = torch.rand((4, 1, 2), dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    gradients = []
    for function in (cost, by_hand):
        leaf = points.clone().requires_grad_()
        function(leaf).sum().backward()
        gradients.append(leaf.grad)
    torch.testing.assert_close(cost(points), by_hand(points))
    torch.testing.assert_close(gradients[0], gradients[1], rtol=1e-6, atol=1e-8)


@needs_botorch
def test_a_believed_answer_is_certain_and_leaves_the_means_as_they_were() -> None:
    import torch

    from imoca_lab.peers.models import believing, fit_fidelity_gps, tensor, with_fidelity

    rng = np.random.default_rng(0)
    x, z = rng.random((8, 2)), rng.random((8, 2))
    model = fit_fidelity_gps(with_fidelity(x, z), tensor(np.column_stack([x.sum(axis=1), x[:, 0] - z[:, 0]])))
    new_x, new_z, elsewhere = rng.random((2, 2)), rng.random((2, 2)), tensor(rng.random((5, 3)))
    believer, believed = believing(model, with_fidelity(new_x, new_z))
    with torch.no_grad():
        torch.testing.assert_close(
            believer.posterior(elsewhere).mean, model.posterior(elsewhere).mean, rtol=1e-3, atol=1e-3
        )
        for j, points in enumerate(with_fidelity(new_x, new_z)):
            before, after = (each.posterior(points).variance[:, j] for each in (model, believer))
            assert (after < 1e-2 * before + 1e-5).all()
            torch.testing.assert_close(believed[:, j], model.posterior(points).mean[:, j])


def limited(limit: Constraint) -> Problem:
    """Two objectives that are best at 0.8 and at 0.9, and a constraint on the design itself by another simulator."""
    knob = Fidelity.continuous()
    return Problem(
        [Real("a", 0.0, 1.0)],
        [
            Simulator("s", [Objective("f", "maximize"), Objective("g", "minimize")], fidelity=knob, cost="0.1 + z**2"),
            Simulator("t", [limit], fidelity=knob, cost="0.1 + z**2"),
        ],
    )


def limited_trials(problem: Problem, designs: Sequence[float], z: Sequence[float]) -> list[Trial]:
    """Cheap runs call more feasible than is: the constraint's output is too small by half of what z lacks."""
    trials = []
    for number, (a, fidelity) in enumerate(zip(designs, z, strict=True)):
        values = {"f": -((a - 0.8) ** 2), "g": (a - 0.9) ** 2, "c": a - 0.5 * (1.0 - fidelity)}
        trials.append(Trial(number, {"a": a}, {"s": fidelity, "t": fidelity}, answer=Answer(values)))
    return trials


def asked_at(problem: Problem, question: Candidate) -> tuple[float, float]:
    """The design and the fidelity of the constraint: both are their own encodings."""
    (a,) = problem.space.encode(question.parameters)
    return float(a), float(problem.simulators[1].fidelity.encode(question.fidelities["t"]))


@needs_botorch
@pytest.mark.slow
@pytest.mark.parametrize(
    ("limit", "low", "high"),
    [
        (Constraint("c", upper=2.0), 0.75, 0.95),
        (Constraint("c", upper=0.55), 0.3, 0.57),
        (Constraint("c", lower=-2.0, upper=0.55), 0.3, 0.57),
        (Constraint("c", lower=0.97), 0.95, 1.0),
    ],
    ids=["held by all", "upper", "both", "lower"],
)
def test_constraints_keep_botorch_from_the_best_designs(limit: Constraint, low: float, high: float) -> None:
    problem = limited(limit)
    designs = [0.05, 0.2, 0.35, 0.5, 0.65, 0.99]
    a, z = asked_at(problem, ask("botorch-qlognehvi", problem, limited_trials(problem, designs, [1.0] * 6)))
    assert low <= a <= high
    assert z == 1.0
    cheap = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.0, 0.4, 0.2, 1.0, 0.5, 0.8]
    trials = limited_trials(problem, designs * 2, cheap)
    assert len(trials) >= started(problem)
    a, z = asked_at(problem, ask("botorch-momf", problem, trials))
    assert low <= a <= high + 0.5 * (1.0 - z)  # what a cheap run allows: MOMF's hypervolume is of any fidelity


@needs_botorch
@pytest.mark.usefixtures("hurried")
def test_momf_improves_on_runs_that_held_all_constraints_at_their_own_fidelity(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import torch
    from botorch.utils.multi_objective.box_decompositions.non_dominated import FastNondominatedPartitioning

    from imoca_lab.peers import momf

    seen: list[torch.Tensor] = []

    def record(ref_point: torch.Tensor, Y: torch.Tensor) -> object:
        seen.append(Y)
        return FastNondominatedPartitioning(ref_point=ref_point, Y=Y)

    monkeypatch.setattr(momf, "FastNondominatedPartitioning", record)
    problem = limited(Constraint("c", upper=0.3))
    z = np.tile([0.2, 1.0, 0.6, 0.0], 3)
    trials = limited_trials(problem, np.linspace(0.1, 0.9, 12).tolist(), z.tolist())
    ask("botorch-momf", problem, trials)
    held = np.array([trial.values["c"] <= 0.3 for trial in trials])
    assert 0 < held.sum() < len(trials)
    np.testing.assert_allclose(seen[0][:, -1], z[held])
    values = np.array([[trial.values["f"], -trial.values["g"]] for trial in trials])
    expected = (values - values.mean(axis=0)) / values.std(axis=0)
    np.testing.assert_allclose(seen[0][:, :2], expected[held], rtol=1e-9)


@needs_botorch
@pytest.mark.slow
def test_where_nothing_was_feasible_botorch_asks_where_something_may_be() -> None:
    problem = limited(Constraint("c", upper=0.2))
    designs = [0.3, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95]
    cheap = [1.0, 0.9, 0.7, 0.5, 0.4, 0.6, 0.2, 0.1, 0.0, 0.8, 0.3, 0.5]
    for method, z in (("botorch-qlognehvi", [1.0] * 12), ("botorch-momf", cheap)):
        trials = limited_trials(problem, designs, z)
        assert len(trials) >= started(problem)
        assert all(trial.values["c"] > 0.2 for trial in trials)
        a, fidelity = asked_at(problem, ask(method, problem, trials))
        assert a - 0.5 * (1.0 - fidelity) < 0.25


@pytest.mark.parametrize("method", CONSTRAINED)
def test_constraints_on_parameters_are_refused_in_words(method: str) -> None:
    free = limited(Constraint("c", upper=0.5))
    problem = Problem(free.parameters, free.simulators, constraints=["a <= 0.9"])
    with pytest.raises(MethodError, match=r"does not keep to constraints on parameters.*a <= 0.9"):
        Study(problem, method=method)


@pytest.mark.parametrize("method", [name for name in PEERS if name not in CONSTRAINED])
def test_other_peers_are_refused_where_outputs_are_constrained(method: str) -> None:
    with pytest.raises(MethodError, match="does not know constraints"):
        Study(limited(Constraint("c", upper=0.5)), method=method)


def test_observed_constraints_are_feasible_as_they_are_in_their_own_units() -> None:
    problem = limited(Constraint("c", lower=0.2, upper=0.6))
    designs = [0.1, 0.2, 0.35, 0.5, 0.6, 0.61, 0.99]
    observations = observe(TrialTable.encode(problem, limited_trials(problem, designs, [1.0] * 7)))
    assert observations is not None
    assert observations.n_objectives == 2
    expected = [0.2 <= a <= 0.6 for a in designs]
    shifted = observations.values + np.array([5.0, -5.0, 0.0])  # objectives do not matter
    for values in (observations.values, shifted):
        inside = observations.is_feasible(values * (1.0 - 1e-12 * np.sign(values)))  # those on a bound, by rounding
        np.testing.assert_array_equal(inside[[0, 2, 3, 5, 6]], np.array(expected)[[0, 2, 3, 5, 6]])
    np.testing.assert_allclose(observations.lower * observations.scale[2:] + observations.centre[2:], [0.2], rtol=1e-12)
    np.testing.assert_allclose(
        observations.standardised([-0.09, -0.16]), observations.values[3, :2], rtol=1e-9
    )  # of the design 0.5


@needs_botorch
def test_the_excess_over_a_bound_is_negative_where_it_is_held() -> None:
    import torch

    from imoca_lab.peers.limits import excesses_of, objectives_of

    problem = limited(Constraint("c", lower=0.2, upper=0.6))
    observations = observe(TrialTable.encode(problem, limited_trials(problem, [0.1, 0.4, 0.9], [1.0] * 3)))
    assert observations is not None
    below, above = excesses_of(observations) or []
    samples = torch.tensor(observations.values)
    scale = observations.scale[2]
    np.testing.assert_allclose(below(samples) * scale, [0.1, -0.2, -0.7], atol=1e-12)
    np.testing.assert_allclose(above(samples) * scale, [-0.5, -0.2, 0.3], atol=1e-12)
    torch.testing.assert_close(objectives_of(observations)(samples), samples[:, :2])
    torch.testing.assert_close(objectives_of(observations, extra=[2])(samples), samples)
    free = observe(TrialTable.encode(two_simulators(), some_trials(two_simulators(), "botorch-jes", 3)))
    assert free is not None
    assert excesses_of(free) is None


@needs_botorch
@pytest.mark.parametrize("method", SHARED)
def test_a_shared_fidelity_needs_a_knob(method: str) -> None:
    problem = Problem([Real("a", 0.0, 1.0)], [Simulator("s", [Objective("f", "maximize"), Objective("g", "maximize")])])
    with pytest.raises(MethodError, match="no simulator has one"):
        ask(method, problem, [])


@needs_botorch
@pytest.mark.parametrize("method", PEERS)
def test_one_objective_is_refused(method: str) -> None:
    problem = Problem([Real("a", 0.0, 1.0)], [Simulator("s", [Objective("f", "maximize")])])
    with pytest.raises(MethodError, match="two or more objectives"):
        ask(method, problem, [])


def test_the_tutorials_start_costs_two_full_runs_at_fidelities_drawn_inversely_to_cost() -> None:
    problem = one_simulator("exp(4.8 * z)")
    sizes: list[int] = []
    drawn: list[float] = []
    for seed in range(10):
        trials: list[Trial] = []
        while not is_start_over(TrialTable.encode(problem, trials), seed):
            trials.append(answered(problem, len(trials), start_question(TrialTable.encode(problem, trials), seed)))
        z = np.array([trial.fidelities["s"] for trial in trials])
        assert np.exp(4.8 * (z - 1.0)).sum() < 2.0
        sizes.append(len(trials))
        drawn.extend(z)
    assert 40 < np.mean(sizes) < 60  # 2 exp(4.8) over the mean cost, 4.8 / (1 - exp(-4.8)), is 50.2
    by_hand = -np.log(1.0 - np.linspace(0.1, 0.9, 9) * (1.0 - np.exp(-4.8))) / 4.8  # the tutorial's inverse transform
    np.testing.assert_allclose(np.quantile(drawn, np.linspace(0.1, 0.9, 9)), by_hand, atol=0.03)


@pytest.mark.parametrize(("cost", "size"), [("1 + 0 * z", 4), ("1e-6 + z**9", MOST_DESIGNS)])
def test_the_tutorials_start_is_neither_too_short_nor_endless(cost: str, size: int) -> None:
    problem = one_simulator(cost)
    trials: list[Trial] = []
    while not is_start_over(TrialTable.encode(problem, trials), 0):
        trials.append(answered(problem, len(trials), start_question(TrialTable.encode(problem, trials), 0)))
    assert len(trials) == size


def test_incomplete_trials_are_pending_and_a_knobless_simulator_sees_the_shared_fidelity() -> None:
    problem = MIXED
    trials = some_trials(problem, "botorch-momf", 6)
    running = Trial.asked(6, initial_question(problem, "cheap", 3, 0))
    half = Trial.asked(7, initial_question(problem, "cheap", 4, 0), Answer({"mass": 1.0}, failures={"cfd": "no"}))
    observations = observe(TrialTable.encode(problem, [*trials, running, half]))
    assert observations is not None
    assert (len(observations.x), len(observations.pending_x)) == (6, 2)
    np.testing.assert_allclose(observations.values.mean(axis=0), 0.0, atol=1e-12)
    raw = np.array([[-trial.values[name] for name in ("drag", "mass", "noise")] for trial in trials])
    np.testing.assert_allclose(observations.standardised(raw[2]), observations.values[2])
    z = output_fidelities(TrialTable.encode(problem, trials))
    np.testing.assert_array_equal(z[:, 1], shared_fidelities(TrialTable.encode(problem, trials)))
    np.testing.assert_allclose(z[:, 1], np.minimum(z[:, 0], z[:, 2]))


def test_without_torch_a_clear_error_names_the_extra_and_everything_else_works() -> None:
    code = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("torch", "botorch", "gpytorch"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Missing())
import imoca
from imoca import Study
from imoca.errors import MethodError
from imoca.methods import get_method
get_method("imoca-p")
for name in ("botorch-momf", "botorch-jes"):
    try:
        get_method(name)
    except MethodError as error:
        print(error.message, error.hint)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.count("imoca[peers]") == 2
    assert run.stdout.count("constraints-peers.txt") == 2


def test_importing_imoca_and_its_methods_does_not_import_torch() -> None:
    code = "import imoca, sys, imoca.methods.registry\nprint([m for m in ('torch', 'botorch') if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


@needs_botorch
@pytest.mark.slow
@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("name", PEERS)
class TestPeers(MethodContract):
    @pytest.fixture(autouse=True)
    def use_name(self, name: str) -> None:
        self.name = name

    def make_method(self) -> Method:
        return get_method(self.name, MethodSettings(initial_design="cheap" if self.name in SHARED else None))

"""Every problem of the suite: the truth is the base's, the rest is a study that can be stored and repeated."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import spearmanr

import imoca_lab
from imoca import Study
from imoca.errors import ProblemError
from imoca.problem.fidelity import Fidelity
from imoca.problem.reference import FunctionReference
from imoca.problem.simulator import Simulator
from imoca.studyfile.problem import problem_from_toml, problem_to_toml
from imoca_lab.problems.adversarial import ADVERSARIAL_NAMES, adversarial
from imoca_lab.problems.adversarial.distortions import DISTORTIONS
from imoca_lab.problems.adversarial.problem import SUITE, base_benchmark
from imoca_lab.problems.adversarial.runs import CENTRES_AND_SPREADS, DistortedRun


def run_of(simulator: Simulator) -> Callable[..., dict[str, float]]:
    assert isinstance(simulator.run, FunctionReference)
    return simulator.run.resolve()


def cheap_values(variant: str, output: str, z: float, designs: np.ndarray) -> np.ndarray:
    problem = adversarial(variant).problem
    simulator = next(s for s in problem.simulators if output in [each.name for each in s.outputs])
    return np.array([run_of(simulator)(**problem.space.decode(u), z=z)[output] for u in designs])


def test_the_suite_has_more_than_twenty_that_mislead_and_one_honest_per_base() -> None:
    assert len(set(ADVERSARIAL_NAMES)) == len(ADVERSARIAL_NAMES) == 31
    honest = [name for name in ADVERSARIAL_NAMES if name.endswith("-honest")]
    assert honest == [f"{base}-honest" for base in SUITE]
    assert {name.split("-")[1] for name in ADVERSARIAL_NAMES} == set(DISTORTIONS)


@pytest.mark.parametrize("variant", ADVERSARIAL_NAMES)
def test_everything_but_the_low_fidelities_is_that_of_the_base(variant: str) -> None:
    ours, base = adversarial(variant), base_benchmark(variant.split("-")[0])
    assert ours.name == f"adversarial-{variant}"
    assert ours.hypervolume == base.hypervolume
    np.testing.assert_array_equal(ours.reference_point, base.reference_point)
    np.testing.assert_array_equal(ours.reference_front, base.reference_front)
    assert ours.problem.parameters == base.problem.parameters
    assert ours.problem.outputs == base.problem.outputs
    for mine, other in zip(ours.problem.simulators, base.problem.simulators, strict=True):
        assert mine.cost == other.cost


@pytest.mark.parametrize("variant", ADVERSARIAL_NAMES)
def test_full_fidelity_is_the_base_exactly_and_the_truth_by_which_it_is_scored(variant: str) -> None:
    benchmark, base = adversarial(variant), base_benchmark(variant.split("-")[0])
    designs = np.random.default_rng(1).random((4, benchmark.problem.space.n_parameters))
    signs = np.array([1.0 if o.goal == "maximize" else -1.0 for o in benchmark.problem.objectives])
    for u, truth in zip(designs, benchmark.true_values(designs), strict=True):
        named: dict[str, Any] = benchmark.problem.space.decode(u)
        found: dict[str, float] = {}
        for mine, other in zip(benchmark.problem.simulators, base.problem.simulators, strict=True):
            answer = run_of(mine)(**named, z=1.0)
            assert callable(other.run)
            expected = other.run(**named, z=1.0)
            assert answer == (expected if isinstance(expected, dict) else {other.name: expected})
            found |= answer
        np.testing.assert_allclose(signs * list(found.values()), truth, rtol=1e-12)


@pytest.mark.parametrize("variant", ADVERSARIAL_NAMES)
def test_the_problem_survives_a_study_file(variant: str) -> None:
    problem = adversarial(variant).problem
    assert problem_from_toml(problem_to_toml(problem)) == problem


@pytest.mark.parametrize("base", SUITE)
def test_the_stated_centres_and_spreads_are_those_of_random_designs(base: str) -> None:
    benchmark = base_benchmark(base)
    values = benchmark.true_values(np.random.default_rng(2).random((20_000, benchmark.problem.space.n_parameters)))
    for objective, column in zip(benchmark.problem.objectives, values.T, strict=True):
        centre, spread = CENTRES_AND_SPREADS[objective.name]
        sign = 1.0 if objective.goal == "maximize" else -1.0
        assert sign * column.mean() == pytest.approx(centre, abs=4.0 * spread / np.sqrt(len(values)))
        assert column.std() == pytest.approx(spread, rel=0.03)


def test_the_honest_ones_are_the_base_at_every_fidelity() -> None:
    for base in SUITE:
        ours, theirs = adversarial(f"{base}-honest").problem, base_benchmark(base).problem
        named: dict[str, Any] = ours.space.decode(np.full(ours.space.n_parameters, 0.3))
        for mine, other in zip(ours.simulators, theirs.simulators, strict=True):
            assert callable(other.run)
            answer, expected = run_of(mine)(**named, z=0.25), other.run(**named, z=0.25)
            expected = expected if isinstance(expected, dict) else {other.name: expected}
            assert answer == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("variant", "output", "documented"),
    [
        ("branin_currin-honest", "branin", 0.999),
        ("branin_currin-negated", "branin", -1.0),
        ("branin_currin-noise", "branin", 0.0),
        ("branin_currin-shifted", "branin", 0.42),
        ("branin_currin-stuck", "branin", 0.79),
        ("momf_park-half_right", "park1", -0.03),
        ("dtlz2-wave", "f3", 0.88),
    ],
)
def test_the_cheapest_runs_rank_designs_as_documented(variant: str, output: str, documented: float) -> None:
    designs = np.random.default_rng(3).random((1000, adversarial(variant).problem.space.n_parameters))
    cheap, full = (cheap_values(variant, output, z, designs) for z in (0.0, 1.0))
    assert spearmanr(cheap, full).statistic == pytest.approx(documented, abs=0.06)


def test_of_the_levels_in_wrong_order_the_middle_one_is_worse_than_the_cheapest() -> None:
    simulator = adversarial("branin_currin-wrong_order").problem.simulator("branin")
    assert simulator.fidelity == Fidelity.levels([0.0, 0.5, 1.0])
    designs = np.random.default_rng(4).random((200, 2))
    cheap, middle, full = (cheap_values("branin_currin-wrong_order", "branin", z, designs) for z in (0.0, 0.5, 1.0))
    assert np.abs(middle - full).mean() > 4.0 * np.abs(cheap - full).mean()


def test_two_outputs_of_one_simulator_are_distorted_each_by_its_own_spread() -> None:
    run = run_of(adversarial("momf_park-negated").problem.simulator("park"))
    named = {"x1": 0.3, "x2": 0.2, "x3": 0.4, "x4": 0.9}
    cheap, full = run(**named, z=0.0), run(**named, z=1.0)
    for output, value in cheap.items():
        assert value == pytest.approx(2.0 * CENTRES_AND_SPREADS[output][0] - full[output])


def test_failing_runs_are_failures_of_their_trials_and_a_study_goes_on() -> None:
    with Study(adversarial("branin_currin-failing").problem, n_fronts=2) as study:
        study.optimize(trials=9, progress=False)
        is_failed = {trial.number: bool(trial.failures) for trial in study.trials}
        is_left = {trial.number: float(trial.parameters["x1"]) < 2.5 for trial in study.trials}  # of -5 to 10
        reasons = [reason for trial in study.trials for reason in trial.failures.values()]
    assert len(is_failed) == 9
    assert 0 < sum(is_failed.values()) < 9
    assert all(is_left[number] for number, failed in is_failed.items() if failed)
    assert all(reason.startswith("DivergedError") for reason in reasons)


def test_the_same_seed_gives_the_same_study_even_of_noise() -> None:
    answers = []
    for _ in range(2):
        with Study(adversarial("branin_currin-noise").problem, seed=3, n_fronts=2) as study:
            study.optimize(trials=7, progress=False)
            answers.append([trial.values for trial in study.trials])
            settings: list[Any] = [trial.fidelities["branin"] for trial in study.trials]
            assert min(settings) < 0.5  # noise alone
    assert answers[0] == answers[1]


def test_an_address_that_names_no_distortion_is_refused() -> None:
    assert FunctionReference("imoca_lab.problems.adversarial.runs:dtlz2__stuck__f1").resolve() == DistortedRun(
        "dtlz2", "stuck", "f1"
    )
    for name in ("dtlz2__mirrored__f1", "dtlz2", "dtlz2__stuck"):
        with pytest.raises(ProblemError, match=name):
            FunctionReference(f"imoca_lab.problems.adversarial.runs:{name}").resolve()


def test_an_unknown_variant_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ProblemError, match="trap-negated") as caught:
        imoca_lab.get("adversarial", variant="trap-negated")
    assert "momf_park-outliers" in caught.value.hint

"""Gain per cost: its gradient by differences, its fidelities by trying every vector."""

import dataclasses
from itertools import product

import numpy as np
import pytest
from deciding import is_in_reduced_space
from kernels import joint_posterior
from scipy.special import ndtri
from scipy.stats import qmc

from imoca.acquisition import score as score_module
from imoca.acquisition.fidelity_space import FidelityReduction
from imoca.acquisition.front_gain import FrontGain
from imoca.acquisition.gain import RESOLUTION, Gain
from imoca.acquisition.regions import BoxRegions, SampledRegions
from imoca.acquisition.score import GainPerCost, Pool, PricedSimulator
from imoca.acquisition.skew_gain import SkewGain
from imoca.acquisition.truncated_gain import TruncatedGain
from imoca.models.cost import CostModel, KnownCostModel, learn_cost
from imoca.models.failure import FailureModel, learn_failures
from imoca.models.gp import GaussianProcess
from imoca.models.product import ProductKernel
from imoca.pareto.dominance import non_dominated
from imoca.problem.fidelity import Fidelity
from imoca.problem.parameters import Real
from imoca.problem.simulator import Objective, Simulator
from imoca.problem.space import SearchSpace

SPACE = SearchSpace([Real("a", 0.0, 1.0), Real("b", 0.0, 1.0)])
GAINS = ["truncated", "skew", "front"]
COSTS = ["constant in the design", "depending on the design", "learned"]
N_OUTPUTS = 3
STEP = 1e-6
ITERATION = 12


def make_processes(rng: np.random.Generator) -> list[GaussianProcess]:
    """Three outputs that differ in everything: data, length scales, how soon they settle."""
    processes = []
    for j in range(N_OUTPUTS):
        scales = ProductKernel(np.array([0.35 + 0.1 * j, 0.6]), 0.8 + 0.3 * j, 1.0 + 0.2 * j, 1e-3, 1.0 + 0.5 * j)
        x, z, values = rng.random((7, 2)), rng.random(7), rng.standard_normal(7)
        processes.append(GaussianProcess.condition(x, z, values, scales))
    return processes


def make_fronts(rng: np.random.Generator) -> list[np.ndarray]:
    drawn = (0.5 * rng.standard_normal((40, N_OUTPUTS)) + 0.3 for _ in range(4))
    return [points[non_dominated(points)] for points in drawn]


def make_gain(name: str, rng: np.random.Generator) -> Gain:
    fronts = make_fronts(rng)
    maxima = np.array([front.max(axis=0) for front in fronts])
    if name == "truncated":
        return TruncatedGain(maxima)
    return SkewGain(maxima) if name == "skew" else FrontGain(BoxRegions.below(fronts))


def declared(formula: str, full_cost: float) -> CostModel:
    outputs = [Objective("f", "maximize")]
    return KnownCostModel(
        Simulator("s", outputs, fidelity=Fidelity.continuous(), cost=formula, full_cost=full_cost), SPACE
    )


def make_costs(kind: str, rng: np.random.Generator) -> list[CostModel]:
    if kind == "constant in the design":
        return [declared("1 + z**2", 1.0), declared("1.5 + z", 2.5)]
    if kind == "depending on the design":
        return [declared("1 + (1 + 3 * a) * z**2", 1.0), declared("1 + z + 2 * b * z * a", 2.5)]
    models: list[CostModel] = []
    for full_cost in (1.0, 2.5):
        x, z = rng.random((20, 2)), rng.random(20)
        logs = 2.0 * z * (0.5 + 1.5 * x[:, 0]) + x[:, 1] + 0.05 * rng.standard_normal(20)
        outputs = [Objective("f", "maximize")]
        measured = Simulator("s", outputs, fidelity=Fidelity.continuous(), cost="measured", full_cost=full_cost)
        models.append(learn_cost(measured, SPACE, x, z, logs))
    return models


def make_score(
    gain: Gain, cost: str, rng: np.random.Generator, reduction: FidelityReduction | None = None
) -> GainPerCost:
    """One simulator of two outputs that are not neighbours, and one of a single output with another grid."""
    first, second = make_costs(cost, rng)
    simulators = [
        PricedSimulator((0, 2), np.linspace(0.0, 1.0, 6), first, reduction),
        PricedSimulator((1,), np.array([0.0, 0.3, 0.7, 1.0]), second, reduction),
    ]
    return GainPerCost(make_processes(rng), gain, simulators)


def differences(score: GainPerCost, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Gradient by central differences, and the designs (n,) near which no other fidelity becomes the best."""
    gradient, chosen = np.empty_like(x), score.score(x).fidelities
    is_smooth = np.ones(len(x), dtype=bool)
    for column, shift in enumerate(STEP * np.eye(x.shape[1])):
        ahead, behind = score.score(x + shift), score.score(x - shift)
        gradient[:, column] = (ahead.values - behind.values) / (2 * STEP)
        for moved in (ahead, behind):
            is_smooth &= ((moved.fidelities == chosen) | (np.isnan(moved.fidelities) & np.isnan(chosen))).all(axis=1)
    return gradient, is_smooth


def make_failures(rng: np.random.Generator) -> FailureModel:
    """Runs fail where a is large, the sooner the more accurate they are."""
    x, z = rng.random((40, 2)), rng.random(40)
    return dataclasses.replace(learn_failures(x, z, x[:, 0] + 0.3 * z > 0.8), price=0.3)


@pytest.mark.parametrize("is_failing", [False, True])
@pytest.mark.parametrize("setup_cost", [None, 0.0, 1.0])  # None: no simulator may be left out
@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("name", GAINS)
def test_the_gradient_matches_finite_differences(
    name: str, cost: str, setup_cost: float | None, is_failing: bool, rng: np.random.Generator
) -> None:
    score = make_score(make_gain(name, rng), cost, rng)
    if is_failing:
        first, second = score.simulators
        score = dataclasses.replace(
            score, simulators=[dataclasses.replace(first, failure=make_failures(rng), caution=3.0, sure=0.8), second]
        )
    if setup_cost is not None:
        score = dataclasses.replace(score, setup_cost=setup_cost, may_leave_out=True)
    x = 0.05 + 0.9 * rng.random((8, 2))
    numeric, is_smooth = differences(score, x)
    scores, gradient = score.score_and_gradient(x)
    scale = np.abs(numeric).max()
    assert scale > 0.1
    assert is_smooth.sum() >= 7
    if not is_failing:  # what fails where it is accurate is run at few fidelities, or not at all
        assert len(np.unique(scores.fidelities)) > 2  # not one fidelity everywhere
        assert np.isnan(scores.fidelities).any() == (setup_cost is not None)
    np.testing.assert_allclose(gradient[is_smooth], numeric[is_smooth], atol=1e-4 * scale)
    np.testing.assert_allclose(scores.values, score.score(x).values, rtol=1e-12)


def test_with_sampled_regions_the_mean_gradient_is_that_of_the_boxes_within_a_tenth(rng: np.random.Generator) -> None:
    """A score by samples is a step function; what its gradient stands for is that of the exact score."""
    fronts = [front + 2.6 for front in make_fronts(rng)]  # high enough for many draws to lie below them
    exact = make_score(FrontGain(BoxRegions.below(fronts)), "learned", np.random.default_rng(5))
    x = 0.05 + 0.9 * rng.random((8, 2))
    numeric, is_same = differences(exact, x)
    gradients = []
    for _ in range(16):
        common, own = (qmc.Sobol(N_OUTPUTS + more, rng=rng).random_base2(10) for more in (0, 1))
        regions = SampledRegions.below(fronts, ndtri(common), own)
        sampled = GainPerCost(exact.surrogates, FrontGain(regions), exact.simulators)
        scores, gradient = sampled.score_and_gradient(x)
        is_same &= (scores.fidelities == exact.score(x).fidelities).all(axis=1)
        gradients.append(gradient)
    assert is_same.sum() >= 5
    mean = np.mean(gradients, axis=0)
    np.testing.assert_allclose(mean[is_same], numeric[is_same], atol=0.1 * np.abs(numeric).max())


def best_by_trying_all(score: GainPerCost, x: np.ndarray, iteration: int | None) -> tuple[float, list[float]]:
    """The best ratio at one design (d,) and its fidelity vector, every vector of the product of the grids tried."""
    best, best_vector = -np.inf, []
    for vector in product(*(simulator.fidelities for simulator in score.simulators)):
        fidelity_of = {j: vector[s] for s, each in enumerate(score.simulators) for j in each.outputs}
        is_allowed, cost = True, 0.0
        for simulator, z in zip(score.simulators, vector, strict=True):
            price, full_price = simulator.cost.ratio(x[None], np.array([z, 1.0]))[0]
            cost += price
            if iteration is not None:
                found = [
                    is_in_reduced_space(score.surrogates[j], x, z, price / full_price, iteration)
                    for j in simulator.outputs
                ]
                is_allowed &= any(found)
        if not is_allowed:
            continue
        moments = [each.moments(x[None], np.array([fidelity_of[j]])) for j, each in enumerate(score.surrogates)]
        ratio = sum(float(values[0, 0]) for values in score.gain.values(moments)) / cost
        if ratio > best:
            best, best_vector = ratio, list(vector)
    return best, best_vector


@pytest.mark.parametrize("iteration", [None, ITERATION])
@pytest.mark.parametrize("cost", COSTS)
def test_the_chosen_vector_is_the_best_of_the_product_of_all_grids(
    cost: str, iteration: int | None, rng: np.random.Generator
) -> None:
    reduction = None if iteration is None else FidelityReduction(iteration)
    score = make_score(make_gain("truncated", rng), cost, rng, reduction)
    x = rng.random((5, 2))
    scores = score.score(x)
    for i, design in enumerate(x):
        ratio, vector = best_by_trying_all(score, design, iteration)
        assert scores.values[i] == pytest.approx(ratio, rel=1e-9)
        np.testing.assert_array_equal(scores.fidelities[i], vector)


def test_a_reduction_changes_the_choice_and_lowers_the_score_where_it_forbids(rng: np.random.Generator) -> None:
    seed = int(rng.integers(1000))
    free, reduced = (
        make_score(make_gain("truncated", np.random.default_rng(seed)), COSTS[0], np.random.default_rng(seed), each)
        for each in (None, FidelityReduction(ITERATION))
    )
    x = rng.random((30, 2))
    before, after = free.score(x), reduced.score(x)
    has_changed = (before.fidelities != after.fidelities).any(axis=1)
    assert has_changed.any()
    assert (after.values[has_changed] < before.values[has_changed]).all()
    np.testing.assert_allclose(after.values[~has_changed], before.values[~has_changed])


def test_a_run_that_may_fail_brings_the_gain_of_those_that_answer_for_the_mean_price(rng: np.random.Generator) -> None:
    failures = make_failures(rng)
    sound = PricedSimulator((0,), np.array([0.2, 1.0]), declared("1 + z**2", 1.0))
    failing, careful = (dataclasses.replace(sound, failure=failures, caution=each, sure=0.8) for each in (0.0, 3.0))
    processes, gain = make_processes(rng)[:1], TruncatedGain(np.array([[1.0]]))
    x = np.array([[0.05, 0.5], [0.95, 0.5]])  # where all is well, and where hardly anything is
    moments = [process.moments(x, sound.fidelities) for process in processes]
    without, along, with_care = (each.prospect(x, moments, gain.values(moments)) for each in (sound, failing, careful))
    p = failures.probability(x, sound.fidelities)
    assert p[0].max() < 0.3
    assert p[1].min() > 0.6
    np.testing.assert_allclose(along.expected_gain, (1.0 - p) * without.expected_gain)
    assert p[0].min() < 0.2 < p[1].max()
    care = np.minimum(1.0, (1.0 - p) / 0.8) ** 3
    np.testing.assert_allclose(with_care.expected_gain, care * (1.0 - p) * without.expected_gain)
    np.testing.assert_allclose(along.expected_cost, ((1.0 - p) + 0.3 * p) * without.expected_cost)


def test_a_fidelity_is_allowed_if_any_output_finds_it_worth_considering(rng: np.random.Generator) -> None:
    grid = np.linspace(0.0, 1.0, 6)
    processes = make_processes(rng)
    simulator = PricedSimulator((0, 2), grid, declared("0.1 + z**2", 4.0), FidelityReduction(ITERATION))
    x = rng.random((20, 2))
    cost = simulator.cost.ratio(x, grid)
    allowed = simulator.allowed([process.moments(x, grid) for process in processes], cost)
    by_output = np.array(
        [
            [
                [is_in_reduced_space(processes[j], design, z, (0.1 + z**2) / 1.1, ITERATION) for z in grid]
                for design in x
            ]
            for j in (0, 2)
        ]
    )
    assert (by_output[0] != by_output[1]).any()  # else "any" and "all" would be the same
    np.testing.assert_array_equal(allowed, by_output[0] | by_output[1])


def test_without_a_reduction_every_fidelity_is_allowed(rng: np.random.Generator) -> None:
    grid = np.linspace(0.0, 1.0, 6)
    simulator = PricedSimulator((0,), grid, declared("z + 0.1", 1.0))
    moments = [process.moments(rng.random((4, 2)), grid) for process in make_processes(rng)]
    assert simulator.allowed(moments, np.ones((4, 6))).all()


def test_designs_scored_in_chunks_get_the_scores_they_get_all_at_once(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    score, x = make_score(make_gain("skew", rng), "learned", rng), rng.random((23, 2))
    whole = score.score(x)
    sizes = []
    moments = GaussianProcess.moments

    def counting(process: GaussianProcess, designs: np.ndarray, z: np.ndarray) -> object:
        sizes.append(len(designs))
        return moments(process, designs, z)

    monkeypatch.setattr(score_module, "MAX_KERNEL_ENTRIES", 5 * 7 * 6)  # five designs, 7 observations, 6 fidelities
    monkeypatch.setattr(GaussianProcess, "moments", counting)
    parts = score.score(x)
    assert sizes == [5] * 12 + [3] * 3  # of three outputs each
    np.testing.assert_allclose(parts.values, whole.values, rtol=1e-9)
    np.testing.assert_array_equal(parts.fidelities, whole.fidelities)


@pytest.mark.parametrize("name", GAINS)
def test_before_any_question_the_best_of_a_pool_has_the_best_score(name: str, rng: np.random.Generator) -> None:
    score = make_score(make_gain(name, rng), "depending on the design", rng)
    x = rng.random((12, 2))
    scores = score.score(x)
    best = int(np.argmax(scores.values))
    design, fidelities = Pool(score, x).best(score)
    np.testing.assert_array_equal(design, x[best])
    np.testing.assert_array_equal(fidelities, scores.fidelities[best])


@pytest.mark.parametrize("name", GAINS)
def test_a_question_counts_by_what_its_run_would_still_explain(name: str, rng: np.random.Generator) -> None:
    """By plain algebra: the variance at full accuracy without and with one run more, before and after the questions."""
    first = make_score(make_gain(name, rng), "constant in the design", rng)
    asked, x = rng.random(2), rng.random((9, 2))
    after = dataclasses.replace(first, surrogates=[each.believing_one(asked, 0.4) for each in first.surrogates])
    grids = [np.linspace(0.0, 1.0, 6), np.array([0.0, 0.3, 0.7, 1.0]), np.linspace(0.0, 1.0, 6)]

    def lowered(process: GaussianProcess, design: np.ndarray, z: float) -> float:
        """By a run that is observed as well as anything is."""
        _, covariance = joint_posterior(process, np.array([design, design]), np.array([z, 1.0]))
        noise = float(process.kernel.noise(np.array([z]))[0]) + RESOLUTION**2
        return float(covariance[0, 1] ** 2 / (covariance[0, 0] + noise))

    shares = [
        np.array([[lowered(now, design, z) / lowered(before, design, z) for z in grid] for design in x])
        for before, now, grid in zip(first.surrogates, after.surrogates, grids, strict=True)
    ]
    moments = [surrogate.moments(x, grid) for surrogate, grid in zip(first.surrogates, grids, strict=True)]
    gains = [gain * share for gain, share in zip(first.gain.values(moments), shares, strict=True)]
    totals = [gains[0] + gains[2], gains[1]]
    costs = [simulator.cost.ratio(x, simulator.fidelities) for simulator in first.simulators]
    ratios = [
        (totals[0][i, k] + totals[1][i, m]) / (costs[0][i, k] + costs[1][i, m])
        for i in range(9)
        for k in range(6)
        for m in range(4)
    ]
    i, k, m = np.unravel_index(int(np.argmax(ratios)), (9, 6, 4))
    design, fidelities = Pool(first, x).best(after)
    np.testing.assert_array_equal(design, x[i])
    np.testing.assert_array_equal(fidelities, [grids[0][k], grids[1][m]])


@pytest.mark.parametrize("name", GAINS)
def test_what_was_asked_is_not_asked_again_before_something_else_is(name: str, rng: np.random.Generator) -> None:
    score, x = make_score(make_gain(name, rng), "constant in the design", rng), rng.random((6, 2))
    first, _ = Pool(score, x).best(score)
    processes = score.surrogates
    for _ in range(3):  # until nothing is left of what it tells
        processes = [each.believing_one(first, 1.0) for each in processes]
    second, _ = Pool(score, x).best(dataclasses.replace(score, surrogates=processes))
    assert not np.array_equal(first, second)

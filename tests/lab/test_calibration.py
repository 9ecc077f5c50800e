"""The measuring behind experiments/calibration: predictors whose honesty is known must be found so."""

import math
from dataclasses import asdict, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import lognorm, norm

from experiments.calibration.accuracy import LEVELS, Accuracy, Moment, accuracies, accuracy, in_user_signs
from experiments.calibration.drawing import reliability
from experiments.calibration.judging import (
    COSTS,
    MOMENTS,
    N_TO_VERIFY,
    RANDOM,
    RECOMMENDED,
    REMAINING,
    designs_to_verify,
    judge_study,
    stages_of,
    with_full_runs,
)
from experiments.calibration.models import MODELS, StandardisedPredictor, fit_beliefs, settings_of
from experiments.calibration.predictions import GaussianPrediction, Predictor
from experiments.calibration.problems import CASES, Case, as_costs, find_case
from experiments.calibration.results import Calibration, CalibrationFolder, from_line, read_calibrations, to_line
from experiments.calibration.run import waiting
from experiments.calibration.tables import groups_of, report_sections
from imoca import Fidelity, Objective, Problem, Real, Simulator, Study
from imoca.arrays import Array
from imoca.errors import MethodError, ProblemError
from imoca.methods import initial_size
from imoca.models.surrogates import DEFAULT_MODEL
from imoca.snapshot import recommend
from imoca.trials import TrialTable
from imoca_lab.benchmark import Benchmark
from imoca_lab.harness.drive import net_costs
from imoca_lab.harness.run_spec import ProblemChoice

N = 4000


def told_of(shrinkage: float, unit: float = 1.0) -> tuple[GaussianPrediction, Array]:
    """A prediction whose error bars are too short by a factor, and truths drawn from the honest one."""
    rng = np.random.default_rng(3)
    mean, deviation = 5.0 + rng.normal(size=N), np.exp(rng.normal(size=N))
    truth = mean + deviation * rng.normal(size=N)
    return GaussianPrediction(unit * mean, unit * deviation * shrinkage), unit * truth


def binomial_error(share: float) -> float:
    """Four standard errors."""
    return 4.0 * math.sqrt(share * (1.0 - share) / N)


@pytest.mark.parametrize("level", LEVELS)
def test_a_calibrated_predictor_covers_what_it_promises(level: float) -> None:
    found = accuracy(*told_of(1.0), spread=1.0)
    assert found.covered(level) == pytest.approx(level, abs=binomial_error(level))
    assert found.score == pytest.approx(1.0, abs=4.0 / math.sqrt(2.0 * N))


def test_with_half_the_deviation_ninety_per_cent_become_fifty_nine() -> None:
    found = accuracy(*told_of(0.5), spread=1.0)
    assert found.covered(0.9) == pytest.approx(0.589, abs=binomial_error(0.589))
    assert found.score == pytest.approx(2.0, abs=8.0 / math.sqrt(2.0 * N))


def test_every_number_of_three_designs_by_hand() -> None:
    prediction = GaussianPrediction(np.array([0.0, 0.0, 2.0]), np.array([1.0, 2.0, 1.0]))
    found = accuracy(prediction, np.array([0.5, -4.0, 4.5]), spread=2.0)
    assert found.n_designs == 3
    assert found.covered(0.5) == pytest.approx(1 / 3)  # 0.5, 2 and 2.5 deviations off; half lies within 0.67
    assert found.covered(0.95) == pytest.approx(1 / 3)  # 1.96
    assert found.covered(0.99) == pytest.approx(3 / 3)  # 2.58
    assert found.error == pytest.approx(math.sqrt((0.25 + 16.0 + 6.25) / 3) / 2.0)
    assert found.score == pytest.approx(math.sqrt((0.25 + 4.0 + 6.25) / 3))
    assert found.worst_score == pytest.approx(2.5)
    assert found.width == pytest.approx(2 * 1.6448536 * 1.0 / 2.0)
    densities = norm.logpdf([0.25, -2.0, 2.25], [0.0, 0.0, 1.0], [0.5, 1.0, 0.5])  # all in units of the spread
    assert found.log_loss == pytest.approx(-densities.mean())


def test_no_number_depends_on_the_unit_of_the_objective() -> None:
    in_metres, in_millimetres = (accuracy(*told_of(0.7, unit), spread=3.0 * unit) for unit in (1.0, 1000.0))
    for name, value in asdict(in_metres).items():
        assert value == pytest.approx(asdict(in_millimetres)[name]), name


class LogNormal:
    """The median and the logarithm's deviation are 1: a prediction that is no Gaussian."""

    centre = np.ones(N)

    def interval(self, level: float) -> tuple[Array, Array]:
        low, high = lognorm.interval(level, 1.0)
        return np.full(N, low), np.full(N, high)

    def scores(self, values: Array) -> Array:
        return np.log(values)

    def log_density(self, values: Array) -> Array:
        return np.asarray(lognorm.logpdf(values, 1.0))


def test_a_prediction_need_not_be_gaussian() -> None:
    found = accuracy(LogNormal(), np.exp(np.random.default_rng(4).normal(size=N)), spread=1.0)
    assert found.covered(0.9) == pytest.approx(0.9, abs=binomial_error(0.9))
    entropy = 0.5 + 0.5 * math.log(2.0 * math.pi)  # of the log-normal distribution with mu = 0 and sigma = 1
    assert found.log_loss == pytest.approx(entropy, abs=4.0 * math.sqrt(1.5 / N))


# A small benchmark: one objective to minimise, one to maximise, of very different sizes.


def loss(x: float, z: float) -> float:
    return 1000.0 + 300.0 * (x - 0.3) ** 2 + 5.0 * (1.0 - z)


def profit(x: float, z: float) -> float:
    return -((x - 0.8) ** 2) + 0.1 * (1.0 - z)


KNOB = Fidelity.continuous()
PROBLEM = Problem(
    [Real("x", 0.0, 1.0)],
    [
        Simulator("loss", [Objective("loss", "minimize")], loss, fidelity=KNOB, cost="0.1 + z"),
        Simulator("profit", [Objective("profit", "maximize")], profit, fidelity=KNOB, cost="0.1 + z"),
    ],
)


def true_values(x: Array) -> Array:
    return np.column_stack([[-loss(v, 1.0) for v in x[:, 0]], [profit(v, 1.0) for v in x[:, 0]]])


BENCHMARK = Benchmark(
    "small", PROBLEM, np.array([-2000.0, -2.0]), true_values, np.array([[-1000.0, -0.25], [-1075.0, 0.0]]), 1.0
)


def told(fidelities: Array, x: Array) -> TrialTable:
    """One trial per design, both simulators at the same fidelity."""
    with Study(PROBLEM) as study:
        for design, z in zip(x.tolist(), fidelities.tolist(), strict=True):
            values = {"loss": loss(design, z), "profit": profit(design, z)}
            study.add({"x": design}, {"loss": z, "profit": z}, values)
        return study.table()


def fitted(table: TrialTable) -> Predictor:
    predictor = fit_beliefs(table)
    assert predictor is not None
    return predictor


@pytest.fixture(scope="module")
def cheap() -> TrialTable:
    return told(np.tile([0.0, 0.5], 8), np.linspace(0.02, 0.98, 16))


def test_predictions_are_in_the_units_and_signs_of_the_simulators() -> None:
    table = told(np.ones(12), np.linspace(0.0, 1.0, 12))
    first, second = fitted(table).predict(table.x)
    assert first.centre == pytest.approx([trial.values["loss"] for trial in table.trials], rel=1e-3)
    assert second.centre == pytest.approx([trial.values["profit"] for trial in table.trials], abs=1e-2)


def test_predictions_are_those_that_a_recommendation_shows(cheap: TrialTable) -> None:
    points = recommend(cheap, seed=0)[::20]
    predicted = fitted(cheap).predict(PROBLEM.space.encode_all([point.parameters for point in points]))
    for name, prediction in zip(("loss", "profit"), predicted, strict=True):
        low, high = prediction.interval(0.6826895)  # one deviation to each side
        assert prediction.centre == pytest.approx([point.predicted[name] for point in points])
        assert (high - low) / 2.0 == pytest.approx([point.uncertainty[name] for point in points], rel=1e-6)


def test_the_truth_of_a_minimised_objective_is_what_its_simulator_returns() -> None:
    x = np.array([[0.1], [0.9]])
    assert in_user_signs(PROBLEM, true_values(x)).tolist() == [[loss(v, 1.0), profit(v, 1.0)] for v in (0.1, 0.9)]


def test_standardised_models_are_led_back_to_the_users_values() -> None:
    def moments(x: Array) -> tuple[Array, Array]:
        return np.column_stack([x[:, 0], -x[:, 0]]), np.full((len(x), 2), 0.5)

    predictor = StandardisedPredictor(moments, np.array([-10.0, 3.0]), np.array([2.0, 4.0]), np.array([-1.0, 1.0]))
    first, second = predictor.predict(np.array([[1.0]]))
    assert (first.mean.tolist(), first.deviation.tolist()) == ([8.0], [1.0])  # -(-10 + 2 * 1), 2 * 0.5
    assert (second.mean.tolist(), second.deviation.tolist()) == ([-1.0], [2.0])  # 3 + 4 * -1, 4 * 0.5


def test_momf_predicts_what_it_was_told_at_full_accuracy() -> None:
    pytest.importorskip("botorch", reason="needs imoca[peers]")
    table = told(np.ones(8), np.linspace(0.0, 1.0, 8))
    predictor = MODELS["botorch-momf"].fit(table)
    assert predictor is not None
    first, second = predictor.predict(table.x)
    assert first.centre == pytest.approx([trial.values["loss"] for trial in table.trials], rel=1e-3)
    assert second.centre == pytest.approx([trial.values["profit"] for trial in table.trials], abs=1e-2)


@pytest.mark.slow
def test_a_study_is_judged_at_three_costs_and_after_verification(cheap: TrialTable) -> None:
    judged = judge_study(BENCHMARK, cheap, (1.0, 2.0, 99.0), seed=0, search="product", models=["product"])["product"]
    assert [moment.name for moment in judged] == list(MOMENTS)
    assert [moment.n_trials for moment in judged[2:]] == [len(cheap), len(cheap) + N_TO_VERIFY]
    assert [moment.n_full_runs for moment in judged[2:]] == [{"loss": 0, "profit": 0}, {"loss": 4, "profit": 4}]
    assert judged[3].cost - judged[2].cost == pytest.approx(2.0 * N_TO_VERIFY)  # two simulators
    assert all(earlier.cost <= later.cost for earlier, later in pairwise(judged))
    assert judged[0].cost >= 1.0 > judged[0].cost - 2.0 * 0.6 / 1.1  # the dearest trial is at z = 0.5
    for moment in judged:
        used = moment.n_recommended - moment.n_verified
        assert {each.n_designs for each in moment.accuracies[RECOMMENDED].values()} == {used}
    before, after = (moment.accuracies[REMAINING]["loss"] for moment in judged[2:])
    assert before.n_designs == after.n_designs == judged[2].n_recommended - N_TO_VERIFY
    assert after.error < before.error  # four true values of a parabola


@pytest.mark.slow
def test_designs_that_were_run_at_full_accuracy_are_left_out_and_counted() -> None:
    verified = told(np.ones(9), np.linspace(0.0, 1.0, 9))  # the middle ones are on the front
    stage = stages_of(BENCHMARK, verified, (1.0, 2.0, 99.0), seed=0, model=DEFAULT_MODEL)[2]
    points = recommend(verified, seed=0)
    known = {trial.parameters["x"] for trial in verified.trials}
    assert stage.n_verified == sum(point.parameters["x"] in known for point in points) > 0
    assert stage.n_recommended == len(points) == len(stage.samples[RECOMMENDED].x) + stage.n_verified
    assert not known & set(stage.samples[RECOMMENDED].x[:, 0].tolist())


def test_designs_to_verify_are_the_ends_of_the_front_and_two_between(cheap: TrialTable) -> None:
    x = np.linspace(0.3, 0.8, 60)[:, None]  # from the best loss to the best profit
    chosen = x[designs_to_verify(cheap, x, seed=0, model=DEFAULT_MODEL), 0]
    assert len(chosen) == N_TO_VERIFY
    assert (chosen[0], chosen[-1]) == pytest.approx((0.3, 0.8), abs=0.05)
    assert np.diff(chosen).min() > 0.05


def test_nothing_is_verified_where_nothing_is_recommended(cheap: TrialTable) -> None:
    assert designs_to_verify(cheap, np.empty((0, 1)), seed=0, model=DEFAULT_MODEL).tolist() == []
    assert accuracies(PROBLEM, fitted(cheap), np.empty((0, 1)), np.empty((0, 2)), np.ones(2)) == {}


def test_verifying_adds_the_answers_of_the_simulators_at_full_accuracy(cheap: TrialTable) -> None:
    more = with_full_runs(cheap, np.array([[0.25], [0.75]]))
    assert more.trials[: len(cheap)] == cheap.trials
    assert [dict(trial.values) for trial in more.trials[len(cheap) :]] == [
        {"loss": loss(x, 1.0), "profit": profit(x, 1.0)} for x in (0.25, 0.75)
    ]
    assert more.is_verified.tolist() == [False] * len(cheap) + [True] * 2


# What is kept, and the tables.


def kept(seed: int = 0, covered: float = 0.5, model: str = "product") -> Calibration:
    own = Accuracy(7, (covered,) * len(LEVELS), 0.1234, 2.0, 3.5, math.inf, 0.25)
    moments = tuple(
        Moment(name, 1.5, 20, 9, 2, {"loss": 0}, {kind: {"loss": own} for kind in (RECOMMENDED, RANDOM, REMAINING)})
        for name in MOMENTS
    )
    problem = ProblemChoice("trap")
    return Calibration(problem, (1.0, 2.0, 3.0), None, "product", model, seed, {"imoca": "0"}, "run", moments)


def test_a_line_holds_all_of_a_calibration() -> None:
    assert from_line(to_line(kept())) == kept()


def test_results_are_kept_by_study_and_model_and_replaced(tmp_path: Path) -> None:
    folder = CalibrationFolder(tmp_path / "results")
    folder.add([kept(1), kept(0), kept(0, model="botorch-momf")])
    folder.add([kept(1, covered=0.75)])
    found = read_calibrations(tmp_path / "results")
    assert [each.key[2:] for each in found] == [("botorch-momf", 0), ("product", 0), ("product", 1)]
    assert found[-1] == kept(1, covered=0.75)
    again = CalibrationFolder(tmp_path / "results")
    assert again.holds(kept().key, (1.0, 2.0, 3.0), None)
    assert not again.holds(kept().key, (1.0, 2.0, 4.0), None)


def test_only_what_has_no_result_is_run(tmp_path: Path) -> None:
    folder, case = CalibrationFolder(tmp_path), find_case("trap")
    folder.add([replace(kept(0), costs=case.costs)])
    found = waiting([case, find_case("qv")], range(2), "product", ["product", "botorch-momf"], folder)
    assert [(work.case.label, work.seed, work.models) for work in found] == [
        ("trap", 0, ("botorch-momf",)),
        ("qv", 0, ("product", "botorch-momf")),
        ("trap", 1, ("product", "botorch-momf")),
        ("qv", 1, ("product", "botorch-momf")),
    ]


def test_tables_hold_mean_coverage_medians_of_the_rest_and_the_worst() -> None:
    seeds = [kept(seed, covered) for seed, covered in enumerate((0.9, 0.4, 0.8))]
    (group,) = groups_of(seeds)
    assert reliability(group, COSTS[-1]).tolist() == pytest.approx([0.7] * len(LEVELS))
    overall, own = report_sections(seeds)
    assert overall.tables[0].rows == (("trap", "product", "3", *["70 % (40 %)"] * 5, *["2 (2)"] * 5),)
    assert own.tables[1].rows[0][:3] == ("product", "first cost", "70 % (40 %)")
    assert own.tables[1].rows[0][-1] == "inf (inf)"


def test_a_model_on_the_trials_of_another_says_so() -> None:
    names = [group.series for group in groups_of([kept(), kept(model="botorch-momf")])]
    assert names == ["product", "botorch-momf, trials of product"]


def test_variants_of_any_benchmark_can_be_asked_for() -> None:
    case = find_case("adversarial:constant", as_costs([1.0, 2.0, 3.0]))
    assert case.problem == ProblemChoice("adversarial", variant="constant")
    assert (case.label, case.costs) == ("adversarial-constant", (1.0, 2.0, 3.0))
    assert find_case("rocket-per_objective") == find_case("rocket")
    with pytest.raises(ProblemError, match="no problem 'tarp'"):
        find_case("tarp")
    with pytest.raises(ProblemError, match="smallest first"):
        as_costs([3.0, 2.0, 1.0])
    with pytest.raises(MethodError, match="No study searches with 'botorch-momf'"):
        settings_of("botorch-momf")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.label)
def test_every_problem_of_the_list_has_three_costs_beyond_its_initial_design(case: Case) -> None:
    problem = case.problem.benchmark().problem
    assert as_costs(case.costs) == case.costs
    with Study(problem, seed=0) as study:
        size = initial_size(problem, "cheap")
        if any(simulator.is_cost_measured for simulator in problem.simulators):
            study.optimize(trials=size, progress=False)  # nobody knows before
        for _ in range(size - len(study.trials)):
            study.tell(study.ask(), {output.name: 0.0 for output in problem.outputs})
        assert net_costs(study.table()).sum() < case.costs[0]


def test_a_doubtful_prediction_has_a_density_that_adds_up_to_one_and_scores_that_fit_its_intervals(
    cheap: TrialTable,
) -> None:
    for prediction in fitted(cheap).predict(np.array([[0.13]])):
        low, high = prediction.interval(0.9)
        np.testing.assert_allclose(
            sorted([*prediction.scores(low), *prediction.scores(high)]), [-1.645, 1.645], atol=1e-3
        )
        assert prediction.scores(low)[0] < prediction.scores(high)[0]
        centre, width = float(prediction.centre[0]), float(high[0] - low[0])
        steps = width * np.sinh(np.linspace(-9.0, 9.0, 4001)) / 100.0  # fine about the centre, far into the tails
        density = [float(np.exp(prediction.log_density(np.array([centre + step]))[0])) for step in steps]
        assert np.trapezoid(density, steps) == pytest.approx(1.0, abs=5e-3)

"""What is believed: questions without an answer, and where each fit starts."""

import logging
import threading
from collections.abc import Callable
from typing import cast, get_args

import numpy as np
import pytest
from deciding import believe, posterior, trial_at, try_to_believe

from imoca.methods import beliefs as beliefs_module
from imoca.methods.beliefs import Beliefs
from imoca.models.cost import cost_models
from imoca.models.fitting import starts_of
from imoca.models.form import Form
from imoca.models.gp import JITTERS, GaussianProcess
from imoca.models.product import ProductKernel
from imoca.models.surrogates import ModelName
from imoca.models.truth_and_error import TruthAndError
from imoca.problem.fidelity import Fidelity
from imoca.problem.parameters import Real
from imoca.problem.problem import Problem
from imoca.problem.simulator import Objective, Simulator
from imoca.trials import Answer, Trial, TrialTable

PROBLEM = Problem(
    [Real("a", 0.0, 2.0), Real("b", -1.0, 1.0)],
    [
        Simulator("s", [Objective("f", "minimize")], fidelity=Fidelity.continuous(), cost="0.1 + z"),
        Simulator("t", [Objective("g", "maximize")], fidelity=Fidelity.continuous(), cost="0.1 + z"),
    ],
)
ASKED = np.array([0.45, 0.55])
FIT_OF_F, FIT_OF_G = (tuple(np.log([0.4, 0.5, 1.5, 2.0, 1.2, 1e-4]) + 0.01 * i) for i in range(2))


def values_at(x: np.ndarray) -> dict[str, float]:
    """Below zero, so that no logarithm is tried."""
    return {"f": float(np.sin(4 * x[0]) + x[1] - 3.0), "g": float(np.cos(3 * x[1]) * x[0] - 2.0)}


def make_trials(n: int = 9) -> list[Trial]:
    rng = np.random.default_rng(8)
    designs, fidelities = rng.random((n, 2)), rng.random((n, 2))
    return [
        trial_at(PROBLEM, i, x, z, Answer(values_at(x)))
        for i, (x, z) in enumerate(zip(designs, fidelities, strict=True))
    ]


def believed(trials: list[Trial]) -> Beliefs:
    beliefs = believe(PROBLEM, trials)
    assert beliefs is not None
    return beliefs


@pytest.mark.parametrize("answer", [None, Answer(failures={"s": "no", "t": "no"})], ids=["running", "failed"])
def test_a_question_without_an_answer_leaves_every_mean_and_lowers_the_variance_where_it_was_asked(
    answer: Answer | None, rng: np.random.Generator
) -> None:
    trials = make_trials()
    before = believed(trials)
    after = believed([*trials, trial_at(PROBLEM, 9, ASKED, [0.3, 0.8], answer)])
    assert after.n_data == before.n_data + 1
    assert len(after.data[0].values) == len(trials)  # it is no observation
    elsewhere = rng.random((20, 2))
    for old, new, z in zip(before.surrogates, after.surrogates, [0.3, 0.8], strict=True):
        np.testing.assert_allclose(new.mean_at_target(elsewhere), old.mean_at_target(elsewhere), atol=1e-5)
        mean, variance = posterior(old, ASKED, z)
        assert new.values[-1] == pytest.approx(mean, abs=1e-6)
        noise = new.kernel.noise(np.array([z]))[0] + JITTERS[0] * new.kernel.signal_variance
        # Of two independent pieces of evidence the precisions add.
        remaining = float(new.moments(ASKED[None], np.array([z])).var_g[0, 0])
        assert remaining == pytest.approx(variance * noise / (variance + noise), rel=1e-3)


def test_a_question_that_one_simulator_answered_is_unanswered_for_the_other_alone() -> None:
    trials = make_trials()
    half = Answer({"f": 0.3}, failures={"t": "diverged"})
    after = believed([*trials, trial_at(PROBLEM, 9, ASKED, [0.3, 0.8], half)])
    assert [len(data.values) for data in after.data] == [10, 9]
    assert [len(surrogate.x) for surrogate in after.surrogates] == [10, 10]
    np.testing.assert_allclose(after.surrogates[1].x[-1], ASKED)
    assert after.surrogates[1].z[-1] == pytest.approx(0.8)


def test_nothing_is_believed_while_one_objective_has_no_answer() -> None:
    trials = [trial_at(PROBLEM, 0, ASKED, [0.0, 0.0], Answer({"f": 1.0}, failures={"t": "no"}))]
    assert believe(PROBLEM, trials) is None
    assert believe(PROBLEM, []) is None


def record_starts(monkeypatch: pytest.MonkeyPatch) -> list[np.ndarray | None]:
    starts: list[np.ndarray | None] = []
    here = threading.get_ident()

    def recording(form: Form, x: np.ndarray, warm_start: np.ndarray | None) -> list[np.ndarray]:
        if threading.get_ident() == here:  # figures of other tests may still be drawn
            starts.append(warm_start)
        return starts_of(form, x, warm_start)

    monkeypatch.setattr(beliefs_module, "starts_of", recording)
    return starts


def remembering(trials: list[Trial], at: int, fits: dict[str, tuple[float, ...]]) -> list[Trial]:
    old = trials[at]
    remembered = Trial(old.number, old.parameters, old.fidelities, fits, old.answer)
    return [*trials[:at], remembered, *trials[at + 1 :]]


def test_a_fit_starts_at_that_of_the_last_trial_that_remembers_one(monkeypatch: pytest.MonkeyPatch) -> None:
    older = {"f": tuple(0.9 * log for log in FIT_OF_F), "g": tuple(0.9 * log for log in FIT_OF_G)}
    trials = remembering(remembering(make_trials(), 3, older), 6, {"f": FIT_OF_F, "g": FIT_OF_G})
    starts = record_starts(monkeypatch)
    believe(PROBLEM, trials)
    np.testing.assert_allclose([start for start in starts if start is not None], [FIT_OF_F, FIT_OF_G])


def test_without_any_memory_fits_start_afresh_and_are_remembered_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    starts = record_starts(monkeypatch)
    beliefs = believed(make_trials())
    assert starts == [None, None]
    for name, surrogate in zip(("f", "g"), beliefs.surrogates, strict=True):
        np.testing.assert_allclose(beliefs.fitted[name], surrogate.kernel.to_logs())


def smooth_trials(n: int, wrong: dict[int, float], dear: int = 0) -> list[Trial]:
    """Cheap runs, of which some answer f wrongly, and a few at full accuracy, which say something else."""
    x = np.random.default_rng(4).random((n + dear, 2))
    trials = []
    for i, design in enumerate(x):
        values = values_at(design)
        if i >= n:
            values["f"] += 6.0 * design[0]
        trials.append(
            trial_at(PROBLEM, i, design, [float(i >= n)] * 2, Answer(values | {"f": wrong.get(i, values["f"])}))
        )
    return trials


def test_wrong_answers_that_hide_each_other_in_the_noise_are_found_and_dear_ones_are_believed() -> None:
    """None lies beyond all others by much: there are several, on both sides."""
    wrong = {8: 5.0, 12: -11.0, 59: 5.0, 73: -11.0, 80: 5.0}
    beliefs = believed(smooth_trials(100, wrong))
    assert beliefs.set_aside == (tuple(wrong), ())
    assert beliefs.surrogates[0].kernel.noise(np.zeros(1))[0] < 1e-3
    assert len(beliefs.data[0].values) == 95
    assert believed(smooth_trials(50, {}, dear=6)).set_aside == ((), ())


def test_the_paper_s_kernel_is_fitted_to_all_that_lies_near_the_others() -> None:
    table = TrialTable.encode(PROBLEM, smooth_trials(50, {8: 5.0, 12: -11.0}))
    beliefs = beliefs_module.believe(table, "product")
    assert beliefs is not None
    assert beliefs.set_aside == ((), ())


def test_of_very_many_answers_some_are_believed_and_all_at_full_accuracy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beliefs_module, "MOST_OBSERVATIONS", 20)
    trials = make_trials(40)
    dear = [
        trial_at(PROBLEM, 40 + i, np.array([0.1 * i, 0.5]), [1.0, 0.3], Answer(values_at(np.array([0.1 * i, 0.5]))))
        for i in range(5)
    ]
    beliefs = believed([*trials, *dear])
    first, second = beliefs.surrogates
    assert len(first.x) == len(second.x) == len(beliefs.data[0].values) == 20
    assert (first.z == 1.0).sum() == 5
    f = np.array([trial.values["f"] for trial in [*trials, *dear]])
    assert beliefs.data[0].centre == pytest.approx(-f.mean())  # standardised as all of them


def test_the_surrogates_see_minimised_values_turned_and_standardised() -> None:
    trials = make_trials()
    first, second = believed(trials).surrogates
    f, g = (np.array([trial.values[name] for trial in trials]) for name in ("f", "g"))
    np.testing.assert_allclose(first.values, (f.mean() - f) / f.std())
    np.testing.assert_allclose(second.values, (g - g.mean()) / g.std())


def test_means_and_deviations_at_full_accuracy_are_those_of_plain_algebra() -> None:
    beliefs = believed(make_trials())
    x = np.array([[0.2, 0.9], [0.7, 0.1]])
    means, deviations = beliefs.means_and_deviations_at_target(x)
    np.testing.assert_allclose(beliefs.means_at_target(x), means)
    for i, design in enumerate(x):
        for j, surrogate in enumerate(beliefs.surrogates):
            mean, variance = posterior(surrogate, design, 1.0)
            assert means[i, j] == pytest.approx(mean, abs=1e-6)
            assert deviations[i, j] == pytest.approx(np.sqrt(variance), rel=1e-4)


def test_data_that_defeat_every_fit_are_reported_and_nothing_is_believed(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def failing_fit(*_: object) -> GaussianProcess:
        msg = "no Cholesky factor"
        raise np.linalg.LinAlgError(msg)

    monkeypatch.setattr(beliefs_module, "fit_on", failing_fit)
    with caplog.at_level(logging.WARNING):
        assert try_to_believe(PROBLEM, make_trials()) is None
    assert "No surrogate from 9 trials: no Cholesky factor" in caplog.text


def test_the_paper_s_kernel_is_believed_in_where_it_is_asked_for() -> None:
    table = TrialTable.encode(PROBLEM, make_trials())
    for model, kind in (("product", ProductKernel), ("truth-and-error", TruthAndError)):
        beliefs = beliefs_module.believe(table, cast(ModelName, model))
        assert beliefs is not None
        assert all(isinstance(each.kernel, kind) for each in beliefs.surrogates)


def steep_trials(n: int, model_of_f: Callable[[np.ndarray], float]) -> list[Trial]:
    rng = np.random.default_rng(8)
    return [
        trial_at(PROBLEM, i, x, [0.3, 0.3], Answer({"f": model_of_f(x), "g": float(x[0] - 2.0)}))
        for i, x in enumerate(rng.random((n, 2)))
    ]


def test_a_positive_output_that_is_plain_in_its_logarithm_is_seen_as_that() -> None:
    steep = believed(steep_trials(20, lambda x: float(np.exp(9.0 * np.sin(3.0 * x[0]) + 4.0 * x[1]))))
    assert [data.is_log for data in steep.data] == [True, False]
    even = believed(steep_trials(20, lambda x: float(5.0 + np.sin(6.0 * x[0]) + x[1])))
    assert [data.is_log for data in even.data] == [False, False]


def test_few_answers_are_no_reason_for_a_logarithm() -> None:
    beliefs = believed(steep_trials(7, lambda x: float(np.exp(9.0 * np.sin(3.0 * x[0]) + 4.0 * x[1]))))
    assert not beliefs.data[0].is_log


def test_the_paper_s_kernel_knows_no_logarithms() -> None:
    trials = steep_trials(20, lambda x: float(np.exp(9.0 * np.sin(3.0 * x[0]) + 4.0 * x[1])))
    beliefs = beliefs_module.believe(TrialTable.encode(PROBLEM, trials), "product")
    assert beliefs is not None
    assert not beliefs.data[0].is_log


def test_a_simulator_that_was_not_run_is_not_guessed() -> None:
    trials = [*make_trials(), trial_at(PROBLEM, 9, ASKED, [0.3, np.nan], Answer({"f": -2.0}))]
    assert [len(surrogate.x) for surrogate in believed(trials).surrogates] == [10, 9]


@pytest.mark.parametrize(("declared", "is_steep"), [(True, False), (False, True)])
def test_what_is_declared_of_logarithms_is_done_whatever_the_data_prefer(declared: bool, is_steep: bool) -> None:
    problem = Problem(
        PROBLEM.parameters,
        [
            Simulator("s", [Objective("f", "minimize", log=declared)], fidelity=Fidelity.continuous(), cost="0.1 + z"),
            PROBLEM.simulators[1],
        ],
    )
    exponent = 9.0 if is_steep else 0.1
    trials = steep_trials(20, lambda x: float(np.exp(exponent * np.sin(3.0 * x[0]) + 0.1 * x[1])))
    for model in get_args(ModelName):
        beliefs = beliefs_module.believe(TrialTable.encode(problem, trials), model)
        assert beliefs is not None
        assert beliefs.data[0].is_log == declared


def table_with_failures(n_fine: int, n_failed: int, z_failed: float) -> TrialTable:
    """The first simulator fails at the end; a full run costs 1 of each."""
    rng = np.random.default_rng(2)
    fine = [
        trial_at(PROBLEM, i, rng.random(2), [1.0, 1.0], Answer({"f": float(i), "g": float(i)})) for i in range(n_fine)
    ]
    failed = [
        trial_at(PROBLEM, n_fine + i, rng.random(2), [z_failed, np.nan], Answer(failures={"s": "no mesh"}))
        for i in range(n_failed)
    ]
    return TrialTable.encode(PROBLEM, [*fine, *failed])


def caution(table: TrialTable) -> float:
    return beliefs_module.caution_after(table, cost_models(table))


def test_questions_are_cautious_once_failures_cost_their_share_or_too_many_of_the_last_runs_failed() -> None:
    assert caution(table_with_failures(40, 0, 1.0)) == 0.0
    assert caution(table_with_failures(40, 2, 1.0)) == 0.0  # a fortieth of the cost, or less
    assert caution(table_with_failures(40, 8, 0.0)) == 0.0  # eight of the last twenty
    assert caution(table_with_failures(40, 9, 0.0)) > 0.0
    assert caution(table_with_failures(5, 3, 1.0)) > 0.0  # more than a twentieth of the cost


def test_a_cautious_question_counts_little_where_it_is_less_sure_to_run_than_most_that_answered() -> None:
    rng = np.random.default_rng(3)
    x = rng.random((30, 2))
    trials = [
        trial_at(
            PROBLEM,
            i,
            row,
            [1.0, 1.0],
            Answer({"g": 1.0}, failures={"s": "no"}) if row[0] > 0.7 else Answer({"f": float(row[1]), "g": 1.0}),
        )
        for i, row in enumerate(x)
    ]
    beliefs = believed(trials)
    assert beliefs.caution > 0.0
    assert beliefs.running is not None
    answered = np.unique(np.concatenate([each.x for each in beliefs.data]), axis=0)
    typical = float(np.median(beliefs.running.log_probability(answered)))
    assert beliefs.log_sure_to_run == pytest.approx(min(np.log(0.95), typical))
    logs = beliefs.running.log_probability(x)
    short = np.maximum(0.0, beliefs.log_sure_to_run - logs)
    np.testing.assert_allclose(beliefs.log_worth(x), logs - beliefs.caution * short)
    np.testing.assert_allclose(beliefs.lacking(x), short)
    np.testing.assert_allclose(beliefs.lacking_to_offer(x), np.maximum(0.0, min(np.log(0.98), typical) - logs))
    assert (beliefs.log_worth(x[x[:, 0] > 0.8]) < -30.0).all()

"""F17: data that are hard on the surrogates: the next question is sound, rescues are logged with their numbers."""

import logging
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from imoca import Fidelity, Objective, Problem, Real, Simulator, Study
from imoca.arrays import Array
from imoca.methods.registry import MethodName
from imoca.models.fitting import MAX_FIT_POINTS, thinned
from imoca.trials.trial import Trial

METHODS: tuple[MethodName, ...] = ("imoca-p", "imoca-e", "imoca-t")
N_NASTY = 799  # of these the fit of the scales takes every second one


def make_problem(d: int = 2) -> Problem:
    fidelity = Fidelity.continuous(2, 7)
    return Problem(
        [Real(f"x{i}", -3.0, 5.0) for i in range(d)],
        [Simulator(f"s{j}", [Objective(f"f{j}", "minimize")], fidelity=fidelity, cost="z") for j in range(2)],
    )


def told(method: MethodName, x: Array, z: Array, values: Array) -> Study:
    """A study of designs in the unit cube (n, d), at fidelities (n,), with answers (n, 2)."""
    study = Study(make_problem(x.shape[1]), method=method, n_fronts=3)
    for i in range(len(x)):
        design = {f"x{k}": -3.0 + 8.0 * x[i, k] for k in range(x.shape[1])}
        fidelity = 2.0 + 5.0 * z[i]
        answers = {"f0": float(values[i, 0]), "f1": float(values[i, 1])}
        study.add(design, {"s0": fidelity, "s1": fidelity}, answers)
    return study


def check_sound(study: Study, trial: Trial) -> None:
    for parameter in study.problem.parameters:
        assert isinstance(parameter, Real)
        assert parameter.low <= float(trial.parameters[parameter.name]) <= parameter.high
    for name in ("s0", "s1"):
        setting: Any = trial.fidelities[name]
        assert 2.0 <= setting <= 7.0  # false for NaN as well
    assert all(np.isfinite(logs).all() for logs in trial.fitted.values())


def is_from_a_model(trial: Trial) -> bool:
    return set(trial.fitted) == {"f0", "f1"}


def smooth(x: Array) -> Array:  # (n, 2)
    return np.column_stack([((x - 0.2) ** 2).sum(axis=1), ((x - 0.8) ** 2).sum(axis=1)])


def scaled(factors: tuple[float, float]) -> Callable[[np.random.Generator], tuple[Array, Array, Array]]:
    def make(rng: np.random.Generator) -> tuple[Array, Array, Array]:
        x = rng.random((20, 2))
        return x, rng.random(20), smooth(x) * factors

    return make


def one_design(rng: np.random.Generator) -> tuple[Array, Array, Array]:
    return np.full((20, 2), 0.3), np.ones(20), np.ones((20, 2))


def one_design_that_answers_differently(rng: np.random.Generator) -> tuple[Array, Array, Array]:
    return np.full((20, 2), 0.3), np.ones(20), rng.standard_normal((20, 2))


def nearly_one_design(rng: np.random.Generator) -> tuple[Array, Array, Array]:
    return 0.3 + 1e-9 * rng.random((60, 2)), np.ones(60), rng.standard_normal((60, 2))


def all_values_equal(rng: np.random.Generator) -> tuple[Array, Array, Array]:
    return rng.random((20, 2)), rng.random(20), np.tile([3.0, -5.0], (20, 1))


def nearly_equal_values_far_from_zero(rng: np.random.Generator) -> tuple[Array, Array, Array]:
    x = rng.random((20, 2))
    return x, rng.random(20), 1e12 + smooth(x)


def one_value_far_out(rng: np.random.Generator) -> tuple[Array, Array, Array]:
    x = rng.random((20, 2))
    values = smooth(x)
    values[3, 0] = 1e12
    return x, rng.random(20), values


DATA = {
    "one design twenty times": one_design,
    "one design that answers differently each time": one_design_that_answers_differently,
    "designs a billionth apart": nearly_one_design,
    "all values equal": all_values_equal,
    "values of 1e-12": scaled((1e-12, 1e-12)),
    "values of 1e12": scaled((1e12, -1e12)),
    "values of 1e12 and of 1e-12": scaled((1e12, 1e-12)),
    "nearly equal values far from zero": nearly_equal_values_far_from_zero,
    "one value far out": one_value_far_out,
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", DATA)
def test_the_next_question_is_sound_after(kind: str, method: MethodName, rng: np.random.Generator) -> None:
    study = told(method, *DATA[kind](rng))
    trial = study.ask()
    check_sound(study, trial)
    assert is_from_a_model(trial)


@pytest.mark.parametrize("factors", [(1e-12, 1e-12), (1e12, 1e12), (1e12, 1e-12)])
def test_questions_do_not_depend_on_the_unit_of_the_values(factors: tuple[float, float]) -> None:
    plain, other = (told("imoca-e", *scaled(each)(np.random.default_rng(3))).ask() for each in ((1.0, 1.0), factors))
    assert other.parameters == pytest.approx(plain.parameters, abs=1e-3)
    assert other.fidelities == pytest.approx(plain.fidelities, abs=1e-3)


@pytest.mark.parametrize("method", METHODS)
def test_the_next_question_is_sound_when_only_two_answers_are_known(method: MethodName) -> None:
    study = Study(make_problem(), method=method, n_fronts=3)
    for i in range(15):
        trial = study.ask()
        if i in (4, 9):
            study.tell(trial, {"f0": float(i), "f1": 1.0})
        else:
            study.fail(trial, "mesh exploded")
    trial = study.ask()
    check_sound(study, trial)
    assert is_from_a_model(trial)
    assert study.pareto_front()


@pytest.mark.parametrize("method", METHODS)
def test_a_space_filling_question_comes_when_every_answer_failed(method: MethodName) -> None:
    study = Study(make_problem(), method=method)
    designs = set()
    for _ in range(16):
        trial = study.ask()
        check_sound(study, trial)
        designs.add(tuple(trial.parameters.values()))
        study.fail(trial, "mesh exploded")
    assert len(designs) == 16


def nasty_data(rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """A covariance that rounding errors make indefinite.

    Every second observation, which the fit sees, tells that values change within a thousandth of the range and that
    there is no noise. The others, which it does not see, are a heap of nearly one design: their rows of the covariance
    differ by rounding errors only, and these exceed the noise.
    """
    assert (thinned(np.ones(N_NASTY), MAX_FIT_POINTS) == np.arange(0, N_NASTY, 2)).all()
    x, values = np.empty((N_NASTY, 4)), np.empty((N_NASTY, 2))
    n_pairs = (N_NASTY + 1) // 4
    x[::2] = np.repeat(1.0 - 0.04 * rng.random((n_pairs, 4)), 2, axis=0)
    values[::2] = np.repeat(rng.standard_normal((n_pairs, 2)), 2, axis=0)
    x[1::2] = 1.0 - 1e-10 * rng.random((N_NASTY // 2, 4))
    values[1::2] = rng.standard_normal(2)
    return x, np.ones(N_NASTY), values


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_a_matrix_that_is_not_positive_definite_is_rescued_and_the_rescue_is_logged(
    method: MethodName, rng: np.random.Generator, caplog: pytest.LogCaptureFixture
) -> None:
    study = told(method, *nasty_data(rng))
    with caplog.at_level(logging.WARNING, logger="imoca"):
        trial = study.ask()
    check_sound(study, trial)
    assert is_from_a_model(trial)
    rescues = [record for record in caplog.records if "not positive definite" in record.getMessage()]
    assert rescues
    assert all(re.search(r"Covariance of \d+ points .* jitter 1e-\d+", each.getMessage()) for each in rescues)


@pytest.mark.slow
def test_a_matrix_beyond_rescue_gives_a_space_filling_question_and_the_run_goes_on(
    rng: np.random.Generator, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("imoca.models.gp.JITTERS", (1e-10,))  # a ladder of one rung
    study = told("imoca-p", *nasty_data(rng))
    with caplog.at_level(logging.WARNING, logger="imoca"):
        trial = study.ask()
    check_sound(study, trial)
    assert not is_from_a_model(trial)
    assert f"No surrogate from {N_NASTY} trials: no Cholesky factor even with jitter 1e-10" in caplog.text
    study.tell(trial, {"f0": 0.0, "f1": 0.0})
    assert study.ask().parameters != trial.parameters


@pytest.mark.slow
def test_two_thousand_trials_are_no_obstacle(rng: np.random.Generator) -> None:
    x = rng.random((2000, 2))
    study = told("imoca-p", x, rng.random(2000), smooth(x) + 1e-3 * rng.standard_normal((2000, 2)))
    trial = study.ask()
    check_sound(study, trial)
    assert is_from_a_model(trial)

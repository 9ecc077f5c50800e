"""Absurd answers are found, honest ones are kept."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from simulating import function_of

import imoca_lab
from imoca.arrays import Array
from imoca.models import outliers
from imoca.models.gp import GaussianProcess
from imoca.models.outliers import set_aside, standing_out, suspected
from imoca.models.surrogates import form_of
from imoca.models.truth_and_error import TruthAndErrorForm
from imoca.problem.simulator import Simulator
from imoca.sobol import sobol_sequence

KNOB = TruthAndErrorForm.knob()
N = 40
FIDELITIES = np.array([0.0, 0.25, 0.5, 0.75, 1.0])


def sobol_points(n: int, n_dimensions: int, rng: np.random.Generator) -> Array:
    return np.asarray(sobol_sequence(n_dimensions, rng).random_base2(int(np.ceil(np.log2(n))))[:n])


def designs(n_columns: int, seed: int, n: int = N) -> tuple[Array, Array]:  # (n, d), (n,)
    rng = np.random.default_rng(seed)
    return sobol_points(n, n_columns, rng), rng.choice(FIDELITIES, n)


def waves(x: Array, z: Array) -> Array:
    """Between 0 and 1; a cheap run says a tenth less."""
    return (0.5 + 0.25 * np.sin(4.0 * x[:, 0]) + 0.25 * np.cos(3.0 * x[:, 1])) * (0.9 + 0.1 * z)


def found(x: Array, z: Array, values: Array) -> list[int]:
    return np.flatnonzero(set_aside(x, z, values, KNOB)).tolist()


def standing_out_of(x: Array, z: Array, values: Array) -> list[int]:
    """Of a model that calls cheap runs noisy, as several wrong ones make it."""
    kernel = replace(KNOB.kernel(KNOB.prior(2).mean, 2), scatter_variance=0.5)
    return np.flatnonzero(standing_out(GaussianProcess.condition(x, z, values, kernel))).tolist()


@pytest.mark.parametrize(("off", "is_found"), [(0.02, False), (0.1, False), (1.0, True), (-1.0, True)])
def test_a_model_that_is_sure_to_the_last_digits_sets_nothing_aside_that_it_nearly_foresaw(
    off: float, is_found: bool
) -> None:
    """Answers of a smooth simulator are exact; what a fit misses by a hundredth of their spread is no mistake."""
    x, z = designs(2, seed=3)
    values = waves(x, z)
    suspects = np.zeros(N, dtype=np.bool_)
    suspects[np.argsort(((x - 0.5) ** 2).sum(axis=1))[0]] = True  # among the others, not at the edge
    values[suspects] += off * values.std()
    errors = np.zeros(N)
    assert outliers.impossible(x, z, values, suspects, KNOB, errors).tolist() == [is_found]


def test_what_a_model_misses_alone_stands_out_but_not_noise_nor_what_is_dearer_than_most() -> None:
    x, z = designs(2, seed=5)
    rng, z = np.random.default_rng(5), np.where(z > 0.5, 0.5, z)
    values = waves(x, z) - 0.5
    assert standing_out_of(x, z, values) == []
    assert standing_out_of(x, z, values + rng.standard_normal(N)) == []
    cheap = int(np.flatnonzero(z == 0.0)[3])
    wrong = values.copy()
    wrong[cheap] += 4.0
    assert standing_out_of(x, z, wrong) == [cheap]
    dear = z.copy()
    dear[cheap] = 1.0
    assert standing_out_of(x, dear, wrong) == []
    wrong[np.arange(N) != cheap] = 0.0  # most are equal
    assert standing_out_of(x, z, wrong) == []
    few = np.append(np.flatnonzero(z == 0.0)[:6], cheap)
    assert standing_out_of(x[few], z[few], values[few] + 9.0 * (few == cheap)) == []


@pytest.mark.parametrize("bad", [10.0, -10.0, 1e3, 1e6, -1e6, 1e308])
@pytest.mark.parametrize("z_bad", [0.0, 0.5, 1.0])
def test_one_absurd_number_is_found_at_any_fidelity(bad: float, z_bad: float) -> None:
    x, z = designs(2, seed=1)
    z[17] = z_bad
    values = waves(x, z)
    values[17] = bad
    assert found(x, z, values) == [17]


@pytest.mark.parametrize("bad", [[1e6, 1e6], [999.0, 999.0, 999.0], [10.0, -1e6], [10.0, 1e3, 1e6]])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_few_absurd_numbers_are_found_also_if_they_are_equal(bad: Sequence[float], seed: int) -> None:
    x, z = designs(2, seed)
    values, rows = waves(x, z), [3, 21, 34][: len(bad)]
    values[rows] = bad
    assert found(x, z, values) == rows


@pytest.mark.parametrize("seed", range(4))
def test_a_ten_is_found_also_where_nothing_can_be_foreseen(seed: int) -> None:
    x, z = designs(2, seed)
    values = np.random.default_rng(seed).random(N)
    values[5] = 10.0
    assert found(x, z, values) == [5]


@pytest.mark.parametrize("scale", [1e-9, 1.0, -1e9])
def test_scale_sign_and_offset_of_an_output_make_no_difference(scale: float) -> None:
    x, z = designs(2, seed=3)
    values = waves(x, z)
    values[[8, 30]] = 20.0, -1e4
    assert found(x, z, scale * (values + 5.0)) == [8, 30]


def rosenbrock(x: Array) -> Array:
    x = 15.0 * x - 5.0
    return np.asarray((100.0 * (x[:, 1:] - x[:, :-1] ** 2) ** 2 + (1.0 - x[:, :-1]) ** 2).sum(axis=1))


STEEP: dict[str, tuple[int, Callable[[Array], Array]]] = {
    "rosenbrock": (5, rosenbrock),
    "exponential": (1, lambda x: np.exp(10.0 * x[:, 0])),
    "exponential of a sum": (3, lambda x: np.exp(5.0 * x.sum(axis=1))),  # 1 to 3 million
    "pole at the edge": (1, lambda x: 1.0 / (x[:, 0] + 1e-3)),
    "pole at an edge": (2, lambda x: 1.0 / (x[:, 0] + 1e-3)),
    "pole inside": (2, lambda x: 1.0 / (((x - [0.4, 0.6]) ** 2).sum(axis=1) + 1e-3)),
}


@pytest.mark.parametrize("name", STEEP)
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_steep_functions_lose_nothing(name: str, sign: float) -> None:
    n_columns, function = STEEP[name]
    for seed in range(6):
        x, z = designs(n_columns, seed)
        values = sign * function(x) * (1.0 + 0.1 * (1.0 - z) * np.cos(5.0 * x[:, 0]))
        assert found(x, z, values) == [], seed


def test_an_answer_far_beyond_all_others_is_believed_where_a_record_was_foreseen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x, z = designs(2, seed=0)
    x[:, 0] = x[:, 0].clip(0.04)
    x[0, 0] = 1e-3
    values = 1.0 / (x[:, 0] + 1e-3)
    assert np.flatnonzero(suspected(values)).tolist() == [0]
    assert found(x, z, values) == []
    monkeypatch.setattr(outliers, "MOST_FORESEEN", 1.0)
    assert found(x, z, values) == [0]


@pytest.mark.parametrize(
    "name", ["branin_currin", "ackley_rosenbrock_sphere", "momf_park", "rocket", "trap", "qv", "dtlz1"]
)
def test_no_answer_of_a_benchmark_is_set_aside(name: str) -> None:
    problem = imoca_lab.get(name).problem
    for seed in range(3):
        rng = np.random.default_rng(seed)
        x = problem.space.from_unit(sobol_points(N, problem.space.n_parameters, rng))
        for simulator in problem.simulators:
            z = rng.choice(simulator.fidelity.grid(11), N)
            parameters = [problem.space.decode(row) for row in x]
            answers = [answer(simulator, each, float(z[i])) for i, each in enumerate(parameters)]
            for column in np.array(answers).T:
                assert not set_aside(x, z, column, form_of(simulator.fidelity, "truth-and-error")).any()


def answer(simulator: Simulator, parameters: Mapping[str, object], z: float) -> list[float]:
    knob = {"z": simulator.fidelity.decode(z)} if simulator.fidelity.has_knob else {}
    returned = function_of(simulator)(**parameters, **knob)
    returned = returned[0] if isinstance(returned, tuple) else returned
    return [returned[each.name] for each in simulator.outputs] if isinstance(returned, dict) else [returned]


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_narrow_peak_that_several_runs_have_seen_is_believed(sign: float) -> None:
    x, z = designs(2, seed=4)
    x[-3:] = x[-3] + [[0.0, 0.0], [0.03, 0.0], [0.0, -0.04]]
    values = waves(x, z) + sign * 100.0 * np.exp(-((x - x[-3]) ** 2).sum(axis=1) / 0.03**2)
    assert suspected(values).sum() == 3
    assert found(x, z, values) == []
    assert found(x[:-2], z[:-2], values[:-2]) == [N - 3]  # one run alone is not


@pytest.mark.parametrize(("again", "is_believed"), [(9.0, True), (0.5, False), (-9.0, False), (1e4, False)])
def test_an_answer_is_taken_back_when_a_run_nearby_agrees(again: float, is_believed: bool) -> None:
    x, z = designs(2, seed=5)
    x[-1], z[11], z[-1] = x[11] + 0.01, 0.25, 1.0
    values = waves(x, z)
    values[11], values[-1] = 10.0, again
    assert (11 not in found(x, z, values)) == is_believed


def test_a_peak_is_believed_beside_a_number_that_is_not() -> None:
    x, z = designs(2, seed=6)
    x[-1] = x[-2] + 0.02
    values = waves(x, z)
    values[[-1, -2, 7]] = 12.0, 15.0, 1e6
    assert found(x, z, values) == [7]


def test_three_that_are_nearer_to_each_other_than_to_the_rest_agree() -> None:
    x = np.column_stack([np.arange(20.0), np.zeros(20)])
    values = np.cos(x[:, 0])
    values[[7, 8, 9]] = 50.0
    suspects = suspected(values)
    assert np.flatnonzero(suspects).tolist() == [7, 8, 9]
    x[[7, 8, 9], 0] = 7.3, 8.0, 8.7  # their other neighbours are at 6 and 10
    assert outliers.confirmed(x, values, suspects).sum() == 3
    x[[7, 9], 0] = 6.9, 9.1  # now 8 lies no nearer to them than others do, nor they to it
    x[6, 0], x[10, 0] = 6.0, 9.2
    x[5] = 8.0, 1.0
    assert not outliers.confirmed(x, values, suspects).any()


GATHERED = {
    "rosenbrock": np.full(5, 0.4),
    "exponential": np.zeros(1),
    "exponential of a sum": np.zeros(3),
}


@pytest.mark.parametrize("name", GATHERED)
@pytest.mark.parametrize("n_elsewhere", [1, 2, 4, 6, 8])
def test_answers_elsewhere_are_kept_when_most_questions_are_asked_in_one_place(
    name: str, n_elsewhere: int, caplog: pytest.LogCaptureFixture
) -> None:
    n_columns, function = STEEP[name]
    for seed in range(3):
        x, z = designs(n_columns, seed)
        scatter = np.random.default_rng(seed).standard_normal((N - n_elsewhere, n_columns))
        x[n_elsewhere:] = (GATHERED[name] + 0.02 * scatter).clip(0.0, 1.0)
        assert found(x, z, function(x)) == []
    assert not caplog.text


@pytest.mark.parametrize("row", [3, 30])
def test_a_mistake_is_found_among_gathered_and_among_spread_questions(row: int) -> None:
    x, z = designs(2, seed=2)
    x[10:] = 0.4 + 0.1 * x[10:]
    values = waves(x, z)
    values[row] = 1e3
    assert found(x, z, values) == [row]


def test_a_mistake_is_found_where_every_design_was_run_twice() -> None:
    x, _ = designs(2, seed=2, n=20)
    x, z = np.concatenate([x, x]), np.repeat([0.5, 1.0], 20)
    values = waves(x, z)
    values[33] = 1e3
    assert found(x, z, values) == [33]
    once = np.arange(N) != 13
    assert found(x[once], z[once], values[once]) == [32]
    assert found(np.zeros((N, 2)), z, values) == [33]


def test_too_many_are_a_feature_of_the_simulator(caplog: pytest.LogCaptureFixture) -> None:
    x, z = designs(2, seed=7)
    values = waves(x, z)
    values[:5] = 999.0  # Sobol designs that follow each other lie apart
    with caplog.at_level(logging.WARNING, logger="imoca.models.outliers"):
        assert found(x, z, values) == []
    assert "5 of 40" in caplog.text
    values[4] = 0.5
    caplog.clear()
    assert found(x, z, values) == [0, 1, 2, 3]
    assert not caplog.text


def test_few_answers_are_all_believed() -> None:
    x, z = designs(2, seed=8, n=8)
    values = waves(x, z)
    values[2] = 1e6
    assert found(x[:7], z[:7], values[:7]) == []
    assert found(x, z, values) == [2]


@pytest.mark.parametrize(
    "values",
    [np.zeros(N), np.full(N, 1e12), np.append(np.zeros(N - 1), 1.0), np.append(np.full(N - 2, 0.1), [0.3, 1e6])],
)
def test_outputs_that_are_mostly_constant_lose_nothing(values: Array) -> None:
    assert found(*designs(2, seed=9), values) == []


@pytest.mark.parametrize("n_varied", [0, 8])
def test_a_suspect_among_answers_of_which_most_are_equal_is_judged_without_dividing_by_their_spread(
    n_varied: int,
) -> None:
    """Of equal ones nothing tells how far off is far; a few that differ do."""
    x, z = designs(2, 0, 24)
    values = np.ones(24)
    values[:n_varied] += 0.1 * x[:n_varied, 0]
    values[20] = 50.0
    with np.errstate(divide="raise", invalid="raise"):
        judged = outliers.impossible(x, z, values, values == 50.0, KNOB, np.zeros(24))
    assert judged.tolist() == [n_varied > 0]


def test_no_model_is_fitted_where_nothing_is_suspected(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("fitted")

    monkeypatch.setattr(outliers, "fit", refuse)
    x, z = designs(2, seed=10)
    assert found(x, z, waves(x, z)) == []
    assert found(x[:0], z[:0], z[:0]) == []


def test_the_same_answers_are_set_aside_in_any_order() -> None:
    x, z = designs(2, seed=11)
    values = waves(x, z)
    values[[4, 9]] = 50.0, -70.0
    order = np.random.default_rng(0).permutation(N)
    assert sorted(order[found(x[order], z[order], values[order])]) == [4, 9]

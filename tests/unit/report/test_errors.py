"""The learned error of a cheap run, by another route: dense Gaussian algebra and Monte Carlo."""

import numpy as np
import pytest

from imoca import Fidelity, Objective, Problem, Real, Simulator, Study
from imoca.methods.initial_design import sobol_designs
from imoca.models.kernel import covariance
from imoca.models.surrogates import ModelName
from imoca.report.page.readings import error_reading
from imoca.report.records.errors import N_DESIGNS, drawn_values, error_records
from imoca.snapshot.snapshot import Snapshot


def snapshot_of(model: ModelName, log: bool = False, n: int = 45) -> Snapshot:
    """Cheap runs are too high by a third of the way to full accuracy times 2 + sin(6 x)."""
    problem = Problem(
        [Real("x", 0, 1)],
        [
            Simulator(
                "s",
                [Objective("f", "minimize", log=log)],
                fidelity=Fidelity.continuous(10, 20),
                cost="z - 8",
            )
        ],
    )
    study = Study(problem, model=model)
    for i, x in enumerate(np.random.default_rng(4).random(n).tolist()):
        z = (0.0, 0.5, 1.0)[i % 3]
        value = 20.0 + 10.0 * np.cos(4.0 * x) + (1.0 - z) * (2.0 + np.sin(6.0 * x))
        study.add({"x": x}, {"s": 10.0 + 10.0 * z}, {"f": float(value)})
    return study.snapshot()


@pytest.mark.parametrize("model", ["truth-and-error", "product"])
def test_the_typical_error_is_that_of_the_simulator(model: ModelName) -> None:
    (record,) = error_records(snapshot_of(model))
    x = np.random.default_rng(0).random(4000)
    truth = 2.0 + np.sin(6.0 * x)
    assert record.typical[0] == pytest.approx(np.median(truth), rel=0.15)
    assert record.likely[0] == pytest.approx(np.quantile(truth, 0.9), rel=0.15)
    assert record.typical[5] == pytest.approx(0.5 * np.median(truth), rel=0.25)
    assert record.typical[-1] == record.likely[-1] == 0.0
    assert record.spread == pytest.approx(np.std(20.0 + 10.0 * np.cos(4.0 * x)), rel=0.05)
    assert record.cost_ratios == pytest.approx((np.linspace(10.0, 20.0, 11) - 8.0) / 12.0)
    assert (record.settings[0], record.settings[-1], record.n_full) == (10.0, 20.0, 15)


@pytest.mark.parametrize("model", ["truth-and-error", "product"])
def test_differences_are_distributed_as_dense_algebra_says(model: ModelName) -> None:
    """Mean and variance of g(x, z) - f(x) at one design, of the posterior written out with the whole covariance."""
    snapshot = snapshot_of(model, n=8)
    beliefs = snapshot.beliefs
    assert beliefs is not None
    gp, data = beliefs.surrogates[0], beliefs.data[0]
    design, z = np.full((400, 1), 0.37), np.array([0.2, 1.0])
    cheap, full = drawn_values(beliefs, 0, design, z, np.random.default_rng(1))
    differences = (cheap[:, :, 0] - full).ravel()
    both = covariance(gp.kernel, np.concatenate([gp.x, design[:2]]), np.concatenate([gp.z, z]))
    n = len(gp.x)
    noisy = both[:n, :n] + np.diag(gp.kernel.noise(gp.z))
    pull = both[n:, :n] @ np.linalg.inv(noisy)
    mean, posterior = pull @ gp.values, both[n:, n:] - pull @ both[:n, n:]
    scatter = gp.kernel.noise(z)[0] - gp.kernel.noise(z)[1]
    deviation = np.sqrt(posterior[0, 0] - 2.0 * posterior[0, 1] + posterior[1, 1] + scatter)
    error = deviation / np.sqrt(len(differences))
    assert differences.mean() / (data.sign * data.scale) == pytest.approx(mean[0] - mean[1], abs=4.0 * error)
    assert differences.std() / data.scale == pytest.approx(deviation, rel=0.04)
    assert np.array_equal(cheap[:, :, 1], full)


def test_the_error_of_a_logarithm_is_in_the_users_units() -> None:
    snapshot = snapshot_of("truth-and-error", log=True)
    assert snapshot.beliefs is not None
    assert snapshot.beliefs.data[0].is_log
    (record,) = error_records(snapshot)
    x = sobol_designs(snapshot.problem, N_DESIGNS, np.random.default_rng(0))[:, 0]
    assert record.typical[0] == pytest.approx(np.median(2.0 + np.sin(6.0 * x)), rel=0.15)


def test_the_reading_names_error_price_and_what_was_never_run_at_full_accuracy() -> None:
    (record,) = error_records(snapshot_of("truth-and-error"))
    reading = error_reading([record])
    assert f"f is off by {record.typical[0]:.3g} for 16.7 % of the cost, where it varies by" in reading
    assert "No run" not in reading
    problem = Problem(
        [Real("x", 0, 1)],
        [Simulator("s", [Objective("f", "minimize")], fidelity=Fidelity.levels([1, 2]), cost=[1, 4])],
    )
    study = Study(problem, method="random")
    for x in (0.1, 0.5, 0.9):
        study.add({"x": x}, {"s": 1}, {"f": x})
    assert "No run of f at full accuracy yet" in error_reading(error_records(study.snapshot()))

import numpy as np
import pytest

from experiments.reference_fronts.circuit import search_front
from imoca.pareto.dominance import non_dominated
from imoca.pareto.indicators import hypervolume
from imoca_lab.problems.circuit.ngspice import is_installed
from imoca_lab.problems.circuit.problem import REFERENCE_POINT, TrueValues
from imoca_lab.stored_front import load_front

needs_ngspice = pytest.mark.skipif(not is_installed(), reason="the program ngspice is not installed")


@pytest.mark.parametrize("name", ["circuit", "circuit_pwl"])
def test_stored_fronts_are_non_dominated_and_beat_the_reference_point(name: str) -> None:
    stored = load_front(name, n_parameters=33)
    assert stored.designs.shape[1] == 33
    assert len(stored.values) <= 300
    assert non_dominated(stored.values).all()
    assert (stored.values > REFERENCE_POINT).all()


def test_the_stored_linear_front_is_what_its_designs_give() -> None:
    stored = load_front("circuit_pwl", n_parameters=33)
    np.testing.assert_allclose(TrueValues("pwl")(stored.designs[::10]), stored.values[::10], rtol=1e-6)


@pytest.mark.slow
@needs_ngspice
def test_the_stored_front_is_what_its_designs_give_with_any_version_of_ngspice() -> None:
    stored = load_front("circuit", n_parameters=33)
    values = TrueValues("ngspice")(stored.designs[:2])
    np.testing.assert_allclose(values[:, :5], stored.values[:2, :5], rtol=0.01)
    np.testing.assert_allclose(values[:, 5:], stored.values[:2, 5:], rtol=0.1)


@pytest.mark.parametrize("name", ["circuit", "circuit_pwl"])
def test_the_hypervolume_exceeds_that_of_forty_stored_points(name: str) -> None:
    stored = load_front(name, n_parameters=33)
    few = hypervolume(stored.values[:40], REFERENCE_POINT)
    assert 0.0 < few < stored.hypervolume < np.prod(stored.values.max(axis=0) - REFERENCE_POINT)


@pytest.mark.slow
def test_a_longer_search_finds_more_volume() -> None:
    short, longer = (search_front("pwl", budget=n, seed=1).hypervolume for n in (100, 500))
    assert longer > 1.05 * short

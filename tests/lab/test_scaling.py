"""What is measured of how suggestions grow, and how it is shown."""

import numpy as np
import pytest

from experiments.scaling import METHODS, knows_fidelities, observed, table_rows


@pytest.mark.parametrize(("way", "size"), [("observations", 30), ("objectives", 3)])
@pytest.mark.parametrize("method", ["imoca-p", "botorch-mesmo"])
def test_all_methods_see_the_same_designs_those_of_one_fidelity_at_full_accuracy(
    way: str, size: int, method: str
) -> None:
    problem, trials = observed(way, size, method)
    _, others = observed(way, size, "botorch-momf")
    z = np.array([list(trial.fidelities.values()) for trial in trials])
    assert [trial.parameters for trial in trials] == [trial.parameters for trial in others]
    assert (z == 1.0).all() == (not knows_fidelities(method))
    assert len(problem.objectives) == (2 if way == "observations" else size)


def test_a_method_that_did_not_end_is_told_from_one_that_was_not_asked() -> None:
    seconds = dict.fromkeys(METHODS) | {"imoca-p": 0.1234, "botorch-momf": "> 120", "imoca-e": 123.4}
    rows = [{"way": "objectives", "size": 9, "seconds": seconds}]
    assert table_rows(rows, "objectives") == ["| 9 | 0.12 | 123 | > 120 | – | – | – |"]
    assert table_rows(rows, "observations") == []

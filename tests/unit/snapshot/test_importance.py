"""Which parameters matter, of functions of which it is known."""

import numpy as np
import pytest

from imoca import Choice, Fidelity, Objective, Problem, Real, Simulator, Study
from imoca.snapshot.snapshot import Snapshot

BONUS = {"a": 0.0, "b": 1.0, "c": 0.5}


def snapshot_of_a_sum(n: int) -> Snapshot:
    """``x + 2 y`` plus the worth of a choice, cheap runs off by a multiple of y; the parameter v does nothing."""
    problem = Problem(
        [Real("x", 0, 1), Real("y", 0, 1), Real("v", 0, 1), Choice("c", list(BONUS))],
        [Simulator("s", [Objective("f", "minimize")], fidelity=Fidelity.continuous(), cost="0.1 + z")],
    )
    study = Study(problem, method="random")
    rng = np.random.default_rng(3)
    for i, (x, y, v) in enumerate(rng.random((n, 3)).tolist()):
        c, z = "abc"[i % 3], float(i % 2)
        study.add({"x": x, "y": y, "v": v, "c": c}, {"s": z}, {"f": x + 2.0 * y + BONUS[c] + (1.0 - z) * 3.0 * y})
    return study.snapshot()


@pytest.mark.slow
def test_a_model_of_a_sum_knows_the_share_of_every_term_at_full_accuracy() -> None:
    (found,) = snapshot_of_a_sum(80).importance
    variances = np.array([1.0 / 12.0, 4.0 / 12.0, 0.0, np.var(list(BONUS.values()))])
    expected = variances / variances.sum()
    assert found.parameters == ("x", "y", "v", "c")
    assert [share.value for share in found.first] == pytest.approx(expected, abs=0.03)
    assert [share.value for share in found.total] == pytest.approx(expected, abs=0.03)
    assert [found.parameters[i] for i in found.ranked] == ["y", "c", "x", "v"]
    for share, truth in zip(found.total, expected, strict=True):
        assert share.low - 0.02 <= truth <= share.high + 0.02


@pytest.mark.slow
def test_few_answers_leave_a_wide_spread() -> None:
    few, many = (snapshot_of_a_sum(n).importance[0].total[1] for n in (6, 80))
    assert few.high - few.low > 3.0 * (many.high - many.low)


def test_an_output_that_never_changes_is_due_to_nothing() -> None:
    study = Study(Problem([Real("x", 0, 1)], [Simulator("s", [Objective("f", "minimize")])]))
    for x in (0.1, 0.5, 0.9):
        study.add({"x": x}, {}, {"f": 2.0})
    (found,) = study.snapshot().importance
    assert np.isnan(found.total[0].value)
    assert found.ranked == (0,)

import pytest
from scipy.stats import binomtest

from imoca_lab.harness.statistics import SignTest, sign_test


@pytest.mark.parametrize(("n_better", "n_worse"), [(10, 0), (9, 1), (7, 3), (5, 5), (2, 8), (0, 3), (1, 0), (14, 27)])
def test_the_p_value_is_that_of_scipy(n_better: int, n_worse: int) -> None:
    expected = binomtest(n_better, n_better + n_worse).pvalue
    assert SignTest(n_better, n_worse, 4).p_value == pytest.approx(expected)


def test_ties_alone_prove_nothing() -> None:
    assert SignTest(0, 0, 5).p_value == 1.0


def test_less_is_better_and_equal_or_both_infinite_is_a_tie() -> None:
    found = sign_test([1.0, 2.0, 3.0, float("inf"), 1.0], [2.0, 1.0, 3.0, float("inf"), float("inf")])
    assert (found.n_better, found.n_worse, found.n_ties) == (2, 1, 2)

import math

import pytest

from imoca.study.pace import relative_error, time_left_words


def test_an_even_pace_says_how_long_the_rest_takes() -> None:
    steps = [(0.5, 100.0), (1.0, 200.0), (0.25, 50.0)]  # 200 seconds for a full run
    assert relative_error(steps) == pytest.approx(0.0, abs=1e-12)
    assert time_left_words(steps, 36.0) == "about 2.0 h left"
    assert time_left_words(steps, 0.3) == "about 60 s left"


def test_the_error_of_an_uneven_pace_by_hand() -> None:
    """1, 1 and 4 in 10 seconds each: 0.2 a second, so 2 expected of each; strays -1, -1 and 2."""
    steps = [(1.0, 10.0), (1.0, 10.0), (4.0, 10.0)]
    assert relative_error(steps) == pytest.approx(math.sqrt((1 + 1 + 4) * 3 / 2) / 6)  # a half
    assert time_left_words(steps, 12.0) == "40 s to 2 min left"  # 60 s, divided by 1.5 and by 0.5


def test_the_error_agrees_with_how_much_pace_varies_between_studies() -> None:
    """By simulation: trials of random cost and duration, the ratio of their sums again and again."""
    import numpy as np

    rng = np.random.default_rng(0)
    cost, seconds = rng.gamma(4.0, 1.0, (2, 4000, 30))
    ratios = cost.sum(axis=1) / seconds.sum(axis=1)
    told = [relative_error(list(zip(c, t, strict=True))) for c, t in zip(cost[:200], seconds[:200], strict=True)]
    assert np.mean(told) == pytest.approx(ratios.std() / ratios.mean(), rel=0.1)


@pytest.mark.parametrize(
    "steps",
    [
        [],
        [(1.0, 10.0), (1.0, 10.0)],
        [(0.0, 10.0)] * 5,
        [(1.0, 0.0)] * 5,
        [(0.001, 10.0), (0.001, 10.0), (9.0, 10.0)],
    ],
    ids=["none", "two", "free", "no time", "one that counts for all"],
)
def test_nothing_is_said_where_nothing_is_known(steps: list[tuple[float, float]]) -> None:
    assert time_left_words(steps, 5.0) == ""


def test_nothing_is_left_of_a_budget_that_is_spent() -> None:
    assert time_left_words([(1.0, 10.0)] * 5, 0.0) == ""

"""Benchmarks by name."""

import pytest

from imoca import benchmarks
from imoca.errors import ProblemError


@pytest.mark.parametrize("name", sorted(set(benchmarks.DESCRIPTIONS) - {"circuit"}))
def test_every_name_gives_the_benchmark_of_that_name(name: str) -> None:
    benchmark = benchmarks.get(name)
    assert benchmark.name == name
    assert benchmark.hypervolume > 0.0
    assert benchmark.reference_front.shape[1] == len(benchmark.problem.objectives)


def test_options_reach_the_problem() -> None:
    coupled, apart = (benchmarks.get("rocket", setting=setting) for setting in ("coupled", "per_objective"))
    assert len(apart.problem.simulators) == len(coupled.problem.simulators) + 1


@pytest.mark.parametrize(
    ("name", "options", "culprit"),
    [
        ("rockets", {}, "rockets"),
        ("trap", {"setting": "coupled"}, "setting"),
        ("branin_currin", {"backend": "pwl"}, "backend"),
        ("rocket", {"setting": "loose"}, "loose"),
    ],
)
def test_an_unknown_name_or_option_is_refused_with_what_there_is(name: str, options: dict, culprit: str) -> None:
    with pytest.raises(ProblemError, match=culprit) as caught:
        benchmarks.get(name, **options)
    assert caught.value.hint

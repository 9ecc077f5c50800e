from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from imoca.errors import StorageError
from imoca_lab.harness.results import ResultFolder, RunResult, from_line, read_results, to_line


def test_a_result_survives_its_line_to_six_digits(make_run: Callable[..., RunResult]) -> None:
    result = make_run([1 / 3, 0.1], [1.0, 2.0], seed=4)
    read = from_line(to_line(result))
    assert read.spec == result.spec
    assert read.scores[0].hypervolume_difference == 0.333333
    assert read.scores[0].verified_average_distance == float("inf")
    assert replace(read, scores=()) == replace(result, scores=(), seconds=(0.1, 0.2))
    assert to_line(read) == to_line(from_line(to_line(read)))


def test_a_folder_holds_the_very_run_only(make_run: Callable[..., RunResult], tmp_path: Path) -> None:
    folder = ResultFolder(tmp_path / "results")
    first, second = make_run([0.5], [1.0], seed=1), make_run([0.4], [1.0], seed=0)
    folder.add(first)
    folder.add(second)
    again = ResultFolder(tmp_path / "results")
    assert again.holds(first.spec)
    assert not again.holds(replace(first.spec, budget=11.0))
    assert not again.holds(replace(first.spec, seed=2))
    lines = (tmp_path / "results" / "branin_currin.jsonl").read_text(encoding="utf-8").splitlines()
    assert [from_line(line).spec.seed for line in lines] == [0, 1]


def test_of_two_results_of_a_run_the_one_with_the_larger_budget_counts(
    make_run: Callable[..., RunResult], tmp_path: Path
) -> None:
    short = make_run([0.5], [1.0])
    long = replace(short, spec=replace(short.spec, budget=50.0))
    for i, order in enumerate([(short, long), (long, short)]):
        paths = [tmp_path / f"{i}-{j}.jsonl" for j in range(2)]
        for path, result in zip(paths, order, strict=True):
            path.write_text(to_line(result) + "\n", encoding="utf-8")
        assert [result.spec.budget for result in read_results(paths)] == [50.0]


def test_what_is_no_result_is_named(tmp_path: Path) -> None:
    path = tmp_path / "broken.jsonl"
    path.write_text('{"problem": 1}\n', encoding="utf-8")
    with pytest.raises(StorageError, match=r"broken\.jsonl holds something that is no result"):
        read_results([path])

"""What was measured, to be said in a sentence: cells of the reports, raw results, and how numbers are written."""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from pathlib import Path
from typing import Any

from imoca_lab.harness.curves import (
    CONVERGED_WITHIN,
    HYPERVOLUME_DIFFERENCE,
    Steps,
    all_series,
    curve_of,
    steps_of,
)
from imoca_lab.harness.results import RunResult, read_results

ROOT = Path(__file__).parents[2]
REPORTS, RESULTS = ROOT / "docs" / "results", ROOT / "experiments" / "results"
NUMBER_WORDS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")

Row = Mapping[str, str]


@cache
def report_rows(report: str, section: str, table: str) -> tuple[Row, ...]:
    """A table of docs/results/<report>/report.md."""
    text = (REPORTS / report / "report.md").read_text(encoding="utf-8")
    (own,) = re.findall(rf"^## {re.escape(section)}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    (part,) = re.findall(rf"^### {re.escape(table)}\n(.*?)(?=^### |\Z)", own, re.MULTILINE | re.DOTALL)
    lines = [line.strip("|").split("|") for line in part.splitlines() if line.startswith("|")]
    header, *rows = [[cell.strip() for cell in line] for line in lines if "---" not in line[0]]
    return tuple(dict(zip(header, row, strict=True)) for row in rows)


def cell(report: str, section: str, table: str, row: str, column: str) -> float:
    """The first number of a cell; rows go by their first column."""
    rows = [each for each in report_rows(report, section, table) if next(iter(each.values())) == row]
    (found,) = rows
    return first_number(found[column])


def first_number(text: str) -> float:
    found = re.search(r"\d+(?:\.\d+)?", text)
    if found is None:
        raise ValueError(f"There is no number in {text!r}.")
    return float(found[0])


def lacking(report: str, problem: str, method: str, column: str = "at its end") -> float:
    """Per cent of the hypervolume, median."""
    return cell(report, problem, "Hypervolume difference", method, column)


def reaching(report: str, method: str, problem: str) -> float:
    return cell(report, "Over all problems", "Cost to convergence of every method", method, problem)


def cpu_seconds(report: str, method: str, problem: str) -> float:
    return cell(report, "Over all problems", "CPU seconds per suggestion", method, problem)


@cache
def results_of(report: str) -> tuple[RunResult, ...]:
    return tuple(read_results([RESULTS / report]))


def runs_of(report: str, problem: str, method: str) -> list[RunResult]:
    """By seed."""
    return [run for run in results_of(report) if (run.spec.problem.label, run.spec.method.label) == (problem, method)]


@cache
def recorded(name: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    return found


def measured(name: str) -> Sequence[Mapping[str, Any]]:
    found: Sequence[Mapping[str, Any]] = recorded(name)["rows"]
    return found


def row_of(name: str, **values: object) -> Mapping[str, Any]:
    (found,) = [row for row in measured(name) if all(row[key] == value for key, value in values.items())]
    return found


def at_cost(report: str, problem: str, method: str, cost: float = float("inf")) -> list[float]:
    """Per cent of the hypervolume that every seed lacks at its last look before a cost, ascending."""
    found = []
    for result in runs_of(report, problem, method):
        looks = [look for look in result.scores if result.costs[look.n_trials - 1] <= cost]  # costs add up
        found.append(100.0 * looks[-1].hypervolume_difference)
    return sorted(found)


def steps_to(report: str, problem: str, method: str) -> list[Steps]:
    """The hypervolume difference of every seed against cost."""
    return [steps_of(run, HYPERVOLUME_DIFFERENCE) for run in runs_of(report, problem, method)]


def median_steps(report: str, problem: str, method: str) -> Steps:
    """The hypervolume difference of the median over seeds against cost."""
    (series,) = all_series(runs_of(report, problem, method))
    return curve_of(series, HYPERVOLUME_DIFFERENCE).as_steps


def settling(report: str, problem: str, method: str) -> list[float]:
    """The cost from which on every seed stays within 1 % of what is attainable; infinite where it does not."""
    runs = runs_of(report, problem, method)
    return [
        steps.settled_within(run.attainable_difference + CONVERGED_WITHIN)
        for run, steps in zip(runs, steps_to(report, problem, method), strict=True)
    ]


def digits(n: int, *values: float) -> list[str]:
    """So many significant ones, no exponent."""
    return [f"{float(f'{value:.{n}g}'):.10g}" for value in values]


def places(n: int, *values: float) -> list[str]:
    """So many behind the point; half a unit goes up, as a reader would round what a table shows."""
    unit = Decimal(1).scaleb(-n)
    return [str(Decimal(repr(value)).quantize(unit, ROUND_HALF_UP)) for value in values]


def in_words(*counts: int) -> list[str]:
    return [NUMBER_WORDS[count] for count in counts]


def ends(values: Sequence[float]) -> tuple[float, float]:
    """The smallest and the largest."""
    return min(values), max(values)


def relapses(way: str) -> list[str]:
    losses = [run["largest loss"][way] for run in recorded("relapse")["runs"]]
    known = [100.0 * loss for loss in losses if loss is not None]
    small = 100.0 * sum(loss < 2.0 for loss in known) / len(known)
    figures = (*places(0, small), *digits(2, statistics.median(known)), *digits(3, max(known)))
    return [str(len(known)), str(len(losses)), *figures]


def measured_difference(report: str, problem: str, method: str) -> list[float]:
    """As `at_cost` at the end, of the designs that were run at full accuracy alone."""
    return [100.0 * run.scores[-1].verified_hypervolume_difference for run in runs_of(report, problem, method)]


def subsets_ratio(problem: str, prices: str) -> float:
    """Of the cost with the best simulators to that with all, without a set-up cost."""
    row = row_of("subsets", problem=problem, prices=prices, setup=0.0)
    return float(row["best"] / row["all"])

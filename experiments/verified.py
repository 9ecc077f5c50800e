"""What a measured front costs, by method: ``python experiments/verified.py``.

From the raw results of three comparisons (verified.toml; methods that only know full accuracy in paper.toml; some
of iMOCA-P in trust.toml) to docs/results/verified: the first cost from which on the median
hypervolume of the designs that a method ran at full accuracy stays within 3 % of the best that any method ends with.
The same results, the same bytes.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # so that it can be started as a file

from imoca_lab.harness.curves import Curve, Series, all_series, curve_of
from imoca_lab.harness.results import read_results
from imoca_lab.harness.text_table import Section, TextTable, html_page, markdown_page

ROOT = Path(__file__).parents[1]
RESULTS, PAGES = ROOT / "experiments" / "results", ROOT / "docs" / "results" / "verified"
TITLE = "What a measured front costs"
INDICATOR = "verified_hypervolume_difference"
WITHIN = 0.03  # of the best hypervolume that any method ends with
OURS = "imoca-p"
SAME_AT_FULL_ACCURACY = {"trap": "branin_currin"}
OF_TRUST = ("ackley_rosenbrock_sphere", "circuit-per_objective-pwl")  # problems whose runs of ours are in trust.toml
NOTE = (
    "Of designs that were run at full accuracy, medians over seeds, what the search cost included. A > stands before "
    "the cost at which the runs end without having come so near. Methods that only know full accuracy are those of the "
    "paper's comparison, on the trap those of Branin-Currin, which is the same at full accuracy."
)


def problems_compared(results: Path) -> dict[str, list[Series]]:
    """Of every problem with verified runs of ours: those, and all of methods that only know full accuracy."""
    paper, trust, own = (all_series(read_results([results / name])) for name in ("paper", "trust", "verified"))
    ours = [*own, *(each for each in trust if each.problem in OF_TRUST)]
    alone = [each for each in paper if each.is_single_fidelity]
    found = {}
    for problem in sorted({each.problem for each in ours}):
        there = SAME_AT_FULL_ACCURACY.get(problem, problem)
        rivals = (each for each in alone if each.problem == there)
        found[problem] = [*(each for each in ours if each.problem == problem), *rivals]
    return found


def row(problem: str, series: Sequence[Series], ours: Sequence[str]) -> tuple[str, ...]:
    curves = {each.method: curve_of(each, INDICATOR) for each in series}
    best = max(1.0 - float(curve.median[-1]) for curve in curves.values())
    limit = 1.0 - (1.0 - WITHIN) * best
    costs = {method: curve.as_steps.settled_within(limit) for method, curve in curves.items()}
    rivals = {method: cost for method, cost in costs.items() if not method.startswith(OURS)}
    best_rival = min(rivals, key=lambda method: (rivals[method], method))
    seeds = sorted({len(each.runs) for each in series if each.method.startswith(OURS)})
    cells = [_cost(curves[method], costs[method]) if method in curves else "–" for method in ours]
    default = costs.get(OURS, math.inf)
    share = f"{default / rivals[best_rival]:.0%}".replace("%", " %") if math.isfinite(default) else "–"
    lacking = f"{100.0 * limit:.2g} %"
    return problem, "–".join(map(str, seeds)), lacking, f"{best_rival}: {rivals[best_rival]:.3g}", *cells, share


def _cost(curve: Curve, cost: float) -> str:
    return f"{cost:.3g}" if math.isfinite(cost) else f"> {curve.costs[-1]:.3g}"


def sections(results: Path) -> list[Section]:
    compared = problems_compared(results)
    ours = sorted({each.method for series in compared.values() for each in series if each.method.startswith(OURS)})
    header = ("problem", "seeds", "lacking at most", "best single-fidelity", *ours, f"{OURS} / best single-fidelity")
    rows = tuple(row(problem, series, ours) for problem, series in compared.items())
    return [
        Section("Cost to a front that was measured", tables=(TextTable(f"Within {WITHIN:.0%}", NOTE, header, rows),))
    ]


def write(files: Iterable[tuple[str, str]]) -> None:
    PAGES.mkdir(parents=True, exist_ok=True)
    for name, content in files:
        (PAGES / name).write_text(content, encoding="utf-8")


def main() -> None:
    found = sections(RESULTS)
    write([("report.md", markdown_page(TITLE, found)), ("report.html", html_page(TITLE, found))])
    print(markdown_page(TITLE, found))


if __name__ == "__main__":
    main()

"""Tables and the picture of a page of docs/gallery: ``python experiments/third_party/report.py antenna``.

From what is committed in experiments/results/third_party; the same results, the same tables. What stands between
``<!-- knob -->``, ``<!-- comparison -->`` or ``<!-- front -->`` and ``<!-- end -->`` is written anew, and the summary
of the gallery's index; the words around are the author's.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))  # so that it can be started as a file

from experiments.third_party.drawing import draw
from experiments.third_party.records import HALF, RESULTS, RunRecord, read_records
from experiments.third_party.shares import final_shares, pooled_front, reached_at
from experiments.third_party.simulators import EXAMPLES, Example
from imoca.problem import Output
from imoca.wording import labelled

OURS = "imoca-p"
N_SHOWN = 5  # designs of a front
MOST_PARAMETERS = 7  # more are not shown: a page is not as wide
PAGES = Path(__file__).parents[2] / "docs" / "gallery"
BLOCK = re.compile(r"(<!-- (knob|comparison|front|summary) -->\n).*?(<!-- end -->)", flags=re.DOTALL)


def read_readings(example: Example) -> list[dict[str, Any]]:
    path = RESULTS / f"{example.name}-knob.json"
    return json.loads(path.read_text(encoding="utf-8"))["readings"] if path.exists() else []


def knob_table(readings: Sequence[Mapping[str, Any]]) -> str:
    """A row per simulator and fidelity; what differs between its outputs stands in their order, between strokes."""
    rows: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for each in readings:
        rows.setdefault((each["simulator"], each["fidelity"]), []).append(each)
    has_missed = any(each["missed"] is not None for each in readings)
    header = ["simulator", "fidelity", "CPU s", "ranks as full accuracy", "largest error", "failed"]
    cells = []
    for (simulator, fidelity), outputs in rows.items():
        ranks = " / ".join("–" if o["rank_correlation"] is None else f"{o['rank_correlation']:.2f}" for o in outputs)
        errors = " / ".join(f"{output['largest_error']:.3g}" for output in outputs)
        cells.append(
            [simulator, fidelity, f"{outputs[0]['cpu_seconds']:.2g}", ranks, errors, str(outputs[0]["failed"])]
        )
        cells[-1] += [str(sum(output["missed"] or 0 for output in outputs))] * has_missed
    return markdown_table(header + ["unsafe ones called safe"] * has_missed, cells)


def comparison_table(example: Example, records: Sequence[RunRecord]) -> str:
    """Best median first."""
    shares, as_far = final_shares(example, records), reached_at(example, records, OURS)
    header = [
        "method",
        "seeds",
        "share of the volume",
        "quartiles",
        "questions",
        "designs at full accuracy",
        "CPU s of questions",
        f"{OURS} was as far at a cost of",
    ]
    rows = []
    for method in sorted(shares, key=lambda name: -statistics.median(shares[name])):
        outcomes = [record.outcome for record in records if record.method == method]
        middle = statistics.median(shares[method])
        n_questions = statistics.median(outcome.questions for outcome in outcomes)
        n_full = statistics.median(len(outcome.full_runs) for outcome in outcomes)
        seconds = statistics.median(outcome.cpu_seconds for outcome in outcomes)
        row = [method, str(len(outcomes)), f"{100 * middle:.1f} %", quartiles(shares[method])]
        row += [f"{n_questions:g}", f"{n_full:g}", f"{seconds:.0f}"]
        cost = None if method == OURS else as_far.get(method)
        rows.append([*row, "–" if cost is None else f"{cost:.1f}"])
    return markdown_table(header, rows)


def front_table(example: Example, records: Sequence[RunRecord]) -> str:
    """Some of the best designs of all runs together, evenly by the first objective, with what each was run for."""
    problem = example.declared()
    found = pooled_front(problem, records)
    chosen = [found[i] for i in sorted({round(k * (len(found) - 1) / (N_SHOWN - 1)) for k in range(N_SHOWN)})]
    outputs: list[Output] = [*problem.objectives, *problem.constraints]
    parameters = problem.parameters if len(problem.parameters) <= MOST_PARAMETERS else ()
    header = ["found by", *(labelled(each.name, each.unit) for each in (*outputs, *parameters))]
    rows = [
        [
            method,
            *(f"{run.values[each.name]:.4g}" for each in outputs),
            *(f"{run.parameters[each.name]:.3g}" for each in parameters),
        ]
        for method, run in chosen
    ]
    return markdown_table(header, rows)


def quartiles(shares: Sequence[float]) -> str:
    """In words; one seed has none."""
    if len(shares) == 1:
        return "–"
    low, _, high = statistics.quantiles(shares, n=4, method="inclusive")
    return f"{100 * low:.1f} to {100 * high:.1f} %"


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def with_tables(page: str, example: Example) -> str:
    """The page with its tables as the committed results give them."""
    records = read_records(RESULTS / f"{example.name}.jsonl")
    tables = {
        "knob": knob_table(read_readings(example)),
        "comparison": comparison_table(example, records) if records else "",
        "front": front_table(example, records) if records else "",
    }
    return BLOCK.sub(lambda found: found[1] + tables[found[2]] + found[3], page)


def summary_table() -> str:
    """An example a row: our median share of the volume, and that of the best other method."""
    header = [
        "example",
        "simulator",
        "budget, in full runs",
        "seeds",
        OURS,
        "best other method",
        "its share",
        "as far at",
    ]
    rows = []
    for example in EXAMPLES.values():
        records = read_records(RESULTS / f"{example.name}.jsonl")
        middles = {name: statistics.median(each) for name, each in final_shares(example, records).items()}
        best = max((name for name in middles if name not in (OURS, HALF)), key=lambda name: middles[name])
        seeds = str(sum(record.method == OURS for record in records))
        cost = reached_at(example, records, OURS)[best]
        row = [f"[{example.name}]({example.name}.md)", example.package, f"{example.budget:g}", seeds]
        row += [f"{100 * middles[OURS]:.1f} %", best, f"{100 * middles[best]:.1f} %"]
        rows.append([*row, "–" if cost is None else f"{cost:.1f}"])
    return markdown_table(header, rows)


def with_summary(page: str) -> str:
    """The index of the gallery with its table."""
    return BLOCK.sub(lambda found: found[1] + summary_table() + found[3], page)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("example", choices=list(EXAMPLES))
    example = EXAMPLES[parser.parse_args().example]
    page = PAGES / f"{example.name}.md"
    page.write_text(with_tables(page.read_text(encoding="utf-8"), example), encoding="utf-8")
    if records := read_records(RESULTS / f"{example.name}.jsonl"):
        draw(example, records, PAGES / f"{example.name}.png")
        index = PAGES / "index.md"
        index.write_text(with_summary(index.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()

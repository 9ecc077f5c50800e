"""A report of results: tables as Markdown and HTML, figures as PNG and SVG; the same results give the same bytes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from imoca.errors import StorageError
from imoca_lab.harness.curves import INDICATORS, Series, all_series, curve_of
from imoca_lab.harness.drawing import MOST_LINES, draw, principal
from imoca_lab.harness.results import RunResult
from imoca_lab.harness.summary import (
    convergence_table,
    every_convergence_table,
    known_front_table,
    provenance,
    runs_table,
    seconds_table,
)
from imoca_lab.harness.tables import cost_table, fidelity_table, quality_table
from imoca_lab.harness.text_table import Section, html_page, markdown_page

TITLE = "Methods compared"
CAPTION = (
    "{what} against cost, median over seeds with quartiles as bands. Thick lines: iMOCA. Dashed: full accuracy "
    "only, or another setting of the method that has the solid line of that colour."
)
BEST = "iMOCA's methods, the best of each other kind and the next best; the others are in the next figure."
NEAR = (0.01, 0.02)  # of the best known front
HOW = (
    "After each checkpoint the front is recovered the same way for every method: up to 200 designs among the "
    "non-dominated posterior means at full accuracy, evaluated truly. The hypervolume difference is what they lack of "
    "the true hypervolume; R2 is the paper's, the mean distance from the true front to the nearest of them, in ranges "
    "of that front. Checkpoints are evenly spaced in the logarithm of cost, from the end of the initial design to the "
    "end of the run."
)


def write_report(results: Sequence[RunResult], reference: str, folder: Path) -> list[Path]:
    """The files written."""
    if not results:
        raise StorageError("There are no results to report.", hint="Give the folder that imoca bench run wrote to.")
    sections = report_sections(results, reference)
    files = _figures(all_series(results))
    files["report.md"] = markdown_page(TITLE, sections).encode()
    files["report.html"] = html_page(TITLE, sections).encode()
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return [folder / name for name in files]


def report_sections(results: Sequence[RunResult], reference: str) -> list[Section]:
    """Everything but the figures themselves."""
    series = all_series(results)
    problems = {name: [each for each in series if each.problem == name] for name in _names(series)}
    named = [(name, caption) for names in _figure_names(series).values() for name, caption in names]
    described = Section(
        "What was run",
        f"{HOW} {provenance(results)}",
        (runs_table(problems),),
        tuple(name for name, _ in named),
        tuple(caption for _, caption in named),
    )
    return [
        described,
        Section(
            "Over all problems",
            "",
            (
                convergence_table(problems),
                every_convergence_table(problems),
                *(known_front_table(problems, within) for within in NEAR),
                seconds_table(problems),
            ),
        ),
        *(_problem_section(name, own, reference) for name, own in problems.items()),
    ]


def _names(series: Sequence[Series]) -> list[str]:
    return list(dict.fromkeys(each.problem for each in series))


def _figure_names(series: Sequence[Series]) -> dict[str, list[tuple[str, str]]]:
    """Per indicator the names of its figures and their captions: ours and the best, then the others if there are."""
    n_methods = [sum(each.problem == problem for each in series) for problem in _names(series)]
    names: dict[str, list[tuple[str, str]]] = {}
    for indicator, words in INDICATORS.items():
        caption = CAPTION.format(what=words[0].upper() + words[1:])
        if max(n_methods) <= MOST_LINES:
            names[indicator] = [(indicator, caption)]
        else:
            names[indicator] = [
                (indicator, f"{caption} {BEST}"),
                (f"{indicator}_others", f"The other methods. {caption}"),
            ]
    return names


def _figures(series: Sequence[Series]) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    for indicator, names in _figure_names(series).items():
        curves = [curve_of(each, indicator) for each in series]
        best = principal(curves)
        shown = {(curve.problem, curve.method) for curve in best}
        others = [curve for curve in curves if (curve.problem, curve.method) not in shown]
        for (name, _), drawn in zip(names, (best, others), strict=False):
            files |= {f"{name}.{kind}": draw(drawn, kind) for kind in ("png", "svg")}
    return files


def _problem_section(name: str, series: Sequence[Series], reference: str) -> Section:
    tables = [*(quality_table(series, indicator) for indicator in INDICATORS), cost_table(series, reference)]
    profile = fidelity_table(series)
    return Section(name, "", (*tables, profile) if profile.rows else tuple(tables))

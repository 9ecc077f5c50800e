"""The tables of the calibration: what error bars promised and what came."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from experiments.calibration.accuracy import Accuracy, Moment
from experiments.calibration.judging import COSTS, MOMENTS, N_TO_VERIFY, RANDOM, RECOMMENDED, REMAINING, VERIFIED
from experiments.calibration.results import Calibration
from imoca_lab.harness.text_table import Section, TextTable

NOTHING = "–"
SHOWN_LEVELS = (0.5, 0.9, 0.95)
TITLE = "Are the error bars true?"
FIGURE = "reliability"
CAPTION = (
    "Share of the recommended designs whose truth lies inside the interval, against what the interval promises; mean "
    "over objectives and seeds. Solid: at the third cost. Dashed: after four of the designs were run at full accuracy. "
    "Below the diagonal the bars are too short, above it too wide."
)
HOW = (
    "imoca-p is run to three costs. Each time the designs that it would recommend then are evaluated truly, and so are "
    "256 random ones: how many truths lie inside the central 50, 90 and 95 % intervals at full accuracy? Error / sigma "
    "is the root mean square over designs: 1 for honest bars, 10 for bars ten times too short. Errors and widths (of "
    "the 90 % interval, median) are in standard deviations of the truth over the random designs, the log loss is the "
    f"mean negative logarithm of the density in that unit. After the third cost {N_TO_VERIFY} recommended designs, "
    "spread over the predicted front, are run at full accuracy and the model is fitted again. Designs that were run at "
    "full accuracy stand with their measured values and are left out. Coverage is the mean over objectives and seeds: "
    "the errors of one front lie together, so that of bars that are true nine times in ten most seeds hold all and one "
    "holds little. All other cells are medians; in brackets the worst objective and seed, of widths the largest."
)
WORDS = {
    (COSTS[0], RECOMMENDED): "first cost",
    (COSTS[1], RECOMMENDED): "second cost",
    (COSTS[2], RECOMMENDED): "third cost",
    (COSTS[2], REMAINING): "third cost, without the designs to verify",
    (VERIFIED, REMAINING): "verified, the same designs",
    (VERIFIED, RECOMMENDED): "verified, recommended then",
}


@dataclass(frozen=True)
class Group:
    """The seeds of one model on one problem."""

    problem: str
    series: str
    members: tuple[Calibration, ...]

    def moments(self, name: str) -> list[Moment]:
        return [moment for member in self.members for moment in member.moments if moment.name == name]

    def accuracies(self, moment: str, kind: str) -> list[Accuracy]:
        """Of all seeds and objectives."""
        return [each for own in self.moments(moment) for each in own.accuracies.get(kind, {}).values()]


def groups_of(calibrations: Iterable[Calibration]) -> list[Group]:
    """In the order of problems and models; a model's own studies before those of others."""
    found: dict[tuple[str, bool, str], list[Calibration]] = {}
    for each in calibrations:
        found.setdefault((each.problem.label, each.model != each.search, each.series), []).append(each)
    return [
        Group(problem, series, tuple(found[problem, is_guest, series])) for problem, is_guest, series in sorted(found)
    ]


def report_sections(calibrations: Sequence[Calibration]) -> list[Section]:
    groups = groups_of(calibrations)
    problems = list(dict.fromkeys(group.problem for group in groups))
    described = Section(
        "Over all problems", f"{HOW} {_provenance(calibrations)}", (_overview(groups),), (FIGURE,), (CAPTION,)
    )
    own = {problem: [group for group in groups if group.problem == problem] for problem in problems}
    return [
        described,
        *(Section(problem, "", (_study_table(own[problem]), *_tables(own[problem]))) for problem in problems),
    ]


def _provenance(calibrations: Sequence[Calibration]) -> str:
    made = sorted({", ".join(f"{name} {number}" for name, number in each.versions.items()) for each in calibrations})
    return f"Made with {'; '.join(made)}."


def _overview(groups: Sequence[Group]) -> TextTable:
    rows = []
    for group in groups:
        samples = [*(group.accuracies(moment, RECOMMENDED) for moment in MOMENTS), group.accuracies(COSTS[-1], RANDOM)]
        covered = [_covered(each, 0.9) for each in samples]
        scores = [_largest(each, lambda a: a.score) for each in samples]
        rows.append((group.problem, group.series, str(len(group.members)), *covered, *scores))
    where = (*MOMENTS, "random designs")
    return TextTable(
        "Recommended designs at three costs and after verification, random designs at the third cost",
        "Coverage of the 90 % intervals, mean over objectives and seeds, and error / sigma, median (worst).",
        (
            *("problem", "model", "seeds"),
            *(f"in 90 %: {each}" for each in where),
            *(f"error / sigma: {each}" for each in where),
        ),
        tuple(rows),
    )


def _study_table(groups: Sequence[Group]) -> TextTable:
    rows = []
    for group in groups:
        if any(member.model != member.search for member in group.members):
            continue  # the same studies again
        for name in MOMENTS:
            moments = group.moments(name)
            full_runs = [n for moment in moments for n in moment.n_full_runs.values()]
            counts = [
                [moment.n_trials for moment in moments],
                full_runs,
                [moment.n_recommended for moment in moments],
                [moment.n_verified for moment in moments],
            ]
            costs = f"{np.median([moment.cost for moment in moments]):.3g}"
            rows.append((group.series, name, costs, *(_range(each) for each in counts)))
    return TextTable(
        "The studies",
        "Cost: median over seeds. The others: smallest to largest; full-accuracy runs per objective that has a knob.",
        ("model", "at", "cost", "trials", "full-accuracy runs", "recommended designs", "of them verified"),
        tuple(rows),
    )


def _tables(groups: Sequence[Group]) -> list[TextTable]:
    at_random = [((name, RANDOM), name) for name in MOMENTS]
    return [
        _accuracy_table("At recommended designs", groups, list(WORDS.items())),
        _accuracy_table("At random designs", groups, at_random),
    ]


def _accuracy_table(title: str, groups: Sequence[Group], rows: Sequence[tuple[tuple[str, str], str]]) -> TextTable:
    lines = []
    for group in groups:
        for (moment, kind), words in rows:
            found = group.accuracies(moment, kind)
            cells = [_covered(found, level) for level in SHOWN_LEVELS]
            cells += [_largest(found, value) for value in MEASURES.values()]
            lines.append((group.series, words, *cells))
    return TextTable(
        title,
        "Over objectives and seeds: mean coverage, medians of the others (worst).",
        ("model", "at", *(f"in {100 * level:g} %" for level in SHOWN_LEVELS), *MEASURES),
        tuple(lines),
    )


MEASURES: dict[str, Callable[[Accuracy], float]] = {
    "error / sigma": lambda each: each.score,
    "largest": lambda each: each.worst_score,
    "error": lambda each: each.error,
    "width": lambda each: each.width,
    "log loss": lambda each: each.log_loss,
}


def _covered(accuracies: Sequence[Accuracy], level: float) -> str:
    """The worst is the smallest coverage: bars that are too short are the fault that nobody sees."""
    if not accuracies:
        return NOTHING
    shares = [each.covered(level) for each in accuracies]
    return f"{100 * np.mean(shares):.0f} % ({100 * min(shares):.0f} %)"


def _largest(accuracies: Sequence[Accuracy], value: Callable[[Accuracy], float]) -> str:
    if not accuracies:
        return NOTHING
    numbers = [value(each) for each in accuracies]
    return f"{_number(float(np.median(numbers)))} ({_number(max(numbers))})"


def _number(value: float) -> str:
    return "inf" if math.isinf(value) else f"{value:.2g}"


def _range(counts: Sequence[int]) -> str:
    if not counts:
        return NOTHING
    low, high = min(counts), max(counts)
    return str(low) if low == high else f"{low}–{high}"

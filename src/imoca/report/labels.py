"""Names as a figure shows them: whatever stands in a name is shown, never obeyed."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from imoca.wording import LARGEST_PLAIN, SMALLEST_PLAIN, labelled, number, printable, with_unit

if TYPE_CHECKING:
    from imoca.report.records import CorrelationRecord, ObjectiveRecord, TrustRecord

LONGEST_NAME = 40  # characters of a name in a figure
LONGEST_AXIS_NAME = 26  # beside an axis, which may be short
WIDE = 10.0  # largest over smallest
N_TICKS = 8  # on a logarithmic axis
NEAR_ONE, SMALLEST_LACK = 0.95, 1e-9  # of a correlation
N_LISTED = 12  # parameters named where the pointer rests


def shortened(name: str, longest: int = LONGEST_NAME) -> str:
    shown = printable(name)
    return shown if len(shown) <= longest else f"{shown[: longest - 1]}…"


def short_label(name: str, unit: str | None, longest: int = LONGEST_NAME) -> str:
    """A name and its unit; only the name is cut short."""
    return labelled(shortened(name, longest), unit)


def plotly_text(text: str) -> str:
    """Plotly takes tags, $formulas$ and %{templates} out of any text unless they are spelt as entities."""
    return html.escape(text, quote=False).replace("$", "&#36;").replace("%", "&#37;")


def matplotlib_text(text: str) -> str:
    """Matplotlib sets $formulas$, and leaves labels that start with an underscore out of the legend."""
    escaped = text.replace("$", r"\$")
    return f" {escaped}" if escaped.startswith("_") else escaped


def axis_label(objective: ObjectiveRecord) -> str:
    """The arrow is right on both axes: the label of an upright one is turned, and the arrow with it."""
    name = short_label(objective.name, objective.unit, LONGEST_AXIS_NAME)
    return f"← better   {name} (minimize)" if objective.goal == "minimize" else f"{name} (maximize)   better →"


def upright_label(objective: ObjectiveRecord, longest: int = LONGEST_NAME) -> str:
    """For a label that is not turned with its axis."""
    arrow = "↓" if objective.goal == "minimize" else "↑"
    return f"{short_label(objective.name, objective.unit, longest)} {arrow}"


def listed(named: Mapping[str, object], units: Mapping[str, str | None]) -> list[str]:
    """One line each, such as "sweep = 12.5 deg", not too many."""
    lines = [f"{shortened(name)} = {with_unit(shortened(number(v)), units.get(name))}" for name, v in named.items()]
    return lines if len(lines) <= N_LISTED else [*lines[:N_LISTED], f"and {len(lines) - N_LISTED} more"]


def plain_number(value: float) -> str:
    """To three digits, without an exponent unless it is very large or small: 1000, not 1e+03."""
    if value and not SMALLEST_PLAIN <= abs(value) < LARGEST_PLAIN:
        return f"{value:.3g}"
    digits = 2 - math.floor(math.log10(abs(value))) if value else 0
    whole = f"{round(value, digits):.{max(0, digits)}f}"
    return whole.rstrip("0").rstrip(".") if "." in whole else whole


def percent(share: float) -> str:
    return f"{100.0 * share:.0f} %"


def share(ratio: float) -> str:
    """As `percent`, of any size."""
    return f"{100.0 * ratio:.3g} %"


def short_share(ratio: float) -> str:
    """To two digits, for a cell of a table."""
    return f"{100.0 * ratio:.2g} %"


def log_ticks(values: Sequence[float]) -> list[float]:
    """1, 2 and 5 times the powers of ten that lie among positive values, or the powers alone if those are many.

    Where fewer than two do, both ends to two digits: one label alone tells nothing of a scale.
    """
    low, high = min(values), max(values)
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for steps in ((1.0, 2.0, 5.0), (1.0,)):
        ticks = [step * 10.0**decade for decade in decades for step in steps]
        kept = [tick for tick in ticks if 0.999 * low <= tick <= 1.001 * high]
        if len(kept) <= N_TICKS:
            break
    return kept if len(kept) > 1 else sorted({float(f"{low:.2g}"), float(f"{high:.2g}")})


def is_wide(values: Sequence[float]) -> bool:
    """Whether a logarithmic axis shows positive values better."""
    return bool(values) and min(values) > 0.0 and max(values) > WIDE * min(values)


def rounded(value: float, span: float) -> str:
    """To the digits that matter on a scale of this span."""
    if not 0.0 < span < math.inf:
        return number(value)
    return number(float(round(value, 3 - math.floor(math.log10(span)))))


def skill_words(record: TrustRecord) -> str:
    """How much of what was observed is predicted, and how honestly."""
    if math.isnan(record.skill):
        return f"{len(record.observed)} answers: too few, or too much alike, to tell"
    within = percent(record.share_within_two_deviations)
    return f"R² {record.skill:.2f}, {within} within ± 2 deviations"


def full_accuracy_words(record: TrustRecord) -> str:
    if not record.n_full:
        return "no run at full accuracy yet"
    skill = "" if math.isnan(record.skill_at_full_accuracy) else f"R² {record.skill_at_full_accuracy:.2f}, "
    return f"at full accuracy: {skill}{record.n_kept_at_full_accuracy} of {record.n_full} within"


def trust_ends(record: TrustRecord) -> list[float]:
    """Of the line on which predictions agree with what was observed."""
    promised = [value for each in record.promises for value in (each.predicted, each.observed)]
    values = (*record.predicted, *record.observed, *promised)
    return [min(values), max(values)]


def promise_words(record: TrustRecord) -> str:
    """Empty where none was put to the test."""
    return f"promised: {record.n_promises_kept} of {len(record.promises)} held" if record.promises else ""


def are_near_one(records: Sequence[CorrelationRecord]) -> bool:
    """Whether all correlations are so near to 1 that only what they lack tells them apart."""
    known = [c for record in records for c in record.correlations if not math.isnan(c)]
    return bool(known) and min(known) >= NEAR_ONE and any(c < 1.0 - SMALLEST_LACK for c in known)


def lacks(record: CorrelationRecord) -> list[float]:
    """1 - r, NaN where nothing is lacking: a logarithmic scale shows no 0."""
    return [1.0 - c if c < 1.0 - SMALLEST_LACK else math.nan for c in record.correlations]


def correlation_range(records: Sequence[CorrelationRecord]) -> list[float]:
    """From 0, or from the lowest if that is less, so that 0.97 does not look like nothing."""
    lowest = min((c for record in records for c in record.correlations if not math.isnan(c)), default=0.0)
    return [min(0.0, lowest) - 0.03, 1.03]


def fidelity_label(z: float) -> str:
    """Of simulators that each have a fidelity of their own."""
    if z in (0.0, 1.0):
        return "full accuracy" if z else "cheapest fidelity"
    return f"{percent(z)} of the way to full accuracy"


def time_scale(longest: float) -> tuple[float, str]:
    """Seconds of the unit in which such a time is best told, and its name."""
    if longest < 120.0:
        return 1.0, "seconds"
    return (60.0, "minutes") if longest < 7200.0 else (3600.0, "hours")


def lane_labels(simulators: Sequence[str]) -> list[str]:
    """Of lanes side by side: a simulator is named once, and its further lanes are numbered."""
    lanes, seen = [], dict.fromkeys(simulators, 0)
    for name in simulators:
        seen[name] += 1
        lanes.append(shortened(name, 24) if seen[name] == 1 else str(seen[name]))
    return lanes

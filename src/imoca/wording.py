"""Numbers, durations and foreign text as a reader meets them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

__all__ = [
    "LARGEST_PLAIN",
    "LONGEST_REASON",
    "SMALLEST_PLAIN",
    "bound_words",
    "counted",
    "duration",
    "duration_seconds",
    "joined",
    "labelled",
    "last_line",
    "limit_words",
    "middle_left_out",
    "named_numbers",
    "number",
    "printable",
    "shown",
    "with_deviation",
    "with_error",
    "with_unit",
]

SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
LONGEST_REASON = 2000  # characters of the reason of a failure
LONGEST_SHOWN = 500  # of a value in a message
MOST_DIGITS = 15  # that a number has
SMALLEST_PLAIN, LARGEST_PLAIN = 1e-5, 1e6  # deviations written without an exponent
FOUR_DIGITS, MILLION = 9999.5, 999999.5  # between which four digits would need an exponent: 1.165e+04


def printable(text: str) -> str:
    """Text without control characters: a name may hold escapes that would move the cursor or clear the screen."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def middle_left_out(text: str, longest: int = LONGEST_REASON) -> str:
    """Its beginning and its end, which mostly say what happened and where; text that is short enough is left alone."""
    if len(text) <= longest:
        return text
    words = f" [... {len(text):,} characters, the middle left out ...] "
    kept = longest - len(words)
    return text[: kept // 2] + words + text[len(text) - (kept - kept // 2) :]


def last_line(text: str) -> str:
    """Of the reason of a failure: what a program or a traceback ends with mostly says what it was."""
    return (text.strip().splitlines() or [""])[-1].strip()


def shown(value: object) -> str:
    """As Python writes it, but never too long; and words for what Python cannot write, a number of 5,000 digits say."""
    try:
        return middle_left_out(repr(value), LONGEST_SHOWN)
    except Exception:  # anybody's __repr__ may fail in any way
        if isinstance(value, int):
            return f"a whole number of some {int(value.bit_length() * 0.30103):,} digits"
        return f"a value of type {type(value).__name__} that cannot be shown"


def number(value: object) -> str:
    """To four digits, or to the whole number below a million, or the text that it is; of a table each by its name."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {number(each)}" for name, each in value.items())
    if not isinstance(value, float):
        return str(value)
    return f"{value:.0f}" if FOUR_DIGITS <= abs(value) < MILLION else f"{value:.4g}"


def with_deviation(value: float, deviation: float) -> str:
    """To the digits that the deviation leaves, two of its own."""
    if not (0.0 < deviation < math.inf):
        return f"{value:.4g} ± {deviation:.2g}"
    if not SMALLEST_PLAIN <= deviation < LARGEST_PLAIN:
        if value == 0.0 or not math.isfinite(value):
            return f"{value:.4g} ± {deviation:.2g}"
        n_digits = 2 + math.floor(math.log10(abs(value))) - math.floor(math.log10(deviation))
        return f"{value:.{min(max(n_digits, 1), MOST_DIGITS)}g} ± {deviation:.2g}"
    n_decimals = max(0, 1 - math.floor(math.log10(deviation)))
    return f"{value:.{n_decimals}f} ± {deviation:.{n_decimals}f}"


def with_error(value: float, error: float | None) -> str:
    """A value that was measured, with its standard error if it has one."""
    return with_deviation(value, error) if error else number(value)


def labelled(name: str, unit: str | None) -> str:
    """As it stands at an axis or above a column: mass [kg]. Whoever shows it escapes it as a name, for it is text."""
    return f"{name} [{unit}]" if unit else name


def with_unit(amount: str, unit: str | None) -> str:
    """As it stands in a sentence or a cell of its own: 1.2 kg."""
    return f"{amount} {unit}" if unit else amount


def named_numbers(named: Mapping[str, object], units: Mapping[str, str | None]) -> str:
    """Names without a value are left out: a simulator may have no fidelity."""
    given = {name: number(value) for name, value in named.items() if value is not None}
    return ", ".join(f"{name} {with_unit(amount, units.get(name))}" for name, amount in given.items())


def bound_words(low: float | None, high: float | None, unit: str | None = None) -> str:
    """Such as at least 2 and at most 5 mm; empty without bounds."""
    bounds = (("at least", low), ("at most", high))
    words = " and ".join(f"{word} {bound:g}" for word, bound in bounds if bound is not None)
    return with_unit(words, unit) if words else ""


def limit_words(low: float | None, high: float | None) -> str:
    """As `bound_words`, but short enough for the head of a column."""
    return bound_words(low, high) if low is None or high is None else f"{low:g} to {high:g}"


def duration_seconds(text: str) -> float | None:
    """Of a duration such as "90s", "15m", "2h" or "3d"; None of anything else."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smhd])", text.strip())
    return float(found[1]) * SECONDS[found[2]] if found else None


def duration(seconds: float) -> str:
    """Such as 12 s, 3 min, 2.5 h."""
    if seconds < 120.0:
        return f"{seconds:.0f} s"
    if seconds < 7200.0:
        return f"{seconds / 60.0:.0f} min"
    return f"{seconds / 3600.0:.1f} h"


def joined(parts: Sequence[str]) -> str:
    """Such as "a, b and c"."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def counted(n: int, noun: str) -> str:
    """Such as "1 design" and "3 designs"."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"

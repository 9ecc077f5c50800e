"""Numbers in prose, each computed from what was measured: ``python experiments/claims.py``.

Tables of docs/results come from raw results to the byte. The sentences around them are tied here: a claim is a sentence
as it stands on its page, with a ``{}`` for every number that is computed. The command prints the claims that do not
stand there, as they should read; tests/test_prose_numbers.py fails on them, and on a number of a tied section that is
neither computed, nor in a table beside it, nor named in `SAID` as none that was measured for it.
"""

from __future__ import annotations

import json
import re
import statistics
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))  # so that it can be started as a file

from imoca_lab.harness.results import read_results

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "results.md"
REPORTS, RESULTS = ROOT / "docs" / "results", ROOT / "experiments" / "results"
NUMBER = re.compile(r"(?<![\w.\-/#])\d+(?:,\d{3})*(?:\.\d+)?(?!\w)")

Row = Mapping[str, str]
Numbers = Callable[[], Sequence[str]]


@dataclass(frozen=True)
class Claim:
    section: str  # of docs/results.md
    sentence: str  # or a part of one
    numbers: Numbers

    @property
    def text(self) -> str:
        return self.sentence.format(*self.numbers())


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
def measured(name: str) -> tuple[Mapping[str, Any], ...]:
    return tuple(json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))["rows"])


def row_of(name: str, **values: object) -> Mapping[str, Any]:
    (found,) = [row for row in measured(name) if all(row[key] == value for key, value in values.items())]
    return found


def at_cost(report: str, problem: str, method: str, cost: float = float("inf")) -> list[float]:
    """Per cent of the hypervolume that every seed lacks at its last look before a cost, ascending."""
    found = []
    for result in read_results([RESULTS / report]):
        if (result.spec.problem.label, result.spec.method.label) == (problem, method):
            looks = [look for look in result.scores if result.costs[look.n_trials - 1] <= cost]  # costs add up
            found.append(100.0 * looks[-1].hypervolume_difference)
    return sorted(found)


def digits(n: int, *values: float) -> list[str]:
    """So many significant ones, no exponent."""
    return [f"{float(f'{value:.{n}g}'):.10g}" for value in values]


def places(n: int, *values: float) -> list[str]:
    """So many behind the point; half a unit goes up, as a reader would round what a table shows."""
    unit = Decimal(1).scaleb(-n)
    return [str(Decimal(repr(value)).quantize(unit, ROUND_HALF_UP)) for value in values]


def ends(values: Sequence[float]) -> tuple[float, float]:
    """The smallest and the largest."""
    return min(values), max(values)


def sampled_fronts() -> Iterator[Claim]:
    section, ackley = "How many sampled fronts", "ackley_rosenbrock_sphere"

    def of_ackley(method: str, n: int, column: str) -> float:
        return lacking("fronts", ackley, f"{method}-n_fronts={n}", column)

    yield Claim(
        section,
        "(E {} % short at a cost of 10, with one front {} %; PESMO {} % at 75, with one {} %)",
        lambda: [
            *places(1, of_ackley("imoca-e", 100, "at cost 10"), of_ackley("imoca-e", 1, "at cost 10")),
            *places(0, of_ackley("pesmo", 100, "at cost 75"), of_ackley("pesmo", 1, "at cost 75")),
        ],
    )

    def times(method: str) -> list[float]:
        return [
            cpu_seconds("fronts", f"{method}-n_fronts=100", problem)
            / cpu_seconds("fronts", f"{method}-n_fronts=1", problem)
            for problem in (ackley, "branin_currin")
        ]

    yield Claim(section, "PESMO {} to {} times", lambda: places(0, *ends(times("pesmo"))))
    yield Claim(
        section,
        "A hundred fronts cost E, T and MESMO {} to {} times the time of one",
        lambda: places(1, *ends([each for method in ("imoca-e", "imoca-t", "mesmo") for each in times(method)])),
    )


def what_changed() -> Iterator[Claim]:
    section = "What truth plus error changed"

    def now(problem: str, method: str = "imoca-p") -> float:
        return reaching("trust", method, problem)

    yield Claim(
        section,
        "the product kernel needs {} on the trap, where truth plus error needs {}, and {} on Branin-Currin against {};",
        lambda: digits(
            2,
            *(now("trap", "imoca-p-product"), now("trap")),
            *(now("branin_currin", "imoca-p-product"), now("branin_currin")),
        ),
    )
    yield Claim(
        section,
        "on BoTorch's two problems it is a little sooner there ({} and {}, {} and {})",
        lambda: digits(
            2,
            *(now("momf_branin_currin", "imoca-p-product"), now("momf_branin_currin")),
            *(now("momf_park", "imoca-p-product"), now("momf_park")),
        ),
    )
    yield Claim(
        section,
        "on the trap it ends a little closer ({} % short at 16, {} % with 0.5)",
        lambda: digits(2, *(lacking("trust", "trap", each) for each in ("imoca-p-verify=0.2", "imoca-p"))),
    )
    yield Claim(
        section,
        "at which the three seeds lack {} %",
        lambda: digits(2, lacking("trust", "rocket-per_objective", "imoca-p")),
    )
    circuit = "circuit-per_objective-pwl"
    yield Claim(
        section,
        "At a cost of 400 the recommended front lacks {}, {} and {} % (three seeds); with the product kernel"
        " and information"
        " alone it lacked {} to {} % at its end, and EHI, which knows full accuracy only, lacks {} and {} % at 828.",
        lambda: [
            *places(1, *at_cost("trust", circuit, "imoca-p")),
            *places(0, *at_cost("paper", circuit, "imoca-p")),
            *places(1, *at_cost("paper", circuit, "ehi", 828.0)),
        ],
    )
    yield Claim(
        section,
        "**DTLZ1** ends at {} to {} % where it ended at {} to {} %",
        lambda: places(1, *ends(at_cost("trust", "dtlz1", "imoca-p")), *ends(at_cost("paper", "dtlz1", "imoca-p"))),
    )
    yield Claim(
        section,
        "the **panel** lacks {} and {} % at a cost of 7 where it lacked {} and {} %",
        lambda: places(1, *at_cost("trust", "panel", "imoca-p", 7.0), *at_cost("paper", "panel", "imoca-p", 7.0)),
    )
    yield Claim(
        section,
        "**QV** is where it was, {} % short at 100",
        lambda: digits(2, lacking("trust", "qv", "imoca-p")),
    )
    ackley = "ackley_rosenbrock_sphere"
    yield Claim(
        section,
        "On **Ackley-Rosenbrock-Sphere** P lacks {} % at a cost of 30 and {} % at its end, at 30.1; iMOCA-E"
        " {} and {} %.",
        lambda: digits(
            2,
            *(lacking("trust", ackley, "imoca-p", column) for column in ("at cost 30", "at its end")),
            *(lacking("paper", ackley, "imoca-e", column) for column in ("at cost 30", "at its end")),
        ),
    )
    yield Claim(section, "| with memory | {} of {} | {} % | {} % | {} % |", lambda: relapses("with memory"))
    yield Claim(section, "| without | {} of {} | {} % | {} % | {} % |", lambda: relapses("without"))


def relapses(way: str) -> list[str]:
    found = json.loads((RESULTS / "relapse.json").read_text(encoding="utf-8"))["runs"]
    losses = [run["largest loss"][way] for run in found]
    known = [100.0 * loss for loss in losses if loss is not None]
    small = 100.0 * sum(loss < 2.0 for loss in known) / len(known)
    figures = (*places(0, small), *digits(2, statistics.median(known)), *digits(3, max(known)))
    return [str(len(known)), str(len(losses)), *figures]


def constraints() -> Iterator[Claim]:
    section = "Constraints"

    def of(problem: str, *methods: str) -> list[float]:
        return [each for method in methods for each in at_cost("constrained", problem, method)]

    yield Claim(
        section,
        "P ends {} % short at a cost of 40, the others {} to {} % at 240.",
        lambda: places(
            0,
            lacking("constrained", "osyczka_kundu", "imoca-p"),
            *ends(of("osyczka_kundu", "ehi", "parego", "smsego")),
        ),
    )
    yield Claim(
        section,
        "eight of ten seeds stop {} to {} % short",
        lambda: places(0, *ends(of("tanaka", "imoca-p")[2:])),
    )
    yield Claim(
        section,
        "MOMF had not come so near when its time ended at {}, a third more than P spent.",
        lambda: places(0, cell("constrained", "c2_dtlz2", "Hypervolume difference", "botorch-momf", "end cost")),
    )


def misleading() -> Iterator[Claim]:
    section, base = "Where cheap runs mislead", "adversarial-branin_currin-"

    def times(*variants: str) -> list[float]:
        rival = reaching("misleading", "ehi", f"{base}honest")
        return [reaching("misleading", "imoca-p", base + each) / rival for each in variants]

    yield Claim(
        section,
        "The aim was at most 1.2 times what the best of them pays, {} here.",
        lambda: digits(2, 1.2 * reaching("misleading", "ehi", f"{base}honest")),
    )
    yield Claim(
        section, "within {} times where half of the cube", lambda: places(1, max(times("half_right", "outliers")))
    )
    yield Claim(
        section,
        "with {} to {} times for the others",
        lambda: places(1, *ends(times("wrong_order", "noise", "shifted", "constant", "late_jump", "stuck"))),
    )


def workers_and_time() -> Iterator[Claim]:
    section = "What a question is worth"

    def by_seed(problem: str, workers: int) -> list[float]:
        return list(row_of("parallel", problem=problem, workers=workers)["cost by seed"])

    yield Claim(
        section,
        "single ones lie between {} and {} with one worker, {} and {} with four, {} and {} with sixteen.",
        lambda: [each for n in (1, 4, 16) for each in places(1, *ends(by_seed("branin_currin", n)))],
    )
    yield Claim(
        section,
        "it is the same, {} s against {} s of one at a time, in seven seeds of the ten that were wanted;"
        " single ones lie between"
        " {} and {} s, and between {} and {} s.",
        lambda: [
            *digits(3, *(row_of("own_time", mode=mode)["seconds"] for mode in ("several at once", "one at a time"))),
            *digits(2, *ends(row_of("own_time", mode="several at once")["seconds by seed"])),
            *digits(2, *ends(row_of("own_time", mode="one at a time")["seconds by seed"])),
        ],
    )

    yield Claim(
        section,
        "one seed of two needs {} with sixteen workers where one worker needs {}; the other never finds the"
        " front with one"
        " worker within the budget of 14, and needs {} with sixteen",
        lambda: digits(2, max(by_seed("trap", 16)), min(by_seed("trap", 1)), min(by_seed("trap", 16))),
    )
    yield Claim(
        section,
        "and the median costs {} % more; at ten to one the ratio lies between {} and {}.",
        lambda: [
            *places(0, 100.0 * (subsets_ratio("branin_currin", "equal") - 1.0)),
            *places(
                2, *ends([subsets_ratio(each, "ten to one") for each in ("branin_currin", "trap", "network_on_chip")])
            ),
        ],
    )

    def saved(problem: str, direction: str) -> float:
        row = row_of("cost_over_designs", problem=problem, direction=direction)
        return abs(100.0 * (1.0 - row["mean"] / row["design"]))

    yield Claim(
        section,
        "Park's is spread more evenly, and there {} % may be chance.",
        lambda: digits(2, saved("momf_park", "falling")),
    )


def subsets_ratio(problem: str, prices: str) -> float:
    """Of the cost with the best simulators to that with all, without a set-up cost."""
    row = row_of("subsets", problem=problem, prices=prices, setup=0.0)
    return float(row["best"] / row["all"])


def growth() -> Iterator[Claim]:
    section = "Where cheap runs pay, and where no longer"

    def of(way: str, value: float, method: str, what: str) -> float:
        return float(row_of("growth", way=way, value=value, method=method)[what])

    yield Claim(
        section,
        "P's 300 questions cost {} full runs in all",
        lambda: digits(2, of("cost ratio", 1000.0, "imoca-p", "end")),
    )
    yield Claim(
        section,
        "and it ends {} % short",
        lambda: digits(2, 100.0 * of("cost ratio", 1000.0, "imoca-p", "lacking")),
    )


def error_bars() -> Iterator[Claim]:
    section = "Are the error bars true?"
    moments = [f"in 90 %: {cost} cost" for cost in ("first", "second", "third")]

    def coverage(series: str, columns: Sequence[str]) -> list[float]:
        rows = report_rows("calibration", "Over all problems", CALIBRATION_TABLE)
        return [first_number(row[column]) for row in rows if row["model"].startswith(series) for column in columns]

    yield Claim(
        section,
        "Before anything was verified {} to {} % of the true values lie inside",
        lambda: digits(3, *ends(coverage("truth-and-error", moments))),
    )
    yield Claim(section, "without doubt {} to {} %", lambda: digits(3, *ends(coverage("without-doubt", moments))))
    yield Claim(section, "with the product kernel {} to {} %", lambda: digits(3, *ends(coverage("product", moments))))
    yield Claim(section, "with MOMF's model {} to {} %", lambda: digits(3, *ends(coverage("botorch-momf", moments))))
    yield Claim(
        section,
        "After four verified designs it is {} to {} %",
        lambda: digits(3, *ends(coverage("truth-and-error", ["in 90 %: verified"]))),
    )


CALIBRATION_TABLE = "Recommended designs at three costs and after verification, random designs at the third cost"

CLAIMS = (
    *sampled_fronts(),
    *what_changed(),
    *constraints(),
    *misleading(),
    *workers_and_time(),
    *growth(),
    *error_bars(),
)

# What stands in a tied section and was not measured for it: aims, settings, arithmetic of these, and readings that are
# said to be such. A section that is not named here is not tied yet.
SAID: Mapping[str, tuple[str, ...]] = {
    "How many sampled fronts": ("The paper's figure 2",),
    "What truth plus error changed": (
        "Before all this the trap's cost was 12.4, Ackley-Rosenbrock-Sphere's 6.91, Park's 0.493, BoTorch's"
        " Branin-Currin's"
        " 0.531, the network's 2.47, the rocket's 1.14.",  # of results that newer ones replaced
        "a share of 0.2 instead of 0.5",
        "first came within 5 % of what 200 designs can reach",
        "of the circuit, DTLZ1 and the rocket, two of the panel",
    ),
    "Are the error bars true?": (
        "as was aimed at (80 to 98)",
        "78 and 81 % of QV's truths lay inside at its first two costs",  # with the correction left out
    ),
    "Constraints": (
        "within 2 % of the true feasible front",
        "and was within 2 % a little earlier",
        "nobody comes within 2 %",
        "P was given 75",
        "with probability 0.9 of holding",
        "it was 0.5, and then P was within 2 % at 15 on the first two problems. So the trust costs 3 and 9 full runs",
        "scored with 0.5",
        "of all above 0.95",
        "At most 5 % was wanted",
        "to a cost of 20",
    ),
    "Where cheap runs mislead": (
        "Cost to within 1 % of the best known front",
        "until they have cost as much as four full designs, 8 of the 26, and the first four or five full"
        " runs, 8 to 10 more",
        "what is left of 31",
    ),
    "What a question is worth": (
        "comes and stays within 1 % of the best median end",
        "At least 85 % busy and at most 1.25 times the cost with 16 workers",
        "within the budget of 14",
        "that take 20 ms for their cheapest run and 4 s for a full one",
        "90 s of wall time each",
        "The aim was 40 % less at ten to one, in the median of six problems, and at most 5 % more anywhere"
        " at equal costs.",
        "Why 40 % is not to be expected",
        "and with 2 both ask nearly the same",
        # by single runs that were not kept
        "one seed of three with ends 1.7 % short",
        "costs 24, and full runs",
        "one of two seeds ends 2.7 % short with all, one 1.3 % with best",
    ),
    "Where cheap runs pay, and where no longer": ("P was given 300 questions at the most", "P's 300 questions"),
    "How long choosing takes": (),
}


def collapsed(text: str) -> str:
    return " ".join(text.split())


def sections_of(page: Path = PAGE) -> dict[str, str]:
    parts = re.split(r"^## (.*)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def prose_of(section: str) -> str:
    """Without tables, code, pictures, the targets of links and the numbers of decisions."""
    lines, is_code = [], False
    for line in section.splitlines():
        is_code ^= line.startswith("```")
        if not is_code and not line.startswith(("|", "```", "<!--", "![")):
            lines.append(line)
    text = re.sub(r"`[^`]*`", " ", "\n".join(lines))
    return re.sub(r"\[decision \d+\]", "[decision]", collapsed(re.sub(r"\]\([^)]*\)", "]", text)))


def stands(claim: Claim) -> bool:
    """Whether the page makes the claim, in its prose or in a table."""
    text = sections_of()[claim.section]
    return collapsed(claim.text) in prose_of(text) + collapsed(text)


def untied(title: str) -> list[str]:
    """Numbers of a section that come from nowhere."""
    known = (*(claim.text for claim in CLAIMS if claim.section == title), *SAID.get(title, ()))
    return untied_numbers(sections_of()[title], known)


def untied_numbers(section: str, known: Sequence[str]) -> list[str]:
    """In its prose, beside what is known and the numbers of its tables."""
    prose = prose_of(section)
    for each in known:
        prose = prose.replace(collapsed(each), " ")
    in_tables = {number for line in section.splitlines() if line.startswith("|") for number in NUMBER.findall(line)}
    return [number for number in NUMBER.findall(prose) if number not in in_tables]


def main() -> None:
    for claim in (each for each in CLAIMS if not stands(each)):
        print(f"{claim.section}: {claim.text}")
    for title in SAID:
        print(f"{title}: {' '.join(untied(title)) or 'all tied'}")


if __name__ == "__main__":
    main()

"""Sentences of docs/results.md about what was measured, each with the numbers that belong in it."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from experiments.claims.claim import Claim
from experiments.claims.comparison import comparison
from experiments.claims.gallery import gallery
from experiments.claims.peers import botorch
from experiments.claims.readings import (
    at_cost,
    cell,
    cpu_seconds,
    digits,
    ends,
    first_number,
    lacking,
    measured_difference,
    places,
    reaching,
    relapses,
    report_rows,
    row_of,
    subsets_ratio,
)
from experiments.claims.seeds import seeds
from experiments.claims.targets import targets


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
        "on BoTorch's two problems both are alike ({} and {}, {} and {})",
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


def measured_fronts() -> Iterator[Claim]:
    section = "What a measured front costs"

    def row(problem: str) -> Mapping[str, Any]:
        return row_of("search_then_verify", problem=problem)

    yield Claim(
        section,
        "on Branin-Currin, at {} % of the cost",
        lambda: places(0, 100.0 * row("branin_currin")["cost"] / row("branin_currin")["rival cost"]),
    )
    yield Claim(
        section,
        "lack {}, {} and {} % more than they should",
        lambda: places(
            1,
            *(
                100.0 * (row(each)["lacks there"] - row(each)["lacking at most"])
                for each in ("trap", "momf_park", "rocket-per_objective")
            ),
        ),
    )
    yield Claim(
        section,
        "and its measured front then lacks {} %",
        lambda: places(1, statistics.median(measured_difference("trust", "ackley_rosenbrock_sphere", "imoca-p"))),
    )
    yield Claim(
        section,
        "and the circuit ({} % short at a cost of 400 where {} % was wanted)",
        lambda: [
            *places(1, statistics.median(measured_difference("trust", "circuit-per_objective-pwl", "imoca-p"))),
            "27",
        ],
    )
    yield Claim(
        section,
        "lacks {} % on Branin-Currin and {} % on the trap",
        lambda: places(
            1,
            *(
                statistics.median(measured_difference("verified", each, "imoca-p-verify=0.8"))
                for each in ("branin_currin", "trap")
            ),
        ),
    )


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


def growth() -> Iterator[Claim]:
    section = "Where cheap runs pay, and where no longer"

    def of(way: str, value: float, method: str, what: str) -> float:
        return float(row_of("growth", way=way, value=value, method=method)[what])

    yield Claim(
        section,
        "P is there for {}, where EHI lacks {} %",
        lambda: [
            *digits(3, of("parameters", 10, "imoca-p", "cost")),
            *digits(2, 100.0 * of("parameters", 10, "ehi", "lacking")),
        ],
    )
    yield Claim(section, "where it needs {} now", lambda: digits(3, of("cost ratio", 100.0, "imoca-p", "cost")))


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
    *comparison(),
    *botorch(),
    *targets(),
    *sampled_fronts(),
    *what_changed(),
    *measured_fronts(),
    *constraints(),
    *misleading(),
    *workers_and_time(),
    *growth(),
    *error_bars(),
    *gallery(),
    *seeds(),
)

"""Sentences of docs/gallery, about simulators that other people wrote."""

from __future__ import annotations

import json
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from experiments.claims.claim import Claim
from experiments.claims.readings import ends, in_words, places
from experiments.third_party.records import RESULTS, RunRecord, is_feasible, read_records
from experiments.third_party.shares import final_shares, pooled_volume, shares_along
from experiments.third_party.simulators import EXAMPLES

OURS, MOMF = "imoca-p", "botorch-momf"
FULL_ONLY = ("botorch-qlognehvi", "nsga2", "random")
HOT, MUCH = 50.0, 300.0  # degrees Celsius, Wh/kg; between the cool cells of much energy and the others


def gallery() -> Iterator[Claim]:
    yield from index("gallery/index.md")
    yield from antenna("gallery/antenna.md")
    yield from battery("gallery/battery.md")
    yield from wing("gallery/wing.md")


def index(page: str) -> Iterator[Claim]:
    yield Claim(
        page,
        "There are {} seeds, of MOMF {}",
        lambda: in_words(*(len(of(next(iter(EXAMPLES)), method)) for method in (OURS, MOMF))),
    )

    def slower(name: str) -> float:
        return seconds_per_question(name, MOMF) / seconds_per_question(name, OURS)

    yield Claim(
        page,
        "it takes {} to {} times as long to choose a question,",
        lambda: places(0, *ends([slower(name) for name in EXAMPLES])),
    )


def antenna(page: str) -> Iterator[Claim]:
    name, full = "antenna", "61 x 17"
    yield knob(page, ", {}), segments", name, "nec2c")
    yield Claim(
        page,
        "nine segments at three frequencies cost {} % of a full run.",
        lambda: places(0, 100.0 * price(name, "antenna", "9 x 3", full)),
    )
    yield Claim(page, "Every method may spend as much as {} full runs cost", lambda: places(0, EXAMPLES[name].budget))
    yield Claim(
        page,
        "better than {} dBi, {} dB and a boom of {} wavelengths",
        lambda: places(0, *EXAMPLES[name].reference.values()),
    )
    yield Claim(
        page,
        "Until it has spent the cost of {} full runs iMOCA-P looks at cheap ones only; its questions cost {} % of a"
        " full run in the median",
        lambda: places(0, statistics.median(first_full_runs(name)) - 1.0, 100.0 * usual_price(name, "antenna", full)),
    )
    yield Claim(
        page,
        "Between a quarter of the budget and the last tenth it only comes from {} to {} % of the volume",
        lambda: places(0, *along(name, 0.25, 0.9)),
    )
    yield Claim(
        page,
        "it is ahead of MOMF in the median, by less than seeds differ, for {} % of the CPU time. Of MOMF there are {}"
        " seeds.",
        lambda: [
            *places(0, 100.0 * median_seconds(name, "imoca-p-half") / median_seconds(name, MOMF)),
            *in_words(len(of(name, MOMF))),
        ],
    )
    yield Claim(
        page,
        "a question of iMOCA-P {} to {} s",
        lambda: places(1, *ends([each.outcome.cpu_seconds / each.outcome.questions for each in of(name, OURS)])),
    )


def battery(page: str) -> Iterator[Claim]:
    name = "battery"
    yield knob(page, ", PyBaMM {}).", name, "pybamm")
    yield Claim(
        page,
        "Every method may spend as much as {} full runs of one simulator cost, that is {} designs",
        lambda: places(0, EXAMPLES[name].budget, EXAMPLES[name].budget / len(EXAMPLES[name].declared().simulators)),
    )
    yield Claim(page, "better than {} Wh/kg and {} °C", lambda: places(0, *EXAMPLES[name].reference.values()))
    yield Claim(
        page,
        "with two seeds of {} iMOCA-P missed {} and {} % of the volume. MOMF, {} seeds,",
        lambda: [
            *in_words(len(of(name, OURS))),
            *places(0, *(100.0 * (1.0 - share) for share in sorted(shares(name, OURS))[1::-1])),
            *in_words(len(of(name, MOMF))),
        ],
    )
    yield Claim(
        page,
        "DFN-20 is right, and costs {} % of a full run.",
        lambda: places(0, 100.0 * price(name, "heat", "DFN-20", "DFN-40")),
    )
    yield Claim(
        page,
        "iMOCA-P ran {} designs at full accuracy in the median where those that run there only ran {}",
        lambda: places(0, full_runs(name, OURS), full_runs(name, *FULL_ONLY)),
    )
    yield Claim(
        page,
        "which SPM tells for {} % of the price",
        lambda: places(0, 100.0 * price(name, "energy", "SPM", "DFN-40")),
    )

    def cool() -> list[int]:
        """By seed, the one with the least volume first."""
        counts = [
            sum(run.values["energy"] > MUCH and run.values["peak_temperature"] < HOT for run in each.outcome.full_runs)
            for each in of(name, OURS)
        ]
        return [count for _, count in sorted(zip(shares(name, OURS), counts, strict=True))]

    yield Claim(
        page,
        "The two seeds that fell behind took {} of the cells of more than 300 Wh/kg that stay below 50 °C to full"
        " accuracy, the others {} to {}.",
        lambda: in_words(max(cool()[:2]), min(cool()[2:]), max(cool()[2:])),
    )


def wing(page: str) -> Iterator[Claim]:
    name = "wing"
    yield knob(page, ", OpenAeroStruct {}), nodes", name, "openaerostruct")
    yield Claim(page, "Every method may spend as much as {} full runs cost", lambda: places(0, EXAMPLES[name].budget))
    yield Claim(
        page, "better than {} kg of fuel and {} kg of spar", lambda: places(0, *EXAMPLES[name].reference.values())
    )
    yield Claim(
        page,
        "MOMF, of which there are {} seeds, may spend what is left when its search is cut off, after three CPU minutes,"
        " on designs of its front, and runs {} there where iMOCA-P runs {}; it asks for {} % as many wings.",
        lambda: [
            *in_words(len(of(name, MOMF))),
            *places(0, full_runs(name, MOMF), full_runs(name, OURS)),
            *places(0, 100.0 * median_questions(name, MOMF) / median_questions(name, OURS)),
        ],
    )
    yield Claim(
        page,
        "iMOCA-P needs {} % of MOMF's CPU time. Its first wing that counts comes after a cost of {} full runs",
        lambda: places(
            0,
            100.0 * median_seconds(name, OURS) / median_seconds(name, MOMF),
            statistics.median(first_full_runs(name)),
        ),
    )

    def coarse() -> list[int]:
        return [each.outcome.questions - len(each.outcome.full_runs) for each in of(name, OURS)]

    def with_21_nodes() -> list[float]:
        return [
            100.0 * sum(n for mesh, n in each.outcome.runs["wing"].items() if mesh.endswith(" x 21")) / n_coarse
            for each, n_coarse in zip(of(name, OURS), coarse(), strict=True)
        ]

    yield Claim(
        page,
        "It looks at {} to {} wings on coarse meshes, {} to {} % of them with 21 nodes along the span, and runs {} to"
        " {} % on the finest one.",
        lambda: [
            *map(str, ends(coarse())),
            *places(0, *ends(with_21_nodes())),
            *places(0, *ends([100.0 * len(e.outcome.full_runs) / e.outcome.questions for e in of(name, OURS)])),
        ],
    )
    yield Claim(
        page,
        "{} to {} of {} or {} wings that it takes to full accuracy hold",
        lambda: [
            *map(str, ends([len(each.outcome.full_runs) - broken(name, each) for each in of(name, OURS)])),
            *map(str, ends([len(each.outcome.full_runs) for each in of(name, OURS)])),
        ],
    )
    yield Claim(
        page,
        "Those that run on the finest mesh only lose {} to {} of their 24 runs to wings that break.",
        lambda: [str(n) for n in ends([broken(name, each) for method in FULL_ONLY for each in of(name, method)])],
    )


def knob(page: str, sentence: str, name: str, package: str) -> Claim:
    return Claim(page, sentence, lambda: [knob_record(name)["versions"][package]])


@cache
def knob_record(name: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads((RESULTS / f"{name}-knob.json").read_text(encoding="utf-8"))
    return found


@cache
def all_of(name: str) -> Sequence[RunRecord]:
    return read_records(RESULTS / f"{name}.jsonl")


def of(name: str, method: str) -> list[RunRecord]:
    """By seed."""
    return [record for record in all_of(name) if record.method == method]


def shares(name: str, method: str) -> list[float]:
    """Of the volume that all runs found, by seed."""
    return final_shares(EXAMPLES[name], all_of(name))[method]


def along(name: str, *parts: float) -> list[float]:
    """Per cent of the volume that iMOCA-P has in the median when it has spent such parts of its budget."""
    example, whole = EXAMPLES[name], pooled_volume(EXAMPLES[name], all_of(name))
    costs = example.budget * np.array(parts)
    medians = np.median([shares_along(example, record, whole, costs) for record in of(name, OURS)], axis=0)
    return [100.0 * float(share) for share in medians]


def price(name: str, simulator: str, fidelity: str, full: str) -> float:
    """Measured, as a share of that of a full run."""
    seconds = {
        reading["fidelity"]: reading["cpu_seconds"]
        for reading in knob_record(name)["readings"]
        if reading["simulator"] == simulator
    }
    return float(seconds[fidelity] / seconds[full])


def usual_price(name: str, simulator: str, full: str) -> float:
    """The median over iMOCA-P's questions, all seeds together."""
    runs = sum((Counter(record.outcome.runs[simulator]) for record in of(name, OURS)), Counter[str]())
    return statistics.median(price(name, simulator, fidelity, full) for fidelity in runs.elements())


def first_full_runs(name: str) -> list[float]:
    """What iMOCA-P had spent when its first full run was done, by seed."""
    return [record.outcome.full_runs[0].spent for record in of(name, OURS)]


def median_seconds(name: str, method: str) -> float:
    return statistics.median(record.outcome.cpu_seconds for record in of(name, method))


def median_questions(name: str, method: str) -> float:
    return statistics.median(record.outcome.questions for record in of(name, method))


def seconds_per_question(name: str, method: str) -> float:
    return statistics.median(record.outcome.cpu_seconds / record.outcome.questions for record in of(name, method))


def full_runs(name: str, *methods: str) -> float:
    return statistics.median(len(record.outcome.full_runs) for method in methods for record in of(name, method))


def broken(name: str, record: RunRecord) -> int:
    """Full runs that do not hold the constraints."""
    problem = EXAMPLES[name].declared()
    return sum(not is_feasible(problem, run.values) for run in record.outcome.full_runs)

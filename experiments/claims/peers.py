"""Sentences of docs/results.md about BoTorch's methods."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from experiments.claims.claim import Claim
from experiments.claims.readings import (
    cell,
    cpu_seconds,
    ends,
    first_number,
    in_words,
    lacking,
    places,
    reaching,
    recorded,
    report_rows,
    runs_of,
    settling,
    steps_to,
)

ACKLEY, CIRCUIT, ROCKET = "ackley_rosenbrock_sphere", "circuit-per_objective-pwl", "rocket-per_objective"
OF_BOTORCH = ("momf_branin_currin", "momf_park")
WITH_HVKG = (*OF_BOTORCH, "branin_currin", "trap", ACKLEY, ROCKET)
MOMF, HVKG = (("botorch-momf", "botorch-momf-cheap"), ("botorch-hvkg", "botorch-hvkg-cheap"))  # their start, ours
FULL_ONLY = ("botorch-jes", "botorch-qlognehvi", "botorch-qlognparego")
FIVE_MINUTES = 300.0


def botorch() -> Iterator[Claim]:
    section = "BoTorch's methods"
    yield Claim(
        section,
        "one takes it {} to {} s where P takes {} to {}: {} to {} questions after its start",
        lambda: [
            *places(0, *ends([cpu_seconds("peers", each, problem) for each in HVKG for problem in WITH_HVKG])),
            *places(1, *ends([cpu_seconds("peers", "imoca-p", problem) for problem in WITH_HVKG])),
            *map(str, ends(hvkg_questions())),
        ],
    )
    yield from momf(section)
    yield from hvkg(section)
    yield from on_the_circuit(section)
    yield Claim(
        section,
        "the best needs {} to {} times as much as P on BoTorch's two problems, {} times on Branin-Currin, {} times"
        " on Ackley-Rosenbrock-Sphere, {} times on the rocket, but {} times as much on the trap.",
        lambda: [
            *places(0, *ends([best_of(FULL_ONLY, each) for each in OF_BOTORCH])),
            *places(0, *(best_of(FULL_ONLY, each) for each in ("branin_currin", ACKLEY, ROCKET))),
            *places(1, best_of(FULL_ONLY, "trap")),
        ],
    )


def momf(section: str) -> Iterator[Claim]:
    def factors(problem: str) -> list[str]:
        return places(1, *sorted(times_p(each, problem) for each in MOMF))

    yield Claim(
        section,
        "by a factor of {} and {} on Branin-Currin, {} and {} on BoTorch's own version of it, {} and {} on the trap,"
        " where cheap runs mislead, and {} on Ackley-Rosenbrock-Sphere",
        lambda: [
            *factors("branin_currin"),
            *factors("momf_branin_currin"),
            *factors("trap"),
            *places(1, times_p("botorch-momf", ACKLEY)),
        ],
    )
    yield Claim(
        section,
        "its start costs {} to {} full designs",
        lambda: places(1, *ends(start_costs("botorch-momf"))),
    )
    yield Claim(
        section,
        "on Park for full accuracy in {} to {} % of its questions",
        lambda: places(0, *ends([asked("momf_park", each, "park", "z = 1") for each in MOMF])),
    )

    def sooner() -> list[str]:
        pairs = list(zip(settling("peers", ROCKET, MOMF[1]), settling("peers", ROCKET, "imoca-p"), strict=False))
        return in_words(sum(theirs < ours for theirs, ours in pairs), len(pairs))

    yield Claim(
        section,
        "from our start it comes within 1 % of the attainable, and stays there, before P in {} seeds of {}, but within"
        " 1 % of the best median end only from {} on, P from {}",
        lambda: [*sooner(), *places(1, *(reaching("peers", each, ROCKET) for each in (MOMF[1], "imoca-p")))],
    )
    yield Claim(
        section,
        "stays {} % short, MOMF from its own start goes on to {} %",
        lambda: places(2, *(lacking("peers", "momf_park", each) for each in ("imoca-p", MOMF[0]))),
    )


def hvkg(section: str) -> Iterator[Claim]:
    theirs = HVKG[1]
    yield Claim(
        section,
        "P was scored at every {} question, {} apart; beyond, at 0.75, P is closer: {} % short and HVKG {} %",
        lambda: [
            {5: "fifth", 6: "sixth"}[round(gap_of_looks()[0])],
            *places(2, gap_of_looks()[1]),
            *places(2, *(lacking("peers", OF_BOTORCH[0], each, "at cost 0.75") for each in ("imoca-p", theirs))),
        ],
    )
    yield Claim(
        section,
        "({} % short at 4.2, P {} %; {} % at its end on the trap, at {}, P {} % there)",
        lambda: [
            *places(0, *(lacking("peers", ACKLEY, each, "at cost 4.2") for each in (theirs, "imoca-p"))),
            *places(0, lacking("peers", "trap", theirs)),
            *places(1, cell("peers", "trap", "Hypervolume difference", theirs, "end cost")),
            *places(0, lacking("peers", "trap", "imoca-p", "at cost 4.9")),
        ],
    )
    yield Claim(
        section,
        "come and go, {} to {} % short",
        lambda: places(
            0, lacking("peers", ROCKET, "imoca-p", "at cost 0.43"), lacking("peers", ROCKET, theirs, "at its end")
        ),
    )
    yield Claim(section, "which costs {} to {} full designs", lambda: places(1, *ends(start_costs("botorch-hvkg"))))


def on_the_circuit(section: str) -> Iterator[Claim]:
    def seconds(*methods: str) -> list[float]:
        return [first_number(recorded("peers_on_circuit")["first suggestion"][each]) for each in methods]

    yield Claim(
        section,
        "MOMF {} s, JES {} s, HVKG {} s and qLogNEHVI more than {} s, where P takes {}",
        lambda: places(0, *seconds(MOMF[1], "botorch-jes", HVKG[1], "botorch-qlognehvi", "imoca-p")),
    )
    yield Claim(
        section,
        "which were {} questions and a cost of {}: {} % short, P there {} %.",
        lambda: [
            *in_words(*(len(run.costs) - run.n_initial for run in runs_of("peers", CIRCUIT, MOMF[1]))),
            *places(0, cell("peers", CIRCUIT, "Hypervolume difference", MOMF[1], "end cost")),
            *places(1, lacking("peers", CIRCUIT, MOMF[1])),
            *places(0, lacking("peers", CIRCUIT, "imoca-p", "at cost 33")),
        ],
    )
    yield Claim(section, "qLogNParEGO, at {} s,", lambda: places(0, *seconds("botorch-qlognparego")))


def times_p(method: str, problem: str) -> float:
    return reaching("peers", method, problem) / reaching("peers", "imoca-p", problem)


def best_of(methods: tuple[str, ...], problem: str) -> float:
    """Times what P needs; a method that did not get there needs more than it had."""
    return min(times_p(each, problem) for each in methods)


def start_costs(method: str) -> list[float]:
    """Of the initial designs of every seed, in designs of which every simulator runs at full accuracy."""
    runs = [run for problem in WITH_HVKG for run in runs_of("peers", problem, method)]
    return [run.costs[run.n_initial - 1] / len(run.fidelities) for run in runs]


def hvkg_questions() -> list[int]:
    """After the start, where it was cut off after five minutes."""
    runs = [run for each in HVKG for problem in WITH_HVKG for run in runs_of("peers", problem, each)]
    return [len(run.costs) - run.n_initial for run in runs if run.spec.time == FIVE_MINUTES]


def asked(problem: str, method: str, simulator: str, fidelities: str) -> float:
    """Per cent of the questions after the initial design, of every seed."""
    rows = report_rows("peers", problem, "Chosen fidelities")
    (share,) = [row[fidelities] for row in rows if (row["method"], row["simulator"]) == (method, simulator)]
    return first_number(share)


def gap_of_looks() -> tuple[float, float]:
    """Questions and cost between the two looks at P's seeds around where HVKG is there; medians."""
    there = reaching("peers", HVKG[1], OF_BOTORCH[0])
    questions, costs = [], []
    for run, steps in zip(
        runs_of("peers", OF_BOTORCH[0], "imoca-p"), steps_to("peers", OF_BOTORCH[0], "imoca-p"), strict=True
    ):
        after = int(steps.costs.searchsorted(there))
        questions.append(run.scores[after].n_trials - run.scores[after - 1].n_trials)
        costs.append(float(steps.costs[after] - steps.costs[after - 1]))
    return statistics.median(questions), statistics.median(costs)

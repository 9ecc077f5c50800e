"""Sentences of docs/results.md about how many seeds there are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from experiments.claims.claim import Claim
from experiments.claims.peers import ACKLEY, CIRCUIT, FULL_ONLY, HVKG, MOMF, ROCKET
from experiments.claims.readings import in_words, results_of

SLOW, SLOWEST = (ACKLEY, ROCKET, "qv"), (CIRCUIT, "panel")
QUICK = ("imoca-e", "ehi", "mesmo", "parego", "random", "smsego")
Choice = Callable[[str, str], bool]  # problem, method


def seeds() -> Iterator[Claim]:
    section = "How many seeds"
    yield Claim(
        section,
        "In the paper's comparison {}, but {} of SUR and PESMO on Ackley-Rosenbrock-Sphere, the rocket and QV, where"
        " they take longest, {} on DTLZ1, and on the two slowest problems {} seeds of P (on the circuit also of E and"
        " of the quicker baselines) and {} of the others.",
        lambda: in_words(
            number("paper", lambda p, m: p not in (*SLOWEST, "dtlz1") and not is_late(p, m)),
            number("paper", is_late),
            number("paper", lambda p, _: p == "dtlz1"),
            number("paper", is_twice),
            number("paper", lambda p, m: p in SLOWEST and not is_twice(p, m)),
        ),
    )
    yield Claim(
        section,
        "In the comparison with BoTorch {} seeds of MOMF and HVKG, and of all that is BoTorch's on"
        " Ackley-Rosenbrock-Sphere and the rocket, {} of the others, {} on the circuit.",
        lambda: in_words(
            number("peers", lambda p, m: p != CIRCUIT and is_dear(p, m)),
            number("peers", lambda p, m: p != CIRCUIT and not is_dear(p, m)),
            number("peers", lambda p, _: p == CIRCUIT),
        ),
    )


def number(report: str, is_meant: Choice) -> int:
    """The same for all that is meant."""
    counts = Counter((run.spec.problem.label, run.spec.method.label) for run in results_of(report))
    (found,) = {count for of, count in counts.items() if is_meant(*of)}
    return found


def is_late(problem: str, method: str) -> bool:
    return problem in SLOW and method in ("sur", "pesmo")


def is_twice(problem: str, method: str) -> bool:
    return (problem in SLOWEST and method == "imoca-p") or (problem == CIRCUIT and method in QUICK)


def is_dear(problem: str, method: str) -> bool:
    return method in (*MOMF, *HVKG) or (problem in (ACKLEY, ROCKET) and method in FULL_ONLY)

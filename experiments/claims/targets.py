"""Sentences of docs/results.md about the targets of the comparison, and why some are missed."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator

import numpy as np

from experiments.claims.claim import Claim
from experiments.claims.peers import ACKLEY, CIRCUIT, HVKG, OF_BOTORCH, ROCKET, asked, gap_of_looks
from experiments.claims.readings import (
    cell,
    digits,
    ends,
    median_steps,
    places,
    reaching,
    recorded,
    runs_of,
    settling,
)
from imoca_lab.harness.run_spec import ProblemChoice
from imoca_lab.problems.trap import wavy_currin

PARK = "momf_park"
CURRIN = 1  # of the trap's objectives
AS_IT_IS, FIXED, LESS_ALIKE = VARIANTS = ("as it is", "exponent fixed at 1", "bandwidth's median 1 instead of 3")
NEAR_BRANINS_LEAST = (-math.pi, 12.275)  # one of the three designs where Branin is least


def targets() -> Iterator[Claim]:
    section = "The targets, and why some are missed"
    yield Claim(
        section,
        "The first is met, with {} to {} % less, on Branin-Currin, Ackley-Rosenbrock-Sphere, the rocket and BoTorch's"
        " two problems; it is missed on the trap, just ({} % less)",
        lambda: places(
            0, *ends([reduction(each) for each in ("branin_currin", ACKLEY, ROCKET, *OF_BOTORCH)]), reduction("trap")
        ),
    )
    yield from the_trap(section)
    yield from the_circuit(section)
    yield from park(section)


def the_trap(section: str) -> Iterator[Claim]:
    yield Claim(
        section,
        "From a cost of 6.6 to 9 P stands {} to {} % short in the median of its seeds",
        lambda: places(1, *ends(lacking_between("trap", 6.6, 9.0))),
    )
    yield Claim(
        section,
        "makes Currin look worse by {}, {} % of its range over the front; P asks Currin below z = 0.2 in {} % of its"
        " questions",
        lambda: [
            *places(1, wave()),
            *places(0, 100.0 * wave() / range_of_currin()),
            *places(0, asked("trap", "imoca-p", "currin", "0 ≤ z < 0.2")),
        ],
    )
    yield Claim(
        section,
        "the fidelity kernel without its learned exponent, median cost {} instead of {}; a prior that takes fidelities"
        " to be less alike, {}. Neither is a difference with such scatter ({} to {})",
        lambda: [
            *digits(3, *(ablated("trap", each) for each in (FIXED, AS_IT_IS, LESS_ALIKE))),
            *places(0, *ends([cost for each in VARIANTS for cost in ablated_by_seed("trap", each)])),
        ],
    )


def the_circuit(section: str) -> Iterator[Claim]:
    def fit(method: str, output: str, what: str) -> float:
        (found,) = [
            fits
            for name, fits in recorded("model_fit")["fits"].items()
            if name.startswith(f"{CIRCUIT}/{method}/") and name.endswith("recommended designs")
        ]
        return float(found[output][what])

    yield Claim(
        section,
        "{} % of its questions about the fourth stage's voltage and {} % of those about its ripple are below z = 0.05",
        lambda: places(0, *(asked_below("paper", CIRCUIT, each, 0.05) for each in ("voltage_4", "ripple_4"))),
    )
    yield Claim(
        section,
        "with a correlation of {} (EHI's model: {}), and {} % of the fourth voltages are more than two error bars off",
        lambda: [
            *places(2, *(fit(each, "ripple_4", "rank correlation") for each in ("imoca-p", "ehi"))),
            *places(0, 100.0 * (1.0 - fit("imoca-p", "voltage_4", "within 2 sd"))),
        ],
    )


def park(section: str) -> Iterator[Claim]:
    theirs = HVKG[1]

    def median(method: str) -> float:
        return statistics.median(settling("peers", PARK, method))

    def from_grid() -> float:
        """Per cent of the distance."""
        return 100.0 * (median("imoca-p") - ablated(PARK, AS_IT_IS)) / (median("imoca-p") - median(theirs))

    yield Claim(
        section,
        "HVKG comes within 1 % of the attainable after {} to {} questions, P on the same seeds after {} to {}, scored"
        " at every fifth; over all seeds at {} and {}.",
        lambda: [
            *map(str, ends(questions_to(theirs))),
            *map(str, ends(questions_to("imoca-p")[: len(questions_to(theirs))])),
            *digits(3, median(theirs), median("imoca-p")),
        ],
    )
    yield Claim(section, "With more checkpoints P's median is {}", lambda: digits(3, ablated(PARK, AS_IT_IS)))
    yield Claim(
        section,
        "without the exponent {}): the grid makes up {} % of the distance",
        lambda: [*digits(3, ablated(PARK, FIXED)), *places(0, from_grid())],
    )
    yield Claim(
        section,
        "On BoTorch's Branin-Currin the distance, {}, is {} % of a step of P's checkpoints.",
        lambda: [*digits(2, behind(OF_BOTORCH[0])), *places(0, 100.0 * behind(OF_BOTORCH[0]) / gap_of_looks()[1])],
    )


def reduction(problem: str) -> float:
    return cell("peers", "Over all problems", "Cost to convergence", problem, "reduction by imoca-p")


def lacking_between(problem: str, low: float, high: float) -> list[float]:
    """Per cent of the hypervolume that the median over P's seeds lacks at its looks between two costs."""
    steps = median_steps("peers", problem, "imoca-p")
    return [100.0 * float(value) for value in steps.values[(steps.costs >= low) & (steps.costs < high)]]


def wave() -> float:
    """By how much more of Currin the cheapest run finds where Branin is least."""
    return wavy_currin(*NEAR_BRANINS_LEAST, 0.0) - wavy_currin(*NEAR_BRANINS_LEAST, 1.0)


def range_of_currin() -> float:
    return float(np.ptp(ProblemChoice("trap").benchmark().reference_front[:, CURRIN]))


def asked_below(report: str, problem: str, simulator: str, fidelity: float) -> float:
    """Per cent of P's questions after the initial design, of the seed whose models were looked at."""
    run = runs_of(report, problem, "imoca-p")[0]
    found = run.fidelities[simulator][run.n_initial :]
    return 100.0 * sum(z < fidelity for z in found) / len(found)


def questions_to(method: str) -> list[int]:
    """After the initial design, until Park's front is within 1 % of what is attainable, by seed."""
    found = []
    for run, cost in zip(runs_of("peers", PARK, method), settling("peers", PARK, method), strict=True):
        looks = [look.n_trials for look in run.scores if run.costs[look.n_trials - 1] >= cost]
        found.append(looks[0] - run.n_initial)
    return found


def behind(problem: str) -> float:
    """The cost that P needs beyond what HVKG from our start does."""
    return reaching("peers", "imoca-p", problem) - reaching("peers", HVKG[1], problem)


def ablated(problem: str, variant: str) -> float:
    """The median cost."""
    return float(recorded("ablation")["rows"][f"{problem}, {variant}"]["median"])


def ablated_by_seed(problem: str, variant: str) -> list[float]:
    return [float(cost) for cost in recorded("ablation")["rows"][f"{problem}, {variant}"]["costs"]]

"""Sentences of docs/results.md about the paper's comparison."""

from __future__ import annotations

from collections.abc import Iterator

from experiments.claims.claim import Claim
from experiments.claims.readings import (
    at_cost,
    cell,
    digits,
    ends,
    first_number,
    lacking,
    places,
    reaching,
    report_rows,
)


def comparison() -> Iterator[Claim]:
    section, ackley, circuit = "The paper's comparison", "ackley_rosenbrock_sphere", "circuit-per_objective-pwl"
    full_only = ("ehi", "mesmo", "parego", "pesmo", "smsego", "sur")

    def ends_at(problem: str, *methods: str) -> list[float]:
        return [lacking("paper", problem, method) for method in methods]

    def share(problem: str, method: str = "imoca-p") -> float:
        """Per cent of the cost of the best method that only knows full accuracy."""
        best = cell("paper", "Over all problems", "Cost to convergence", problem, "best single-fidelity")
        return 100.0 * reaching("paper", method, problem) / best

    def r2(method: str) -> float:
        return cell("paper", ackley, "R2", method, "at its end")

    converged = ("ackley_rosenbrock_sphere", "branin_currin", "network_on_chip", "panel", "rocket-per_objective")
    yield Claim(
        section, "It needs {} to {} % of the cost", lambda: places(0, *ends([share(each) for each in converged]))
    )
    yield Claim(
        section,
        "P's designs end {} from the true front, those of the best single-fidelity method {}, at eight times",
        lambda: digits(2, r2("imoca-p"), min(map(r2, full_only))),
    )
    yield Claim(section, "caught up: {} % short, P {} %", lambda: places(2, *ends_at(ackley, "imoca-e", "imoca-p")))
    yield Claim(
        section,
        "With the product kernel P lacks {} and {} % of the hypervolume at its end",
        lambda: places(0, *at_cost("paper", circuit, "imoca-p")),
    )
    yield Claim(section, "lacks {} and {} % at 900", lambda: places(0, *at_cost("paper", circuit, "ehi")))
    yield Claim(
        section,
        "with truth plus error P lacks {} to {} % at 400",
        lambda: places(0, *ends(at_cost("trust", circuit, "imoca-p"))),
    )
    yield Claim(
        section,
        "P ends {} % short at a cost of 10, E {} %, MF-OSEMO-TG {} %;",
        lambda: places(1, *ends_at("dtlz1", "imoca-p", "imoca-e", "mf-osemo-tg")),
    )
    yield Claim(
        section,
        "MESMO ends {} % short and every other single-fidelity method {} to {} %",
        lambda: digits(
            2,
            *ends_at("dtlz1", "mesmo"),
            *ends(ends_at("dtlz1", "random", *(each for each in full_only if each != "mesmo"))),
        ),
    )
    qv_rows = report_rows("paper", "qv", "Hypervolume difference")
    yield Claim(
        section,
        "every method lacks {} to {} % of the hypervolume, random search {} %",
        lambda: places(0, *ends([first_number(row["at its end"]) for row in qv_rows]), *ends_at("qv", "random")),
    )
    yield Claim(
        section,
        "At a cost of 100 P is {} % short, SMSego {} %;",
        lambda: places(0, *(lacking("paper", "qv", each, "at cost 100") for each in ("imoca-p", "smsego"))),
    )
    yield Claim(
        section,
        "SMSego ends at {} %, P's {} %",
        lambda: places(0, *ends_at("qv", "smsego", "imoca-p")),
    )
    yield Claim(
        section,
        "whose model is its own, needs {} and {}.",
        lambda: digits(3, *(reaching("paper", each, "network_on_chip") for each in ("mf-osemo-ni", "mf-osemo-tg"))),
    )
    of_e = ("ackley_rosenbrock_sphere", "branin_currin", "network_on_chip", "rocket-per_objective")
    yield Claim(
        section,
        "E does, by {} to {} % where it converges",
        lambda: places(0, *ends([100.0 - share(each, "imoca-e") for each in of_e])),
    )
    yield Claim(
        section,
        "T by {} % on Branin-Currin, {} % on the network and {} % on the rocket",
        lambda: places(0, *(100.0 - share(each, "imoca-t") for each in of_e[1:])),
    )
    yield Claim(
        section,
        "they end {} to {} % short of the true hypervolume, random search {} %.",
        lambda: [
            *places(2, *ends(ends_at("branin_currin", *full_only))),
            *places(1, *ends_at("branin_currin", "random")),
        ],
    )
    yield Claim(
        section,
        "they end at {} % (ten seeds) and {} % (five).",
        lambda: places(3, *ends_at("branin_currin", "ehi"), lacking("peers", "branin_currin", "botorch-qlognehvi")),
    )

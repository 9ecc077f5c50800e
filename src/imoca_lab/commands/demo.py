"""``imoca demo``: optimise the rocket simulator, verify some designs, and show what was found."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from imoca.cli.front import print_front, verified_first
from imoca.cli.output import tell
from imoca.cli.verify import print_verification

if TYPE_CHECKING:
    from imoca import Study
    from imoca.report import Introduction
    from imoca.snapshot import ParetoPoint

N_SHOWN = 8  # designs of the printed front
N_VERIFIED = 4  # designs, at full accuracy
REPORT = Path("rocket-report.html")
ABOUT = (
    "A rocket is launched from a rotating Earth and falls back. Three things are wanted of it at once: to fly long "
    "(flight_time, in hours), to land far away (distance, in degrees along the ground) and to point steeply (tilt, in "
    "degrees from the vertical). The flight is computed by a solver of differential equations whose tolerance is the "
    "fidelity: at 1 it is accurate, at 0 it is hundreds of times cheaper and rough. Cheap flights found the front; "
    "then a few of its designs were verified, flown once at full accuracy, and what was learned improved it."
)


def demo(
    budget: Annotated[float, typer.Option(help="Cost to spend, in full-accuracy flights.")] = 0.3,
    method: Annotated[str, typer.Option(help="Which method asks.")] = "imoca-p",
    seed: Annotated[int, typer.Option(help="Same seed, same questions.")] = 0,
    output: Annotated[Path, typer.Option("-o", "--output", help="Where the report is written.")] = REPORT,
) -> None:
    """Optimise a rocket's flight: fly long, land far, point steeply, with a solver whose tolerance is the fidelity.

    Ends by verifying designs of the front at full accuracy and writing a report.
    """
    from imoca import Study
    from imoca_lab.problems.rocket.problem import rocket

    with Study(rocket().problem, method=method, seed=seed) as study:
        tell(f"Optimising the rocket with {method}, seed {seed}, for the cost of {budget:g} full-accuracy flights.")
        study.optimize(budget, progress=True)
        reckoned = study.cost_spent
        tell(f"\nCheap flights have drawn a front. To verify it, {N_VERIFIED} of its designs fly at full accuracy:")
        found = study.verify(n=N_VERIFIED, progress=True)
        print_verification(found)
        tell(f"{found.n_kept} of {found.n_measured} measured values lie within the 90 % intervals.")
        front = [point for point in study.pareto_front() if not point.is_earlier]
        shown = verified_first(front, N_SHOWN)
        tell(f"\nPareto front at full accuracy, {len(shown)} of {len(front)} designs, verified ones first:")
        print_front(study.problem, shown)
        tell(f"\n{_summary(study, front, reckoned)}")
        command = f"imoca demo --budget {budget:g} --method {method} --seed {seed}"
        tell(_write_report(study, output, command))


def _write_report(study: Study, path: Path, command: str) -> str:
    from imoca.errors import MissingPackageError
    from imoca.files import write_whole
    from imoca.report import report_page

    try:
        page = report_page(study.snapshot(), _introduction(command))
    except MissingPackageError as error:
        return f"No report is written: {error.message} {error.hint}"
    write_whole(path, page)
    return f"The report is in {path}; open it in any browser."


def _introduction(command: str) -> Introduction:
    from imoca.report import Introduction

    commands = (
        ("Fly all of it again, and write this report:", command),
        ("Spend more, for a better front:", f"{command.split(' --budget')[0]} --budget 1"),
        ("Begin a study of your own simulators:", "imoca init\nimoca run\nimoca report"),
    )
    return Introduction("A rocket that flies long, lands far and points steeply", ABOUT, commands)


def _summary(study: Study, front: Sequence[ParetoPoint], reckoned: float) -> str:
    """``reckoned``: what the search had cost, as far as that was known before there were full flights."""
    bill = study.snapshot().bill
    search, n_verified = bill.total - bill.verification, sum(point.verified for point in front)
    decimals = 2 if search >= 0.1 else 3
    now, then = f"{search:.{decimals}f}", f"{reckoned:.{decimals}f}"
    known = now if now == then else f"{now} ({then} before full flights told what they cost)"
    return (
        f"{len(study.trials)} trials, {len(front)} designs on the front, {n_verified} of them verified. "
        f"Cost in full-accuracy flights: search {known}, verification {bill.verification:.{decimals}f}."
    )

"""``imoca demo``: optimise the rocket simulator, verify some designs, and show what was found."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from imoca import Study
    from imoca.problem import Problem
    from imoca.report import Introduction
    from imoca.snapshot import ParetoPoint

N_ROWS = 15  # of the printed front
N_VERIFIED = 4  # designs, at full accuracy
PLAIN_WIDTH = 120  # of the table in a pipe or a log, where there is no terminal to ask
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
    from rich.console import Console

    from imoca import Study
    from imoca_lab.problems.rocket.problem import rocket

    console = Console()
    if not console.is_terminal:
        console = Console(width=PLAIN_WIDTH)
    with Study(rocket().problem, method=method, seed=seed) as study:
        console.print(f"Optimising the rocket with {method}, budget {budget:g} full-accuracy flights, seed {seed}.")
        study.optimize(budget)
        console.print(f"Cheap flights have drawn a front. Now {N_VERIFIED} of its designs fly at full accuracy:")
        console.print(str(study.verify(n=N_VERIFIED)), markup=False, highlight=False)
        front = [point for point in study.pareto_front() if not point.is_earlier]
        console.print(_table(study.problem, front))
        console.print(_summary(study, front))
        command = f"imoca demo --budget {budget:g} --method {method} --seed {seed}"
        console.print(_write_report(study, output, command), markup=False, soft_wrap=True)


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


def _table(problem: Problem, front: Sequence[ParetoPoint]) -> object:
    from rich.table import Table
    from rich.text import Text

    table = Table(title=f"Pareto front at full accuracy, {min(N_ROWS, len(front))} of {len(front)} designs")
    for name in problem.space.names:
        table.add_column(Text(name), justify="right", style="cyan")
    for objective in problem.objectives:
        table.add_column(Text(f"{objective.name}\n({objective.goal})"), justify="right")
    table.add_column("")
    step = max(1, (len(front) - 1) // (N_ROWS - 1))
    for point in front[::step][:N_ROWS]:
        values = point.measured or point.predicted
        table.add_row(
            *(f"{value:.4g}" if isinstance(value, float) else str(value) for value in point.parameters.values()),
            *(f"{values[o.name]:.4g} ± {point.uncertainty[o.name]:.1g}" for o in problem.objectives),
            point.state,
        )
    return table


def _summary(study: Study, front: Sequence[ParetoPoint]) -> str:
    n_verified = sum(point.verified for point in front)
    return (
        f"{len(study.trials)} trials for the cost of {study.cost_spent:.2f} full-accuracy flights, "
        f"{study.snapshot().bill.verification:.2f} of it to verify; "
        f"{len(front)} designs on the front, {n_verified} of them verified at full accuracy."
    )

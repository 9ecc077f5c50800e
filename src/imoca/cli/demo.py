"""``imoca demo``: optimise the rocket simulator and show its Pareto front."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from imoca.problem.problem import Problem
    from imoca.study.recommendation import ParetoPoint
    from imoca.study.study import Study

N_ROWS = 15  # of the printed front
PLAIN_WIDTH = 120  # of the table in a pipe or a log, where there is no terminal to ask


def demo(
    budget: Annotated[float, typer.Option(help="Cost to spend, in full-accuracy flights.")] = 0.3,
    method: Annotated[str, typer.Option(help="Which method asks.")] = "imoca-p",
    seed: Annotated[int, typer.Option(help="Same seed, same questions.")] = 0,
) -> None:
    """Optimise a rocket's flight: fly long, land far, point steeply, with a solver whose tolerance is the fidelity."""
    from rich.console import Console

    from imoca.benchmarks.problems.rocket import rocket
    from imoca.study.study import Study

    console = Console()
    if not console.is_terminal:
        console = Console(width=PLAIN_WIDTH)
    study = Study(rocket().problem, method=method, seed=seed)  # type: ignore[arg-type]
    console.print(f"Optimising the rocket with {method}, budget {budget:g} full-accuracy flights, seed {seed}.")
    study.optimize(budget)
    front = study.pareto_front()
    console.print(_table(study.problem, front))
    console.print(_summary(study, front))


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
            "verified" if point.verified else "predicted",
        )
    return table


def _summary(study: Study, front: Sequence[ParetoPoint]) -> str:
    n_verified = sum(point.verified for point in front)
    return (
        f"{len(study.trials)} trials for the cost of {study.cost_spent:.2f} full-accuracy flights; "
        f"{len(front)} designs on the front, {n_verified} of them verified at full accuracy."
    )

"""``imoca front``: the designs to choose from."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from imoca.cli.opening import AsJson, StudyArgument, open_to_read
from imoca.cli.output import csv_text, print_json, say
from imoca.cli.tables import Column, fits, print_table
from imoca.content.records import front_record
from imoca.wording import counted, labelled, limit_words, number, with_deviation, with_error

if TYPE_CHECKING:
    from imoca.problem.problem import Problem
    from imoca.snapshot.recommendation import ParetoPoint
    from imoca.snapshot.snapshot import Snapshot

__all__ = ["front", "print_front", "verified_first"]

T = TypeVar("T")

N_ROWS, N_TURNED = 30, 10  # designs shown on a terminal unless told otherwise: as rows, or side by side in blocks


def front(
    study: StudyArgument = None,
    as_json: AsJson = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
    show_all: Annotated[bool, typer.Option("--all", help="Show every design on a terminal too.")] = False,
    top: Annotated[
        int | None, typer.Option(min=1, help="Show so many designs, verified ones first.", show_default=False)
    ] = None,
) -> None:
    """Show the Pareto front at full accuracy.

    A verified design was measured there; of the others the prediction is shown. In two cases of three the truth is as
    near as its error bar says; a doubtful one the model cannot vouch for. Where there are constraints, feasible is the
    probability that all of them hold.
    """
    if as_json and as_csv:
        raise typer.BadParameter("Choose one of --json and --csv.")
    if show_all and top is not None:
        raise typer.BadParameter("Choose one of --all and --top.")
    with open_to_read(study) as opened:
        snapshot = opened.study.snapshot()
        problem = snapshot.problem
        points = snapshot.front if top is None else verified_first(snapshot.front, top)
        if as_json:
            print_json(front_record(problem, points))
        elif as_csv:
            print(front_csv(problem, points), end="")
        elif points:
            shown = points if show_all or top is not None or not sys.stdout.isatty() else _for_a_terminal(snapshot)
            print_front(problem, shown)
            more = "" if len(shown) >= snapshot.n_on_front else f", {len(shown)} of them shown; --all shows every one"
            n_verified = sum(point.verified for point in snapshot.front)
            say(f"{counted(snapshot.n_on_front, 'design')} on the front, {n_verified} verified at full accuracy{more}.")
            say_what_is_doubted(snapshot)
        if not points and snapshot.beliefs is not None:
            say("No front yet: no design is likely to satisfy all constraints. Further trials look for one.")
        elif not points:
            step = snapshot.verdict.next_step
            further = f"Next, {step.what}: {step.command(opened.command_argument)}"
            start = f"Start with: imoca run{opened.command_argument}"
            say(f"No front yet: {opened.database} holds no results. {further if snapshot.trials else start}")


def say_what_is_doubted(snapshot: Snapshot) -> None:
    """Predictions that cannot be vouched for, answers that were set aside, and whether anything was verified."""
    if n_doubtful := sum(point.is_doubtful for point in snapshot.front):
        say(f"The model cannot vouch for {n_doubtful} of them: their error bars exceed all that was measured.")
    if n_earlier := sum(point.is_earlier for point in snapshot.front):
        was, is_not = ("was", "is not") if n_earlier == 1 else ("were", "are not")
        say(f"{n_earlier} more {was} recommended before and {is_not} surely worse (earlier).")
    for words in snapshot.set_aside_words:
        say(words)
    if not any(point.verified for point in snapshot.front):
        say("Nothing on it was run at full accuracy yet: only such runs tell how good these numbers are.")


def print_front(problem: Problem, points: Sequence[ParetoPoint]) -> None:
    print_table(*_table(problem, points))


def _table(problem: Problem, points: Sequence[ParetoPoint]) -> tuple[list[Column], list[list[str]]]:
    from imoca.snapshot.recommendation import is_feasibility_told

    is_told = is_feasibility_told(problem, points)
    columns = [
        Column("design"),
        *(Column(labelled(each.name, each.unit), is_number=True) for each in problem.parameters),
        *(Column(labelled(each.name, each.unit), each.goal[:3], is_number=True) for each in problem.objectives),
        *(
            Column(labelled(each.name, each.unit), limit_words(each.lower, each.upper), is_number=True)
            for each in problem.constraints
        ),
        *([Column("feasible", is_number=True)] if is_told else []),
        Column("state"),
    ]
    rows = []
    for point in points:
        outcome = (
            with_error(point.measured[output.name], point.errors.get(output.name))
            if point.measured is not None
            else with_deviation(point.predicted[output.name], point.uncertainty[output.name])
            for output in problem.modelled
        )
        feasibility = [f"{point.feasibility:.2f}"] if is_told else []
        rows.append([point.id, *map(number, point.parameters.values()), *outcome, *feasibility, point.state])
    return columns, rows


def _for_a_terminal(snapshot: Snapshot) -> list[ParetoPoint]:
    """As many of today's as can be read at a glance."""
    todays = [point for point in snapshot.front if not point.is_earlier]
    shown = verified_first(todays, N_ROWS)
    return shown if fits(*_table(snapshot.problem, shown)) else verified_first(todays, N_TURNED)


def front_csv(problem: Problem, points: Sequence[ParetoPoint]) -> str:
    from imoca.snapshot.recommendation import is_feasibility_told

    is_told = is_feasibility_told(problem, points)
    names = [output.name for output in problem.modelled]
    parts = ("predicted", "uncertainty", "measured")
    told = [name for name in names if any(name in point.errors for point in points)]
    own_id = "design.id" if "id" in problem.space.names else "id"
    titles = [own_id, *problem.space.names, *(f"{part}.{name}" for part in parts for name in names)]
    titles += [f"error.{name}" for name in told]
    titles += ["feasibility"] if is_told else []
    rows = [
        [
            point.id,
            *point.parameters.values(),
            *(point.predicted[name] for name in names),
            *(point.uncertainty[name] for name in names),
            *((None if point.measured is None else point.measured[name]) for name in names),
            *(point.errors.get(name) for name in told),
            *([point.feasibility] if is_told else []),
        ]
        for point in points
    ]
    return csv_text(titles, rows)


def verified_first(points: Sequence[ParetoPoint], n: int) -> list[ParetoPoint]:
    """At most ``n`` of them: those that were measured, then predicted ones from end to end, then earlier ones."""
    kinds = (
        [point for point in points if point.verified],
        [point for point in points if not point.verified and not point.is_earlier],
        [point for point in points if not point.verified and point.is_earlier],
    )
    shown: list[ParetoPoint] = []
    for kind in kinds:
        shown += spread(kind, n - len(shown))
    return shown


def spread(points: Sequence[T], n: int) -> list[T]:
    """At most ``n`` of them, the first and, if more than one, the last included."""
    if len(points) <= n or n < 2:
        return list(points[:n])
    return [points[round(i * (len(points) - 1) / (n - 1))] for i in range(n)]

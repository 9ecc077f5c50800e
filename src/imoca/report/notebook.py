"""A study as a notebook shows it: what ``print(study)`` says, and designs of its front."""

from __future__ import annotations

from imoca.problem.names import is_number
from imoca.problem.parameters import Value
from imoca.report.page.text import Cell, code, paragraph, table
from imoca.snapshot.recommendation import ParetoPoint, chosen_few
from imoca.snapshot.snapshot import Snapshot
from imoca.wording import labelled, number, with_deviation, with_error

MOST_SHOWN = 10  # designs
MOST_FITTED = 500  # trials: a cell of a notebook is no place to wait for a larger model


def study_html(inscription: str, snapshot: Snapshot | None) -> str:
    """Every name in it is shown, none is obeyed; of a closed study there is no snapshot."""
    if snapshot is None:
        return code(inscription)
    n_finished = len(snapshot.finished)
    if n_finished > MOST_FITTED:
        note = f"The front of {n_finished} trials takes a while: study.pareto_front() computes it."
        return code(inscription) + paragraph(note)
    points = chosen_few(snapshot.problem, snapshot.front, MOST_SHOWN)
    if not points:
        return code(inscription)
    outputs = snapshot.problem.modelled
    titles = ["design", *(labelled(each.name, each.unit) for each in snapshot.problem.parameters)]
    titles += [*(labelled(each.name, each.unit) for each in outputs), "state"]
    rows = [
        [
            Cell(point.id, is_heading=True),
            *(_value(point.parameters[each.name]) for each in snapshot.problem.parameters),
            *(_known(point, each.name) for each in outputs),
            Cell(point.state),
        ]
        for point in points
    ]
    caption = f"{len(points)} of {snapshot.n_on_front} designs of the front, at full accuracy"
    return code(inscription) + table(caption, titles, rows)


def _value(value: Value) -> Cell:
    return Cell(number(value), float(value) if is_number(value) else None)


def _known(point: ParetoPoint, name: str) -> Cell:
    if point.measured is not None:
        return Cell(with_error(point.measured[name], point.errors.get(name)), point.measured[name])
    return Cell(with_deviation(point.predicted[name], point.uncertainty[name]), point.predicted[name])

"""The figures of a study, made of its records in the background and kept as JSON for the page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from threading import Lock
from typing import Any, TypeVar

from imoca.dashboard.background import SHORT_REST, Product, Worker
from imoca.dashboard.comparison import History, compare, comparison_figure, history_of, is_comparable
from imoca.dashboard.view import StudyView
from imoca.errors import FigureError
from imoca.report import figures
from imoca.report.figure_names import TITLES, FigureName
from imoca.report.page.contents import Introduction
from imoca.report.page.decision import written_budget
from imoca.report.page.navigator import navigator_content, verdict_content
from imoca.report.page.order import in_order
from imoca.report.page.page import report_page
from imoca.report.page.readings import READINGS
from imoca.report.records import FrontRecord, slices_record
from imoca.report.strict_json import to_json
from imoca.snapshot.recommendation import ParetoPoint
from imoca.snapshot.snapshot import Snapshot

T = TypeVar("T")


RECORDS: dict[FigureName, Callable[[Snapshot], Any]] = {n: figures.RECORDS[n] for n in in_order(figures.RECORDS)}
QUICK = ("fidelities", "cost", "timeline")  # no model is fitted for them
SLOWEST = ("convergence", "replay")  # many models are
# Beside the figures, what the decision and the navigator are told: today's front, then also what was before.
VERDICT, TODAY, NAVIGATOR = "verdict", "today", "navigator"
MOST_FITTED = 5000  # trials; experiments/page_speed.py tells how long its figures take then


@dataclass(frozen=True)
class Wall:
    """All that is made of one study."""

    figures: dict[str, Product[Snapshot, str]]  # the verdict and the navigator among them
    history: Product[Snapshot, History]


class Gallery:
    """Figures by study and name. Quick ones never wait for slow ones, nor one study for another."""

    def __init__(self) -> None:
        self._quick = Worker("quick figures")
        self._lock = Lock()
        self._walls: dict[StudyView, Wall] = {}

    def stamps(self, view: StudyView) -> dict[str, str]:
        """Of which state of the study each figure is at present; newer ones are set to work.

        The slowest wait until all others are there: they would take the processor from them. Today's front alone is for
        a reader who has none.
        """
        wall = self._wall(view)
        mark, snapshot = view.moment()
        if snapshot is not None:
            is_first = wall.figures[NAVIGATOR].made is None
            are_others_made = all(wall.figures[name].made for name in wall.figures if name not in SLOWEST)
            for name, product in wall.figures.items():
                if (name != TODAY or is_first) and (name not in SLOWEST or are_others_made):
                    product.want(str(mark), snapshot)
        return {name: product.made.stamp for name, product in wall.figures.items() if product.made is not None}

    def figure(self, view: StudyView, name: str) -> str | None:
        """Plotly's JSON, or the words that say why there is none; None while nothing was made."""
        product = self._wall(view).figures.get(name)
        if product is None or (made := product.made) is None:
            return None
        return to_json({"fault": made.fault}) if made.content is None else made.content

    def comparison(self, views: Sequence[StudyView]) -> str:
        """Of the first study and those with the same objectives, as far as their histories are made."""
        moments = [(view, *view.moment()) for view in views]
        first = next((snapshot for _, _, snapshot in moments if snapshot is not None), None)
        alike = [(v, mark, each) for v, mark, each in moments if first and each and is_comparable(first, each)]
        others = [view.name for view in views if view not in [v for v, _, _ in alike]]
        histories, pending, faults = [], [], []
        for view, mark, snapshot in alike:
            product = self._wall(view).history
            product.want(str(mark), snapshot)
            made = product.made
            if made is None or made.stamp != str(mark):
                pending.append(view.name)
            if made is not None and made.content is not None:
                histories.append((view.name, made.content))
            elif made is not None:
                faults.append(f"{view.name}: {made.fault}")
        figure = comparison_figure(compare(histories)).to_json() if histories else "null"
        about = to_json({"pending": pending, "left_out": others, "faults": faults})
        return f'{about[:-1]},"figure":{figure}}}'

    def _wall(self, view: StudyView) -> Wall:
        with self._lock:
            if view not in self._walls:
                self._walls[view] = self._new_wall(view)
            return self._walls[view]

    def _new_wall(self, view: StudyView) -> Wall:
        slow, slowest = Worker(f"models of {view.id}"), Worker(f"histories of {view.id}")

        def product(name: FigureName) -> Product[Snapshot, str]:
            make = partial(draw, name)
            if name in QUICK:
                return Product(self._quick, make, SHORT_REST)
            return Product(slowest if name in SLOWEST else slow, make)

        first = {
            VERDICT: Product(self._quick, partial(verdict_json, view), SHORT_REST),
            TODAY: Product(slow, _fitting(partial(today_json, view))),
            NAVIGATOR: Product(slow, _fitting(partial(navigator_json, view))),
        }
        return Wall(first | {name: product(name) for name in RECORDS}, Product(slowest, _fitting(history_of)))


def titles() -> list[dict[str, str]]:
    """Of the figures, in the order of the page."""
    return [{"name": name, "title": TITLES[name]} for name in RECORDS]


def verdict_json(view: StudyView, snapshot: Snapshot) -> str:
    budget = written_budget(snapshot, view.budget)
    return to_json(verdict_content(snapshot.verdict_for(view.budget), budget, view.commands))


def today_json(view: StudyView, snapshot: Snapshot) -> str:
    return _navigator_json(view, snapshot, snapshot.front_of_today)


def navigator_json(view: StudyView, snapshot: Snapshot) -> str:
    return _navigator_json(view, snapshot, snapshot.front)


def _navigator_json(view: StudyView, snapshot: Snapshot, front: Sequence[ParetoPoint]) -> str:
    budget, verdict = written_budget(snapshot, view.budget), snapshot.verdict_for(view.budget, front)
    return to_json(navigator_content(snapshot.problem, front, verdict, budget, view.commands))


def draw(name: FigureName, snapshot: Snapshot) -> str:
    """Plotly's JSON with its reading; that of the front also tells which designs and trials its points stand for."""
    from imoca.report.front_series import NOT_ON_FRONT
    from imoca.report.plotly.figures import PLOTLY_DRAWERS

    record = (RECORDS[name] if name in QUICK else _fitting(RECORDS[name]))(snapshot)
    about: dict[str, Any] = {"reading": READINGS[name](record)}
    if isinstance(record, FrontRecord):
        about |= {"not_on_front": NOT_ON_FRONT, "points": [_point(record, point) for point in record.points]}
    return f"{to_json(about)[:-1]},{PLOTLY_DRAWERS[name](record).to_json()[1:]}"


def slices_of(snapshot: Snapshot, design: str) -> str:
    """Of one design of the front, by its id."""
    from imoca.report.plotly.figures import PLOTLY_DRAWERS

    record = _fitting(lambda each: slices_record(each, design))(snapshot)
    about = {"reading": READINGS["slices"](record)}
    return f"{to_json(about)[:-1]},{PLOTLY_DRAWERS['slices'](record).to_json()[1:]}"


def report_of(view: StudyView, snapshot: Snapshot) -> str:
    """The page that `imoca report` writes."""
    introduction = Introduction(view.name, study=view.commands.study, budget=view.budget)
    return _fitting(partial(report_page, introduction=introduction))(snapshot)


def _point(record: FrontRecord, point: ParetoPoint) -> dict[str, Any]:
    measured = point.measured
    trials = [
        each.trial
        for each in record.verified
        if measured is not None
        and each.parameters == point.parameters
        and all(each.values[name] == value for name, value in measured.items())
    ]
    return asdict(point) | {"id": point.id, "trial": trials[0] if trials else None}


def _fitting(make: Callable[[Snapshot], T]) -> Callable[[Snapshot], T]:
    def within_limits(snapshot: Snapshot) -> T:
        n_answered = int(snapshot.table.is_finished.sum())
        if n_answered > MOST_FITTED:
            raise FigureError(
                f"Left out: it needs a model of {n_answered} trials, and the page takes {MOST_FITTED} at the most.",
                hint="imoca report makes it, however long that takes.",
            )
        return make(snapshot)

    return within_limits

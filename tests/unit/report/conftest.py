"""Records made by hand, of any number of objectives, with names that try to be obeyed."""

import math
from collections.abc import Callable, Sequence

import pytest

from imoca import Choice, Fidelity, Integer, Objective, Problem, Real, Simulator, Study
from imoca.problem.parameters import Value
from imoca.report.records import (
    ConvergenceRecord,
    CorrelationRecord,
    CostRecord,
    ErrorRecord,
    FidelityRecord,
    FrontRecord,
    ObjectiveRecord,
    TrustRecord,
    VerifiedRecord,
)
from imoca.report.records.parallel import ParallelAxis, ParallelRecord
from imoca.report.records.replay import ReplayedDesign, ReplayedRun, ReplayRecord, ReplayStep
from imoca.report.records.slices import CheaperCurve, NearRun, Slice, SliceAxis, SlicedOutput, SlicesRecord
from imoca.report.records.timeline import TimedRun, TimelineRecord
from imoca.snapshot.importance import Importance, Share
from imoca.snapshot.recommendation import ParetoPoint
from imoca.trials.trial import RunState

HOSTILE_UNIT = "</script>$x$ %{y} & <b>"
HOSTILE = "</script><b onclick='x'>$\\frac{1}$ %{x} & \"_"


def record_of(n_objectives: int, hostile: str = "", unit: str | None = None) -> dict[str, object]:
    """Every figure's record, by the figure's name."""
    names = [f"f{j}{hostile}" for j in range(n_objectives)]
    unit = HOSTILE_UNIT if hostile else unit
    objectives = tuple(ObjectiveRecord(name, "minimize" if j % 2 else "maximize", unit) for j, name in enumerate(names))
    points = tuple(
        ParetoPoint(
            {f"x{hostile}": 0.1 * i, "skin": "al"},
            {name: math.sin(i + j) for j, name in enumerate(names)},
            dict.fromkeys(names, 0.1 + 0.01 * i),
            {name: math.sin(i + j) + 0.05 for j, name in enumerate(names)} if i == 3 else None,
            {name: (math.sin(i + j) - 0.2 - 0.01 * i, math.sin(i + j) + 0.3) for j, name in enumerate(names)},
            is_earlier=i == 5,
        )
        for i in range(6)
    )
    beaten = VerifiedRecord(7, {f"x{hostile}": 0.5, "skin": "al"}, dict.fromkeys(names, 0.25))
    on_front = VerifiedRecord(3, dict(points[3].parameters), dict(points[3].measured or {}))
    axes = (
        ParallelAxis(f"x{hostile}", None, tuple(0.1 * i for i in range(6)), 0.0, 1.0, unit=unit),
        ParallelAxis("skin", None, (0.0,) * 6, 0.0, 1.0, (0.0, 1.0), ("al", f"cfrp{hostile}")),
        *(
            ParallelAxis(each.name, each, tuple((p.measured or p.predicted)[each.name] for p in points), -1.0, 1.0)
            for each in objectives
        ),
    )
    return {
        "front": FrontRecord(objectives, points, (on_front, beaten)),
        "parallel": ParallelRecord(axes, tuple(point.verified for point in points)),
        "slices": slices_of(objectives, hostile),
        "importance": tuple(
            Importance(
                name,
                (f"x{hostile}", "skin"),
                (Share(0.5, 0.4, 0.6), Share(0.2, 0.1, 0.3)),
                (Share(0.7, 0.6, 0.8), Share(0.4, 0.35, 0.5)),
                20,
                False,
            )
            for name in names
        ),
        "convergence": ConvergenceRecord((1, 5, 9), (0.5, 2.0, 8.0), (0.2, 0.6, 0.7), (1.5, 0.3, 0.0)),
        "fidelities": tuple(
            FidelityRecord(
                f"s{j}{hostile}",
                *((0, 1, 2), (0.0, 0.5, 1.0), ("coarse", f"fine{hostile}", "coarse"), (0.0, 1.0, 0.0)),
                (False, False, True),
                (0.1, 1.0, 0.1),
                (0.0, 1.0),
                ("coarse", f"fine{hostile}"),
                unit,
            )
            for j in range(n_objectives)
        ),
        "cost": tuple(
            CostRecord(f"s{j}{hostile}", ("coarse", f"fine{hostile}"), (0.75, 2.0), (3, 2), 0.25 * j)
            for j in range(n_objectives)
        ),
        "trust": tuple(
            TrustRecord(name, (0, 1, 2), (0.0, 0.5, 1.0), (1.0, 2.0, 9.0), (1.1, 1.9, 3.0), (0.1, 0.2, 0.5), unit)
            for name in names
        ),
        "error": tuple(
            ErrorRecord(
                name,
                f"s{hostile}",
                ("coarse", "middle", f"fine{hostile}"),
                *((0.0, 0.5, 1.0), (3.0, 1.0, 0.0), (6.0, 2.0, 0.0)),
                12.0,
                (0.1, 0.4, 1.0),
                j,
                (0.0, 1.0),
                ("coarse", f"fine{hostile}"),
                f"m{hostile}",
            )
            for j, name in enumerate(names)
        ),
        "timeline": TimelineRecord(
            (f"s{hostile}", f"s{hostile}"),
            (
                TimedRun(0, 0, 1, 0.0, 10.0, 10.0, RunState.ANSWERED, f"fine{hostile}", 1.0, ""),
                TimedRun(1, 1, 1, 5.0, 8.0, 3.0, RunState.FAILED, "coarse", 0.0, f"exploded {hostile}"),
                TimedRun(1, 1, 2, 8.0, 20.0, 12.0, RunState.LOST, "coarse", 0.0, ""),
                TimedRun(2, 0, 1, 15.0, 20.0, 5.0, RunState.RUNNING, "coarse", 0.0, ""),
            ),
            ((10.0, 3600.0),),
            1e9,
        ),
        "replay": ReplayRecord(
            (ObjectiveRecord(f"a{hostile}", "minimize"), ObjectiveRecord(f"b{hostile}", "maximize")),
            (
                ReplayStep(2, 0.5, (ReplayedDesign(1.0, 2.0, False),), (ReplayedRun(0, 1.5, 1.5, 0.0),)),
                ReplayStep(
                    *(4, 2.0, (ReplayedDesign(0.5, 2.5, True), ReplayedDesign(0.7, 2.8, False))),
                    (ReplayedRun(2, 0.5, 2.5, 1.0), ReplayedRun(3, 9.0, 1.5, 0.5)),
                ),
            ),
            *((0.0, 2.0), (1.0, 3.0)),
        ),
        "correlation": tuple(
            CorrelationRecord(
                name,
                f"s{hostile}",
                ("coarse", "middle", f"fine{hostile}"),
                (0.0, 0.5, 1.0),
                (0.7, 0.9, 1.0),
                (0.02, 0.3, 1.0),
                unit,
            )
            for name in names
        ),
    }


def slices_of(objectives: Sequence[ObjectiveRecord], hostile: str) -> SlicesRecord:
    """Along a number and along a choice; a constraint on parameters forbids the middle of the first."""
    gap = math.nan
    along = Slice(
        *((0.0, 0.25, 0.5, 0.75, 1.0), (1.0, 2.0, gap, 3.0, 4.0), (0.5, 1.5, gap, 2.5, 3.5), (2.0, 3.0, gap, 4.0, 5.0)),
        (CheaperCurve(f"coarse{hostile}", 0.0, (1.5, 2.5, gap, 3.5, 4.5)),),
        (NearRun(4, 0.3, 2.2, f"coarse{hostile}", 0.0), NearRun(6, 0.8, 3.1, "fine", 1.0)),
    )
    choice = Slice((0.0, 1.0), (2.5, 3.5), (2.0, 3.0), (3.0, 4.5), (CheaperCurve("coarse", 0.0, (2.6, 3.6)),), ())
    axes = (
        SliceAxis(f"x{hostile}", 0.0, 1.0, 0.3, False, False, ()),
        SliceAxis("skin", 0.0, 1.0, 1.0, False, True, ("al", f"cfrp{hostile}")),
    )
    outputs = tuple(
        SlicedOutput(each.name, each.goal, None, None, 2.3, 2.4 if j else None, (along, choice))
        for j, each in enumerate(objectives)
    )
    limit = SlicedOutput(f"stress{hostile}", None, None, 3.2, 2.3, None, (along, choice))
    return SlicesRecord("F3A0", axes, (*outputs, limit), (f"left{hostile}",), ())


@pytest.fixture
def records() -> Callable[..., dict[str, object]]:
    return record_of


@pytest.fixture
def hostile() -> str:
    return HOSTILE


@pytest.fixture
def hostile_unit() -> str:
    return HOSTILE_UNIT


@pytest.fixture
def empty_study() -> Study:
    return Study(Problem([Real("x", 0, 1)], [Simulator("s", [Objective("f", "minimize")])]))


@pytest.fixture(scope="session")
def hostile_study() -> Study:
    """Two simulators, a choice, an integer and a log scale; eight trials, one of them failed, two at full accuracy."""
    x, n, skin = f"x{HOSTILE}", "n", f"skin{HOSTILE}"
    problem = Problem(
        [
            Real(x, 0.1, 10.0, log=True, unit=HOSTILE_UNIT),
            Integer(n, 1, 4, unit="ribs"),
            Choice(skin, ["al", f"cfrp{HOSTILE}", True]),
        ],
        [
            Simulator(
                f"cfd{HOSTILE}",
                [Objective(f"drag{HOSTILE}", "minimize", unit=HOSTILE_UNIT)],
                fidelity=Fidelity.continuous(unit=HOSTILE_UNIT),
                cost="0.1 + z",
            ),
            Simulator(
                f"mass{HOSTILE}",
                [Objective(f"lift{HOSTILE}", "maximize")],
                fidelity=Fidelity.levels(["beam", f"shell{HOSTILE}"]),
                cost=[0.1, 2.0],
            ),
        ],
    )
    study = Study(problem, method="random")
    choices: list[Value] = ["al", f"cfrp{HOSTILE}", True]
    for i in range(8):
        level = f"shell{HOSTILE}" if i % 4 == 3 else "beam"
        study.add(
            {x: 0.2 + i, n: 1 + i % 4, skin: choices[i % 3]},
            {f"cfd{HOSTILE}": 1.0 if i % 4 == 3 else 0.1 * i, f"mass{HOSTILE}": level},
            {f"drag{HOSTILE}": (i - 3.0) ** 2, f"lift{HOSTILE}": math.sqrt(1.0 + i)},
        )
    study.fail(study.ask(), f"mesh exploded {HOSTILE}")
    return study

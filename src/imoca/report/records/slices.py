"""Why this design: what the models say around it, one parameter changed at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from imoca.arrays import Array, BoolArray, IntArray
from imoca.methods.beliefs import Beliefs, without_answers
from imoca.problem.accuracy import FidelityValue
from imoca.problem.fidelity import Fidelity
from imoca.problem.parameters import Choice, Integer, Parameter, Real, Value
from imoca.problem.simulator import Constraint, Goal, Objective
from imoca.report.records.importance import most_important
from imoca.snapshot.designs import Design, balanced_point, parameters_of
from imoca.snapshot.prediction import LIKELY, Predictions, in_units
from imoca.snapshot.recommendation import design_id
from imoca.snapshot.snapshot import Snapshot
from imoca.wording import number

N_PLACES = 41  # of a curve
N_CHEAPER = 2  # fidelities beside full accuracy
MOST_PARAMETERS, MOST_OUTPUTS = 5, 5  # in one figure
NEAR = 0.95  # prior correlation of a run's truth with the design's, the parameter of the slice apart
MOST_NEAR = 20  # runs in a panel


@dataclass(frozen=True)
class SliceAxis:
    """A parameter, and where the design stands on it; a choice is drawn at the positions of its values."""

    parameter: str
    low: float
    high: float
    chosen: float
    is_log: bool
    is_discrete: bool
    labels: tuple[str, ...]  # of a choice, else empty
    unit: str | None = None


@dataclass(frozen=True)
class CheaperCurve:
    setting: FidelityValue
    z: float
    values: tuple[float, ...]


@dataclass(frozen=True)
class NearRun:
    """A run at a design that differs from the chosen one mostly in the parameter of the slice."""

    trial: int
    place: float
    value: float
    setting: FidelityValue
    z: float


@dataclass(frozen=True)
class Slice:
    """One output along one parameter, NaN where constraints on parameters forbid the design."""

    places: tuple[float, ...]
    values: tuple[float, ...]  # predicted at full accuracy
    low: tuple[float, ...]  # of the interval that holds the truth in nine cases of ten
    high: tuple[float, ...]
    cheaper: tuple[CheaperCurve, ...]
    near: tuple[NearRun, ...]


@dataclass(frozen=True)
class SlicedOutput:
    """A row of slices, one per axis."""

    output: str
    goal: Goal | None  # None of a constraint
    lower: float | None  # bounds of a constraint
    upper: float | None
    predicted: float  # at the design
    measured: float | None  # there, at full accuracy
    slices: tuple[Slice, ...]
    unit: str | None = None

    @property
    def span(self) -> tuple[float, float]:
        """That a drawing shows: all values, and of the band as much again at either side, so that it hides nothing."""
        known = [self.predicted, *(each for each in (self.measured, self.lower, self.upper) if each is not None)]
        for piece in self.slices:
            known += [*piece.values, *(run.value for run in piece.near)]
            known += [value for curve in piece.cheaper for value in curve.values]
        low, high = float(np.nanmin(known)), float(np.nanmax(known))
        room = (high - low) or 0.5 * abs(high) or 1.0
        band_low = min((each for piece in self.slices for each in piece.low if each == each), default=low)
        band_high = max((each for piece in self.slices for each in piece.high if each == each), default=high)
        margin = 0.06 * room
        return min(low, max(band_low, low - room)) - margin, max(high, min(band_high, high + room)) + margin


@dataclass(frozen=True)
class SlicesRecord:
    design: str  # its id; empty while there is none
    axes: tuple[SliceAxis, ...]
    outputs: tuple[SlicedOutput, ...]
    parameters_left_out: tuple[str, ...]
    outputs_left_out: tuple[str, ...]


def slices_record(snapshot: Snapshot, design: Design | None = None) -> SlicesRecord:
    """Through a design, or the balanced one of the front; of the parameters and outputs that matter most."""
    beliefs = snapshot.beliefs
    if beliefs is None:
        return SlicesRecord("", (), (), (), ())
    chosen: Design | None = balanced_point(snapshot.problem, snapshot.front) if design is None else design
    if chosen is None:
        return SlicesRecord("", (), (), (), ())
    parameters, problem = parameters_of(snapshot, chosen), snapshot.problem
    x, names = problem.space.encode(parameters), problem.space.names
    shown = sorted(most_important(snapshot.importance, MOST_PARAMETERS))
    lines = [_Line.through(beliefs, x, i) for i in shown]
    kept = _most_changing(beliefs, lines)
    return SlicesRecord(
        design_id(parameters),
        tuple(_axis(problem.space.parameters[i], parameters[names[i]]) for i in shown),
        tuple(_sliced(snapshot, beliefs, x, lines, j) for j in kept),
        tuple(name for i, name in enumerate(names) if i not in shown),
        tuple(output.name for j, output in enumerate(problem.modelled) if j not in kept),
    )


@dataclass(frozen=True)
class _Line:
    """Designs (n, d) that differ from the chosen one in one parameter, which stands at ``places`` (n,)."""

    columns: IntArray  # of the parameter
    places: Array
    predictions: Predictions

    @staticmethod
    def through(beliefs: Beliefs, x: Array, i: int) -> _Line:
        space = beliefs.problem.space
        parameter, columns = space.parameters[i], np.flatnonzero(space.parameter_of_column == i)
        values = _values_along(parameter)
        designs = np.tile(x, (len(values), 1))
        designs[:, columns] = parameter.encode(values)
        return _Line(columns, np.array([_place(parameter, v) for v in values]), Predictions.at(beliefs, designs))


def _values_along(parameter: Parameter) -> list[Value]:
    if isinstance(parameter, Choice):
        return list(parameter.values)
    unit = np.linspace(0.0, 1.0, N_PLACES)[:, None]
    return list(dict.fromkeys(parameter.decode(row) for row in parameter.snap(unit)))


def _place(parameter: Parameter, value: Value) -> float:
    return float(parameter.values.index(value) if isinstance(parameter, Choice) else value)


def _axis(parameter: Parameter, value: Value) -> SliceAxis:
    chosen = _place(parameter, value)
    if isinstance(parameter, Choice):
        labels = tuple(number(each) for each in parameter.values)
        return SliceAxis(parameter.name, 0.0, len(labels) - 1.0, chosen, False, True, labels)
    is_log = isinstance(parameter, Real) and parameter.log
    ends = float(parameter.low), float(parameter.high)
    return SliceAxis(parameter.name, *ends, chosen, is_log, isinstance(parameter, Integer), (), parameter.unit)


def _most_changing(beliefs: Beliefs, lines: Sequence[_Line]) -> list[int]:
    """Positions of the outputs whose means change most along the lines, in units of all answers, in their order."""
    changes = np.max([np.ptp(line.predictions.means, axis=0) for line in lines], axis=0)
    return sorted(np.argsort(-changes, kind="stable")[:MOST_OUTPUTS].tolist())


def _sliced(snapshot: Snapshot, beliefs: Beliefs, x: Array, lines: Sequence[_Line], j: int) -> SlicedOutput:
    output, verified = snapshot.problem.modelled[j], snapshot.table.verified
    at_design = in_units(beliefs, j, beliefs.modelled[j].mean_at_target(x[None]))
    measured = verified.values[(verified.x == x).all(axis=1), snapshot.problem.modelled_columns[j]]
    sign = float(snapshot.problem.signs[snapshot.problem.modelled_columns[j]])
    bounds = (output.lower, output.upper) if isinstance(output, Constraint) else (None, None)
    return SlicedOutput(
        output.name,
        output.goal if isinstance(output, Objective) else None,
        *bounds,
        float(at_design[0]),
        sign * float(measured[-1]) if len(measured) else None,
        tuple(_slice(snapshot, beliefs, x, line, j) for line in lines),
        output.unit,
    )


def _slice(snapshot: Snapshot, beliefs: Beliefs, x: Array, line: _Line, j: int) -> Slice:
    predictions, fidelity = line.predictions, snapshot.problem.simulator_of(snapshot.problem.modelled[j].name).fidelity
    centres, (low, high) = predictions.centres(), predictions.intervals(LIKELY)
    forbidden = ~snapshot.problem.space.is_allowed(predictions.x)
    cheaper = []
    for z in _cheaper(fidelity):
        means = in_units(beliefs, j, beliefs.modelled[j].mean(predictions.x, np.array([z]))[:, 0])
        cheaper.append(CheaperCurve(fidelity.decode(z), z, _kept(means, forbidden)))
    return Slice(
        tuple(line.places.tolist()),
        _kept(centres[:, j], forbidden),
        _kept(low[:, j], forbidden),
        _kept(high[:, j], forbidden),
        tuple(cheaper),
        _near(snapshot, beliefs, x, line, j),
    )


def _kept(values: Array, forbidden: BoolArray) -> tuple[float, ...]:
    return tuple(np.where(forbidden, np.nan, values).tolist())


def _cheaper(fidelity: Fidelity) -> list[float]:
    """A few fidelities below full accuracy, the cheapest first; none without a knob."""
    if not fidelity.has_knob:
        return []
    below = fidelity.grid(N_CHEAPER + 1)[:-1]
    chosen = np.linspace(0, len(below) - 1, min(N_CHEAPER, len(below))).round().astype(int)
    return [float(below[i]) for i in chosen]


def _near(snapshot: Snapshot, beliefs: Beliefs, x: Array, line: _Line, j: int) -> tuple[NearRun, ...]:
    """Those that tell most of the design, by the covariance of the truth over all other parameters."""
    problem, table = snapshot.problem, without_answers(snapshot.table, beliefs.set_aside)
    column, s = problem.modelled_columns[j], problem.simulator_columns[j]
    rows = np.flatnonzero(~np.isnan(table.values[:, column]))
    apart = table.x[rows]
    apart[:, line.columns] = x[line.columns]
    alike = beliefs.modelled[j].kernel.blocks[0].design_kernel(apart, x[None])[:, 0]
    nearest = np.argsort(-alike, kind="stable")[:MOST_NEAR]
    simulator = problem.simulators[s]
    parameter = problem.space.parameters[problem.space.parameter_of_column[line.columns[0]]]
    return tuple(
        NearRun(
            table.trials[i].number,
            _place(parameter, table.trials[i].parameters[parameter.name]),
            table.trials[i].values[problem.modelled[j].name],
            table.trials[i].fidelities[simulator.name],
            float(table.z[i, s]),
        )
        for i in sorted(rows[nearest[alike[nearest] >= NEAR]].tolist())
    )

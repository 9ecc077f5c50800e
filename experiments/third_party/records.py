"""What is kept of a run: every design that was run at full accuracy, with what had been spent by then."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from imoca.arrays import Array
from imoca.files import write_whole
from imoca.pareto import hypervolume
from imoca.problem import Constraint, FidelityValue, Problem, Value

DIGITS = 6  # significant, of what is kept
HALF = "imoca-p-half"  # imoca-p that keeps half of its budget back, to verify designs
RESULTS = Path(__file__).parents[1] / "results" / "third_party"


@dataclass(frozen=True)
class FullRun:
    """A design whose every output was measured at full accuracy."""

    spent: float  # when its last output was there
    parameters: Mapping[str, Value]
    values: Mapping[str, float]  # of objectives and constraints, in their own units

    @staticmethod
    def rounded(spent: float, parameters: Mapping[str, Value], values: Mapping[str, float]) -> FullRun:
        return FullRun(
            _short(spent), {n: _short(v) for n, v in parameters.items()}, {n: _short(v) for n, v in values.items()}
        )


@dataclass(frozen=True)
class Outcome:
    """Of one method with one seed."""

    spent: float
    questions: int
    failures: int  # questions in which a simulator failed
    runs: Mapping[str, Mapping[str, int]]  # per simulator, how often at which fidelity
    cpu_seconds: float  # of all questions, without the simulators
    full_runs: tuple[FullRun, ...]


@dataclass(frozen=True)
class RunRecord:
    """An outcome, and of what it is."""

    example: str
    method: str
    seed: int
    budget: float
    command: str
    versions: Mapping[str, str]
    outcome: Outcome

    @property
    def key(self) -> tuple[str, int]:
        return self.method, self.seed


def label(setting: FidelityValue) -> str:
    """Of several knobs such as ``9 x 3``."""
    return " x ".join(map(str, setting.values())) if isinstance(setting, Mapping) else str(setting)


def write_records(path: Path, records: Iterable[RunRecord]) -> None:
    """A line each, by method and seed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(asdict(each)) for each in sorted(records, key=lambda record: record.key)]
    write_whole(path, "\n".join(lines) + "\n")


def read_records(path: Path) -> list[RunRecord]:
    if not path.exists():
        return []
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        content = json.loads(line)
        outcome = content.pop("outcome")
        full_runs = tuple(FullRun(**each) for each in outcome.pop("full_runs"))
        found.append(RunRecord(**content, outcome=Outcome(**outcome, full_runs=full_runs)))
    return found


def is_feasible(problem: Problem, values: Mapping[str, float]) -> bool:
    """Whether measured values hold every constraint."""
    for each in problem.constraints:
        lower, upper = bounds(each)
        if not lower <= values[each.name] <= upper:
            return False
    return True


def bounds(constraint: Constraint) -> tuple[float, float]:
    """Infinite where there is none."""
    lower, upper = constraint.lower, constraint.upper
    return -math.inf if lower is None else lower, math.inf if upper is None else upper


def front_volume(problem: Problem, reference: Mapping[str, float], full_runs: Iterable[FullRun]) -> float:
    """Hypervolume of the feasible ones, in the product of the objectives' units; 0 if there are none."""
    signs = np.array([1.0 if each.goal == "maximize" else -1.0 for each in problem.objectives])
    names = [each.name for each in problem.objectives]
    counted = [run.values for run in full_runs if is_feasible(problem, run.values)]
    points = np.array([[values[name] for name in names] for values in counted]).reshape(-1, len(names)) * signs
    return hypervolume(points, _point(reference, names) * signs)


def _point(reference: Mapping[str, float], names: list[str]) -> Array:  # (K,)
    return np.array([reference[name] for name in names])


def _short(value: Value) -> Any:
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value

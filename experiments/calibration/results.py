"""What is kept: a line of JSON per study and model, a file per problem."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from experiments.calibration.accuracy import Accuracy, Moment
from imoca.errors import StorageError
from imoca.files import write_whole
from imoca_lab.harness.run_spec import ProblemChoice

DIGITS = 4  # significant
Key = tuple[str, str, str, int]


@dataclass(frozen=True)
class Calibration:
    """One model, fitted to the trials of one study at several moments."""

    problem: ProblemChoice
    costs: tuple[float, ...]  # asked for
    trials: int | None
    search: str  # the model that the study searched and recommended with
    model: str  # the model that is judged
    seed: int
    versions: Mapping[str, str]
    command: str
    moments: tuple[Moment, ...]

    @property
    def key(self) -> Key:
        return self.problem.label, self.search, self.model, self.seed

    @property
    def series(self) -> str:
        """Model, and on whose trials where these are not its own."""
        return self.model if self.model == self.search else f"{self.model}, trials of {self.search}"


def to_line(calibration: Calibration) -> str:
    content = asdict(calibration)
    content["problem"] = {name: value for name, value in content["problem"].items() if value is not None}
    return json.dumps(_rounded(content), separators=(",", ":"), allow_nan=False)


def from_line(line: str) -> Calibration:
    content = json.loads(line)
    return Calibration(
        **{
            **content,
            "problem": ProblemChoice(**content["problem"]),
            "costs": tuple(content["costs"]),
            "moments": tuple(_moment(each) for each in content["moments"]),
        }
    )


class CalibrationFolder:
    """One file per problem, wholly written or not at all."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._found = {each.key: each for each in read_calibrations(path)}

    def holds(self, key: Key, costs: tuple[float, ...], trials: int | None) -> bool:
        known = self._found.get(key)
        return known is not None and (known.costs, known.trials) == (costs, trials)

    def add(self, calibrations: Iterable[Calibration]) -> None:
        """In place of older ones of the same study and model."""
        labels = set()
        for each in calibrations:
            self._found[each.key] = each
            labels.add(each.problem.label)
        self.path.mkdir(parents=True, exist_ok=True)
        for label in labels:
            own = [self._found[key] for key in sorted(self._found) if key[0] == label]
            write_whole(self.path / f"{label}.jsonl", "".join(f"{to_line(each)}\n" for each in own))


def read_calibrations(path: Path) -> list[Calibration]:
    """In the order of problems, models and seeds."""
    found = []
    for file in sorted(path.glob("*.jsonl")):
        try:
            found += [from_line(line) for line in file.read_text(encoding="utf-8").splitlines()]
        except (ValueError, KeyError, TypeError) as error:
            raise StorageError(
                f"{file} holds something that is no calibration: {type(error).__name__} {error}.",
                hint="Restore it, or delete it and run experiments/calibration/run.py again.",
            ) from error
    return sorted(found, key=lambda each: each.key)


def _moment(content: Mapping[str, Any]) -> Moment:
    found = {
        kind: {name: _accuracy(own) for name, own in by_objective.items()}
        for kind, by_objective in content["accuracies"].items()
    }
    return Moment(**{**content, "accuracies": found})


def _accuracy(content: Mapping[str, Any]) -> Accuracy:
    """What was infinite was stored as null: only losses can be."""
    read: dict[str, Any] = {name: math.inf if value is None else value for name, value in content.items()}
    return Accuracy(**{**read, "coverage": tuple(read["coverage"])})


def _rounded(content: Any) -> Any:
    if isinstance(content, Mapping):
        return {name: _rounded(value) for name, value in content.items()}
    if isinstance(content, tuple | list):
        return [_rounded(value) for value in content]
    if isinstance(content, float):
        return float(f"{content:.{DIGITS}g}") if math.isfinite(content) else None
    return content

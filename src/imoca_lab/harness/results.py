"""What is kept of a run: one line of JSON, in one file per problem."""

from __future__ import annotations

import json
import math
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from imoca.errors import StorageError
from imoca.files import write_whole
from imoca_lab.harness.run_spec import RunSpec, as_json, from_json
from imoca_lab.harness.scoring import Score

PACKAGES = ("imoca", "numpy", "scipy", "moocore", "torch", "botorch")
DIGITS = 6  # significant; of CPU seconds and fidelities half as many


@dataclass(frozen=True)
class RunResult:
    """A finished run, per trial and per checkpoint."""

    spec: RunSpec
    versions: Mapping[str, str]
    command: str
    attainable_difference: float  # of hypervolume, as the scores: that of the true front thinned to 200 designs
    costs: tuple[float, ...]  # cumulative, after each trial
    fidelities: Mapping[str, tuple[float, ...]]  # per simulator that has one, per trial; z, 1 at full accuracy
    seconds: tuple[float, ...]  # CPU seconds of each suggestion, NaN where a kill lost it
    n_initial: int  # trials of the initial design
    n_failed: int  # trials in which a simulator failed
    scores: tuple[Score, ...]


def versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def to_line(result: RunResult) -> str:
    """Columns instead of records, numbers rounded, null for what is infinite or lost."""
    scores = {field.name: [getattr(score, field.name) for score in result.scores] for field in fields(Score)}
    content = {
        **as_json(result.spec),
        "versions": dict(result.versions),
        "command": result.command,
        "attainable_difference": _rounded(result.attainable_difference, DIGITS),
        "n_initial": result.n_initial,
        "n_failed": result.n_failed,
        "costs": [_rounded(cost, DIGITS) for cost in result.costs],
        "fidelities": {name: [_rounded(z, DIGITS // 2) for z in zs] for name, zs in result.fidelities.items()},
        "seconds": [_rounded(each, DIGITS // 2) for each in result.seconds],
        "scores": {name: [_rounded(value, DIGITS) for value in column] for name, column in scores.items()},
    }
    return json.dumps(content, separators=(",", ":"), allow_nan=False)


def from_line(line: str) -> RunResult:
    content = json.loads(line)
    own = ("versions", "command", "attainable_difference", "n_initial", "n_failed")
    lists = ("costs", "fidelities", "seconds", "scores")
    columns = content["scores"]
    rows = zip(*(_numbers(columns[field.name], math.inf) for field in fields(Score)), strict=True)
    return RunResult(
        spec=from_json({name: value for name, value in content.items() if name not in own + lists}),
        **{name: content[name] for name in own},
        costs=_numbers(content["costs"], math.nan),
        fidelities={name: _numbers(zs, math.nan) for name, zs in content["fidelities"].items()},
        seconds=_numbers(content["seconds"], math.nan),
        scores=tuple(Score(int(row[0]), *row[1:]) for row in rows),
    )


def without_times(result: RunResult) -> dict[str, Any]:
    """All but what differs between two runs of the same: to compare them."""
    return {name: value for name, value in asdict(result).items() if name not in ("seconds", "versions", "command")}


class ResultFolder:
    """The results of a comparison, one file per problem; a file is wholly written or not at all."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._results = {result.spec.id: result for result in read_results([path])} if path.exists() else {}

    def holds(self, spec: RunSpec) -> bool:
        """Whether this very run is here: the same id with another budget is another run."""
        return spec.id in self._results and self._results[spec.id].spec == spec

    def add(self, result: RunResult) -> None:
        """In place of an older result of the same id."""
        self._results[result.spec.id] = result
        problem = result.spec.problem.label
        lines = [to_line(each) for each in in_order(self._results.values()) if each.spec.problem.label == problem]
        self.path.mkdir(parents=True, exist_ok=True)
        write_whole(self.path / f"{problem}.jsonl", "".join(f"{line}\n" for line in lines))


def read_results(paths: Sequence[Path]) -> list[RunResult]:
    """All results in files and folders, in order; of runs with the same id the one with the largest budget."""
    found: dict[str, RunResult] = {}
    for file in [file for path in paths for file in (sorted(path.glob("*.jsonl")) if path.is_dir() else [path])]:
        try:
            results = [from_line(line) for line in file.read_text(encoding="utf-8").splitlines()]
        except OSError as error:
            raise StorageError(f"{file} cannot be read: {error.strerror}.", hint="Check the path.") from error
        except (ValueError, KeyError, TypeError) as error:
            raise StorageError(
                f"{file} holds something that is no result: {type(error).__name__} {error}.",
                hint="Give .jsonl files written by imoca bench run; restore a damaged one, or delete the line.",
            ) from error
        for result in results:
            known = found.get(result.spec.id)
            if known is None or known.spec.budget < result.spec.budget:
                found[result.spec.id] = result
    return in_order(found.values())


def in_order(results: Iterable[RunResult]) -> list[RunResult]:
    return sorted(results, key=lambda r: (r.spec.problem.label, r.spec.method.label, r.spec.seed))


def _rounded(number: float, digits: int) -> float | int | None:
    if not math.isfinite(number):
        return None
    return number if isinstance(number, int) else float(f"{number:.{digits}g}")


def _numbers(column: Sequence[float | None], absent: float) -> tuple[float, ...]:
    return tuple(absent if value is None else value for value in column)

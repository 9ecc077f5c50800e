"""The three examples with simulators that other people wrote, and their runs, kept on the disk.

A run is computed once for a design and a fidelity: whoever asks again, method or rerun, gets the same answer, also the
same failure. What is kept is of one source of the simulator and of one version of its package.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType

from imoca.files import write_whole
from imoca.problem import FidelityValue, Problem, Simulator, Value
from imoca.studyfile import load_study_file

ROOT = Path(__file__).parents[2]
CACHE = ROOT / "experiments" / "runs" / "third_party"  # not committed
Outputs = float | dict[str, float]
Function = Callable[..., Outputs]


@dataclass(frozen=True)
class Example:
    """``reference`` is what no engineer would accept, per objective in its own units; hypervolume counts from there."""

    name: str
    module: str  # beside the study file
    package: str  # whose version matters
    reference: Mapping[str, float]
    budget: float  # of a comparison, in full runs of one simulator
    population: int  # of NSGA-II, so that it has about four generations

    @property
    def folder(self) -> Path:
        return ROOT / "examples" / self.name

    def declared(self) -> Problem:
        """As the study file says."""
        return load_study_file(self.folder / "study.toml").problem

    def problem(self, cache: Path) -> Problem:
        """The declared one, whose runs are kept in ``cache``."""
        declared = self.declared()
        return declared.with_simulators([self._kept(simulator, cache) for simulator in declared.simulators])

    def version(self) -> str:
        return _nec2c_version() if self.package == "nec2c" else version(self.package)

    def function(self, simulator: str) -> Function:
        if self.name == "antenna" and simulator == "antenna":
            return partial(run_program, self.folder / "yagi.py", ("segments", "frequencies"))
        return getattr(importlib.import_module(f"examples.{self.name}.{self.module}"), simulator)

    def _kept(self, simulator: Simulator, cache: Path) -> Simulator:
        source = (self.folder / f"{self.module}.py").read_text(encoding="utf-8")
        identity = f"{self.name} {simulator.name} {self.version()} {hashlib.sha256(source.encode()).hexdigest()}"
        run = Kept(partial(self._call, simulator.name), identity, cache)
        return Simulator(
            simulator.name,
            simulator.outputs,
            run,
            fidelity=simulator.fidelity,
            cost=simulator.cost,
            full_cost=simulator.full_cost,
        )

    def _call(self, simulator: str, **question: Value) -> Outputs:
        return self.function(simulator)(**question)


EXAMPLES = MappingProxyType(
    {
        "antenna": Example("antenna", "yagi", "nec2c", {"gain": 6.0, "front_to_back": 6.0, "boom": 2.0}, 40.0, 10),
        "battery": Example("battery", "cell", "pybamm", {"energy": 150.0, "peak_temperature": 100.0}, 48.0, 8),
        "wing": Example("wing", "wing", "openaerostruct", {"fuel_burn": 6000.0, "mass": 4000.0}, 24.0, 8),
    }
)


@dataclass(frozen=True)
class Kept:
    """A simulator whose answers are files, one per question."""

    run: Function
    identity: str
    folder: Path

    def __call__(self, **question: Value) -> Outputs:
        path = self._path(question)
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, json.dumps(self._answer(question)))
        answer = json.loads(path.read_text(encoding="utf-8"))
        if "failure" in answer:
            raise RuntimeError(answer["failure"])
        return answer["outputs"]

    def _path(self, question: Mapping[str, Value | FidelityValue]) -> Path:
        key = json.dumps([self.identity, question], sort_keys=True)
        name = hashlib.sha256(key.encode()).hexdigest()
        return self.folder / name[:2] / f"{name}.json"

    def _answer(self, question: Mapping[str, Value]) -> dict[str, object]:
        try:
            return {"outputs": self.run(**question)}
        except Exception as error:  # a simulator may fail in any way
            return {"failure": f"{type(error).__name__}: {error}"}


def run_program(program: Path, knobs: Sequence[str], **question: Value) -> dict[str, float]:
    """One run as a study does it: a program of its own in a folder of its own."""
    fidelity = {name: question.pop(name) for name in knobs}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "params.json"
        path.write_text(json.dumps({"parameters": question, "fidelity": fidelity}), encoding="utf-8")
        subprocess.run([sys.executable, program, path], cwd=folder, check=True, capture_output=True)
        return json.loads((Path(folder) / "result.json").read_text(encoding="utf-8"))


def _nec2c_version() -> str:
    return subprocess.run(["nec2c", "-v"], capture_output=True, text=True, check=False).stdout.strip()

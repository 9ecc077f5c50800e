"""One run of a comparison: a problem, a method, a seed and how far it goes."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from imoca.methods import Method, MethodSettings, get_method

if TYPE_CHECKING:
    from imoca_lab.benchmark import Benchmark


@dataclass(frozen=True)
class ProblemChoice:
    """A benchmark with its options; None is the benchmark's own default."""

    name: str
    setting: str | None = None
    cost: str | None = None
    variant: str | None = None
    backend: str | None = None

    @property
    def label(self) -> str:
        return _label(self.name, _given(self))

    def benchmark(self) -> Benchmark:
        from imoca_lab.registry import get

        return get(self.name, setting=self.setting, cost=self.cost, variant=self.variant, backend=self.backend)


@dataclass(frozen=True)
class MethodChoice:
    """A method with its settings; None is the method's own default."""

    name: str
    settings: MethodSettings = field(default_factory=MethodSettings)

    @property
    def label(self) -> str:
        return _label(self.name, self.settings.given)

    def method(self) -> Method:
        return get_method(self.name, self.settings)


@dataclass(frozen=True)
class RunSpec:
    """What is run and how it is scored; two equal ones have the same result, but for the CPU seconds."""

    problem: ProblemChoice
    method: MethodChoice
    seed: int
    budget: float  # in full-fidelity runs, as in a study
    time: float | None = None  # CPU seconds of suggestions after which no more are made
    trials: int | None = None  # most trials
    checkpoints: int = 40  # about so many are scored

    @cached_property
    def id(self) -> str:
        """Readable, unique within a comparison, and the path of its working folder."""
        return str(PurePosixPath(self.problem.label, self.method.label, f"seed-{self.seed}"))


def as_json(spec: RunSpec) -> dict[str, Any]:
    """Without what is left at its default."""
    return {
        "problem": {"name": spec.problem.name, **_given(spec.problem)},
        "method": {"name": spec.method.name, **spec.method.settings.given},
        **{name: value for name, value in dataclasses.asdict(spec).items() if name not in ("problem", "method")},
    }


def from_json(content: Mapping[str, Any]) -> RunSpec:
    rest = {name: value for name, value in content.items() if name not in ("problem", "method")}
    settings = {name: value for name, value in content["method"].items() if name != "name"}
    method = MethodChoice(content["method"]["name"], MethodSettings(**settings))
    return RunSpec(ProblemChoice(**content["problem"]), method, **rest)


def _given(choice: ProblemChoice) -> dict[str, Any]:
    fields = dataclasses.asdict(choice)
    return {name: value for name, value in fields.items() if name != "name" and value is not None}


def _label(name: str, given: Mapping[str, object]) -> str:
    """Such as ``rocket-per_objective`` or ``mesmo-n_fronts=1``: text speaks for itself, numbers need their name."""
    parts = [value if isinstance(value, str) else f"{key}={value}" for key, value in given.items()]
    return "-".join([name, *parts])

"""What a stored study is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from imoca.problem.problem import Problem


@dataclass(frozen=True)
class Definition:
    """What a study is: once it is stored, only how simulators are started and what is known of outputs may change."""

    problem: Problem
    method: str
    seed: int
    settings: Mapping[str, object] = field(default_factory=dict)  # those that were given
    version: str = ""  # of imoca that wrote it

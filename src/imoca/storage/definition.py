"""What a stored study is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from imoca.problem.problem import Problem


@dataclass(frozen=True)
class Definition:
    """What a study is: never changed once it is stored, but for how its simulators are started."""

    problem: Problem
    method: str
    seed: int
    settings: Mapping[str, object] = field(default_factory=dict)  # those that were given
    version: str = ""  # of imoca that wrote it

"""What a method is, and how one is made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from imoca.methods.settings import MethodSettings
from imoca.trials.table import TrialTable
from imoca.trials.trial import Candidate


class Method(Protocol):
    """Turns the trials so far into the next question."""

    def is_start(self, table: TrialTable, seed: int) -> bool:
        """Whether the question after these trials still belongs to the initial design, which asks no model."""

    def suggest(self, table: TrialTable, seed: int) -> Candidate:
        """A pure function: the same trials and seed give the same question, also after a restart."""


@runtime_checkable
class SeveralMethod(Method, Protocol):
    """One that can choose several questions at once, where choosing takes longer than running."""

    def suggest_several(self, table: TrialTable, seed: int) -> tuple[Candidate, ...]:
        """As pure as ``suggest``, whose question is the first of them."""


ConstraintsKnown = Literal["none", "on parameters", "all"]  # all: on parameters and on outputs


@dataclass(frozen=True)
class Recipe:
    """How a method is made of its settings. Another package adds one under the entry point ``imoca.methods``."""

    make: Callable[[MethodSettings], Method]
    uses: frozenset[str] = frozenset()  # names of the settings that make a difference to it
    constraints: ConstraintsKnown = "none"  # what its questions keep to
    needs_order: bool = False  # whether fidelities must be in order, so that sources and several knobs are not for it

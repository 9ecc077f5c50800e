"""One question and, later, its answer."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import NamedTuple

from imoca.problem.accuracy import FidelityValue
from imoca.problem.parameters import Value
from imoca.wording import middle_left_out

DEVIATIONS_OF_INTERVAL = 1.6448536  # to either side of a normal number that hold it in 90 % of the cases


class TrialState(StrEnum):
    RUNNING = "running"
    COMPLETE = "complete"  # at least one simulator answered
    FAILED = "failed"  # none did


class SimulatorState(IntEnum):
    """What became of one simulator of a trial."""

    PENDING = 0  # asked, no answer yet
    ANSWERED = 1
    FAILED = 2
    NOT_RUN = 3  # never asked: not worth its price here, or the trial is a result that was added without it

    def __str__(self) -> str:
        return self.name.lower().replace("_", " ")


class Promise(NamedTuple):
    """What was predicted of an output at full accuracy before a design was run there, in the user's units."""

    value: float
    low: float  # of the interval that holds the truth in 90 % of the cases
    high: float

    def is_kept(self, measured: float, error: float = 0.0) -> bool:
        """Whether a measured value lies within the interval, made wider by what its own standard error may add."""
        reach = self.low - self.value if measured < self.value else self.high - self.value
        return abs(measured - self.value) <= math.hypot(reach, DEVIATIONS_OF_INTERVAL * error)


@dataclass(frozen=True)
class Candidate:
    """A question before it has a number."""

    parameters: Mapping[str, Value]
    fidelities: Mapping[str, FidelityValue]  # per simulator that is asked, in its own units
    fitted: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """Log hyperparameters per output and learned cost when it was asked: the next fit starts there, also after a
    restart."""
    declared: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Per simulator whose cost is a function `Problem.declared_costs`: whoever looks at a study calls no function."""
    promised: Mapping[str, Promise] = field(default_factory=dict)
    """Per output that is to be verified; empty for a question of the search."""
    worker: str = ""  # who asked and will answer, if it gave a name
    thinking: float = 0.0
    """Seconds that simulators waited for it to be chosen, and others with it; 0 where time is not what runs cost."""


@dataclass(frozen=True)
class Answer:
    """What came back, in the user's own units and signs; of every simulator asked, unless it is still pending."""

    values: Mapping[str, float] = field(default_factory=dict)  # per output
    costs: Mapping[str, float] = field(default_factory=dict)  # per simulator whose cost was told or measured
    failures: Mapping[str, str] = field(default_factory=dict)  # per simulator that failed, the reason
    wasted: Mapping[str, float] = field(default_factory=dict)  # per simulator, what earlier attempts at the run cost
    pending: tuple[str, ...] = ()  # simulators that were asked and have not answered yet
    errors: Mapping[str, float] = field(default_factory=dict)  # per output that was told with its standard error

    def __post_init__(self) -> None:
        """Reasons are kept short, wherever they come from: every reader of a study reads all of them."""
        reasons = {name: middle_left_out(reason) for name, reason in self.failures.items()}
        object.__setattr__(self, "failures", reasons)


class RunState(StrEnum):
    RUNNING = "running"
    ANSWERED = "answered"
    FAILED = "failed"
    LOST = "lost"  # the process that ran it is gone


@dataclass(frozen=True)
class Run:
    """One attempt to run one simulator of a trial."""

    trial: int
    simulator: str
    attempt: int  # 1, 2, ...
    started: float  # seconds since 1970
    folder: str | None = None  # where a program worked
    ended: float | None = None
    answer: Answer | None = None  # of this simulator alone

    @property
    def state(self) -> RunState:
        if self.answer is None:
            return RunState.RUNNING if self.ended is None else RunState.LOST
        if self.answer.failures:
            return RunState.FAILED
        return RunState.ANSWERED if self.answer.values else RunState.LOST

    @property
    def elapsed(self) -> float:
        """Seconds of wall time; 0 while it runs."""
        return max(0.0, self.ended - self.started) if self.ended is not None else 0.0

    @property
    def is_lost_with_driver(self) -> bool:
        """Whether its driver died while it ran; one that a driver ended on purpose has an empty answer."""
        return self.ended is not None and self.answer is None


@dataclass(frozen=True)
class Trial:
    """A numbered question with its answer, if there is one yet."""

    number: int
    parameters: Mapping[str, Value]
    fidelities: Mapping[str, FidelityValue]  # per simulator that is asked
    fitted: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    answer: Answer | None = None
    is_launched: bool = False  # asked in order to be run by the study itself, so that a restart runs it again
    declared: Mapping[str, tuple[float, float]] = field(default_factory=dict)  # see Candidate
    promised: Mapping[str, Promise] = field(default_factory=dict)
    worker: str = ""
    thinking: float = 0.0

    @property
    def state(self) -> TrialState:
        if self.pending:
            return TrialState.RUNNING
        return TrialState.COMPLETE if self.values else TrialState.FAILED

    def state_of(self, simulator: str) -> SimulatorState:
        if simulator not in self.fidelities:
            return SimulatorState.NOT_RUN
        if simulator in self.pending:
            return SimulatorState.PENDING
        return SimulatorState.FAILED if simulator in self.failures else SimulatorState.ANSWERED

    @property
    def pending(self) -> tuple[str, ...]:
        """Simulators that were asked and have not answered yet."""
        return tuple(self.fidelities) if self.answer is None else self.answer.pending

    @property
    def is_verification(self) -> bool:
        """Whether it was asked to see whether what is recommended is true."""
        return bool(self.promised)

    @property
    def values(self) -> Mapping[str, float]:
        return self.answer.values if self.answer else {}

    @property
    def errors(self) -> Mapping[str, float]:
        return self.answer.errors if self.answer else {}

    @property
    def costs(self) -> Mapping[str, float]:
        return self.answer.costs if self.answer else {}

    @property
    def failures(self) -> Mapping[str, str]:
        return self.answer.failures if self.answer else {}

    @property
    def wasted(self) -> Mapping[str, float]:
        return self.answer.wasted if self.answer else {}

    @staticmethod
    def asked(number: int, candidate: Candidate, answer: Answer | None = None, is_launched: bool = False) -> Trial:
        return Trial(
            number,
            candidate.parameters,
            candidate.fidelities,
            candidate.fitted,
            answer,
            is_launched,
            candidate.declared,
            candidate.promised,
            candidate.worker,
            candidate.thinking,
        )

    def answered(self, answer: Answer) -> Trial:
        return dataclasses.replace(self, answer=answer)

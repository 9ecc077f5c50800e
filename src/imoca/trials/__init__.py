"""Questions, their answers, and all of them as arrays."""

from imoca.trials.table import TrialTable
from imoca.trials.trial import Answer, Candidate, Promise, Run, RunState, SimulatorState, Trial, TrialState

__all__ = [
    "Answer",
    "Candidate",
    "Promise",
    "Run",
    "RunState",
    "SimulatorState",
    "Trial",
    "TrialState",
    "TrialTable",
]

"""What ``print(study)`` says: all of it is known without a model and without a user's function."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from imoca.problem.cost import ExpressionCost, LevelCosts
from imoca.trials.trial import TrialState
from imoca.wording import labelled, number, printable

if TYPE_CHECKING:
    from imoca.study.kept import KeptStudy


def inscription(study: KeptStudy, place: str) -> str:
    """Three lines: what is optimised and how, how far it is, where it lives."""
    outputs = ", ".join(
        f"{printable(labelled(each.name, each.unit))} ({each.goal})" for each in study.problem.objectives
    )
    progress = f"{_trials_in_words(study)}, {_cost_in_words(study)}"
    return f"Study of {outputs} by {study.method}, seed {study.seed}\n{progress}\nkept in {printable(place)}"


def _trials_in_words(study: KeptStudy) -> str:
    counts = Counter(trial.state for trial in study.trials)
    if not counts:
        return "no trials yet"
    states = ", ".join(f"{counts[state]} {state}" for state in TrialState if counts[state])
    return f"{counts.total()} {'trial' if counts.total() == 1 else 'trials'} ({states})"


def _cost_in_words(study: KeptStudy) -> str:
    """A measured cost has to be fitted to be counted, and a cost function is foreign code: neither is done here."""
    if all(isinstance(simulator.cost, ExpressionCost | LevelCosts) for simulator in study.problem.simulators):
        return f"cost {number(study.cost_spent)} full-fidelity runs"
    return "cost as told by study.cost_spent"

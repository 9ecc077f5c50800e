"""What our own time is worth: where runs are shorter than it takes to choose them, several are chosen at once.

A trial remembers how long the simulators waited for it to be chosen. What is not remembered costs nothing, so that only
studies whose costs are times ever ask otherwise because of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from imoca.arrays import Array
from imoca.methods.beliefs import Beliefs
from imoca.models.cost import CostModel, LearnedCostModel
from imoca.trials.table import TrialTable

LARGEST_SHARE = 0.15  # of the simulators' time that choosing may take; storing and starting runs takes some as well
N_LAST = 5  # times that something was chosen, by which the next one is expected to take as long
MOST_AT_ONCE = 64  # questions that are chosen without an answer to any of them
N_FURTHER = 64  # designs, the best for the first question, among which the others are chosen

Question = tuple[Array, Array]  # a design (d,) and a fidelity vector (n_simulators,), NaN where one is left out
Choose = Callable[[Beliefs], Question]


@dataclass(frozen=True)
class Thinking:
    """How long choosing takes, and what that is worth; nothing where it is not known."""

    costs: tuple[LearnedCostModel, ...] = ()
    seconds: float = 0.0  # of simulators that wait, each time that something is chosen
    price: float = 0.0  # of that, per question and in units of the budget

    def of_one(self) -> Thinking:
        """For a single question, whatever it takes."""
        return replace(self, seconds=0.0)

    def with_others(self, first: Question, beliefs: Beliefs, choose: Choose) -> tuple[Question, ...]:
        """The question, and others as long as the runs of all are expected to be too short to be worth choosing.

        Each is chosen as if those before it had their means for answers; when one comes again, nothing else is worth
        asking.
        """
        chosen = [first]
        while not self._is_worth(chosen):
            beliefs = beliefs.believing(*chosen[-1])
            x, z = choose(beliefs)
            if any(np.array_equal(x, known) and np.array_equal(z, at, equal_nan=True) for known, at in chosen):
                break
            chosen.append((x, z))
        return tuple(chosen)

    def _is_worth(self, questions: Sequence[Question]) -> bool:
        if not self.seconds or len(questions) >= MOST_AT_ONCE:
            return True
        return self.seconds <= LARGEST_SHARE * sum(self._run_seconds(x, z) for x, z in questions)

    def _run_seconds(self, x: Array, z: Array) -> float:
        asked = [s for s in range(len(self.costs)) if not np.isnan(z[s])]
        return float(sum(self.costs[s].own_costs(x[None], z[s : s + 1])[0] for s in asked))


def thinking_after(table: TrialTable, costs: Sequence[CostModel]) -> Thinking:
    """By the last trials that remember it, and a model by which they were chosen; their cost is seconds, then."""
    learned = tuple(cost for cost in costs if isinstance(cost, LearnedCostModel) and cost.residual is not None)
    chosen = [i for i, trial in enumerate(table.trials) if trial.thinking > 0.0 and trial.fitted][-N_LAST:]
    if not chosen or len(learned) < len(costs):
        return Thinking()
    seconds = np.array([table.trials[i].thinking for i in chosen])
    per_question = float(seconds.sum()) / (len(table) - chosen[0])
    designs = table.problem.spread_designs
    full_seconds = sum(float(cost.target_costs(designs).mean()) for cost in learned)
    counted = sum(simulator.full_cost for simulator in table.problem.simulators)
    return Thinking(learned, float(np.median(seconds)), per_question * counted / full_seconds)

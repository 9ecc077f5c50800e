"""Whether cheap runs are worth their price here: what they miss, as the model has learned it, and what they explain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from imoca.methods.beliefs import Beliefs, without_absurd_answers
from imoca.models.cost import CostModel, cost_models
from imoca.models.doubt import can_be_explained
from imoca.models.gp import GaussianProcess
from imoca.models.kernel import covariance
from imoca.models.surrogates import ModelName
from imoca.snapshot.movement import remembered
from imoca.trials.table import TrialTable

CHEAPEST_AND_FULL = np.array([0.0, 1.0])


@dataclass(frozen=True)
class CheapRuns:
    """Of one output: its simulator at the lowest fidelity."""

    output: str
    simulator: str
    error: float  # typical, as a share of how much the output varies over the designs
    price: float  # as a share of a full run
    n_full: int  # answers at full accuracy so far
    explained: float | None  # share of the variance of those that the other runs predict; None: too few to tell
    are_left_out: bool = False  # of the model, for they mislead

    @property
    def is_worth_it(self) -> bool:
        """Whether they tell a larger share of the truth than they cost; by the model's word until full runs tell."""
        told = max(0.0, 1.0 - self.error**2) if self.explained is None else self.explained
        return told > self.price

    @property
    def verdict(self) -> str:
        return f"{'worth it' if self.is_worth_it else 'not worth it'}: {self.words}"

    @property
    def words(self) -> str:
        cost = f"{_percent(self.price)} of the cost, off by {_percent(self.error)} of the spread as the model sees it"
        if self.explained is None:
            return f"{cost}; of full runs there are too few to tell ({self.n_full})"
        if self.are_left_out:
            return (
                f"{cost}; they mislead: {self.n_full} full runs are predicted better without them, and so is the front"
            )
        return f"{cost}; they explain {_percent(self.explained)} of what {self.n_full} full runs measured"


def cheap_runs(table: TrialTable, model: ModelName) -> tuple[CheapRuns, ...]:
    """For every output whose simulator has a fidelity; nothing is fitted, it follows from what trials remember."""
    beliefs = remembered(without_absurd_answers(table, model), model, cost_models(table))
    if beliefs is None:
        return ()
    problem = table.problem
    found = []
    for j, output in enumerate(problem.modelled):
        s = int(problem.simulator_columns[j])
        if problem.simulators[s].fidelity.has_knob and not problem.simulators[s].is_cost_sealed:
            found.append(_of_output(output.name, problem.simulators[s].name, beliefs, j, beliefs.costs[s]))
    return tuple(found)


def _of_output(output: str, simulator: str, beliefs: Beliefs, j: int, cost: CostModel) -> CheapRuns:
    surrogate, are_left_out = beliefs.modelled[j], beliefs.is_misled[j]
    ratio = cost.ratio(np.full((1, surrogate.x.shape[1]), 0.5), CHEAPEST_AND_FULL)[0]
    return CheapRuns(
        output,
        simulator,
        typical_error(surrogate),
        float(ratio[0] / ratio[1]),
        int(surrogate.is_full_accuracy.sum()),
        beliefs.explained(j) if are_left_out or can_be_explained(surrogate) else None,
        are_left_out,
    )


def typical_error(surrogate: GaussianProcess) -> float:
    """Standard deviation of the difference between the lowest fidelity and the truth, over that of the truth."""
    both = covariance(surrogate.kernel, np.full((2, surrogate.x.shape[1]), 0.5), CHEAPEST_AND_FULL)
    return float(np.sqrt((both[0, 0] - 2.0 * both[0, 1] + both[1, 1]) / both[1, 1]))


def _percent(share: float) -> str:
    return f"{100.0 * share:.2g} %" if share < 0.095 else f"{100.0 * share:.0f} %"

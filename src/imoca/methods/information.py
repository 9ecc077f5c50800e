"""iMOCA-T, iMOCA-E, iMOCA-P, MESMO and Naive-CFMO: one recipe, different ingredients."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from imoca.acquisition.feasible_gain import feasible_bound_gain, feasible_front_gain
from imoca.acquisition.fidelity_space import FidelityReduction
from imoca.acquisition.gain import BlurredGain, Gain
from imoca.acquisition.maximise import distinct_best, maximise
from imoca.acquisition.regions import dominated_regions
from imoca.acquisition.score import GainPerCost, Pool, PricedSimulator
from imoca.acquisition.skew_gain import SkewGain
from imoca.acquisition.truncated_gain import TruncatedGain
from imoca.arrays import Array
from imoca.methods.beliefs import Beliefs, try_to_believe
from imoca.methods.candidates import N_GRID, N_STARTS, candidate_designs
from imoca.methods.fronts import lifted_fronts, sample_fronts, sample_maxima, sample_paths
from imoca.methods.initial_design import candidate, initial_question, initial_size
from imoca.methods.settings import Evaluate, InitialDesign
from imoca.methods.target_search import TargetSearch
from imoca.methods.thinking import N_FURTHER, Question, Thinking, thinking_after
from imoca.methods.verification import (
    can_do_without_cheap_runs,
    is_verification_due,
    question_without_cheap_runs,
)
from imoca.models.surrogates import DEFAULT_MODEL, ModelName
from imoca.pareto.search import Front
from imoca.trials.table import TrialTable
from imoca.trials.trial import Candidate

logger = logging.getLogger(__name__)

GainName = Literal["truncated", "skew", "front"]
FidelityChoice = Literal["per cost", "target", "cheapest allowed"]

TARGET_ONLY = 1  # a grid of z* alone
NO_GAIN = 1e-9  # nats per full run, below which no design differs from another
N_FINE_GRID = 101  # and once the design is chosen
BLUR = 0.03  # of the reach of the front: better known an objective need not be, where simulators may be left out


@dataclass(frozen=True)
class InformationSearch:
    """Ask where an evaluation tells most about the Pareto front at full accuracy for its cost."""

    gain: GainName
    fidelity_choice: FidelityChoice
    initial_design: InitialDesign
    fidelity_reduction: bool
    n_fronts: int
    model: ModelName = DEFAULT_MODEL
    verify: float = 0.0  # share of the cost for full runs where they improve the predicted front
    evaluate: Evaluate = "all"  # the simulators that a question runs

    def is_start(self, table: TrialTable, seed: int) -> bool:
        return len(table) < initial_size(table.problem, self.initial_design)

    def suggest(self, table: TrialTable, seed: int) -> Candidate:
        return self._questions(table, seed, is_one=True)[0]

    def suggest_several(self, table: TrialTable, seed: int) -> tuple[Candidate, ...]:
        return self._questions(table, seed, is_one=False)

    def _questions(self, table: TrialTable, seed: int, is_one: bool) -> tuple[Candidate, ...]:
        number = len(table)
        beliefs = None if self.is_start(table, seed) else try_to_believe(table, self.model)
        if beliefs is None:
            return (initial_question(table.problem, self.initial_design, number, seed),)
        rng = np.random.default_rng([seed, number])
        thinking = thinking_after(table, beliefs.costs)
        if is_one:
            thinking = thinking.of_one()
        if not is_verification_due(table, beliefs, self.verify):
            return self._informed(beliefs, number, thinking, rng)
        search = TargetSearch("ehi", self.n_fronts, self.model)
        if can_do_without_cheap_runs(table) and rng.random() >= beliefs.explained_by_cheap_runs:
            return (question_without_cheap_runs(search, table, seed),)
        return search.questions(beliefs, number, thinking, rng)

    def _informed(
        self, beliefs: Beliefs, number: int, thinking: Thinking, rng: np.random.Generator
    ) -> tuple[Candidate, ...]:
        gain, near = self._gain(beliefs, rng)
        n_grid = N_GRID if self.fidelity_choice == "per cost" else TARGET_ONLY
        score = self._score(beliefs, gain, number, n_grid, thinking)
        candidates = candidate_designs(beliefs.problem, near, beliefs.n_data, rng)
        scores = score.score(candidates).values
        if (
            beliefs.is_constrained and scores.max() < NO_GAIN
        ):  # surely infeasible everywhere: the place to be proved wrong
            return TargetSearch("ehi", self.n_fronts, self.model).questions(beliefs, number, thinking, rng)
        starts = distinct_best(candidates, scores, N_STARTS)

        def value_and_gradient(x: Array) -> tuple[Array, Array]:
            scores, gradient = score.score_and_gradient(x)
            return scores.values, gradient

        x, value = maximise(value_and_gradient, starts, beliefs.problem.space)
        z = self._fidelities(beliefs, gain, number, x, thinking)
        logger.info("Trial %d: gain per cost %.3g, z = %s", number, value, np.round(z, 3).tolist())
        pool = Pool(score, distinct_best(candidates, scores, N_FURTHER))

        def choose(then: Beliefs) -> Question:
            x, z = pool.best(self._score(then, gain, number, n_grid, thinking))
            return x, z if self.fidelity_choice == "per cost" else self._fidelities(then, gain, number, x, thinking)

        chosen = thinking.with_others((x, z), beliefs, choose)
        return tuple(candidate(beliefs.problem, *question, beliefs.fitted) for question in chosen)

    def _gain(self, beliefs: Beliefs, rng: np.random.Generator) -> tuple[Gain, Array]:
        """The gain, and designs (m, d) near which its maximum may lie."""
        paths = sample_paths(beliefs, self.n_fronts, rng)
        maxima, extremes = sample_maxima(beliefs, paths, rng)
        low, high = (np.array([getattr(limit, end) for limit in beliefs.limits]) for end in ("low", "high"))
        if self.gain == "front":
            fronts = sample_fronts(beliefs, paths, extremes, rng)
            regions = dominated_regions(lifted_fronts(beliefs, paths, fronts, rng), rng)
            near = np.concatenate([front.near for front in fronts])
            sharp = feasible_front_gain(regions, low, high, beliefs.running)
            is_sharp = self.evaluate == "all" or not all(len(front.values) for front in fronts)
            return sharp if is_sharp else BlurredGain(sharp, _blurs(beliefs, fronts)), near
        kind = TruncatedGain if self.gain == "truncated" else SkewGain
        return feasible_bound_gain(kind, maxima, low, high, beliefs.running), extremes

    def _score(self, beliefs: Beliefs, gain: Gain, number: int, n_grid: int, thinking: Thinking) -> GainPerCost:
        simulators = self._priced(beliefs, number, n_grid)
        may_leave_out = self.evaluate == "best"
        setup_cost = beliefs.problem.setup_cost + thinking.price
        return GainPerCost(beliefs.modelled, gain, simulators, setup_cost, may_leave_out)

    def _priced(self, beliefs: Beliefs, number: int, n_grid: int) -> list[PricedSimulator]:
        names = [output.name for output in beliefs.problem.modelled]
        reduction = FidelityReduction(number) if self.fidelity_reduction else None
        return [
            PricedSimulator(
                outputs=tuple(names.index(output.name) for output in simulator.outputs),
                fidelities=np.ones(1) if n_grid == TARGET_ONLY else simulator.fidelity.grid(n_grid),
                cost=cost,
                reduction=reduction if simulator.fidelity.is_continuous else None,
                failure=failure,
                caution=beliefs.caution,
                sure=float(np.exp(beliefs.log_sure_to_run)),
            )
            for simulator, cost, failure in zip(
                beliefs.problem.simulators, beliefs.costs, beliefs.failures, strict=True
            )
        ]

    def _fidelities(self, beliefs: Beliefs, gain: Gain, number: int, x: Array, thinking: Thinking) -> Array:
        """The fidelity vector (n_simulators,) for the chosen design, between the nodes of the grid it was chosen on."""
        if self.fidelity_choice == "target":
            return np.ones(len(beliefs.problem.simulators))
        if self.fidelity_choice == "cheapest allowed":
            simulators = self._priced(beliefs, number, N_FINE_GRID)
            return np.array([_cheapest_allowed(beliefs, simulator, x) for simulator in simulators])
        return self._score(beliefs, gain, number, N_FINE_GRID, thinking).score(x[None]).fidelities[0]


def _blurs(beliefs: Beliefs, fronts: Sequence[Front]) -> Array:  # (K + C,) standardised
    """A share of how far the sampled fronts reach in every objective; constraints are wanted sharp."""
    reach = np.median([np.ptp(front.values, axis=0) for front in fronts], axis=0)
    return np.append(BLUR * reach, np.zeros(len(beliefs.limits)))


def _cheapest_allowed(beliefs: Beliefs, simulator: PricedSimulator, x: Array) -> float:
    """Algorithm 2 of [Belakaria2020]: the cheapest fidelity of the simulator's reduced space at x."""
    cost = simulator.cost.ratio(x[None], simulator.fidelities)
    moments = [surrogate.moments(x[None], simulator.fidelities) for surrogate in beliefs.modelled]
    allowed = simulator.allowed(moments, cost)
    return float(simulator.fidelities[np.argmin(np.where(allowed, cost, np.inf)[0])])

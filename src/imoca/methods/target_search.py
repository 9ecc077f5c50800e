"""ParEGO, SMSego, EHI, SUR and PESMO: every simulator at full accuracy, one recipe, different criteria."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Literal

import numpy as np

from imoca.acquisition.expected_improvement import log_expected_improvement
from imoca.acquisition.hypervolume_improvement import Improvement, improvement_over, reference_below
from imoca.acquisition.maximise import Criterion, distinct_best, maximise, with_differences
from imoca.acquisition.optimistic_improvement import OptimisticImprovement
from imoca.acquisition.pareto_set_entropy import ParetoSetEntropy, condition_set
from imoca.acquisition.scalarisation import augmented_tchebycheff, random_weights
from imoca.acquisition.uncertainty_reduction import UncertaintyReduction
from imoca.arrays import Array
from imoca.methods.beliefs import Beliefs, try_to_believe
from imoca.methods.candidates import N_STARTS, candidate_designs
from imoca.methods.fronts import incumbents, predicted_front, sample_fronts, sample_maxima, sample_paths
from imoca.methods.initial_design import candidate, initial_question, initial_size, sobol_designs
from imoca.methods.thinking import N_FURTHER, Question, Thinking, thinking_after
from imoca.models.dataset import centre_and_scale
from imoca.models.fitting import fit
from imoca.models.gp import Z_TARGET
from imoca.models.surrogates import DEFAULT_MODEL, ModelName, form_of
from imoca.pareto.dominance import non_dominated
from imoca.pareto.search import Front
from imoca.problem.fidelity import Fidelity
from imoca.trials.table import TrialTable
from imoca.trials.trial import Candidate

logger = logging.getLogger(__name__)

CriterionName = Literal["parego", "smsego", "ehi", "sur", "pesmo"]

REFERENCE_MARGIN = 0.1  # of the front's range, below which hypervolume counts
OPTIMISTIC_DEVIATIONS = 2.0  # that a hypervolume by samples looks above the means
SMALLEST_EXPECTATION = 1e-300  # of an improvement whose logarithm is climbed
N_INTEGRATION_DESIGNS = 8192  # over which SUR integrates
MAX_INTEGRATION_WORK = 2e9  # multiplications per objective; with many observations fewer designs are used
SET_SIZE = 10  # points per sampled Pareto set of PESMO


@dataclass(frozen=True)
class TargetSearch:
    """Ask for the design at which the criterion, of the surrogates at full accuracy, is largest."""

    criterion: CriterionName
    n_fronts: int  # Pareto sets that PESMO samples; the others sample none
    model: ModelName = DEFAULT_MODEL

    def is_start(self, table: TrialTable, seed: int) -> bool:
        return len(table) < initial_size(table.problem, "target")

    def suggest(self, table: TrialTable, seed: int) -> Candidate:
        return self._questions(table, seed, is_one=True)[0]

    def suggest_several(self, table: TrialTable, seed: int) -> tuple[Candidate, ...]:
        return self._questions(table, seed, is_one=False)

    def _questions(self, table: TrialTable, seed: int, is_one: bool) -> tuple[Candidate, ...]:
        number = len(table)
        beliefs = None if self.is_start(table, seed) else try_to_believe(table, self.model)
        if beliefs is None:
            return (initial_question(table.problem, "target", number, seed),)
        thinking = thinking_after(table, beliefs.costs)
        return self.questions(
            beliefs, number, thinking.of_one() if is_one else thinking, np.random.default_rng([seed, number])
        )

    def questions(
        self, beliefs: Beliefs, number: int, thinking: Thinking, rng: np.random.Generator
    ) -> tuple[Candidate, ...]:
        """What to ask for, given beliefs from runs of any accuracy."""
        problem, full = beliefs.problem, np.ones(len(beliefs.problem.simulators))
        predicted = predicted_front(beliefs, rng)
        candidates = candidate_designs(problem, predicted.near, beliefs.n_data, rng)
        score = self._score(beliefs, predicted, candidates, rng)
        scores = score(candidates)
        starts = distinct_best(candidates, scores, N_STARTS)
        x, value = maximise(with_differences(score, problem.space), starts, problem.space)
        logger.info("Trial %d: %s %.3g", number, self.criterion, value)
        best = distinct_best(candidates, scores, N_FURTHER)

        def choose(then: Beliefs) -> Question:
            return best[np.argmax(self._score(then, predicted, best, rng)(best))], full

        chosen = thinking.with_others((x, full), beliefs, choose)
        return tuple(candidate(problem, *question, beliefs.fitted) for question in chosen)

    def _score(self, beliefs: Beliefs, predicted: Front, candidates: Array, rng: np.random.Generator) -> Criterion:
        """Until a design asked about is likely to be feasible, the probability of being so."""
        if not beliefs.are_likely_feasible(incumbents(beliefs)).any():
            return beliefs.log_feasibility
        match self.criterion:
            case "parego":
                return parego_score(beliefs, self.model, rng)
            case "smsego":
                return smsego_score(beliefs, predicted, candidates, rng)
            case "ehi":
                return ehi_score(beliefs, predicted, candidates, rng)
            case "sur":
                return sur_score(beliefs, rng)
            case "pesmo":
                return pesmo_score(beliefs, self.n_fronts, rng)


def parego_score(beliefs: Beliefs, model: ModelName, rng: np.random.Generator) -> Criterion:
    """Expected improvement of one Gaussian process on a random scalarisation [Knowles2006], of feasible designs.

    What is scalarised are the surrogates' means at the designs asked about: the measured values, for simulators are
    nearly deterministic, and a guess where an answer is still missing.
    """
    asked = incumbents(beliefs)
    values = augmented_tchebycheff(beliefs.means_at_target(asked), random_weights(len(beliefs.surrogates), rng))
    centre, scale = centre_and_scale(values)
    surrogate = fit(asked, np.full(len(asked), Z_TARGET), (values - centre) / scale, form_of(Fidelity.none(), model))
    best = float(surrogate.mean_at_target(asked[beliefs.are_likely_feasible(asked)]).max())

    def score(x: Array) -> Array:
        mean, variance = surrogate.mean_and_variance_at_target(x)
        return log_expected_improvement(mean, np.sqrt(variance), best) + beliefs.log_worth(x)

    return score


def smsego_score(beliefs: Beliefs, predicted: Front, candidates: Array, rng: np.random.Generator) -> Criterion:
    """Optimistic hypervolume contribution [Ponweiser2008], times the probability of being feasible."""
    front = reached_front(beliefs)
    criterion = OptimisticImprovement(front, _improvement(beliefs, predicted, candidates, rng))

    def score(x: Array) -> Array:
        contribution = criterion(*beliefs.means_and_deviations_at_target(x))
        probability = np.exp(beliefs.log_worth(x))
        return contribution * np.where(contribution > 0.0, probability, 2.0 - probability)  # a penalty grows

    return score


def ehi_score(beliefs: Beliefs, predicted: Front, candidates: Array, rng: np.random.Generator) -> Criterion:
    """Logarithm of the expected hypervolume improvement [Emmerich2008] of feasible designs."""
    improvement = _improvement(beliefs, predicted, candidates, rng)

    def score(x: Array) -> Array:
        expected = improvement.expected(*beliefs.means_and_deviations_at_target(x))
        return np.log(np.maximum(expected, SMALLEST_EXPECTATION)) + beliefs.log_worth(x)

    return score


def sur_score(beliefs: Beliefs, rng: np.random.Generator) -> Criterion:
    """Stepwise uncertainty reduction [Picheny2015]."""
    n_designs = min(N_INTEGRATION_DESIGNS, max(256, int(MAX_INTEGRATION_WORK / beliefs.n_data**2)))
    designs = sobol_designs(beliefs.problem, n_designs, rng)
    return UncertaintyReduction.over(beliefs.surrogates, reached_front(beliefs), designs, rng)


def pesmo_score(beliefs: Beliefs, n_fronts: int, rng: np.random.Generator) -> Criterion:
    """Predictive entropy search over the Pareto set [HernandezLobato2016]."""
    paths = sample_paths(beliefs, n_fronts, rng)
    _, extremes = sample_maxima(beliefs, paths, rng)
    fronts = sample_fronts(beliefs, paths, extremes, rng)
    reached = reached_front(beliefs)
    sets = [condition_set(beliefs.surrogates, front.thinned(SET_SIZE).x, reached) for front in fronts]
    return ParetoSetEntropy(beliefs.surrogates, sets)


def reached_front(beliefs: Beliefs) -> Array:  # (l, K)
    """The front of what the designs asked about so far, if likely feasible, are believed to reach."""
    asked = incumbents(beliefs)
    reached = beliefs.means_at_target(asked[beliefs.are_likely_feasible(asked)])
    return reached[non_dominated(reached)]


def _improvement(beliefs: Beliefs, predicted: Front, candidates: Array, rng: np.random.Generator) -> Improvement:
    """Over the front reached so far, above a reference point that leaves room for the predicted front too.

    The front reached may be short at first; below its own worst values alone, nothing beyond its ends would count.
    """
    front = reached_front(beliefs)
    mean, std = beliefs.means_and_deviations_at_target(candidates)
    reference_point = reference_below(np.concatenate([front, predicted.values]), REFERENCE_MARGIN)
    return improvement_over(front, reference_point, mean + OPTIMISTIC_DEVIATIONS * std, rng)

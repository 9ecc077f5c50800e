"""The models that are judged, each fitted to the same trials."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from typing import final

import numpy as np

from experiments.calibration.predictions import DoubtfulPrediction, GaussianPrediction, Predictor
from imoca.arrays import Array
from imoca.errors import MethodError
from imoca.methods import MethodSettings
from imoca.methods.beliefs import Beliefs
from imoca.models.doubt import Doubt
from imoca.models.surrogates import DEFAULT_MODEL, ModelName
from imoca.snapshot.prediction import Predictions
from imoca.snapshot.recommendation import believe_answers
from imoca.trials import TrialTable

MOMF_SEED = 0  # of BoTorch's fit
NO_DOUBT = Doubt(np.ones(1), np.zeros(1), np.ones(1))


@final
@dataclass(frozen=True)
class BeliefsPredictor:
    """What a recommendation of iMOCA is made of."""

    beliefs: Beliefs

    def predict(self, x: Array) -> Sequence[DoubtfulPrediction]:
        predictions = Predictions.at(self.beliefs, x)
        return [DoubtfulPrediction(predictions, j) for j in range(len(self.beliefs.data))]


@final
@dataclass(frozen=True)
class ModelPredictor:
    """The same without any doubt: the normal distribution of each surrogate, as if its form were right."""

    beliefs: Beliefs

    def predict(self, x: Array) -> Sequence[DoubtfulPrediction]:
        predictions = Predictions.at(self.beliefs, x)
        sure = tuple(NO_DOUBT for _ in self.beliefs.data)
        return [DoubtfulPrediction(replace(predictions, doubts=sure), j) for j in range(len(sure))]


@final
@dataclass(frozen=True)
class StandardisedPredictor:
    """A function to means and deviations of maximised, standardised values, and the way back to the user's."""

    moments: Callable[[Array], tuple[Array, Array]]  # (n, d) -> (n, K), (n, K)
    centre: Array  # (K,) maximised, in the user's units
    scale: Array  # (K,)
    signs: Array  # (K,)

    def predict(self, x: Array) -> Sequence[GaussianPrediction]:
        means, deviations = self.moments(x)
        in_units = self.signs * (self.centre + self.scale * means)
        return [
            GaussianPrediction(mean, deviation)
            for mean, deviation in zip(in_units.T, (self.scale * deviations).T, strict=True)
        ]


def fit_beliefs(table: TrialTable) -> Predictor | None:
    """What is recommended by default; None while there are too few answers."""
    beliefs = believe_answers(table)
    return None if beliefs is None else BeliefsPredictor(beliefs)


def fit_without_doubt(model: ModelName, table: TrialTable) -> Predictor | None:
    beliefs = believe_answers(table, model)
    return None if beliefs is None else ModelPredictor(beliefs)


def fit_momf(table: TrialTable) -> Predictor | None:
    """The surrogates of BoTorch's MOMF, as its tutorial sets them up; None where they cannot be fitted."""
    import torch

    from imoca_lab.peers.models import attempted, fit_fidelity_gps, tensor, with_fidelity
    from imoca_lab.peers.observations import observe

    observations = observe(table)
    if observations is None:
        return None
    fitted = []

    def fit() -> Array:
        inputs = with_fidelity(observations.x, observations.z)
        fitted.append(fit_fidelity_gps(inputs, tensor(observations.values)))
        return np.empty(0)

    if attempted(fit, MOMF_SEED, len(table)) is None:
        return None
    model = fitted[-1]

    def moments(x: Array) -> tuple[Array, Array]:
        def stacked() -> Array:  # (2, n, K)
            with torch.no_grad():
                posterior = model.posterior(tensor(np.column_stack([x, np.ones(len(x))])))
            return np.stack([posterior.mean.numpy(), posterior.variance.sqrt().numpy()])

        found = attempted(stacked, MOMF_SEED, len(table))
        if found is None:
            raise MethodError("BoTorch's posterior of MOMF failed.", hint="The log tells how.")
        return found[0], found[1]

    signs = table.problem.signs[table.problem.objective_columns]
    return StandardisedPredictor(moments, observations.centre, observations.scale, signs)


@dataclass(frozen=True)
class Model:
    """A name, how it is fitted, and the settings of a study that searches and recommends with it."""

    name: str
    fit: Callable[[TrialTable], Predictor | None]
    settings: MethodSettings | None  # None: it cannot search
    package: str | None = None  # needed beside our own

    @property
    def is_installed(self) -> bool:
        return self.package is None or find_spec(self.package) is not None


MODELS = {
    model.name: model
    for model in (
        Model(DEFAULT_MODEL, fit_beliefs, MethodSettings(verify=0.0)),
        Model("product", partial(fit_without_doubt, "product"), MethodSettings(model="product", verify=0.0)),
        Model("without-doubt", partial(fit_without_doubt, DEFAULT_MODEL), None),
        Model("botorch-momf", fit_momf, None, package="botorch"),
    )
}
SEARCHING = [model.name for model in MODELS.values() if model.settings is not None]
BESIDE = [name for name in MODELS if name != DEFAULT_MODEL]  # fitted to the same data by default


def settings_of(name: str) -> MethodSettings:
    settings = MODELS[name].settings
    if settings is None:
        raise MethodError(f"No study searches with {name!r}.", hint=f"Choose one of {SEARCHING}.")
    return settings

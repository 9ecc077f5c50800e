"""The surrogates by name: which family of kernels describes a simulator with a given fidelity."""

from __future__ import annotations

from typing import Literal

from imoca.models.form import Form
from imoca.models.product import ProductForm
from imoca.models.truth_and_error import TruthAndErrorForm
from imoca.problem.fidelity import Fidelity, Knobs

ModelName = Literal["truth-and-error", "product"]

DEFAULT_MODEL: ModelName = "truth-and-error"
ALL_LEVELS = 2  # a grid of levels is whole, however many points are asked for


def form_of(fidelity: Fidelity, model: ModelName) -> Form:
    if model == "product":
        return ProductForm()
    if not fidelity.has_knob:
        return TruthAndErrorForm.exact()
    if fidelity.is_continuous:
        return TruthAndErrorForm.knob()
    if isinstance(fidelity, Knobs):
        return TruthAndErrorForm.knobs(fidelity.positions)
    n_settings = len(fidelity.grid(ALL_LEVELS))
    return TruthAndErrorForm.levels(n_settings) if fidelity.is_ordered else TruthAndErrorForm.sources(n_settings)

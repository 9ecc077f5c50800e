"""Which family of kernels describes which kind of fidelity."""

from __future__ import annotations

import numpy as np
import pytest

from imoca.models.form import Form
from imoca.models.product import ProductForm
from imoca.models.surrogates import form_of
from imoca.models.truth_and_error import TruthAndErrorForm
from imoca.problem.fidelity import Fidelity

KNOBS = Fidelity.knobs(mesh=[1, 2, 4], steps=[10, 20])


@pytest.mark.parametrize(
    ("fidelity", "form"),
    [
        (Fidelity.none(), TruthAndErrorForm.exact()),
        (Fidelity.continuous(), TruthAndErrorForm.knob()),
        (Fidelity.levels(["a", "b", "c"]), TruthAndErrorForm.levels(3)),
        (Fidelity.sources(["a", "b", "c"]), TruthAndErrorForm.sources(3)),
        (KNOBS, TruthAndErrorForm.knobs(np.asarray(KNOBS.positions))),
    ],
)
def test_every_kind_of_fidelity_has_its_own(fidelity: Fidelity, form: Form) -> None:
    assert form_of(fidelity, "truth-and-error") == form
    assert form_of(fidelity, "product") == ProductForm()

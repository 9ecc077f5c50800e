"""Which fidelities may be considered: the reduced space of section 4.1 of [Belakaria2020], corrected."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from imoca.arrays import Array, BoolArray
from imoca.models.gp import Z_TARGET, Moments

BETA_MINIMUM = 1.5  # with beta_t <= 1 no fidelity below z* would ever be allowed
N_FIDELITY_DIMENSIONS = 1  # p


@dataclass(frozen=True)
class FidelityReduction:
    """Allows z* and every z that is informative for its price and not in the neighbourhood of z*.

    Departures, each explained in docs/explanation/errata.md: the second condition divides by beta_t as in
    [Kandasamy2017]; beta_t = sqrt(0.5 ln(2 t / h + 1)) is clamped; sigma_g is compared in units of the kernel's scale.
    """

    iteration: int  # t, the number of evaluations so far

    def allowed(
        self,
        moments: Moments,  # of one output, at fidelities z
        z: Array,  # (m,)
        cost_ratio: Array,  # (n, m) C(x, z) / C(x, z*)
    ) -> BoolArray:  # (n, m)
        kernel = moments.gp.kernel
        gap = kernel.information_gap(z)  # xi(z)
        largest = float(kernel.information_gap(np.zeros(1))[0])  # 1 / h of the product kernel
        beta = max(BETA_MINIMUM, math.sqrt(0.5 * math.log(2.0 * self.iteration * largest + 1.0)))
        exponent = 1.0 / (N_FIDELITY_DIMENSIONS + moments.x.shape[1] + 2.0)
        threshold = math.sqrt(kernel.signal_variance) * gap * cost_ratio**exponent
        is_informative = np.sqrt(moments.var_g) > threshold
        is_distant = gap > gap.max() / beta
        return (is_informative & is_distant) | (z == Z_TARGET)

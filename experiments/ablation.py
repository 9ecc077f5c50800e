"""Is it the product kernel's prior that makes iMOCA-P late on the trap and on Park? ``python experiments/ablation.py``.

P as it is, without the learned exponent of the fidelity kernel, and with a prior that takes fidelities to be less
alike, on five seeds. Costs from which on a run lacks at most 1 % more of the hypervolume than the thinned true front,
infinite where it never does. Results go to experiments/results/ablation.json. About twenty minutes.
"""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np

from imoca.methods import MethodSettings
from imoca.models import product
from imoca_lab.harness.curves import CONVERGED_WITHIN, HYPERVOLUME_DIFFERENCE, steps_of
from imoca_lab.harness.run_spec import MethodChoice, ProblemChoice, RunSpec
from imoca_lab.harness.single_run import finish_run

BUDGETS = {"trap": 20.0, "momf_park": 2.0}
VARIANTS: dict[str, dict[str, Any]] = {
    "as it is": {"SETTLING_RATE": product.SETTLING_RATE},
    "exponent fixed at 1": {"SETTLING_RATE": 1000.0},
    "bandwidth's median 1 instead of 3": {"FIDELITY_SCALE": (1.0, 1.0)},
}
SEEDS = range(5)
CHECKPOINTS = 30
RESULTS = Path(__file__).parent / "results" / "ablation.json"


def settling_cost(problem: str, seed: int) -> float:
    spec = RunSpec(
        ProblemChoice(problem),
        MethodChoice("imoca-p", MethodSettings(model="product")),
        seed,
        BUDGETS[problem],
        checkpoints=CHECKPOINTS,
        trials=150,
    )
    with TemporaryDirectory() as folder:
        run = finish_run(spec, "python experiments/ablation.py", Path(folder))
    steps = steps_of(run, HYPERVOLUME_DIFFERENCE)
    return round(steps.settled_within(run.attainable_difference + CONVERGED_WITHIN), 3)


def main() -> None:
    rows = {}
    for problem in BUDGETS:
        for variant, constants in VARIANTS.items():
            with patch.multiple(product, **constants):
                costs = [settling_cost(problem, seed) for seed in SEEDS]
            rows[f"{problem}, {variant}"] = {"median": float(np.median(costs)), "costs": costs}
            print(f"{problem}, {variant}", rows[f"{problem}, {variant}"], flush=True)
    made = {"seeds": len(SEEDS), "versions": {name: version(name) for name in ("imoca", "numpy", "scipy")}}
    RESULTS.write_text(json.dumps({**made, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()

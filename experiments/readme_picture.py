"""The picture of the README: ``python experiments/readme_picture.py`` (needs the ``report`` extra).

iMOCA-P on Branin-Currin, seed 0, budget 4: the recovered front against the true one, and the fidelities it chose.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from imoca import Study
from imoca.benchmarks.problems.branin_currin import branin_currin

BUDGET, SEED = 4.0, 0
PICTURE = Path(__file__).parent.parent / "docs" / "images" / "branin_currin.png"
BLUE, ORANGE, GREY = "#0072B2", "#E69F00", "#777777"  # safe for the colour-blind


def main() -> None:
    benchmark = branin_currin()
    study = Study(benchmark.problem, method="imoca-p", seed=SEED)
    study.optimize(BUDGET, progress=False)
    front = study.pareto_front()
    truth = -benchmark.reference_front[np.argsort(benchmark.reference_front[:, 0])]
    in_view = truth[:, 1] < 6.5

    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), width_ratios=[3, 2], layout="constrained")
    left.plot(*truth[in_view].T, color=GREY, lw=4, alpha=0.5, label="true front at full accuracy")
    left.errorbar(
        [point.predicted["branin"] for point in front],
        [point.predicted["currin"] for point in front],
        xerr=[2 * point.uncertainty["branin"] for point in front],
        yerr=[2 * point.uncertainty["currin"] for point in front],
        fmt="o",
        color=BLUE,
        ms=3,
        elinewidth=1.0,
        errorevery=12,
        label="recovered front, ± 2 standard deviations",
    )
    left.set(xlim=(-0.5, 18.5), ylim=(1.0, 6.5), xlabel="Branin (minimise)", ylabel="Currin (minimise)")
    left.set_title(f"{len(study.trials)} designs, total cost {study.cost_spent:.1f} full-accuracy runs")
    left.legend(frameon=False)

    numbers = [trial.number for trial in study.trials]
    for name, colour, marker in (("branin", BLUE, "o"), ("currin", ORANGE, "^")):
        chosen = [trial.fidelities[name] for trial in study.trials]
        right.plot(numbers, chosen, marker, color=colour, ms=5, label=f"{name.capitalize()} simulator")
    right.set(ylim=(-0.05, 1.05), xlabel="trial", ylabel="fidelity (1 = full accuracy)")
    right.set_title("accuracy chosen for each simulator")
    right.legend(frameon=False)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    PICTURE.parent.mkdir(exist_ok=True)
    figure.savefig(PICTURE, dpi=110)


if __name__ == "__main__":
    main()

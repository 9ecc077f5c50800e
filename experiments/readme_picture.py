"""The first picture of the README: ``python experiments/readme_picture.py`` (needs the ``report`` extra).

iMOCA-P on Branin-Currin, seed 0, budget 6: the recovered front against the true one.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from imoca import Study
from imoca.report import picture
from imoca.report.palette import GREY
from imoca_lab.problems.branin_currin import branin_currin

BUDGET, SEED = 6.0, 0
FOLDER = Path(__file__).parent.parent / "docs" / "images"


def main() -> None:
    benchmark = branin_currin()
    with Study(benchmark.problem, method="imoca-p", seed=SEED) as study:
        study.optimize(BUDGET, progress=False)
        spent = f"{len(study.trials)} designs, total cost {study.cost_spent:.1f} full-accuracy runs"
        front = study.plot.front(backend="matplotlib")
    axes = front.axes[0]
    limits = axes.get_xlim(), axes.get_ylim()
    truth = -benchmark.reference_front[np.argsort(benchmark.reference_front[:, 0])]
    (line,) = axes.plot(*truth.T, color=GREY, linewidth=4, alpha=0.5, zorder=1)
    axes.set(xlim=limits[0], ylim=limits[1])
    axes.legend([line], ["true front at full accuracy"], frameon=False)
    axes.set_title(spent, fontsize=9, loc="left")

    FOLDER.mkdir(exist_ok=True)
    (FOLDER / "branin_currin.png").write_bytes(picture(front, ".png"))


if __name__ == "__main__":
    main()

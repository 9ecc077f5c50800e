"""The first picture of the README: ``python experiments/readme_picture.py`` (needs the ``report`` extra).

iMOCA-P and ParEGO, the best single-fidelity method of the report on this problem, on Branin-Currin with seed 0: the
front that each recommends at the same cost, evaluated truly, before the true front. An animation and its last frame;
every number in it comes from the two runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from PIL import Image

from imoca import Study
from imoca.arrays import Array
from imoca.pareto import hypervolume
from imoca.report.palette import BLUE, GREY, ORANGE
from imoca_lab.benchmark import Benchmark
from imoca_lab.problems.branin_currin import branin_currin

SEED = 0
BUDGET = 30.0  # full-accuracy runs of one simulator
N_FRAMES, FRAME, LAST_FRAME = 26, 220, 4000  # milliseconds
CLOSE = 0.99  # of the true front's hypervolume
METHODS = (("imoca-p", "iMOCA-P", BLUE, 12.0), ("parego", "ParEGO, full accuracy only", ORANGE, BUDGET))
FOLDER = Path(__file__).parent.parent / "docs" / "images"


@dataclass(frozen=True)
class Course:
    """What a method recommended on its way, evaluated truly."""

    name: str
    colour: str
    costs: tuple[float, ...]
    fronts: tuple[Array, ...]  # (n, 2) maximised
    shares: tuple[float, ...]  # of the true front's hypervolume

    def at(self, cost: float) -> int | None:
        """The last checkpoint of at most this cost."""
        passed = [i for i, each in enumerate(self.costs) if each <= cost]
        return passed[-1] if passed else None

    @property
    def arrival(self) -> float | None:
        """The cost from which on the share stays close to 1."""
        late = [i for i, share in enumerate(self.shares) if share < CLOSE]
        first = late[-1] + 1 if late else 0
        return self.costs[first] if first < len(self.costs) else None

    @property
    def claim(self) -> str:
        short = self.name.split(",")[0]
        if self.arrival is None:
            return f"{short}: not after {self.costs[-1]:.0f} ({100.0 * self.shares[-1]:.1f} %)"
        return f"{short}: cost {self.arrival:.1f}"


def course(benchmark: Benchmark, method: str, name: str, colour: str, budget: float) -> Course:
    with Study(benchmark.problem, method=method, seed=SEED) as study:
        study.optimize(budget, progress=False)
        history = study.snapshot().history
    space = benchmark.problem.space
    fronts = [benchmark.true_values(space.encode_all([p.parameters for p in each.front])) for each in history]
    shares = [hypervolume(front, benchmark.reference_point) / benchmark.hypervolume for front in fronts]
    return Course(name, colour, tuple(each.cost for each in history), tuple(fronts), tuple(shares))


def frame(benchmark: Benchmark, courses: list[Course], cost: float) -> Figure:
    made = Figure(figsize=(8.3, 3.9), dpi=100, layout="constrained")
    claims = "; ".join(each.claim for each in courses)
    made.suptitle(f"Within {100 * (1 - CLOSE):.0f} % of the true front — {claims}", x=0.02, ha="left", fontsize=11)
    left, right = made.subplots(1, 2, width_ratios=(1.15, 1.0))
    truth = -benchmark.reference_front[np.argsort(benchmark.reference_front[:, 0])]
    left.plot(*truth.T, color=GREY, linewidth=6, alpha=0.35, label="true front")
    for each in courses:
        i = each.at(cost)
        if i is not None:
            label = f"{each.name}: {100.0 * each.shares[i]:.1f} %"
            left.plot(*-each.fronts[i].T, linestyle="none", marker="o", markersize=3, color=each.colour, label=label)
        shown = [k for k, each_cost in enumerate(each.costs) if each_cost <= cost]
        lost = [max(1.0 - each.shares[k], 1e-5) for k in shown]
        right.plot([each.costs[k] for k in shown], lost, color=each.colour, marker="o", markersize=3)
    left.set(xlim=(-1.0, 19.0), ylim=(0.8, 6.5), xlabel="Branin   ← better", ylabel="Currin   ← better")
    left.legend(frameon=False, fontsize=9, loc="upper right")
    right.axhline(1.0 - CLOSE, color=GREY, linestyle=":", linewidth=1.0)
    right.axvline(cost, color=GREY, linewidth=0.8)
    costs = [1, 2, 5, 10, 20]
    right.set(xscale="log", yscale="log", xlim=(0.9, 1.1 * BUDGET), ylim=(8e-4, 1.2))
    right.set_xticks(costs, [str(each) for each in costs])
    right.set_yticks([1.0, 0.1, 0.01, 0.001], ["100 %", "10 %", "1 %", "0.1 %"])
    right.minorticks_off()
    right.set(xlabel=f"cost spent: {cost:.1f} full-accuracy runs", ylabel="hypervolume still missing")
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    return made


def painted(figure: Figure) -> Image.Image:
    content = BytesIO()
    figure.savefig(content, format="png")
    return Image.open(content).convert("RGB")


def main() -> None:
    benchmark = branin_currin()
    courses = [course(benchmark, *each) for each in METHODS]
    costs = np.geomspace(1.0, BUDGET, N_FRAMES).tolist()
    frames = [painted(frame(benchmark, courses, cost)) for cost in costs]
    palette = frames[-1].quantize(48)
    small = [each.quantize(palette=palette, dither=Image.Dither.NONE) for each in frames]
    FOLDER.mkdir(exist_ok=True)
    durations = [FRAME] * (N_FRAMES - 1) + [LAST_FRAME]
    small[0].save(
        FOLDER / "branin_currin.gif", save_all=True, append_images=small[1:], duration=durations, loop=0, optimize=True
    )
    frames[-1].save(FOLDER / "branin_currin.png", optimize=True)
    for each in courses:
        print(each.claim)


if __name__ == "__main__":
    main()

"""Pictures of the benchmark fronts: ``python experiments/benchmark_pictures.py [name ...]`` (extra ``report``).

Two objectives are a curve, three a curve coloured by the third, more are parallel coordinates. Written to
docs/benchmarks/NAME.png from the stored reference fronts.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import imoca_lab
from imoca.arrays import Array
from imoca_lab.benchmark import Benchmark

FOLDER = Path(__file__).parent.parent / "docs" / "benchmarks"
BLUE = "#0072B2"


def labels(benchmark: Benchmark) -> list[str]:
    return [f"{objective.name} ({objective.goal})" for objective in benchmark.problem.objectives]


def in_user_units(benchmark: Benchmark) -> Array:  # (m, K)
    signs = [1.0 if objective.goal == "maximize" else -1.0 for objective in benchmark.problem.objectives]
    return benchmark.reference_front * np.array(signs)


def draw_plane(figure: Figure, axes: Axes, benchmark: Benchmark) -> None:
    front, names = in_user_units(benchmark), labels(benchmark)
    axes.set(xlabel=names[0], ylabel=names[1])
    if front.shape[1] == 3:
        figure.colorbar(axes.scatter(front[:, 0], front[:, 1], c=front[:, 2], s=12, cmap="viridis"), label=names[2])
    else:
        axes.scatter(front[:, 0], front[:, 1], color=BLUE, s=12)


def draw_parallel(axes: Axes, benchmark: Benchmark) -> None:
    front = in_user_units(benchmark)
    low, high = front.min(axis=0), front.max(axis=0)
    axes.plot(((front - low) / (high - low)).T, color=BLUE, alpha=0.15, lw=0.8)
    ticks = [
        f"{objective.name}\n({objective.goal[:3]})\n{bottom:.3g} … {top:.3g}"
        for objective, bottom, top in zip(benchmark.problem.objectives, low, high, strict=True)
    ]
    axes.set_xticks(range(len(ticks)), ticks, fontsize=7)
    axes.set(ylabel="share of the front's range", xlim=(0, len(ticks) - 1))


def draw(name: str) -> None:
    # The circuit's front is stored for both backends; the portable one needs no program to draw.
    benchmark = imoca_lab.get(name, backend="pwl" if name == "circuit" else None)
    n_objectives = len(benchmark.problem.objectives)
    figure, axes = plt.subplots(figsize=(max(6.4, 1.5 * n_objectives), 4.2), layout="constrained")
    if n_objectives <= 3:
        draw_plane(figure, axes, benchmark)
    else:
        draw_parallel(axes, benchmark)
    axes.set_title(f"{name}: {len(benchmark.reference_front)} points of the stored front", fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(FOLDER / f"{name}.png", dpi=90)
    plt.close(figure)


if __name__ == "__main__":
    for chosen in sys.argv[1:] or imoca_lab.DESCRIPTIONS:
        draw(chosen)

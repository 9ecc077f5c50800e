"""Pictures of the benchmark fronts: ``python experiments/benchmark_pictures.py [name ...]`` (extra ``report``).

Two objectives are a curve, three a curve coloured by the third, more are parallel coordinates. Written to
docs/benchmarks/NAME.png from the stored reference fronts. Of the adversarial family, whose fronts are those of its
bases, it shows what cheap runs say along a line.
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
from imoca.problem import FunctionReference
from imoca_lab.benchmark import Benchmark
from imoca_lab.problems.adversarial import ADVERSARIAL_NAMES
from imoca_lab.problems.adversarial.distortions import DivergedError

FOLDER = Path(__file__).parent.parent / "docs" / "benchmarks"
BLUE = "#0072B2"
FIDELITY_COLOURS = {0.0: "#D55E00", 0.5: "#56B4E9", 1.0: "black"}  # in the order in which they are drawn
LINE = np.linspace(0.0, 1.0, 201)  # from Branin's upper left corner to its lower right one


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


def branin_along_the_line(variant: str, z: float) -> Array:  # nan where the run fails
    problem = imoca_lab.get("adversarial", variant=variant).problem
    run = problem.simulator("branin").run
    if not isinstance(run, FunctionReference):
        raise TypeError(f"{variant}: its simulators have no address")
    values = []
    for u in np.stack([LINE, 1.0 - LINE], axis=1):
        try:
            values.append(run.resolve()(**problem.space.decode(u), z=z)["branin"])
        except DivergedError:
            values.append(np.nan)
    return np.array(values)


def draw_adversarial() -> None:
    """Branin's twelve, a panel each."""
    variants = [variant for variant in ADVERSARIAL_NAMES if variant.startswith("branin_currin-")]
    figure, panels = plt.subplots(3, 4, figsize=(11, 6.6), sharex=True, layout="constrained")
    for axes, variant in zip(panels.flat, variants, strict=True):
        is_scattered = variant.endswith(("noise", "outliers"))
        for z, colour in FIDELITY_COLOURS.items():
            style = "." if is_scattered and z < 1.0 else "-"
            width = 3.0 if z == 0.0 else 1.2  # to be seen where half fidelity says the same
            values = branin_along_the_line(variant, z)
            axes.plot(LINE, values, style, color=colour, lw=width, ms=3.0, label=f"z = {z:g}")
        axes.set_title(variant.removeprefix("branin_currin-"), fontsize=10)
        axes.spines[["top", "right"]].set_visible(False)
    figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=3, frameon=False)
    figure.supylabel("branin", fontsize=10)
    figure.supxlabel("from the upper left to the lower right corner", fontsize=10)
    figure.savefig(FOLDER / "adversarial.png", dpi=90)
    plt.close(figure)


if __name__ == "__main__":
    for chosen in sys.argv[1:] or imoca_lab.DESCRIPTIONS:
        if chosen == "adversarial":
            draw_adversarial()
        else:
            draw(chosen)

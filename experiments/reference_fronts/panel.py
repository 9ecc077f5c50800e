"""Make the panel's reference front: ``python -m experiments.reference_fronts.panel``; ten minutes of one core.

An evolutionary search on the unit cell gives a front to start from. Then sweeps over the front of the whole panel:
around every point many steps are tried on the cell, its strength corrected by the ratio of panel to cell at that
point, and the one that promises most without loss in either objective is run on the panel. At last the gaps are
halved by running the means of neighbours: with few points, the steps between them would cost 1500 / n of volume.
"""

import logging
import sys
from dataclasses import dataclass

import numpy as np
from scipy.stats import qmc

from experiments.reference_fronts.storing import make_and_store
from imoca.arrays import Array
from imoca.pareto import Front, SearchEffort, hypervolume, log_uniform, non_dominated, search_fronts
from imoca.problem import SearchSpace
from imoca_lab.problems.panel.problem import PANEL, PARAMETERS, REFERENCE_POINT, UNIT_CELL, values_at
from imoca_lab.stored_front import StoredFront

logger = logging.getLogger(__name__)

COMMAND = "python -m experiments.reference_fronts.panel"
N_START = 512
N_STORED = 300
CELL_GENERATIONS, CELL_CHILDREN = 60, 150
N_SWEEPS, N_STEPS = 4, 30
N_HALVINGS = 2
STEP_SCALES = (0.002, 0.1)  # of the unit cube
SEED = 0
SPACE = SearchSpace(PARAMETERS)


@dataclass(frozen=True)
class Tried:
    """Designs of the whole panel that no other beats."""

    designs: Array  # (n, 6)
    values: Array  # (n, 2) maximised
    ratios: Array  # (n,) strength of the panel to that of its cell


def run_panels(designs: Array) -> Tried:
    """The non-dominated ones of these designs."""
    values, cell = values_at(designs, PANEL), values_at(designs, UNIT_CELL)
    best = non_dominated(values)
    return Tried(designs[best], values[best], values[best, 0] / cell[best, 0])


def merge(one: Tried, other: Tried) -> Tried:
    values = np.concatenate([one.values, other.values])
    best = non_dominated(values)
    designs, ratios = np.concatenate([one.designs, other.designs]), np.concatenate([one.ratios, other.ratios])
    return Tried(designs[best], values[best], ratios[best])


def promising_steps(front: Tried, rng: np.random.Generator) -> Array:  # (m, 6)
    """From every point the step with the largest gain predicted, if any gains."""
    span = np.ptp(front.values, axis=0)
    found = []
    for design, value, ratio in zip(front.designs, front.values, front.ratios, strict=True):
        scale = log_uniform(*STEP_SCALES, N_STEPS, rng)
        moved = rng.random((N_STEPS, len(design))) < 0.5  # the others stay: most good designs lie on some bound
        steps = SPACE.snap(design + scale * moved * rng.standard_normal(moved.shape))
        gains = (values_at(steps, UNIT_CELL) * [ratio, 1.0] - value) / span
        gains[gains.min(axis=1) < 0.0] = 0.0
        best = int(gains.sum(axis=1).argmax())
        if gains[best].sum() > 0.0:
            found.append(steps[best])
    return np.array(found).reshape(-1, front.designs.shape[1])


def means_of_neighbours(front: Tried) -> Array:  # (m, 6)
    """Designs half way between two that follow each other along the front with equally many stiffeners."""
    designs = front.designs[np.argsort(front.values[:, 0])]
    is_alike = designs[1:, 0] == designs[:-1, 0]
    return np.asarray(0.5 * (designs[1:] + designs[:-1])[is_alike])


def search_front() -> StoredFront:
    """The front of the whole panel, thinned, with the hypervolume of everything found."""
    rng = np.random.default_rng(SEED)
    starts = SPACE.from_unit(qmc.Sobol(len(PARAMETERS), rng=SEED).random(N_START))
    cell_front = search_fronts(
        lambda designs: values_at(designs, UNIT_CELL)[:, None, :],
        SPACE,
        starts,
        SearchEffort(N_STORED // 2, CELL_GENERATIONS, CELL_CHILDREN),
        rng,
    )[0]
    front = run_panels(cell_front.x)
    for _ in range(N_SWEEPS):
        front = _extended(front, promising_steps(front, rng))
    for _ in range(N_HALVINGS):
        front = _extended(front, means_of_neighbours(front))
    kept = Front(front.designs, front.values).thinned(N_STORED)
    order = np.argsort(kept.values[:, 0])
    return StoredFront(kept.x[order], kept.values[order], hypervolume(front.values, REFERENCE_POINT))


def _extended(front: Tried, designs: Array) -> Tried:
    front = merge(front, run_panels(designs))
    volume = hypervolume(front.values, REFERENCE_POINT)
    logger.info("%d more runs: %d points, hypervolume %.6g", len(designs), len(front.values), volume)
    return front


if __name__ == "__main__":
    make_and_store(sys.argv[1:], {"panel": search_front}, COMMAND)

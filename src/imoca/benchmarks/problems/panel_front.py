"""Make the panel's reference front: ``python -m imoca.benchmarks.problems.panel_front``; about a quarter of an hour.

An evolutionary search on the unit cell, then one on the whole panel that starts from its front. There a design is
run only if its cell, corrected by the ratio of panel to cell of the nearest design on the front, may win.
"""

import logging
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path

import numpy as np
from scipy.spatial.distance import cdist
from scipy.stats import qmc

from imoca.arrays import Array, BoolArray
from imoca.benchmarks.problems.panel import PANEL, PARAMETERS, REFERENCE_POINT, UNIT_CELL, values_at
from imoca.benchmarks.stored_front import StoredFront, save_front
from imoca.pareto.dominance import non_dominated
from imoca.pareto.indicators import hypervolume
from imoca.pareto.search import search_fronts
from imoca.problem.space import SearchSpace

logger = logging.getLogger(__name__)

COMMAND = "python -m imoca.benchmarks.problems.panel_front"
MARGIN = 1.003  # on the strength predicted by the cell
N_START = 512
N_STORED = 300
CELL_GENERATIONS, CELL_CHILDREN = 60, 150
PANEL_GENERATIONS, PANEL_CHILDREN = 100, 150
SEED = 0


@dataclass
class Search:
    """The designs of the whole panel tried so far that no other beats."""

    designs: Array = field(default_factory=lambda: np.empty((0, len(PARAMETERS))))
    values: Array = field(default_factory=lambda: np.empty((0, 2)))
    ratios: Array = field(default_factory=lambda: np.empty(0))  # strength of the panel to that of its cell
    n_runs: int = 0

    def evaluate(self, designs: Array) -> Array:  # (n, 6) -> (n, 1, 2)
        """True values of the designs that may reach the front; the others get no strength."""
        cell = values_at(designs, UNIT_CELL)
        hopeful = self._may_win(designs, cell)
        values = cell * [0.0, 1.0]
        values[hopeful] = values_at(designs[hopeful], PANEL)
        self.n_runs += int(hopeful.sum())
        self._add(designs[hopeful], values[hopeful], values[hopeful, 0] / cell[hopeful, 0])
        volume = hypervolume(self.values, REFERENCE_POINT)
        logger.info("%d runs: %d points, hypervolume %.6g", self.n_runs, len(self.values), volume)
        return values[:, None, :]

    def _may_win(self, designs: Array, cell: Array) -> BoolArray:  # (n, 6), (n, 2) -> (n,)
        if len(self.values) == 0:
            return np.ones(len(designs), dtype=np.bool_)
        nearest = cdist(designs, self.designs).argmin(axis=1)
        predicted = np.stack([MARGIN * cell[:, 0] * self.ratios[nearest], cell[:, 1]], axis=1)
        is_beaten_by: BoolArray = np.all(self.values[None] >= predicted[:, None], axis=2)
        return np.asarray(~np.any(is_beaten_by, axis=1))

    def _add(self, designs: Array, values: Array, ratios: Array) -> None:
        values = np.concatenate([self.values, values])
        best = non_dominated(values)
        self.designs = np.concatenate([self.designs, designs])[best]
        self.values = values[best]
        self.ratios = np.concatenate([self.ratios, ratios])[best]


def search_front() -> StoredFront:
    """The front of the whole panel, thinned, with the hypervolume of everything found."""
    space, rng = SearchSpace(PARAMETERS), np.random.default_rng(SEED)
    starts = space.from_unit(qmc.Sobol(len(PARAMETERS), rng=SEED).random(N_START))
    cell_front = search_fronts(
        lambda designs: values_at(designs, UNIT_CELL)[:, None, :],
        space,
        starts,
        rng,
        size=N_STORED // 2,
        n_generations=CELL_GENERATIONS,
        n_children=CELL_CHILDREN,
    )[0]
    search = Search()
    front = search_fronts(
        search.evaluate,
        space,
        cell_front.x,
        rng,
        size=N_STORED,
        n_generations=PANEL_GENERATIONS,
        n_children=PANEL_CHILDREN,
    )[0]
    order = np.argsort(front.values[:, 0])
    return StoredFront(front.x[order], front.values[order], hypervolume(search.values, REFERENCE_POINT))


def main() -> None:
    """Search and store."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    front = search_front()
    path = Path(str(files("imoca.benchmarks"))) / "fronts" / "panel.csv"
    save_front(path, front, COMMAND)
    logger.info("%s: %d points, hypervolume %.8g", path, len(front.values), front.hypervolume)


if __name__ == "__main__":
    main()

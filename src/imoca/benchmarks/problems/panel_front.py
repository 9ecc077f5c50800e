"""Make the panel's reference front: ``python -m imoca.benchmarks.problems.panel_front``; about half an hour.

An evolutionary search on the unit cell, then one on the whole panel that starts from its front. The cell is
never weaker than the panel by more than 2 %, so a design whose cell would lose even if it were stronger by that
margin is dropped without the expensive run.
"""

import logging
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path

import numpy as np
from scipy.stats import qmc

from imoca.arrays import Array
from imoca.benchmarks.problems.panel import PANEL, PARAMETERS, REFERENCE_POINT, UNIT_CELL, values_at
from imoca.benchmarks.stored_front import StoredFront, save_front
from imoca.pareto.dominance import non_dominated
from imoca.pareto.indicators import hypervolume
from imoca.pareto.search import search_fronts
from imoca.problem.space import SearchSpace

logger = logging.getLogger(__name__)

COMMAND = "python -m imoca.benchmarks.problems.panel_front"
CELL_MARGIN = 1.03  # the largest ratio of panel to cell strength in 300 random designs is 1.02
N_START = 512
N_STORED = 300
CELL_GENERATIONS, CELL_CHILDREN = 60, 150
PANEL_GENERATIONS, PANEL_CHILDREN = 80, 150
SEED = 0


@dataclass
class Search:
    """The designs of the whole panel tried so far that no other beats."""

    designs: Array = field(default_factory=lambda: np.empty((0, len(PARAMETERS))))
    values: Array = field(default_factory=lambda: np.empty((0, 2)))
    n_runs: int = 0

    def evaluate(self, designs: Array) -> Array:  # (n, 6) -> (n, 1, 2)
        """True values of the designs that may reach the front; the others get their cell's, at no strength."""
        values = values_at(designs, UNIT_CELL)
        hopeful = self._may_win(values * [CELL_MARGIN, 1.0])
        values[~hopeful, 0] = 0.0
        values[hopeful] = values_at(designs[hopeful], PANEL)
        self.n_runs += int(hopeful.sum())
        self.designs = np.concatenate([self.designs, designs[hopeful]])
        self.values = np.concatenate([self.values, values[hopeful]])
        best = non_dominated(self.values)
        self.designs, self.values = self.designs[best], self.values[best]
        volume = hypervolume(self.values, REFERENCE_POINT)
        logger.info("%d runs: %d points, hypervolume %.6g", self.n_runs, len(self.values), volume)
        return values[:, None, :]

    def _may_win(self, values: Array) -> Array:  # (n, 2) -> (n,)
        beaten = (self.values[None] >= values[:, None]).all(axis=2).any(axis=1)
        return np.asarray(~beaten)


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

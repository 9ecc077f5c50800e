"""Simulate all 1024 networks: ``python -m experiments.reference_fronts.network_on_chip``.

Six minutes of one core with Numba, three hours without. Stores the table of both objectives at both fidelities, from
which the benchmark takes its true values, and the exact front.
"""

import logging
import sys

import numpy as np

from experiments.reference_fronts.storing import FOLDER, make_and_store
from imoca.arrays import Array
from imoca.pareto import hypervolume, non_dominated
from imoca.problem import SearchSpace
from imoca_lab.problems.network_on_chip.problem import CYCLES, PARAMETERS, REFERENCE_POINT, mesh, stored_table
from imoca_lab.stored_front import StoredFront

logger = logging.getLogger(__name__)

COMMAND = "python -m experiments.reference_fronts.network_on_chip"


def all_designs() -> Array:  # (1024, 10) in the unit cube
    """Row n holds the bits of n, the first parameter's bit first."""
    numbers = np.arange(2 ** len(PARAMETERS))
    return ((numbers[:, None] >> np.arange(len(PARAMETERS))) & 1).astype(np.float64)


def simulate_all() -> Array:  # (2, 1024, 2)
    """Latency and energy of every design at both fidelities."""
    space, designs = SearchSpace(PARAMETERS), all_designs()
    table = np.empty((len(CYCLES), len(designs), 2))
    for number, design in enumerate(designs):
        for level, n_cycles in enumerate(CYCLES):
            outputs = mesh(**space.decode(design), z=n_cycles)  # type: ignore[arg-type]
            table[level, number] = outputs["latency"], outputs["energy"]
        if number % 64 == 63:
            logger.info("%d designs", number + 1)
    return table


def search_front() -> StoredFront:
    """The exact front of the stored table."""
    values = -stored_table()[1]
    best = np.flatnonzero(non_dominated(values))
    best = best[np.argsort(values[best, 0])]
    return StoredFront(all_designs()[best], values[best], hypervolume(values, REFERENCE_POINT))


def simulate_and_search() -> StoredFront:
    """Store the table of all designs, then the exact front is that of the table."""
    np.savez_compressed(FOLDER / "network_on_chip_table.npz", table=simulate_all())
    return search_front()


if __name__ == "__main__":
    make_and_store(sys.argv[1:], {"network_on_chip": simulate_and_search}, COMMAND)

"""Reference fronts, kept as small CSV files.

Columns are the design in the unit cube, then the maximised values; the comment above them tells the command
that made the front and the hypervolume of the dense front from which the rows were thinned.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import numpy as np

from imoca.arrays import Array
from imoca.errors import IndicatorError, ProblemError

logger = logging.getLogger(__name__)

HYPERVOLUME_LABEL = "# hypervolume of the dense front: "


@dataclass(frozen=True)
class StoredFront:
    """Some points of a true front, and the hypervolume of all of it."""

    designs: Array  # (m, d) in the unit cube
    values: Array  # (m, K) maximised
    hypervolume: float


def load_front(name: str, n_parameters: int) -> StoredFront:
    """The front stored under this name."""
    lines = files("imoca.benchmarks").joinpath("fronts", f"{name}.csv").read_text(encoding="utf-8").splitlines()
    labelled = [line for line in lines if line.startswith(HYPERVOLUME_LABEL)]
    if len(labelled) != 1:
        raise IndicatorError(
            f"The stored front {name!r} does not tell its hypervolume once.",
            hint="Make it again by the command in its first line.",
        )
    table = np.loadtxt(lines, delimiter=",", comments="#", ndmin=2)
    return StoredFront(
        designs=table[:, :n_parameters],
        values=table[:, n_parameters:],
        hypervolume=float(labelled[0].removeprefix(HYPERVOLUME_LABEL)),
    )


def make_and_store(
    names: Sequence[str],  # none: all
    makers: Mapping[str, Callable[[], StoredFront]],
    command: str,
) -> None:
    """Make the named fronts and store each with the command that makes it; for the command line."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    if unknown := [name for name in names if name not in makers]:
        raise ProblemError(f"No front is called {unknown[0]!r} here.", hint=f"Choose from {', '.join(makers)}.")
    for name in names or makers:
        front = makers[name]()
        rows = np.concatenate([front.designs, front.values], axis=1)
        made_by = f"{command} {name}" if len(makers) > 1 else command
        header = [f"# made by: {made_by}", f"{HYPERVOLUME_LABEL}{front.hypervolume:.10g}"]
        # Ten digits: the values stay within 1e-9 of what the stored design gives.
        body = [",".join(f"{number:.10g}" for number in row) for row in rows]
        stored_path(f"{name}.csv").write_text("\n".join([*header, *body]) + "\n", encoding="utf-8")
        logger.info("%s: %d points, hypervolume %.10g", name, len(front.values), front.hypervolume)


def stored_path(file_name: str) -> Path:
    """Where fronts and tables lie."""
    return Path(str(files("imoca.benchmarks"))) / "fronts" / file_name

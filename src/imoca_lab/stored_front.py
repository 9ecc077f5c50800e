"""Reference fronts, kept as small CSV files.

Columns are the design in the unit cube, then the maximised values; the comment above them tells the command
that made the front and the hypervolume of the dense front from which the rows were thinned.
"""

from dataclasses import dataclass
from importlib.resources import files

import numpy as np

from imoca.arrays import Array
from imoca.errors import IndicatorError

HYPERVOLUME_LABEL = "# hypervolume of the dense front: "


@dataclass(frozen=True)
class StoredFront:
    """Some points of a true front, and the hypervolume of all of it."""

    designs: Array  # (m, d) in the unit cube
    values: Array  # (m, K) maximised
    hypervolume: float


def load_front(name: str, n_parameters: int) -> StoredFront:
    """The front stored under this name."""
    lines = files("imoca_lab").joinpath("fronts", f"{name}.csv").read_text(encoding="utf-8").splitlines()
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

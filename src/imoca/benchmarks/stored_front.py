"""Reference fronts, kept as small CSV files and made by ``python -m imoca.benchmarks.make_fronts``.

Columns are the design in the unit cube, then the maximised values; the comment above them tells the command
and the hypervolume of the dense front from which the rows were thinned.
"""

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

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
    text = files("imoca.benchmarks").joinpath("fronts", f"{name}.csv").read_text(encoding="utf-8")
    lines = text.splitlines()
    labelled = [line for line in lines if line.startswith(HYPERVOLUME_LABEL)]
    if len(labelled) != 1:
        raise IndicatorError(
            f"The stored front {name!r} does not tell its hypervolume once.",
            hint="Make it again with `python -m imoca.benchmarks.make_fronts`.",
        )
    table = np.loadtxt(lines, delimiter=",", comments="#", ndmin=2)
    return StoredFront(
        designs=table[:, :n_parameters],
        values=table[:, n_parameters:],
        hypervolume=float(labelled[0].removeprefix(HYPERVOLUME_LABEL)),
    )


def save_front(
    path: Path,
    front: StoredFront,
    command: str,
) -> None:
    """Write a front and the command that made it."""
    rows = np.concatenate([front.designs, front.values], axis=1)
    header = [f"# made by: {command}", f"{HYPERVOLUME_LABEL}{front.hypervolume:.10g}"]
    # Ten digits: the values stay within 1e-9 of what the stored design gives.
    body = [",".join(f"{number:.10g}" for number in row) for row in rows]
    path.write_text("\n".join([*header, *body]) + "\n", encoding="utf-8")

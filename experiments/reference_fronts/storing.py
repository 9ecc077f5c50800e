"""Write reference fronts where the laboratory reads them: into its folder in this clone."""

import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from imoca.errors import ProblemError
from imoca_lab.stored_front import HYPERVOLUME_LABEL, StoredFront

logger = logging.getLogger(__name__)

FOLDER = Path(__file__).parents[2] / "src" / "imoca_lab" / "fronts"


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
        (FOLDER / f"{name}.csv").write_text("\n".join([*header, *body]) + "\n", encoding="utf-8")
        logger.info("%s: %d points, hypervolume %.10g", name, len(front.values), front.hypervolume)

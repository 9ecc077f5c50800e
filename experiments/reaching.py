"""When studies reach the front: what the experiments about prices share."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from imoca.arrays import Array
from imoca.files import write_whole
from imoca.trials import TrialTable
from imoca_lab.benchmark import Benchmark
from imoca_lab.harness.curves import CONVERGED_WITHIN, Steps
from imoca_lab.harness.results import versions
from imoca_lab.harness.scoring import score

N_CHECKPOINTS = 40


def reached(
    benchmark: Benchmark,
    table: TrialTable,  # in the order in which its trials ended
    spent: Array,  # (n,) until each ended, ascending: costs, or seconds
    n_initial: int,  # trials before the first look
    seed: int,
    n_checkpoints: int = N_CHECKPOINTS,
) -> dict[str, list[float]]:
    """What the front that would be recommended lacks of the true hypervolume, evaluated truly, at some moments."""
    first = min(n_initial, len(spent)) - 1
    aims = np.geomspace(spent[first], spent[-1], n_checkpoints)
    ends = sorted({*(np.searchsorted(spent, aims, side="right") - 1).clip(first).tolist(), len(spent) - 1})
    lacking = [score(benchmark, table.rows(slice(end + 1)), seed).hypervolume_difference for end in ends]
    return {"spent": [float(spent[end]) for end in ends], "lacking": lacking}


def spent_to_the_front(tracks: Mapping[str, Sequence[Mapping[str, Sequence[float]]]]) -> dict[str, list[float]]:
    """Per way of asking: the median's way to the front, then that of every seed.

    The front is reached where what is lacking comes and stays within 1 % of the best median end of all ways.
    """
    steps = {way: [steps_of(run) for run in runs] for way, runs in tracks.items()}
    medians = {way: median_of(each) for way, each in steps.items()}
    best = max(1.0 - float(median.values[-1]) for median in medians.values())
    limit = 1.0 - (1.0 - CONVERGED_WITHIN) * best
    return {
        way: [medians[way].settled_within(limit), *(each.settled_within(limit) for each in steps[way])] for way in steps
    }


def steps_of(track: Mapping[str, Sequence[float]]) -> Steps:
    """Of what `reached` found."""
    return Steps(np.array(track["spent"]), np.array(track["lacking"]))


def median_of(steps: Sequence[Steps]) -> Steps:
    """From where every run has a value; one that ended earlier keeps what it reached."""
    spent = np.unique(np.concatenate([each.costs for each in steps]))
    spent = spent[spent >= max(float(each.costs[0]) for each in steps)]
    return Steps(spent, np.array([np.median([each.at(at) for each in steps]) for at in spent.tolist()]))


def record(path: Path, rows: Sequence[dict[str, Any]], same: Sequence[str]) -> None:
    """Rows into a file of results, each with its command; those of other calls stay, unless these columns agree."""
    before = json.loads(path.read_text(encoding="utf-8"))["rows"] if path.exists() else []
    found = {tuple(row[column] for column in same): row for row in before}
    command = "python " + " ".join(sys.argv)
    found |= {tuple(row[column] for column in same): {**row, "command": command} for row in rows}
    content = {"versions": dict(versions()), "rows": list(found.values())}
    write_whole(path, json.dumps(content, indent=1) + "\n")

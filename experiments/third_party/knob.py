"""What does the knob of an example buy? ``python experiments/third_party/knob.py antenna``.

Twenty designs of a Sobol sequence with seed 0, each at every fidelity: CPU seconds of a run, whatever processes it
starts, and how well the fidelity ranks designs as full accuracy does (Spearman's correlation, over the designs that
neither fails on); for a constraint also how many of the designs that are infeasible at full accuracy it calls feasible.
Results go to experiments/results/third_party/NAME-knob.json. The costs in the study files are the medians found here.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # so that it can be started as a file

import numpy as np
from scipy.stats import qmc, spearmanr

from experiments.third_party.records import RESULTS, bounds, label
from experiments.third_party.simulators import EXAMPLES, Example, Outputs
from imoca.files import write_whole
from imoca.problem import Constraint, FidelityValue, Output, Simulator, Value
from imoca_lab.harness.results import versions

N_DESIGNS = 20
SEED = 0


@dataclass(frozen=True)
class Reading:
    """Of one fidelity of one simulator, for one of its outputs."""

    simulator: str
    output: str
    fidelity: str
    cpu_seconds: float  # median
    failed: int
    rank_correlation: float | None  # None where an output does not vary, or fewer than three designs answered
    largest_error: float
    missed: int | None  # infeasible designs that it calls feasible; None for objectives


@dataclass(frozen=True)
class Timed:
    outputs: dict[str, float] | None  # None: it failed
    seconds: float


def sample(example: Example, n_designs: int) -> list[dict[str, Value]]:
    space = example.declared().space
    unit = qmc.Sobol(space.n_parameters, seed=SEED).random(32)[:n_designs]  # a power of two, as Sobol's like
    return [space.decode(x) for x in space.from_unit(unit)]


def cpu_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def timed(example: Example, simulator: Simulator, design: dict[str, Value], fidelity: FidelityValue) -> Timed:
    started = cpu_seconds()
    try:
        outputs: Outputs | None = example.function(simulator.name)(**design, **simulator.fidelity.named(fidelity))
    except Exception as error:
        print(f"{simulator.name} at {label(fidelity)}: {type(error).__name__}: {error}", flush=True)
        outputs = None
    seconds = cpu_seconds() - started
    if outputs is not None and not isinstance(outputs, dict):
        outputs = {simulator.outputs[0].name: outputs}
    return Timed(outputs, seconds)


def levels_of(simulator: Simulator) -> list[FidelityValue]:
    """From the cheapest to full accuracy."""
    return [simulator.fidelity.decode(float(z)) for z in simulator.fidelity.grid(5)]


def read_knob(example: Example, n_designs: int) -> list[Reading]:
    designs, found = sample(example, n_designs), []
    for simulator in example.declared().simulators:
        if not simulator.fidelity.has_knob:
            continue
        levels = levels_of(simulator)
        timed(example, simulator, designs[0], levels[0])  # what is imported or compiled at the first run is no cost
        runs = [[timed(example, simulator, design, level) for design in designs] for level in levels]
        for output in simulator.outputs:
            found += [reading(simulator, output, *each, runs[-1]) for each in zip(levels, runs, strict=True)]
            for each in found[-len(levels) :]:
                print(each, flush=True)
    return found


def reading(
    simulator: Simulator, output: Output, level: FidelityValue, runs: Sequence[Timed], full: Sequence[Timed]
) -> Reading:
    both = [
        (one.outputs[output.name], other.outputs[output.name])
        for one, other in zip(runs, full, strict=True)
        if one.outputs is not None and other.outputs is not None
    ]
    values = np.array(both).reshape(-1, 2)
    is_ranked = len(values) > 2 and bool((np.ptp(values, axis=0) > 0.0).all())
    missed = None
    if isinstance(output, Constraint):
        lower, upper = bounds(output)
        feasible = (values >= lower) & (values <= upper)
        missed = int((feasible[:, 0] & ~feasible[:, 1]).sum())
    return Reading(
        simulator.name,
        output.name,
        label(level),
        statistics.median(run.seconds for run in runs),
        sum(run.outputs is None for run in runs),
        float(spearmanr(values[:, 0], values[:, 1]).statistic) if is_ranked else None,
        float(np.abs(values[:, 0] - values[:, 1]).max(initial=0.0)),
        missed,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("example", choices=list(EXAMPLES))
    example = EXAMPLES[parser.parse_args().example]
    readings = read_knob(example, N_DESIGNS)
    record = {
        "command": f"python experiments/third_party/knob.py {example.name}",
        "seed": SEED,
        "designs": N_DESIGNS,
        "versions": versions() | {example.package: example.version()},
        "readings": [asdict(each) for each in readings],
    }
    RESULTS.mkdir(parents=True, exist_ok=True)
    write_whole(RESULTS / f"{example.name}-knob.json", json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()

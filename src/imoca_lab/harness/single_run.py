"""One run in a process of its own: ``python -m imoca_lab.harness.single_run FOLDER``.

The run and the command that asked for it come as a line on stdin, which then stays open: when it ends, so does this
process, for whoever started it is gone. What counts is on the disk at any moment.
"""

from __future__ import annotations

import json
import math
import os
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from imoca.errors import ImocaError
from imoca.files import write_whole
from imoca.trials import Trial, TrialTable
from imoca_lab.benchmark import Benchmark
from imoca_lab.harness.drive import Suggestions, drive, net_costs, open_study
from imoca_lab.harness.results import RunResult, to_line, versions
from imoca_lab.harness.run_spec import RunSpec, from_json
from imoca_lab.harness.scoring import attainable_difference, checkpoint_sizes, n_initial_trials, score

RESULT = "result.json"  # in the folder of a run; there when it is finished
FAILED, ORPHANED = 1, 2  # exit codes


def finish_run(spec: RunSpec, command: str, folder: Path) -> RunResult:
    """Run what is still to be run, then score."""
    benchmark = spec.problem.benchmark()
    folder.mkdir(parents=True, exist_ok=True)
    suggestions = Suggestions(folder / "suggestions.jsonl")
    with open_study(spec, benchmark.problem, folder / "study.db") as study:
        trials = drive(spec, study, suggestions)
    return result_of(spec, command, benchmark, trials, suggestions.seconds())


def result_of(
    spec: RunSpec, command: str, benchmark: Benchmark, trials: Sequence[Trial], seconds: dict[int, float]
) -> RunResult:
    table = TrialTable.encode(benchmark.problem, trials)
    costs = net_costs(table).cumsum()
    n_initial = n_initial_trials(spec.method.method(), table, spec.seed)
    sizes = checkpoint_sizes(costs, n_initial, spec.checkpoints)
    return RunResult(
        spec=spec,
        versions=versions(),
        command=command,
        attainable_difference=attainable_difference(benchmark),
        costs=tuple(costs.tolist()),
        fidelities=_fidelities(table),
        seconds=tuple(seconds.get(trial.number, math.nan) for trial in trials),
        n_initial=n_initial,
        n_failed=sum(bool(trial.failures) for trial in trials),
        scores=tuple(score(benchmark, table.rows(slice(n)), spec.seed) for n in sizes),
    )


def _fidelities(table: TrialTable) -> dict[str, tuple[float, ...]]:
    return {
        simulator.name: tuple(table.z[:, s].tolist())
        for s, simulator in enumerate(table.problem.simulators)
        if simulator.fidelity.has_knob
    }


def _end_with_parent() -> None:
    os.read(sys.stdin.fileno(), 1)  # not through sys.stdin, whose lock would be held when the interpreter ends
    os._exit(ORPHANED)


def main() -> None:
    folder = Path(sys.argv[1])
    asked = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        result = finish_run(from_json(asked["run"]), asked["command"], folder)
    except ImocaError as error:
        sys.stderr.write(f"{error.message} {error.hint}\n")
        raise SystemExit(FAILED) from None
    write_whole(folder / RESULT, to_line(result) + "\n")


if __name__ == "__main__":
    main()

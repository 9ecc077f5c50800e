"""What must be true when the soak is over: nothing that was acknowledged is lost, nothing that was spent is hidden."""

from __future__ import annotations

import math
import re
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

from experiments.soak.processes import IMOCA
from experiments.soak.simulators import truth
from imoca import Study
from imoca.trials import Trial

LINE = re.compile(r"^trial (\d+) complete: f (\S+), g (\S+) ", re.MULTILINE)
SHOWN = 1e-3  # relative: a line shows four digits


def judge(folder: Path, output: Path) -> dict[str, Any]:
    """Of the study in the folder, beside what the driver's lines acknowledged and what the simulator noted."""
    with Study.load(folder / "soak.db", read_only=True) as study:
        trials, runs = study.trials, study.runs
    lines = LINE.findall(output.read_text(encoding="utf-8", errors="replace"))
    runs_of = Counter(run.trial for run in runs)
    number_of = {_design(trial): trial.number for trial in trials}
    calls = Counter((folder / "calls.txt").read_text(encoding="utf-8").splitlines())
    doctor = subprocess.run([IMOCA, "doctor", "soak.db"], cwd=folder, check=False, capture_output=True, text=True)
    return {
        "trials": len(trials),
        "states": dict(Counter(str(trial.state) for trial in trials)),
        "acknowledged": len({number for number, _, _ in lines}),
        "acknowledged and lost": sum(not _is_there(trials, int(n), float(f), float(g)) for n, f, g in lines),
        "numbers out of order": sum(trial.number != i for i, trial in enumerate(trials)),
        "designs twice": len(trials) - len(number_of),
        "values that are not the simulator's": sum(not _is_true(trial) for trial in trials if trial.values),
        "runs of the simulator": calls.total(),
        "runs on record": len(runs),
        "runs of the simulator that are not on record": sum(
            max(0, n - runs_of[number_of[design]] if design in number_of else n) for design, n in calls.items()
        ),
        "doctor": {"exit": doctor.returncode, "says": doctor.stdout.strip().splitlines()[:3]},
    }


def is_clean(found: dict[str, Any]) -> bool:
    counts = (
        "acknowledged and lost",
        "numbers out of order",
        "designs twice",
        "values that are not the simulator's",
        "runs of the simulator that are not on record",
    )
    doctor, ended = found["doctor"], found["lives that ended by themselves"]
    return all(found[name] == 0 for name in counts) and doctor["exit"] == 0 and not any(ended.values())


def _design(trial: Trial) -> str:
    return f"{trial.parameters['x']!r} {trial.parameters['y']!r}"


def _is_there(trials: tuple[Trial, ...], number: int, f: float, g: float) -> bool:
    if number >= len(trials):
        return False
    values = trials[number].values
    return all(math.isclose(values.get(name, math.nan), shown, rel_tol=SHOWN) for name, shown in (("f", f), ("g", g)))


def _is_true(trial: Trial) -> bool:
    return dict(trial.values) == truth(float(trial.parameters["x"]), float(trial.parameters["y"]))

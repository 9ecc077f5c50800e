"""``imoca calibrate``: what does my knob buy?"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from imoca.cli.exits import INTERRUPTED
from imoca.cli.opening import AsJson, StudyArgument, open_to_write
from imoca.cli.output import print_json, say
from imoca.cli.run import Dask, Slurm, Workers
from imoca.cli.tables import Column, print_table
from imoca.cli.text import printable

if TYPE_CHECKING:
    from imoca.snapshot.calibration import Calibration, KnobWorth

FullRuns = Annotated[
    float, typer.Option("--full-runs", min=3.0, help="What it may cost per simulator, in full runs of it.")
]


def calibrate(
    study: StudyArgument = None,
    full_runs: FullRuns = 3.0,
    workers: Workers = None,
    dask: Dask = None,
    slurm: Slurm = None,
    as_json: AsJson = False,
) -> None:
    """Run a few designs at several fidelities: what does each cost, and what does it tell?

    The runs belong to the study, which goes on from them; what was run before is not run again. Says which cheap
    settings are worth having, and what to write into the study file.
    """
    with open_to_write(study) as opened:
        if workers is None and opened.settings is not None:
            workers = opened.settings.workers
        sys.path.insert(0, str(opened.path.resolve().parent))  # a function beside the study file is found
        try:
            found = opened.study.calibrate(
                full_runs=full_runs, workers=workers, dask=dask, slurm=slurm, progress=not as_json
            )
        except KeyboardInterrupt:
            say(f"Interrupted. The same command goes on: imoca calibrate{opened.command_argument}")
            raise typer.Exit(INTERRUPTED) from None
        if as_json:
            print_json([calibration_record(knob) for knob in found.knobs])
            return
        print_calibration(found)


def print_calibration(found: Calibration) -> None:
    from imoca.snapshot.calibration import TITLES

    if found.rows:
        numbers = ("price", "error", "of the spread", "tells")
        print_table([Column(title, is_number=title in numbers) for title in TITLES], found.rows)
    for words in found.advice:
        say(words)
    for knob in found.knobs:
        if (line := suggested_line(knob)) is not None:
            say(f"In the study file, under [simulators.{printable(knob.simulator)}]:\n  {printable(line)}")


def suggested_line(knob: KnobWorth) -> str | None:
    """What the study file may say of the fidelity; None where it may stay as it is."""
    from imoca.studyfile import fidelity_to_toml

    suggested = knob.suggested if knob.settings else None
    if suggested is None:
        return None
    return fidelity_to_toml(suggested) if suggested.has_knob else "# no fidelity: every run at full accuracy"


def calibration_record(knob: KnobWorth) -> dict[str, Any]:
    return {
        "simulator": knob.simulator,
        "settings": [
            {
                "setting": each.setting,
                "price": each.price,
                "outputs": {
                    worth.output: {"error": worth.error, "spread": worth.spread, "told": worth.told}
                    for worth in each.outputs
                },
            }
            for each in knob.settings
        ],
        "advice": list(knob.advice),
        "suggested": suggested_line(knob),
    }

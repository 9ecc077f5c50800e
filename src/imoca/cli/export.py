"""``imoca export``: every trial, for other programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from imoca.cli.opening import AsJson, StudyArgument, open_to_read
from imoca.cli.output import csv_text, say
from imoca.content.records import trial_record, unit_record

if TYPE_CHECKING:
    from imoca.study.study import Study


ENDINGS = ("", ".csv", ".txt", ".json")


def export(
    study: StudyArgument = None,
    as_json: AsJson = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV, the default.")] = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write to this file; .json makes it JSON.", show_default=False)
    ] = None,
) -> None:
    """Print every trial as CSV or JSON.

    imoca add reads both.
    """
    if as_json and as_csv:
        raise typer.BadParameter("Choose one of --json and --csv.")
    if output is not None and output.suffix.lower() not in ENDINGS:
        raise typer.BadParameter(f"{output} ends in {output.suffix!r}; CSV and JSON can be written: .csv, .txt, .json.")
    with open_to_read(study) as opened:
        is_json = as_json or (output is not None and output.suffix.lower() == ".json" and not as_csv)
        text = trials_json(opened.study) if is_json else trials_csv(opened.study)
        if output is None:
            print(text, end="")
            return
        from imoca.files import write_whole

        write_whole(output, text)
        say(f"{len(opened.study.trials)} trials are written to {output}.")


def trials_json(study: Study) -> str:
    """Every trial says the units, if there are any: one taken out of the list still has them."""
    units = unit_record(study.problem)
    said = {"units": units} if any(units.values()) else {}
    return json.dumps([trial_record(trial) | said for trial in study.trials], indent=1, allow_nan=False) + "\n"


def trials_csv(study: Study) -> str:
    """One row per trial, the columns that `Study.to_dataframe` has."""
    from imoca.trials.columns import told_columns

    trials = study.trials
    columns = told_columns(study.problem, trials)
    rows = [[column.cell(trial) for column in columns] for trial in trials]
    return csv_text([column.title for column in columns], rows)

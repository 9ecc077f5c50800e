"""``imoca run``: start a study or resume it."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from imoca.cli.exits import INTERRUPTED
from imoca.cli.opening import Opened, StudyArgument, find_functions_beside, is_study_file, locate, open_to_write
from imoca.cli.output import say
from imoca.cli.text import printable

if TYPE_CHECKING:
    from imoca.errors import SimulatorError
    from imoca.study.questions import StopRule
    from imoca.study.study import Study

Budget = Annotated[
    str | None,
    typer.Option(
        help='What may be spent in all: full-fidelity runs, or simulator time such as "40h".', show_default=False
    ),
]
Time = Annotated[
    str | None, typer.Option(help='How long this run may take, such as "90s", "15m", "48h".', show_default=False)
]
Stop = Annotated[
    str | None,
    typer.Option(
        metavar="settled", help="Stop when the front moves no more and something was verified.", show_default=False
    ),
]
Workers = Annotated[int | None, typer.Option(min=1, help="Simulators that run at the same time.", show_default=False)]
Dask = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="Run the simulators on this Dask cluster.", show_default=False)
]
Slurm = Annotated[
    str | None,
    typer.Option(
        metavar="OPTIONS",
        help="Run every simulator as a batch job of Slurm, --workers at a time, with these options of sbatch; "
        '"" for none.',
        show_default=False,
    ),
]


def run(
    study: StudyArgument = None,
    budget: Budget = None,
    time: Time = None,
    stop: Stop = None,
    workers: Workers = None,
    dask: Dask = None,
    slurm: Slurm = None,
) -> None:
    """Start a study, or resume it.

    What was spent before counts, so a larger budget continues a finished study. Ctrl-C stops cleanly.
    """
    from imoca.errors import SimulatorError

    limit = None if time is None else _seconds(time)
    written = None if budget is None else checked_budget(budget, study)
    with open_to_write(study) as opened:
        same_command = _command(opened, budget, time, stop, workers, dask, slurm)
        settings = opened.settings
        if settings is not None:
            written = settings.budget if written is None else written
            limit = settings.time if limit is None else limit
            workers = settings.workers if workers is None else workers
            stop = settings.stop if stop is None else stop
        if written is None and limit is None and stop is None:
            raise typer.BadParameter(
                "Neither a budget nor a time is given. "
                "Write budget = 30 under [study], or give --budget 30, --time 2h or --stop settled."
            )
        find_functions_beside(opened)
        n_before = _n_answered(opened)
        try:
            opened.study.optimize(
                written, time=limit, stop=_rule(stop), workers=workers, dask=dask, slurm=slurm, progress=True
            )
        except KeyboardInterrupt:
            _say_how_to_resume(opened, same_command)
            raise typer.Exit(INTERRUPTED) from None
        except SimulatorError as error:
            raise _with_where_to_look(error, opened) from error
        _say_what_is_there(opened, written, n_before, is_stopping=stop is not None)


def _command(
    opened: Opened,
    budget: str | None,
    time: str | None,
    stop: str | None,
    workers: int | None,
    dask: str | None,
    slurm: str | None,
) -> str:
    """What the user typed, to be typed again."""
    options = {
        "--budget": budget,
        "--time": time,
        "--stop": stop,
        "--workers": workers,
        "--dask": dask,
        "--slurm": slurm,
    }
    given = [f" {option} {shlex.quote(str(value))}" for option, value in options.items() if value is not None]
    return f"imoca run{opened.command_argument}{''.join(given)}"


def checked_budget(text: str, study: Path | None) -> float | str:
    """A number, or simulator time; an error before anything is made or run if it is neither, or no budget for it."""
    from imoca.problem.allowance import Allowance
    from imoca.studyfile.file import load_study_file

    try:
        written: float | str = float(text)
    except ValueError:
        written = text
    allowance, path = Allowance.read(written), locate(study)
    if is_study_file(path):
        allowance.check_suits(load_study_file(path).problem)
    return written


def _number_or_text(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _seconds(text: str) -> float:
    from imoca.studyfile.entries import check_duration, seconds

    try:
        found = seconds(check_duration(_number_or_text(text)))  # type: ignore[arg-type]  # checked to be either
    except ValueError as error:
        raise typer.BadParameter(f"--time is {printable(text)!r}, but {error}.") from None
    if not found or found <= 0.0:
        raise typer.BadParameter(f"--time is {printable(text)!r}, but must be more than nothing.")
    return found


def _rule(text: str | None) -> StopRule | None:
    if text is None:
        return None
    if text == "settled":
        return "settled"
    raise typer.BadParameter(f"--stop is {printable(text)!r}, but there is only one rule: settled.")


def _say_what_is_there(opened: Opened, budget: float | str | None, n_before: int, is_stopping: bool) -> None:
    n_trials = _n_answered(opened)
    name = opened.command_argument
    spent = spent_words(opened.study, budget)
    movement = opened.study.snapshot().movement if is_stopping else None
    if movement is not None and movement.is_settled:
        say(f"{n_trials} trials, {spent} spent.")
        say(f"The front has settled: {movement.words}. Without the rule to stop, the study goes on.")
    elif n_trials == n_before:
        say(f"Nothing was run: {spent} were spent already.")
        say("A larger --budget continues.")
    else:
        say(f"{n_trials} trials, {spent} spent.")
    say(f"The results are in {opened.database}. Look at them with:")
    say(f"  imoca front{name}\n  imoca report{name}\n  imoca export{name} -o trials.csv")


def spent_words(study: Study, budget: float | str | None) -> str:
    """What was spent, of a budget if there is one, in its unit."""
    from imoca.problem.allowance import Allowance
    from imoca.snapshot.accounting import allowed_bill

    allowance = None if budget is None else Allowance.read(budget)
    if allowance is not None and allowance.is_time:
        return allowance.spent_words(allowed_bill(study.table(), allowance, study.runs).total)
    of_budget = "" if allowance is None else f" of {allowance.amount:g}"
    return f"{study.cost_spent:.4g}{of_budget} full-fidelity runs"


def _n_answered(opened: Opened) -> int:
    from imoca.trials.trial import TrialState

    return sum(trial.state is not TrialState.RUNNING for trial in opened.study.trials)


def _say_how_to_resume(opened: Opened, command: str) -> None:
    say(f"Interrupted. {_n_answered(opened)} answered trials are safe in {opened.database}.")
    say(f"Resume with: {command}")


def _with_where_to_look(error: SimulatorError, opened: Opened) -> SimulatorError:
    failed = [trial.number for trial in opened.study.trials if trial.failures]
    shown = f" Look at one: imoca show{opened.command_argument} {failed[-1]}." if failed else ""
    return type(error)(error.message, hint=error.hint + shown)

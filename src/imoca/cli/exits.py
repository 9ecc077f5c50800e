"""What the command line answers to the shell, and how it words an error."""

from __future__ import annotations

import io
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from imoca.cli.output import say
from imoca.errors import (
    ImocaError,
    ProblemError,
    RunnerError,
    SimulatorError,
    StorageError,
    StudyFileError,
    StudyMismatchError,
)

__all__ = ["INTERRUPTED", "SIMULATORS_FAIL", "STORAGE", "STUDY_FILE", "UNEXPECTED", "USAGE"]

UNEXPECTED = 1
USAGE = 2
STUDY_FILE = 3
SIMULATORS_FAIL = 4
STORAGE = 5
INTERRUPTED = 130

EXIT_CODES: tuple[tuple[type[ImocaError], int], ...] = (
    (StudyFileError, STUDY_FILE),
    (ProblemError, STUDY_FILE),
    (StudyMismatchError, STUDY_FILE),
    (SimulatorError, SIMULATORS_FAIL),
    (StorageError, STORAGE),
    (RunnerError, UNEXPECTED),
)


def exit_code(error: ImocaError) -> int:
    return next((code for kind, code in EXIT_CODES if isinstance(error, kind)), USAGE)


@contextmanager
def errors_in_words(is_debugging: bool) -> Iterator[None]:
    """An error raised on purpose is a message and an exit code; an unexpected one says how to learn more."""
    try:
        yield
    except ImocaError as error:
        if is_debugging:
            raise
        say(f"Error: {error.message.rstrip()}\n  {error.hint}")
        raise SystemExit(exit_code(error)) from None
    except Exception as error:
        if is_debugging:
            raise
        say(f"Error: {type(error).__name__}: {error}\n  This was not expected; run it with --debug to see where.")
        raise SystemExit(UNEXPECTED) from None


@contextmanager
def log_shown(is_debugging: bool) -> Iterator[None]:
    """The library's warnings, and with --debug all it logs, as messages."""
    logger = logging.getLogger("imoca")
    handler = MessageHandler()
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG if is_debugging else logging.WARNING)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


class MessageHandler(logging.Handler):
    """Looks up stderr at every message, for a live display may have taken its place."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            say(f"{record.levelname.capitalize()}: {record.getMessage()}")
        except Exception:
            self.handleError(record)


def printing_everywhere() -> None:
    """A terminal that cannot show a character gets its escape instead of an error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")

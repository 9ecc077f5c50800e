"""Every error iMOCA raises on purpose: what came, what is allowed, and a hint what to do."""

from __future__ import annotations

__all__ = [
    "AnsweredError",
    "CostError",
    "FidelityError",
    "FigureError",
    "ImocaError",
    "IndicatorError",
    "LostStudyError",
    "MethodError",
    "MissingPackageError",
    "MissingProgramError",
    "ParameterError",
    "ProblemError",
    "ProgramError",
    "RunnerError",
    "SimulatorError",
    "StorageError",
    "StudyFileError",
    "StudyMismatchError",
    "TrialError",
]


class ImocaError(Exception):
    """Base of all errors a user may want to catch."""

    def __init__(self, message: str, *, hint: str) -> None:
        super().__init__(f"{message} {hint}")
        self.message = message
        self.hint = hint

    def __reduce__(self) -> tuple[object, tuple[type[ImocaError], str, str]]:
        """So that it travels between processes, hint and all."""
        return _rebuilt, (type(self), self.message, self.hint)


def _rebuilt(kind: type[ImocaError], message: str, hint: str) -> ImocaError:
    return kind(message, hint=hint)


class ProblemError(ImocaError):
    """The problem is described wrongly: parameters, objectives, simulators."""


class ParameterError(ImocaError):
    """A design names an unknown parameter or lies outside the search space."""


class FidelityError(ImocaError):
    """A fidelity is declared wrongly or lies outside its range."""


class CostError(ImocaError):
    """A cost is declared wrongly, or a told cost is not a positive finite number."""


class StudyFileError(ImocaError):
    """A study file cannot be read."""


class TrialError(ImocaError):
    """A trial is unknown, already answered, or answered with bad values."""


class AnsweredError(TrialError):
    """A trial is answered with something else than before."""


class StorageError(ImocaError):
    """A study's database cannot be read or written."""


class LostStudyError(StorageError):
    """A study is no longer this process's to write: its file is gone, or somebody else drives it now."""


class StudyMismatchError(ImocaError):
    """A stored study is opened with another definition than it was made with."""


class RunnerError(ImocaError):
    """What runs the simulators is gone, such as a Dask scheduler."""


class SimulatorError(ImocaError):
    """Simulators fail too often for the study to go on."""


class MethodError(ImocaError):
    """An unknown method, or one whose settings make no sense."""


class IndicatorError(ImocaError):
    """A front or reference point from which no indicator can be computed."""


class ProgramError(ImocaError):
    """An external program failed, ran too long, or answered what cannot be read."""


class MissingProgramError(ImocaError):
    """An external program that a benchmark needs is not installed."""


class MissingPackageError(ImocaError):
    """A Python package that an extra brings is not installed."""


class FigureError(ImocaError):
    """An unknown figure, or a file that none is written as."""

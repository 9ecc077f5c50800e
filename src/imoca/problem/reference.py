"""References to importable functions, "package.module:function", so that a problem fits in a file."""

import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from imoca.errors import ProblemError


@dataclass(frozen=True)
class FunctionReference:
    """A function by its address; nothing is imported before `resolve`, and by a sealed one nothing at all."""

    path: str  # "package.module:function"
    is_sealed: bool = field(default=False, compare=False)  # of a study that is only looked at

    def __post_init__(self) -> None:
        if not isinstance(self.path, str) or not _is_address(self.path):
            raise ProblemError(
                f"Function reference {self.path!r} is not of the form 'package.module:function'.",
                hint="Write the module, a colon, and the function, such as 'wing.solvers:drag'.",
            )

    def resolve(self) -> Callable[..., Any]:
        """The function itself, importing its module."""
        if self.is_sealed:
            raise ProblemError(
                f"Function {self.path!r} is not imported, for the study is only looked at.",
                hint="Open the study for writing, if you trust whoever wrote it: with imoca run, or Study.load.",
            )
        module, _, qualified_name = self.path.partition(":")
        try:
            found: Any = importlib.import_module(module)
            for part in qualified_name.split("."):
                found = getattr(found, part)
        except Exception as error:  # a user's module may fail to import in any way
            raise ProblemError(
                f"Function {self.path!r} cannot be imported: {type(error).__name__}: {error}.",
                hint="Check the spelling, and that its folder is on the Python path (PYTHONPATH).",
            ) from error
        if not callable(found):
            raise ProblemError(
                f"{self.path!r} is {found!r}, which cannot be called.", hint="Point to a function instead."
            )
        return found


def reference_to(function: object) -> FunctionReference | None:
    """The address under which exactly this function can be imported; None for lambdas and local functions."""
    module = getattr(function, "__module__", None)
    qualified_name = getattr(function, "__qualname__", None)
    path = f"{module}:{qualified_name}"
    if not isinstance(module, str) or not isinstance(qualified_name, str) or not _is_address(path):
        return None
    found: object = sys.modules.get(module)
    for part in qualified_name.split("."):
        found = getattr(found, part, None)
    return FunctionReference(path) if found is function else None


def function_identity(function: object) -> object:
    """What equality compares: the address where there is one, so a function equals a reference to it."""
    return reference_to(function) or function


def writable_reference(function: object, owner: str) -> FunctionReference:
    """The reference that a file can hold, or a ProblemError."""
    reference = function if isinstance(function, FunctionReference) else reference_to(function)
    if reference is None:
        raise ProblemError(
            f"{owner}: {function!r} cannot be imported by name, so it cannot be written to a study file.",
            hint="Define it with def at the top level of a module, not as a lambda or inside a function.",
        )
    return reference


def _is_address(path: str) -> bool:
    parts = path.split(":")
    return len(parts) == 2 and all(word.isidentifier() for part in parts for word in part.split("."))

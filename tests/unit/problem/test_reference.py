import sys
from pathlib import Path
from typing import Any

import pytest

from imoca.errors import ProblemError
from imoca.problem.reference import FunctionReference, reference_to


class Holder:
    @staticmethod
    def inner() -> int:
        return 1

    def method(self) -> int:
        return 2


def test_an_importable_function_is_found_again() -> None:
    for function in (reference_to, Holder.inner):
        reference = reference_to(function)
        assert reference is not None
        assert reference.resolve() is function
    assert reference_to(reference_to) == FunctionReference("imoca.problem.reference:reference_to")


def test_what_cannot_be_imported_by_name_has_no_reference() -> None:
    def local() -> int:
        return 1

    for function in (lambda: 1, local, Holder().method, Holder(), 3, None):
        assert reference_to(function) is None


def test_nothing_is_imported_before_resolving(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lazily_imported.py").write_text("def run():\n    return 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    reference = FunctionReference("lazily_imported:run")
    assert "lazily_imported" not in sys.modules
    assert reference.resolve()() == 1
    del sys.modules["lazily_imported"]


@pytest.mark.parametrize("path", ["", "module", ":run", "module:", "a:b:c", "os;x:y", "a b:c", "os:<lambda>", 3, None])
def test_a_malformed_path_is_refused(path: Any) -> None:
    with pytest.raises(ProblemError, match="not of the form") as caught:
        FunctionReference(path)
    assert repr(path) in caught.value.message
    assert caught.value.hint


def test_a_missing_or_broken_function_is_an_error_that_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_module.py").write_text("raise OSError('no licence')\n")
    monkeypatch.syspath_prepend(tmp_path)
    for path in ("no_such_module:run", "math:no_such_function", "math:pi", "broken_module:run"):
        with pytest.raises(ProblemError, match=path) as caught:
            FunctionReference(path).resolve()
        assert caught.value.hint

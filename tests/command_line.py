"""The command line in this process: as a user meets it, without the half second that a new Python takes."""

import io
import json
import sys
from dataclasses import dataclass
from typing import Any

import pytest

from imoca.cli import main


@dataclass(frozen=True)
class Answer:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class CommandLine:
    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys = capsys
        self._monkeypatch = monkeypatch

    def __call__(self, *words: str, stdin: str = "") -> Answer:
        self._monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8"))
        self._capsys.readouterr()
        with pytest.raises(SystemExit) as stopped:
            main(words)
        captured = self._capsys.readouterr()
        assert "Traceback" not in captured.err
        return Answer(int(stopped.value.code or 0), captured.out, captured.err)

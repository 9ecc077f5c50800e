"""Logs are read within the folder of runs and nowhere else."""

import os
from pathlib import Path

import pytest

from imoca.dashboard.logs import MAX_TAIL, log_tail


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    folder = tmp_path / "study.runs"
    (folder / "one").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "stdout.txt").write_text("secret")
    (tmp_path / "study.runs-other").mkdir()
    (tmp_path / "study.runs-other" / "stdout.txt").write_text("secret")
    return folder


def test_the_text_of_a_log(runs: Path) -> None:
    (runs / "one" / "stderr.txt").write_bytes(b"caf\xc3\xa9\tC:\\temp\r\nbad \xff byte\n")
    assert log_tail(runs, str(runs / "one"), "stderr") == "café\tC:\\temp\nbad \ufffd byte\n"


@pytest.mark.parametrize(
    "folder", ["elsewhere", "study.runs/../elsewhere", "study.runs-other", "study.runs/link", "absent", "\0"]
)
def test_nothing_outside_is_read(runs: Path, folder: str) -> None:
    (runs / "link").symlink_to(runs.parent / "elsewhere")
    assert log_tail(runs, str(runs.parent / folder), "stdout") is None


def test_a_link_to_a_file_outside_is_not_followed(runs: Path) -> None:
    (runs / "one" / "stdout.txt").symlink_to(runs.parent / "elsewhere" / "stdout.txt")
    assert log_tail(runs, str(runs / "one"), "stdout") is None


def test_a_pipe_keeps_nobody_waiting(runs: Path) -> None:
    os.mkfifo(runs / "one" / "stdout.txt")
    assert log_tail(runs, str(runs / "one"), "stdout") is None


def test_of_a_long_log_the_end_is_shown(runs: Path) -> None:
    (runs / "one" / "stdout.txt").write_bytes(b"a" * MAX_TAIL + b"the end")
    text = log_tail(runs, str(runs / "one"), "stdout")
    assert text is not None
    assert text.startswith("[7 bytes before this are left out]\naaa")
    assert text.endswith("the end")
    assert len(text) < MAX_TAIL + 100

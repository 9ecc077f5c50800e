"""What the verb refuses, and how it starts and ends."""

import os
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from command_line import CommandLine

from imoca.cli.dashboard import _places
from imoca.cli.dashboard import dashboard as verb
from imoca.errors import StudyFileError


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.7", "::", "example.org"])  # noqa: S104
def test_other_addresses_need_a_token(imoca: CommandLine, host: str) -> None:
    answer = imoca("dashboard", "--host", host)
    assert answer.code == 2
    assert "--token" in answer.err


def test_a_short_token_is_refused(imoca: CommandLine) -> None:
    answer = imoca("dashboard", "--token", "guessable")
    assert answer.code == 2
    assert "16" in answer.err


def test_a_port_that_is_taken_is_told_in_words(imoca: CommandLine) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        answer = imoca("dashboard", "--port", str(taken.getsockname()[1]))
    assert answer.code == 2
    assert "--port" in answer.err


def test_models_of_the_page_keep_to_one_core() -> None:
    code = """
import contextlib, typer
from imoca.cli.dashboard import dashboard
with contextlib.suppress(typer.BadParameter):  # everything is imported by then
    dashboard(host="0.0.0.0")
from threadpoolctl import threadpool_info
print({each["num_threads"] for each in threadpool_info() if each["internal_api"] == "openblas"})
"""
    free = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    told = subprocess.run([sys.executable, "-c", code], env=free, capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "{1}"


def test_what_is_not_installed_is_named_with_the_extra(imoca: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[verb.__module__], "find_spec", lambda name: None)
    answer = imoca("dashboard")
    assert answer.code == 2
    assert "imoca[dashboard]" in answer.err
    assert "uvicorn" in answer.err


def test_budgets_are_those_of_the_study_files_named_or_found(toy: Path) -> None:
    assert _places([toy / "study.toml"]) == ([toy / "toy.db"], {toy / "toy.db": 3.0})
    assert _places([toy]) == ([toy], {toy / "toy.db": 3.0})
    (toy / "study.toml").write_text("nonsense")
    assert _places([toy, toy / "toy.db"]) == ([toy, toy / "toy.db"], {})
    with pytest.raises(StudyFileError):
        _places([toy / "study.toml"])


@pytest.mark.slow
def test_it_serves_the_folder_until_interrupted(tmp_path: Path) -> None:
    code = "import sys; from imoca.cli import main; main()"
    command = [sys.executable, "-c", code, "dashboard", "--port", "0"]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stderr is not None
        address = process.stderr.readline().split()[1]
        assert address.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(f"{address}api/studies", timeout=120) as response:  # noqa: S310
            assert response.read() == b'{"studies":[]}'
        process.send_signal(signal.SIGINT)
        assert process.wait(120) in (0, 130)
        assert process.stderr.read() == ""

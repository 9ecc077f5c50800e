"""What the verb refuses, and what it says to whom; that it serves is tested with real processes in faults."""

import json
import socket
import sys
from pathlib import Path

import pytest
from command_line import CommandLine

from imoca import Study
from imoca.cli.dashboard import dashboard
from imoca.web.security import Access


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Access]]:
    """Databases that were served, and to whom; the server ends at once, as by Ctrl-C."""
    calls: list[tuple[str, Access]] = []

    def serve(study: Study, status: object, access: Access, listening: socket.socket) -> None:
        calls.append((study.runs_folder.name, access))
        listening.close()
        raise KeyboardInterrupt

    monkeypatch.setattr("imoca.serve.serve.serve", serve)
    return calls


def test_the_token_goes_to_a_private_file_and_not_to_the_terminal(
    imoca: CommandLine, toy: Path, served: list[tuple[str, Access]]
) -> None:
    answer = imoca("serve", "--port", "0")
    assert answer.code == 130
    ((folder, access),) = served
    address = json.loads((toy / "toy.serve.json").read_text(encoding="utf-8"))
    assert (folder, access.token) == ("toy.runs", address["token"])
    assert address["url"] in answer.err
    assert "toy.serve.json" in answer.err
    assert address["token"] not in answer.err + answer.out
    assert imoca("serve", "toy.db", "--port", "0").code == 130  # also by its database, with the same token
    assert served[1] == served[0]


def test_where_others_can_listen_it_says_so(imoca: CommandLine, toy: Path, served: list[tuple[str, Access]]) -> None:
    assert "ssh" not in imoca("serve", "--port", "0").err
    assert "ssh" in imoca("serve", "--port", "0", "--host", "0.0.0.0").err  # noqa: S104
    assert served[1][1].host == "0.0.0.0"  # noqa: S104


def test_a_port_that_is_taken_is_told_in_words(imoca: CommandLine, toy: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        answer = imoca("serve", "--port", str(taken.getsockname()[1]))
    assert answer.code == 2
    assert "--port" in answer.err
    assert not (toy / "toy.serve.json").exists()


def test_what_is_not_installed_is_named_with_the_extra(
    imoca: CommandLine, toy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules[dashboard.__module__], "find_spec", lambda name: None)
    answer = imoca("serve")
    assert answer.code == 2
    assert "imoca serve needs starlette, uvicorn" in answer.err
    assert "imoca[dashboard]" in answer.err

"""The file in which clients find the server."""

import json
import os
from pathlib import Path

import pytest

from imoca.files import write_whole
from imoca.serve.address import Address, token_for, write_address


def test_the_file_lies_beside_the_study_and_only_its_owner_may_read_it(tmp_path: Path) -> None:
    path = write_address(tmp_path / "kiln.db", Address("http://127.0.0.1:8766", "t" * 20))
    assert path == tmp_path / "kiln.serve.json"
    assert path.stat().st_mode & 0o777 == 0o600
    assert json.loads(path.read_text(encoding="utf-8")) == {"url": "http://127.0.0.1:8766", "token": "t" * 20}
    assert [file.name for file in tmp_path.iterdir()] == ["kiln.serve.json"]


def test_the_token_stays_when_the_server_is_started_again(tmp_path: Path) -> None:
    database = tmp_path / "kiln.db"
    token = token_for(database)
    assert len(token) >= 40
    assert token_for(database) != token  # nobody knows it yet
    write_address(database, Address("http://127.0.0.1:1", token))
    assert token_for(database) == token


@pytest.mark.parametrize(
    "content", ["", "nonsense", "[]", "{}", '{"token": 3}', '{"token": "short"}', '{"token": "öööööööööööööööööö"}']
)
def test_a_token_that_cannot_be_used_is_replaced(content: str, tmp_path: Path) -> None:
    write_whole(tmp_path / "kiln.serve.json", content, mode=0o600)
    assert len(token_for(tmp_path / "kiln.db")) >= 40


def test_a_token_that_others_could_read_is_replaced(tmp_path: Path) -> None:
    database, path = tmp_path / "kiln.db", tmp_path / "kiln.serve.json"
    write_address(database, Address("http://127.0.0.1:1", "t" * 20))
    path.chmod(0o640)
    assert token_for(database) != "t" * 20
    path.chmod(0o600)
    assert token_for(database) == "t" * 20
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    assert token_for(database) != "t" * 20


def test_a_file_is_not_written_through_a_link_that_somebody_laid(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious", encoding="utf-8")
    (tmp_path / f".kiln.serve.json.{os.getpid()}").symlink_to(victim)
    (tmp_path / "kiln.serve.json").symlink_to(victim)
    write_address(tmp_path / "kiln.db", Address("http://127.0.0.1:1", "t" * 20))
    assert victim.read_text(encoding="utf-8") == "precious"
    assert not (tmp_path / "kiln.serve.json").is_symlink()


def test_the_token_is_not_shown_with_the_address() -> None:
    assert "secret" not in repr(Address("http://127.0.0.1:1", "secret"))

"""The server of a study and its clients are killed, its database is lost: what was acknowledged is kept, once."""

import json
import signal
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from serving import served

from experiments.serve_kills import STUDY, is_clean, run
from imoca.storage.sqlite.storage import SQLiteStorage

PATIENCE = 300.0  # seconds after which a process counts as hanging
N_KILLS = 6


@pytest.mark.slow
def test_no_acknowledged_answer_is_lost_or_counted_twice_when_server_and_clients_are_killed(tmp_path: Path) -> None:
    found = run(tmp_path, N_KILLS, seed=4)
    assert sum(found["kills"].values()) == N_KILLS
    assert found["kills"]["server"] >= 1
    assert sum(n for name, n in found["kills"].items() if name != "server") >= 1
    assert found["acknowledged"] > N_KILLS
    assert is_clean(found), found


class RefusedError(Exception):
    """The code of the answer, and its words."""


def request(folder: Path, path: str, content: Any = None) -> Any:
    address = json.loads((folder / "killed.serve.json").read_text(encoding="utf-8"))
    body = None if content is None else json.dumps(content).encode()
    headers = {"Authorization": f"Bearer {address['token']}"}
    asked = urllib.request.Request(address["url"] + path, body, headers)  # noqa: S310
    try:
        with urllib.request.urlopen(asked, timeout=PATIENCE) as got:  # noqa: S310
            return json.load(got)
    except urllib.error.HTTPError as error:
        with error:
            raise RefusedError(error.code, json.load(error)["error"]) from None


@pytest.mark.slow
def test_a_server_whose_database_is_lost_ends_with_5_and_has_acknowledged_nothing_more(tmp_path: Path) -> None:
    """Replaced; that it is gone or read-only is noticed in the same way (unit/serve/test_app.py)."""
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    with served(tmp_path) as process:
        assert request(tmp_path, "/ask", {"worker": "a"})["number"] == 0
        SQLiteStorage(tmp_path / "other.db").close()
        (tmp_path / "other.db").replace(tmp_path / "killed.db")
        with pytest.raises((RefusedError, urllib.error.URLError, ConnectionError)) as refused:
            request(tmp_path, "/tell", {"number": 0, "values": {"f": 1.0, "g": 2.0}})
        if isinstance(refused.value, RefusedError):  # else the watch was faster than this write
            assert refused.value.args[0] == 503
            assert "is another file now" in refused.value.args[1]
        _, said = process.communicate(timeout=PATIENCE)
        assert process.returncode == 5, said
        assert "killed.db is another file now" in said
        assert "Traceback" not in said


@pytest.mark.slow
def test_it_serves_until_it_is_ended_and_leaves_one_file_and_its_address(tmp_path: Path) -> None:
    """By SIGTERM, as services are; with Ctrl-C it ends after the kills above."""
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    with served(tmp_path) as process:
        question = request(tmp_path, "/ask", {"worker": "a"})
        assert request(tmp_path, "/status")["open"] == [{"number": 0, "worker": "a", "pending": ["left", "right"]}]
        request(tmp_path, "/tell", {"number": question["number"], "values": {"f": 1.0, "g": 2.0}})
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=PATIENCE)
        assert (process.returncode, said) == (130, "")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["killed.db", "killed.serve.json", "study.toml"]

"""Shared by all tests."""

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

settings.register_profile("default", deadline=None, derandomize=True)
settings.load_profile("default")


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20201)


@pytest.fixture(autouse=True)
def every_database_is_closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Whatever a test opens in this process, by whichever way, is closed when it ends."""
    opened: list[sqlite3.Connection] = []
    connect = sqlite3.connect

    def connect_and_remember(*place: Any, **options: Any) -> sqlite3.Connection:
        opened.append(connect(*place, **options))
        return opened[-1]

    monkeypatch.setattr(sqlite3, "connect", connect_and_remember)
    yield
    assert not any(is_open(connection) for connection in opened), "A database was left open."


@pytest.fixture
def until_the_end() -> Iterator[ExitStack]:
    """What is entered here is closed when the test ends."""
    with ExitStack() as stack:
        yield stack


def is_open(connection: sqlite3.Connection) -> bool:
    try:
        connection.total_changes  # noqa: B018  (only a closed one refuses to tell)
    except sqlite3.ProgrammingError:
        return False
    return True

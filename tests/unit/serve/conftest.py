"""A study and clients of its server."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from serving import TOKEN, Client, make_problem

from imoca import Study
from imoca.errors import StorageError
from imoca.serve.app import make_app
from imoca.web.security import Access


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    with Study(make_problem(), method="random", storage=tmp_path / "toy.db") as study:
        yield study


@pytest.fixture
def losses() -> list[StorageError]:
    return []


@pytest.fixture
def open_client(study: Study, losses: list[StorageError], until_the_end: ExitStack) -> Callable[..., Client]:
    def opened(headers: dict[str, str] | None = None) -> Client:
        app = make_app(study, lambda: {"name": "toy"}, Access(token=TOKEN), losses.append)
        base = "http://127.0.0.1:8766"
        return until_the_end.enter_context(Client(app, base, raise_server_exceptions=False, headers=headers))

    return opened


@pytest.fixture
def client(open_client: Callable[..., Client]) -> Client:
    return open_client({"Authorization": f"Bearer {TOKEN}"})

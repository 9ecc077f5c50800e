"""Start the page's server."""

from __future__ import annotations

import socket
from collections.abc import Mapping, Sequence
from pathlib import Path

import uvicorn

from imoca.dashboard.app import make_app
from imoca.dashboard.security import Access
from imoca.errors import ImocaError

GRACE = 3  # seconds that open connections have to end by themselves


class ServerError(ImocaError):
    """The page's server cannot start."""


def listen(host: str, port: int) -> socket.socket:
    """A socket that is listened on; port 0 takes any that is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        raise ServerError(
            f"Nothing can be served at {host}, port {port}: {error}.", hint="Choose another with --port."
        ) from error


def serve(
    places: Sequence[Path], access: Access, listening: socket.socket, budgets: Mapping[Path, float | str] | None = None
) -> None:
    """Serve until interrupted."""
    app = make_app(places, access, lambda: server.should_exit, budgets)
    config = uvicorn.Config(
        app,
        log_level="error",
        access_log=False,  # addresses may hold the token
        server_header=False,
        ws="none",
        timeout_graceful_shutdown=GRACE,
    )
    server = uvicorn.Server(config)
    server.run(sockets=[listening])

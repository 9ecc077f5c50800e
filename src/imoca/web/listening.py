"""A socket to listen on, and the server behind it."""

from __future__ import annotations

import socket

import uvicorn
from starlette.types import ASGIApp

from imoca.errors import ImocaError

GRACE = 3  # seconds that open connections have to end by themselves


class ServerError(ImocaError):
    """A server cannot start."""


def listen(host: str, port: int) -> socket.socket:
    """A socket that is listened on; port 0 takes any that is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        raise ServerError(
            f"Nothing can be served at {host}, port {port}: {error}.", hint="Choose another with --port."
        ) from error


def url_of(host: str, listening: socket.socket) -> str:
    return f"http://{f'[{host}]' if ':' in host else host}:{listening.getsockname()[1]}"


def make_server(app: ASGIApp) -> uvicorn.Server:
    config = uvicorn.Config(
        app,
        log_level="error",
        access_log=False,  # addresses may hold a token
        server_header=False,
        ws="none",
        timeout_graceful_shutdown=GRACE,
    )
    return uvicorn.Server(config)

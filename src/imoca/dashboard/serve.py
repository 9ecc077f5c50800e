"""Start the page's server."""

from __future__ import annotations

import socket
from collections.abc import Mapping, Sequence
from pathlib import Path

from imoca.dashboard.app import make_app
from imoca.web.listening import make_server
from imoca.web.security import Access


def serve(
    places: Sequence[Path], access: Access, listening: socket.socket, budgets: Mapping[Path, float | str] | None = None
) -> None:
    """Serve until interrupted."""
    server = make_server(make_app(places, access, lambda: server.should_exit, budgets))
    server.run(sockets=[listening])

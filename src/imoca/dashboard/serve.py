"""Start the page's server."""

from __future__ import annotations

import socket
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from imoca.dashboard.app import make_app
from imoca.web.listening import make_server
from imoca.web.security import Access

TURN = 0.001  # seconds that a thread which makes figures keeps one that answers waiting, each time it reads or writes


def serve(
    places: Sequence[Path], access: Access, listening: socket.socket, budgets: Mapping[Path, float | str] | None = None
) -> None:
    """Serve until interrupted."""
    sys.setswitchinterval(TURN)
    server = make_server(make_app(places, access, lambda: server.should_exit, budgets))
    server.run(sockets=[listening])

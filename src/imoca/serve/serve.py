"""Serve a study until it is interrupted or lost."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable, Mapping
from typing import Any

from imoca.errors import StorageError
from imoca.serve.app import make_app
from imoca.study.study import Study
from imoca.web.listening import make_server
from imoca.web.security import Access


def serve(study: Study, status: Callable[[], Mapping[str, Any]], access: Access, listening: socket.socket) -> None:
    """Ends with KeyboardInterrupt on Ctrl-C or SIGTERM, and with the StorageError of a study that is lost."""
    losses: list[StorageError] = []

    def end(error: StorageError) -> None:
        losses.append(error)
        server.should_exit = True

    server = make_server(make_app(study, status, access, end))
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # the server ends first, then this is called
    server.run(sockets=[listening])
    if losses:
        raise losses[0]

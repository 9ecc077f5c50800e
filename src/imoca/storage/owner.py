"""Which process drives a study, and whether it is still alive."""

from __future__ import annotations

import os
import socket
import time
import uuid
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

SILENCE = 120.0  # seconds after which a driver on another machine counts as dead


@dataclass(frozen=True)
class Owner:
    """A process; numbers of processes are used again, so the moment it started belongs to its name."""

    pid: int
    host: str
    born: str  # when the process started, as the operating system tells it
    since: float  # when it took the study, seconds since 1970
    seen: float  # when it last wrote
    token: str  # one per claim

    def is_alive(self) -> bool:
        if self.host != socket.gethostname():
            return time.time() - self.seen < SILENCE
        return _born(self.pid) == self.born

    def __str__(self) -> str:
        since = datetime.fromtimestamp(self.since).isoformat(sep=" ", timespec="seconds")
        return f"process {self.pid} on {self.host} since {since}"


def this_process() -> Owner:
    now = time.time()
    born = _born(os.getpid())
    return Owner(os.getpid(), socket.gethostname(), born or "", now, now, uuid.uuid4().hex)


def _born(pid: int) -> str | None:
    """When a process started, None if there is none. Without /proc only whether it exists."""
    if Path("/proc/self/stat").exists():
        try:
            after_name = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2]
        except OSError:
            return None
        fields = after_name.split()
        is_dead = fields[0] in ("Z", "X")
        return None if is_dead else fields[19]
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return None
    except PermissionError:
        pass
    return "unknown"

"""Which process drives a study, and whether it is still alive."""

from __future__ import annotations

import os
import socket
import time
import uuid
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

SILENCE = 120.0  # seconds after which a driver that cannot be seen from here counts as dead


@dataclass(frozen=True)
class Owner:
    """A process; numbers of processes are used again, so the moment it started belongs to its name."""

    pid: int
    host: str
    born: str  # when the process started, as the operating system tells it, and among which processes
    since: float  # when it took the study, seconds since 1970
    seen: float  # when it last wrote
    token: str  # one per claim; empty in a copy of a study, which nobody drives
    lasted: float = 0.0  # seconds it had driven by its own count when it was last seen

    def is_alive(self) -> bool:
        if not self.token:
            return False
        moment, _, place = self.born.partition("@")
        is_visible = self.host == socket.gethostname() and place in ("", _place())
        if not is_visible:
            return time.time() - self.seen < SILENCE
        return _started(self.pid) == moment

    def __str__(self) -> str:
        since = datetime.fromtimestamp(self.since).isoformat(sep=" ", timespec="seconds")
        return f"process {self.pid} on {self.host} since {since}"


def this_process() -> Owner:
    now = time.time()
    born = f"{_started(os.getpid())}@{_place()}"
    return Owner(os.getpid(), socket.gethostname(), born, now, now, uuid.uuid4().hex)


def _place() -> str:
    """Within which a number means one process: this start of the machine, and the container (PID namespace)."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return ""


def _started(pid: int) -> str | None:
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

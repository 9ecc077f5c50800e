"""The processes of the soak: a driver and pages that are killed and started again, and what they take."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

IMOCA = Path(sys.executable).with_name("imoca")
KILOBYTES_PER_MEGABYTE = 1024.0


class Service:
    """One command, started now and again whenever it is found dead; its output is appended to a file."""

    def __init__(self, folder: Path, name: str, *arguments: str) -> None:
        self.folder, self.name = folder, name
        self.n_kills = 0
        self.exits: list[int] = []  # of lives that ended by themselves
        self._arguments = arguments
        self._was_killed = False
        self._process = self._started()

    @property
    def output(self) -> Path:
        return self.folder / f"{self.name}.txt"

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def keep_alive(self) -> bool:
        """Start it if it is not running; whether that was needed."""
        if self.is_alive:
            return False
        if not self._was_killed:
            self.exits.append(self._process.returncode)
        self._was_killed = False
        self._process = self._started()
        return True

    def kill(self) -> None:
        if self.is_alive:
            self._process.kill()
            self._process.wait()
            self._was_killed = True
            self.n_kills += 1

    def megabytes(self) -> float | None:
        return None if not self.is_alive else _megabytes(self.pid)

    def wait(self) -> int:
        return self._process.wait()

    def _started(self) -> subprocess.Popen[bytes]:
        with self.output.open("ab") as file:
            return subprocess.Popen(
                [str(IMOCA), *self._arguments],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            )


def workers_of(pid: int) -> list[int]:
    """Worker processes of a driver: the children in which simulators run."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            is_child = entry.name.isdecimal() and _status(int(entry.name), "PPid") == str(pid)
            if is_child and b"spawn_main" in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
        except (OSError, StopIteration):  # it ended meanwhile
            continue
    return found


def kill(pid: int) -> bool:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def wait_until(moment: float) -> None:
    time.sleep(max(0.0, moment - time.monotonic()))


def _megabytes(pid: int) -> float | None:
    try:
        return float(_status(pid, "VmRSS").split()[0]) / KILOBYTES_PER_MEGABYTE
    except (OSError, StopIteration):
        return None


def _status(pid: int, key: str) -> str:
    lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    return next(line.partition(":")[2].strip() for line in lines if line.startswith(f"{key}:"))

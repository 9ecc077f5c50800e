"""End a program together with everything it started."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

MARK = "IMOCA_RUN"  # environment variable that everything a run starts inherits; its value is the run's folder
STARTER = "IMOCA_STARTER"  # another one: the process that started the run, and when that was born
GRACE = 5.0  # seconds between asking to end and ending
PAUSE = 0.02
STARTING = 1.0  # seconds; a process that has just begun shows its environment a moment later


def end_processes(root: int | None, mark: str) -> None:
    """Ask, then force, the process ``root``, its session, its descendants, and whatever carries the mark, to end.

    A process that left the session and whose parent has died is known only by the mark; one that cleared its
    environment only by its parent or its session. One that did all three gets away.
    """
    if root is None:
        _await_environments()
    known = _ended_of(root, mark, set())
    if not known:
        return
    _signal(known, signal.SIGTERM)
    deadline = time.monotonic() + GRACE
    while time.monotonic() < deadline:
        known = _ended_of(root, mark, known)
        if not known:
            return
        time.sleep(PAUSE)
    while known := _ended_of(root, mark, known):
        _signal(known, signal.SIGKILL)
        time.sleep(PAUSE)


def _await_environments() -> None:
    """Until every process that this one has just started can be known by its mark."""
    deadline = time.monotonic() + STARTING
    while time.monotonic() < deadline and any(
        (found := _parent_and_session(pid)) is not None and found[0] == os.getpid() and not _environment(pid)
        for pid in _pids()
    ):
        time.sleep(PAUSE)


def starter() -> str:
    """This process, as `STARTER` names it; numbers of processes are used again, so its birth belongs to the name."""
    return f"{os.getpid()} {_born(os.getpid())}"


def end_orphans(mark: str) -> None:
    """End whatever carries the mark, or one of a folder below it, and was started by a process that is dead now.

    Without /proc nobody can tell, and nothing happens.
    """
    if not Path("/proc/self/stat").exists():
        return
    for pid in _pids():
        if _carries(pid, mark) and _is_of_this_machine(pid):
            environment = _environment(pid)
            if _is_dead(environment.get(STARTER, "")):
                end_processes(None, environment[MARK])


def _is_dead(name: str) -> bool:
    pid, _, born = name.partition(" ")
    return pid.isdecimal() and _born(int(pid)) != born


def _born(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[19].decode()
    except (OSError, IndexError):
        return ""


def _is_of_this_machine(pid: int) -> bool:
    """Within a container processes have other numbers, so nothing can be said of who started them."""
    try:
        return Path(f"/proc/{pid}/ns/pid").readlink() == Path("/proc/self/ns/pid").readlink()
    except OSError:
        return False


def _ended_of(root: int | None, mark: str, known: set[int]) -> set[int]:
    """Those still alive of the tree; without /proc the process group of the root."""
    if not Path("/proc/self/stat").exists():
        return {-root} if root is not None and _has_group(root) else set()
    kin = {pid: found for pid in _pids() if (found := _parent_and_session(pid)) is not None}
    tree = {pid for pid in known if pid in kin}
    tree |= {pid for pid, (_, session) in kin.items() if root in (pid, session) or _carries(pid, mark)}
    while grown := {pid for pid, (parent, _) in kin.items() if parent in tree} - tree:
        tree |= grown
    return tree - {os.getpid()}


def _pids() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _parent_and_session(pid: int) -> tuple[int, int] | None:
    """None if the process is gone, or only waits to be buried."""
    try:
        state, parent, _, session = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[:4]
    except (OSError, ValueError):
        return None
    return None if state in (b"Z", b"X") else (int(parent), int(session))


def _carries(pid: int, mark: str) -> bool:
    folder = _environment(pid).get(MARK, "")
    return folder == mark or folder.startswith(f"{mark}/")


def _environment(pid: int) -> dict[str, str]:
    """With which a process was started; nothing of one that is gone, somebody else's, or hardly begun."""
    try:
        entries = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return {}
    pairs = (os.fsdecode(entry).partition("=") for entry in entries)
    return {name: value for name, _, value in pairs if name}


def _has_group(root: int) -> bool:
    try:
        os.killpg(root, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _signal(pids: set[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)  # a negative number is a whole group

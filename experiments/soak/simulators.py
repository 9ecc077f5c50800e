"""The simulator of the soak; copied beside its study file."""

from __future__ import annotations

import os
import time
from pathlib import Path

SECONDS = 0.65  # of one run: with what kills cost, 20,000 of them on four workers take a little more than an hour


def truth(x: float, y: float) -> dict[str, float]:
    return {"f": x + 0.1 * y, "g": (1.0 - x) ** 2 + y}


def simulate(x: float, y: float, z: float) -> dict[str, float]:
    """Notes that it was called, by one write that no kill can tear, before it takes its time."""
    note = os.open(Path(__file__).with_name("calls.txt"), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(note, f"{x!r} {y!r}\n".encode())
    os.close(note)
    time.sleep(SECONDS)
    return truth(x, y)

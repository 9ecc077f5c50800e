"""A real process on a terminal of its own, as wide as one likes."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from dataclasses import dataclass
from pathlib import Path

from rich.cells import cell_len

PATIENCE = 300.0  # seconds after which a process counts as hanging
ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07]*\x07|[@-_])")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")  # bold and the like among them


@dataclass(frozen=True)
class Screen:
    """All that was written to a terminal."""

    code: int
    raw: str

    @property
    def lines(self) -> list[str]:
        """What could be read, escape sequences taken out."""
        return ESCAPE.sub("", self.raw).replace("\r", "\n").split("\n")

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    @property
    def widest(self) -> int:
        return max(map(cell_len, self.lines))

    @property
    def has_colour(self) -> bool:
        return COLOUR.search(self.raw) is not None


def on_a_terminal(*words: str, folder: Path, columns: int, **environment: str) -> Screen:
    """``imoca`` with these words; standard input, output and error are the terminal."""
    inherited = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "LINES")}
    reader, writer = pty.openpty()
    fcntl.ioctl(writer, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-m", "imoca", *words],
        cwd=folder,
        env=inherited | {"TERM": "xterm-256color", "OMP_NUM_THREADS": "1"} | environment,
        stdin=writer,
        stdout=writer,
        stderr=writer,
    )
    os.close(writer)
    written = b""
    with os.fdopen(reader, "rb", buffering=0) as terminal:
        while piece := _next_piece(terminal.fileno()):
            written += piece
    return Screen(process.wait(PATIENCE), written.decode())


def _next_piece(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:  # how a pseudo-terminal says that nobody holds its other end any more
        return b""

"""Where clients find a server and its token: in a file beside the study, which its owner alone may read.

Whoever may read that file may read the study as well, so the token opens nothing that was closed. It stays when the
server ends: clients go on with the next one.
"""

from __future__ import annotations

import json
import os
import secrets
import stat
from dataclasses import asdict, dataclass, field
from pathlib import Path

from imoca.files import write_whole
from imoca.json_text import read_json

PRIVATE = 0o600
N_BYTES = 32  # of a token
SHORTEST = 16  # characters of one that is taken from a file


@dataclass(frozen=True)
class Address:
    url: str
    token: str = field(repr=False)


def address_path(database: Path) -> Path:
    return database.with_suffix(".serve.json")


def token_for(database: Path) -> str:
    """The one that clients of this study know, unless others could have read it; else a new one."""
    path = address_path(database)
    try:
        found = path.lstat()
        content = read_json(path.read_bytes())
    except (OSError, ValueError):
        return secrets.token_urlsafe(N_BYTES)
    is_private = stat.S_ISREG(found.st_mode) and not found.st_mode & 0o077 and found.st_uid == os.geteuid()
    token = content.get("token") if isinstance(content, dict) else None
    is_sound = isinstance(token, str) and len(token) >= SHORTEST and token.isascii() and token.isprintable()
    return str(token) if is_private and is_sound else secrets.token_urlsafe(N_BYTES)


def write_address(database: Path, address: Address) -> Path:
    path = address_path(database)
    write_whole(path, json.dumps(asdict(address), indent=1) + "\n", mode=PRIVATE)
    return path

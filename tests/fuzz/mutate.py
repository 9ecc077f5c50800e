"""Texts and bytes, changed by chance."""

from __future__ import annotations

import copy
import random
import re
from typing import Any

NASTY = [
    *("", " ", "\t", "\n", "\r\n", "\0", "\x1b[2J", "\u202e", "\ufeff", "\ud800", "é", "𝄞", "＝1", "'", '"', '"""'),
    *(
        "0",
        "-0",
        "-1",
        "1",
        "0.0",
        "1e308",
        "1e-308",
        "1e400",
        "-1e400",
        "5e-324",
        "nan",
        "inf",
        "-inf",
        "NaN",
        "Infinity",
    ),
    *("9" * 20, "9" * 400, "9" * 5000, "0x" + "f" * 5000, "1_000_000_000_000", "true", "false", "null", "None"),
    *(
        "[]",
        "{}",
        "[[]]",
        "{" * 2000,
        "[" * 20000,
        "(" * 300,
        "=1+1",
        "$(touch x)",
        "../../x",
        "a" * 200_000,
        "," * 3000,
    ),
    *(
        "2020-01-01",
        "07:32:00",
        "z",
        "pi",
        "x**-100",
        "1/0",
        "log(-1)",
        "import os",
        "__class__",
        "os:abort",
        "measured",
    ),
]
ODD: list[Any] = [
    *(0, -1, 1, 2, 10**9, 10**12, 10**18, 10**19, 10**30, 10**400, -(10**400), 2**63, 2**53 + 1, True, False),
    *(0.0, -0.0, 0.5, 1.0, 1e-300, 5e-324, 1e15, 1e16, 1e150, 1e300, 1.7e308, -1e300, float("inf"), float("nan")),
    *(
        [],
        {},
        [1, 2],
        ["a", "a"],
        [1, 1.0, True],
        [[1]],
        {"a": 1},
        {"function": "os:abort"},
        [1e300, 1e-300],
        ["x"] * 500,
    ),
]
PIECES = re.compile(rb"[A-Za-z_]+|[0-9.eE+-]+|\s+|.", re.DOTALL)


def mutated_text(rng: random.Random, text: str) -> bytes:
    """The text with some of its words replaced, repeated, exchanged or taken out; then perhaps some of its bytes."""
    pieces = PIECES.findall(text.encode())
    for _ in range(rng.choice([1, 1, 1, 2, 3, 8])):
        i, j = rng.randrange(len(pieces)), rng.randrange(len(pieces))
        match rng.randrange(6):
            case 0:
                pieces[i] = rng.choice(NASTY).encode("utf-8", "surrogatepass")
            case 1:
                pieces.insert(i, rng.choice(NASTY).encode("utf-8", "surrogatepass"))
            case 2:
                pieces[i] = pieces[j]
            case 3:
                pieces[i], pieces[j] = pieces[j], pieces[i]
            case 4:
                pieces[i:i] = pieces[min(i, j) : max(i, j)]
            case 5 if len(pieces) > 1:
                del pieces[i]
    content = b"".join(pieces)
    return mutated_bytes(rng, content) if rng.random() < 0.1 else content


def mutated_content(rng: random.Random, content: Any) -> Any:
    """Tables as files hold them, with one or two of their values, keys or parts replaced."""
    changed = copy.deepcopy(content)
    for _ in range(rng.choice([1, 1, 1, 2])):
        place = changed
        while True:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            if not keys:
                break
            key = rng.choice(keys)
            if isinstance(place[key], dict | list) and rng.random() < 0.85:
                place = place[key]
                continue
            match rng.randrange(5):
                case 0 if isinstance(place, dict):
                    place[rng.choice(NASTY)[:300]] = place.pop(key)
                case 1 if isinstance(place, dict):
                    place[rng.choice(NASTY)[:300]] = copy.deepcopy(rng.choice(ODD))
                case 2:
                    del place[key]
                case _:
                    place[key] = copy.deepcopy(rng.choice([*ODD, rng.choice(NASTY)[:3000]]))
            break
    return changed


def mutated_bytes(rng: random.Random, content: bytes) -> bytes:
    """With some bytes flipped, overwritten, cut off, moved or doubled."""
    changed = bytearray(content)
    for _ in range(rng.choice([1, 1, 2, 5])):
        if not changed:
            break
        i = rng.randrange(len(changed))
        length = min(rng.choice([1, 4, 64, 4096]), len(changed) - i)
        match rng.randrange(6):
            case 0:
                changed[i] ^= 1 << rng.randrange(8)
            case 1:
                changed[i : i + length] = rng.randbytes(length)
            case 2:
                changed[i : i + length] = bytes(length)
            case 3:
                del changed[i:]
            case 4:
                del changed[i : i + length]
            case 5:
                j = rng.randrange(len(changed))
                changed[i : i + length] = changed[j : j + length]
    return bytes(changed)

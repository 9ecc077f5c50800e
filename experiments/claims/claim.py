"""A sentence about what was measured, with the numbers that belong in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

Numbers = Callable[[], Sequence[str]]


@dataclass(frozen=True)
class Claim:
    section: str  # of docs/results.md, or a page of docs/gallery
    sentence: str  # or a part of one
    numbers: Numbers

    @property
    def text(self) -> str:
        return self.sentence.format(*self.numbers())

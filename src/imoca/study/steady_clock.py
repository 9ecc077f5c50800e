"""Time that passes evenly, whatever is done to the machine's clock."""

from __future__ import annotations

import time


class SteadyClock:
    """The time of day at which it began, plus the seconds since: setting the clock makes no run longer or shorter."""

    def __init__(self, began: float) -> None:
        self._began = began  # seconds since 1970
        self._start = time.monotonic()

    def lasted(self) -> float:
        return time.monotonic() - self._start

    def now(self) -> float:
        return self._began + self.lasted()

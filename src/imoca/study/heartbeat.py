"""Tell, while a study is driven, that its driver is alive."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from types import TracebackType

from imoca.errors import LostStudyError, StorageError
from imoca.storage.base import Storage
from imoca.storage.owner import Owner
from imoca.study.steady_clock import SteadyClock

logger = logging.getLogger(__name__)

SECONDS = 3.0  # how much of a lost run's time may go uncharged


class Heartbeat:
    """Beats in a thread of its own, for a simulator may run for hours in the driver's.

    When it learns that the study is no longer the driver's, it says so once and beats no more.
    """

    def __init__(self, storage: Storage, owner: Owner, clock: SteadyClock, on_loss: Callable[[], None]) -> None:
        self.fault: LostStudyError | None = None
        self._storage = storage
        self._owner = owner
        self._clock = clock
        self._on_loss = on_loss
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True)

    def __enter__(self) -> Heartbeat:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over.set()
        self._thread.join()

    def _beat(self) -> None:
        while not self._is_over.wait(SECONDS):
            try:
                self._storage.beat(self._owner, self._clock.lasted())
            except LostStudyError as error:
                self.fault = error
                self._on_loss()
                return
            except StorageError as error:
                logger.warning("No heartbeat: %s", error)

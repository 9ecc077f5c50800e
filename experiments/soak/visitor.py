"""Somebody who looks at the page all the time: what a browser asks for, and how long the answers take."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import ProxyHandler, build_opener

PATIENCE = 30.0  # seconds after which an answer is given up
OPEN = build_opener(ProxyHandler({}))


class Visitor:
    """Asks one page; an answer is late after a second, and missing if the connection fails while the page lives."""

    def __init__(self, port: int) -> None:
        self._address = f"http://127.0.0.1:{port}"
        self._study, self._mark, self._turn = "", "", 0
        self.seconds: dict[str, list[float]] = {}
        self.n_missing = 0

    def knock(self) -> bool:
        """Whether the page answers at all; it has just been started, so nothing is counted."""
        try:
            OPEN.open(self._address + "/", timeout=PATIENCE).read()
        except (URLError, OSError):
            return False
        self._mark = ""  # a page that was started anew has other marks
        return True

    def look(self, figures: Sequence[str]) -> None:
        """The list of studies, what is new in the table (all of it now and then, as a new reader) and one figure."""
        studies = self._ask("list", "/api/studies")
        if not studies or not studies["studies"]:
            return
        self._study = studies["studies"][0]["id"]
        self._turn += 1
        if self._turn % 30 == 0:
            self._read_whole_table()
        news = self._ask("news", f"/api/studies/{self._study}?since={self._mark}")
        if news:
            self._mark = news["mark"]
        self._ask("figure", f"/api/studies/{self._study}/figures/{figures[self._turn % len(figures)]}")

    def _read_whole_table(self) -> None:
        mark, is_all = "", False
        while not is_all and (piece := self._ask("piece of the table", f"/api/studies/{self._study}?since={mark}")):
            mark, is_all = piece["mark"], piece["is_all"]

    def _ask(self, what: str, path: str) -> Any:
        started = time.perf_counter()
        try:
            with OPEN.open(self._address + path, timeout=PATIENCE) as answer:
                content = json.loads(answer.read())
        except HTTPError as error:  # 404: a figure that is not made yet
            content = None
            if error.code != 404:
                raise
        except (URLError, OSError):
            self.n_missing += 1
            return None
        self.seconds.setdefault(what, []).append(time.perf_counter() - started)
        return content

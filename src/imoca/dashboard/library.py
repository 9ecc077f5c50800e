"""Which databases there are to look at."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from imoca.dashboard.view import StudyView

SQLITE_MAGIC = b"SQLite format 3\0"
APPLICATION = slice(68, 72)  # of the header of an SQLite file: what it belongs to
APPLICATION_ID = b"IMOC"
SUFFIX = "*.db"


class Library:
    """Databases named one by one, and those that lie in folders, looked for anew each time."""

    def __init__(self, places: Sequence[Path], budgets: Mapping[Path, float | str] | None = None) -> None:
        self._places = tuple(places)
        self._budgets = {path.absolute(): budget for path, budget in (budgets or {}).items()}
        self._lock = threading.Lock()
        self._views: dict[Path, StudyView] = {}
        self._gone: dict[Path, StudyView] = {}  # somebody may still look at them, and their files may come back

    def views(self) -> list[StudyView]:
        """In the order of their names within each place; a file that was seen before keeps its view."""
        with self._lock:
            found = dict.fromkeys(path for place in self._places for path in _databases(place))
            known = self._gone | self._views
            self._views = {path: known.get(path) or self._new_view(path) for path in found}
            self._gone = {path: view for path, view in known.items() if path not in found}
            for view in self._gone.values():
                view.close()
            return list(self._views.values())

    def view(self, study_id: str) -> StudyView | None:
        return next((view for view in list(self._views.values()) if view.id == study_id), None)

    def _new_view(self, path: Path) -> StudyView:
        return StudyView(path, self._budgets.get(path.absolute()))

    def close(self) -> None:
        with self._lock:
            for view in (*self._views.values(), *self._gone.values()):
                view.close()


def _databases(place: Path) -> list[Path]:
    if not place.is_dir():
        return [place]
    return [path for path in sorted(place.glob(SUFFIX)) if path.is_file() and not _is_foreign(path)]


def _is_foreign(path: Path) -> bool:
    """Whether it is the sound database of another program; what cannot be read is shown as such."""
    try:
        with path.open("rb") as file:
            header = file.read(APPLICATION.stop)
    except OSError:
        return False
    return header.startswith(SQLITE_MAGIC) and header[APPLICATION] != APPLICATION_ID

"""Every storage keeps the contract."""

from pathlib import Path

from imoca.storage.memory import MemoryStorage
from imoca.storage.sqlite.storage import SQLiteStorage
from imoca.testing import StorageContract


class TestMemoryStorage(StorageContract):
    def open_storage(self, folder: Path) -> MemoryStorage:
        return MemoryStorage()


class TestSQLiteStorage(StorageContract):
    def open_storage(self, folder: Path) -> SQLiteStorage:
        return SQLiteStorage(folder / "study.db")

"""What every storage, runner and method must do, as tests for whoever writes one; they need pytest.

A subclass says how one is made and inherits the tests::

    class TestMyStorage(StorageContract):
        def open_storage(self, folder: Path) -> Storage:
            return MyStorage(folder / "study.mine")
"""

import pytest

# Before they are imported, so that a test that fails shows what it compared.
pytest.register_assert_rewrite("imoca.testing.method", "imoca.testing.runner", "imoca.testing.storage")

from imoca.testing.method import MethodContract  # noqa: E402
from imoca.testing.runner import RunnerContract  # noqa: E402
from imoca.testing.storage import StorageContract  # noqa: E402

__all__ = ["MethodContract", "RunnerContract", "StorageContract"]

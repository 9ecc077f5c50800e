"""What every storage and every runner must do, as tests for whoever writes one; they need pytest.

A subclass says how one is opened and inherits the tests::

    class TestMyStorage(StorageContract):
        def open_storage(self, folder: Path) -> Storage:
            return MyStorage(folder / "study.mine")
"""

import pytest

# Before they are imported, so that a test that fails shows what it compared.
pytest.register_assert_rewrite("imoca.testing.runner", "imoca.testing.storage")

from imoca.testing.runner import RunnerContract  # noqa: E402
from imoca.testing.storage import StorageContract  # noqa: E402

__all__ = ["RunnerContract", "StorageContract"]

"""Every method of our own keeps the contract; those that the laboratory adds are tested beside it."""

import pytest

from imoca.methods import Method, MethodSettings, get_method, method_names
from imoca.testing import MethodContract

WITHOUT_FRONTS = ("parego", "smsego", "ehi", "sur", "random")


@pytest.mark.parametrize("name", method_names())
class TestOwnMethods(MethodContract):
    @pytest.fixture(autouse=True)
    def use_name(self, name: str) -> None:
        self.name = name

    def make_method(self) -> Method:
        return get_method(self.name, MethodSettings(n_fronts=None if self.name in WITHOUT_FRONTS else 2))

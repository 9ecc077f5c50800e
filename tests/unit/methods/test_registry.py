"""Methods by name: our own, and those that another package adds by an entry point."""

from importlib.metadata import EntryPoint

import pytest

from imoca.errors import MethodError
from imoca.methods import MethodSettings, Recipe, added_method_names, get_method, method_names, registry
from imoca.methods.information import InformationSearch
from imoca.methods.random_search import RandomSearch
from imoca.methods.registry import usable_settings

patient = Recipe(lambda settings: RandomSearch(), frozenset({"n_fronts"}))
no_recipe = 42


@pytest.fixture
def added(monkeypatch: pytest.MonkeyPatch) -> None:
    addresses = {
        "patient": f"{__name__}:patient",
        "broken": "no_such_package:method",
        "odd": f"{__name__}:no_recipe",
        "imoca-p": f"{__name__}:no_recipe",
    }
    points = [EntryPoint(name, address, registry.ENTRY_POINTS) for name, address in addresses.items()]
    monkeypatch.setattr(registry, "entry_points", lambda group: points if group == registry.ENTRY_POINTS else [])


@pytest.mark.usefixtures("added")
def test_a_method_of_another_package_joins_by_name() -> None:
    assert get_method("patient", MethodSettings(n_fronts=3)) == RandomSearch()
    assert added_method_names() == ("broken", "odd", "patient")
    with pytest.raises(MethodError, match="no use of initial_design") as caught:
        get_method("patient", MethodSettings(initial_design="cheap"))
    assert "n_fronts" in caught.value.hint


@pytest.mark.usefixtures("added")
def test_a_name_of_our_own_cannot_be_taken() -> None:
    assert isinstance(get_method("imoca-p"), InformationSearch)
    assert "imoca-p" not in added_method_names()


@pytest.mark.usefixtures("added")
@pytest.mark.parametrize(("name", "culprit"), [("broken", "no_such_package"), ("odd", "not a Recipe")])
def test_a_broken_addition_is_named_and_stops_no_other(name: str, culprit: str) -> None:
    with pytest.raises(MethodError, match=culprit):
        get_method(name)
    assert get_method("random") == RandomSearch()


def test_an_unknown_method_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(MethodError, match="imoca-x") as caught:
        get_method("imoca-x")
    assert all(name in caught.value.hint for name in (*method_names(), "botorch-momf"))


def test_settings_without_effect_in_a_stored_study_are_left_out() -> None:
    stored = {"n_fronts": 4, "initial_design": "paper", "fidelity_reduction": True}
    assert usable_settings("imoca-t", stored) == stored
    assert usable_settings("mesmo", stored) == {"n_fronts": 4, "initial_design": "paper"}
    assert usable_settings("parego", stored) == {}

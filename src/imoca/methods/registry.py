"""All methods by name: our own, and those that other packages add."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import partial
from importlib.metadata import EntryPoint, entry_points
from typing import Literal

from imoca.errors import MethodError
from imoca.methods.allowed_designs import check_some_are_allowed
from imoca.methods.information import InformationSearch
from imoca.methods.level_search import LevelSearch
from imoca.methods.method import ConstraintsKnown, Method, Recipe
from imoca.methods.random_search import RandomSearch
from imoca.methods.settings import GivenSettings, MethodSettings
from imoca.methods.target_search import TargetSearch
from imoca.problem.problem import Problem

MethodName = Literal[
    "imoca-p",
    "imoca-e",
    "imoca-t",
    "naive-cfmo",
    "mesmo",
    "parego",
    "smsego",
    "ehi",
    "sur",
    "pesmo",
    "mf-osemo-tg",
    "mf-osemo-ni",
    "random",
]

DEFAULT_N_FRONTS = 10
ENTRY_POINTS = "imoca.methods"  # under which another package adds a Recipe


def _recipe(
    method: InformationSearch | TargetSearch | LevelSearch | RandomSearch,
    *uses: str,
    constraints: ConstraintsKnown = "all",
    needs_order: bool = False,
) -> Recipe:
    return Recipe(partial(_with_settings, method), frozenset(uses), constraints, needs_order)


def _with_settings(
    method: InformationSearch | TargetSearch | LevelSearch | RandomSearch, settings: MethodSettings
) -> Method:
    return dataclasses.replace(method, **settings.given)  # type: ignore[arg-type]  # only what it uses is given


# Defaults per method are measured: docs/decisions/0003-defaults-per-method.md
_RECIPES: dict[str, Recipe] = {
    "imoca-p": _recipe(
        InformationSearch("front", "per cost", "cheap", False, DEFAULT_N_FRONTS, verify=0.5),
        *("n_fronts", "initial_design", "fidelity_reduction", "model", "verify", "evaluate"),
    ),
    "imoca-e": _recipe(
        InformationSearch("skew", "per cost", "cheap", False, DEFAULT_N_FRONTS),
        *("n_fronts", "initial_design", "fidelity_reduction", "model", "verify", "evaluate"),
    ),
    "imoca-t": _recipe(
        InformationSearch("truncated", "per cost", "cheap", True, DEFAULT_N_FRONTS),
        *("n_fronts", "initial_design", "fidelity_reduction", "model", "verify", "evaluate"),
    ),
    "naive-cfmo": _recipe(
        InformationSearch("truncated", "cheapest allowed", "cheap", True, DEFAULT_N_FRONTS),
        *("n_fronts", "initial_design", "fidelity_reduction", "model"),
    ),
    "mesmo": _recipe(
        InformationSearch("truncated", "target", "target", False, DEFAULT_N_FRONTS),
        *("n_fronts", "initial_design", "model"),
    ),
    "parego": _recipe(TargetSearch("parego", DEFAULT_N_FRONTS), "model"),
    "smsego": _recipe(TargetSearch("smsego", DEFAULT_N_FRONTS), "model"),
    "ehi": _recipe(TargetSearch("ehi", DEFAULT_N_FRONTS), "model"),
    "sur": _recipe(TargetSearch("sur", DEFAULT_N_FRONTS), "model", constraints="on parameters"),
    "pesmo": _recipe(TargetSearch("pesmo", DEFAULT_N_FRONTS), "n_fronts", "model", constraints="on parameters"),
    "mf-osemo-tg": _recipe(
        LevelSearch("truncated", "cheap", DEFAULT_N_FRONTS),
        *("n_fronts", "initial_design"),
        constraints="on parameters",
        needs_order=True,
    ),
    "mf-osemo-ni": _recipe(
        LevelSearch("integrated", "cheap", DEFAULT_N_FRONTS),
        *("n_fronts", "initial_design"),
        constraints="on parameters",
        needs_order=True,
    ),
    "random": _recipe(RandomSearch()),
}


def method_names() -> tuple[str, ...]:
    """Our own methods."""
    return tuple(_RECIPES)


def added_method_names() -> tuple[str, ...]:
    """Those that other installed packages add."""
    return tuple(sorted(_added()))


def get_method(name: str, settings: MethodSettings | None = None) -> Method:
    """The method called ``name``; a setting that it makes no use of is an error."""
    recipe, given = _find(name), settings or MethodSettings()
    given.check_used(name, recipe.uses)
    return recipe.make(given)


def keeps_models(name: str) -> bool:
    """Whether the questions of a method remember what was believed, in the terms of the setting ``model``."""
    return "model" in _find(name).uses


def check_suits(name: str, problem: Problem, settings: MethodSettings) -> None:
    """An error for a method that would ask as if the problem had no constraints, or its fidelities an order, or if no
    design holds the constraints."""
    unordered = [simulator.name for simulator in problem.simulators if not simulator.fidelity.is_ordered]
    if unordered and (settings.model == "product" or _find(name).needs_order):
        what = "model 'product'" if settings.model == "product" else f"method {name!r}"
        raise MethodError(
            f"The {what} needs fidelities in order, but simulator {unordered[0]!r} has sources or several knobs.",
            hint="Use the model 'truth-and-error' and one of the methods that know it, such as 'imoca-p'; or give the"
            " simulator levels.",
        )
    known = _find(name).constraints
    if problem.constraints and known not in ("on outputs", "all"):
        named = ", ".join(repr(constraint.name) for constraint in problem.constraints)
        able = ", ".join(each for each, recipe in _RECIPES.items() if recipe.constraints == "all")
        raise MethodError(
            f"The method {name!r} does not know constraints, but the problem has {named}.",
            hint=f"Choose one of {able}.",
        )
    if problem.parameter_constraints and known not in ("on parameters", "all"):
        raise MethodError(
            f"The method {name!r} does not keep to constraints on parameters, but the problem has"
            f" {list(problem.parameter_constraints)}.",
            hint=f"Choose one of {', '.join(_RECIPES)}.",
        )
    check_some_are_allowed(problem.space)


def usable_settings(name: str, stored: Mapping[str, object]) -> GivenSettings:
    """The settings of a stored study that mean something: studies used to keep the others too, without effect.

    All of them where the method is another package's, which is not loaded for that.
    """
    uses = _RECIPES[name].uses if name in _RECIPES else frozenset(stored)
    known = MethodSettings(**{key: value for key, value in stored.items() if key in uses})  # type: ignore[arg-type]
    return known.given


def _find(name: str) -> Recipe:
    if not isinstance(name, str):
        raise MethodError(f"The method is {name!r}.", hint=f"Give its name, such as {next(iter(_RECIPES))!r}.")
    if name in _RECIPES:
        return _RECIPES[name]
    added = _added()
    if name not in added:
        names = ", ".join([*_RECIPES, *sorted(added)])
        raise MethodError(f"Unknown method {name!r}.", hint=f"Choose one of {names}.")
    try:
        recipe = added[name].load()
    except Exception as error:  # another package may fail to import in any way
        raise MethodError(
            f"The method {name!r} cannot be loaded: {type(error).__name__}: {error}.",
            hint=f"It is added by {added[name].value}; install what that needs.",
        ) from error
    if not isinstance(recipe, Recipe):
        raise MethodError(
            f"The method {name!r} is {recipe!r}, not a Recipe.", hint=f"Correct the entry point {added[name].value}."
        )
    return recipe


def _added() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=ENTRY_POINTS) if point.name not in _RECIPES}

"""All methods by name."""

from __future__ import annotations

import dataclasses
from typing import Literal

from imoca.errors import MethodError
from imoca.methods.information import InformationSearch
from imoca.methods.initial_design import InitialDesign, check_initial_design
from imoca.methods.method import Method
from imoca.methods.random_search import RandomSearch

MethodName = Literal["imoca-p", "imoca-e", "imoca-t", "naive-cfmo", "mesmo", "random"]

DEFAULT_N_FRONTS = 10

# Defaults per method are measured: docs/decisions/0003-defaults-per-method.md
_INFORMATION_SEARCHES: dict[str, InformationSearch] = {
    "imoca-p": InformationSearch("front", "per cost", "cheap", False, DEFAULT_N_FRONTS),
    "imoca-e": InformationSearch("skew", "per cost", "cheap", False, DEFAULT_N_FRONTS),
    "imoca-t": InformationSearch("truncated", "per cost", "cheap", True, DEFAULT_N_FRONTS),
    "naive-cfmo": InformationSearch("truncated", "cheapest allowed", "cheap", True, DEFAULT_N_FRONTS),
    "mesmo": InformationSearch("truncated", "target", "target", False, DEFAULT_N_FRONTS),
}


def method_names() -> tuple[str, ...]:
    return (*_INFORMATION_SEARCHES, "random")


def get_method(
    name: str,
    *,
    n_fronts: int | None = None,
    initial_design: InitialDesign | None = None,
    fidelity_reduction: bool | None = None,
) -> Method:
    """The method called ``name``; None leaves a setting at the method's own default."""
    if name == "random":
        return RandomSearch()
    if name not in _INFORMATION_SEARCHES:
        raise MethodError(f"Unknown method {name!r}.", hint=f"Choose one of {', '.join(method_names())}.")
    method = _INFORMATION_SEARCHES[name]
    if n_fronts is not None:
        if isinstance(n_fronts, bool) or not isinstance(n_fronts, int) or n_fronts < 1:
            raise MethodError(
                f"n_fronts is {n_fronts!r}.",
                hint="Give the number of sampled fronts, a whole number of at least 1.",
            )
        method = dataclasses.replace(method, n_fronts=n_fronts)
    if initial_design is not None:
        check_initial_design(initial_design)
        method = dataclasses.replace(method, initial_design=initial_design)
    if fidelity_reduction is not None:
        method = dataclasses.replace(method, fidelity_reduction=fidelity_reduction)
    return method

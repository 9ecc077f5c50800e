"""All methods by name."""

from __future__ import annotations

import dataclasses
from typing import Literal

from imoca.errors import MethodError
from imoca.methods.botorch.peers import PeerName, get_peer, peer_names
from imoca.methods.information import InformationSearch
from imoca.methods.initial_design import InitialDesign, check_initial_design
from imoca.methods.level_search import LevelSearch
from imoca.methods.method import Method
from imoca.methods.random_search import RandomSearch
from imoca.methods.target_search import TargetSearch
from imoca.problem.names import is_integer

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
    PeerName,
]

DEFAULT_N_FRONTS = 10

# Defaults per method are measured: docs/decisions/0003-defaults-per-method.md
_METHODS: dict[str, InformationSearch | TargetSearch | LevelSearch | RandomSearch] = {
    "imoca-p": InformationSearch("front", "per cost", "cheap", False, DEFAULT_N_FRONTS),
    "imoca-e": InformationSearch("skew", "per cost", "cheap", False, DEFAULT_N_FRONTS),
    "imoca-t": InformationSearch("truncated", "per cost", "cheap", True, DEFAULT_N_FRONTS),
    "naive-cfmo": InformationSearch("truncated", "cheapest allowed", "cheap", True, DEFAULT_N_FRONTS),
    "mesmo": InformationSearch("truncated", "target", "target", False, DEFAULT_N_FRONTS),
    "parego": TargetSearch("parego", DEFAULT_N_FRONTS),
    "smsego": TargetSearch("smsego", DEFAULT_N_FRONTS),
    "ehi": TargetSearch("ehi", DEFAULT_N_FRONTS),
    "sur": TargetSearch("sur", DEFAULT_N_FRONTS),
    "pesmo": TargetSearch("pesmo", DEFAULT_N_FRONTS),
    "mf-osemo-tg": LevelSearch("truncated", "cheap", DEFAULT_N_FRONTS),
    "mf-osemo-ni": LevelSearch("integrated", "cheap", DEFAULT_N_FRONTS),
    "random": RandomSearch(),
}


def method_names() -> tuple[str, ...]:
    """The methods that need nothing beyond the core; ``peer_names`` are the others, opponents for comparisons."""
    return tuple(_METHODS)


def get_method(
    name: str,
    *,
    n_fronts: int | None = None,
    initial_design: InitialDesign | None = None,
    fidelity_reduction: bool | None = None,
) -> Method:
    """The method called ``name``; None leaves a setting at the method's own default.

    A setting that a method has no use for is left out, so that methods can be compared under the same settings.
    """
    if name not in (*_METHODS, *peer_names()):
        names = ", ".join([*method_names(), *peer_names()])
        raise MethodError(f"Unknown method {name!r}.", hint=f"Choose one of {names}.")
    if n_fronts is not None and (not is_integer(n_fronts) or n_fronts < 1):
        raise MethodError(
            f"n_fronts is {n_fronts!r}.",
            hint="Give the number of sampled fronts, a whole number of at least 1.",
        )
    if initial_design is not None:
        check_initial_design(initial_design)
    if name in peer_names():
        return get_peer(name, initial_design)
    method = _METHODS[name]
    if n_fronts is not None and not isinstance(method, RandomSearch):
        method = dataclasses.replace(method, n_fronts=int(n_fronts))
    if initial_design is not None and isinstance(method, InformationSearch | LevelSearch):
        method = dataclasses.replace(method, initial_design=initial_design)
    if fidelity_reduction is not None and isinstance(method, InformationSearch):
        method = dataclasses.replace(method, fidelity_reduction=fidelity_reduction)
    return method

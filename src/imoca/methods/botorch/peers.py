"""The names of BoTorch's methods, and how to build one where BoTorch is installed."""

from __future__ import annotations

from typing import Literal, get_args

from imoca.errors import MethodError
from imoca.methods.initial_design import InitialDesign
from imoca.methods.method import Method

PeerName = Literal[
    "botorch-momf",
    "botorch-hvkg",
    "botorch-qlognehvi",
    "botorch-qlognparego",
    "botorch-jes",
    "botorch-mesmo",
]


def peer_names() -> tuple[str, ...]:
    return get_args(PeerName)


def get_peer(name: str, initial_design: InitialDesign | None) -> Method:
    """The method called ``name``, one of ``peer_names``; None is its tutorial's own start.

    Methods that ask at full accuracy only have no use for another start.
    """
    try:
        from imoca.methods.botorch.full_fidelity import FullFidelitySearch
        from imoca.methods.botorch.shared_fidelity import SharedFidelitySearch
    except ImportError as error:
        raise MethodError(
            f"The method {name!r} needs PyTorch and BoTorch, which cannot be imported: {error}.",
            hint="Run pip install -c constraints-peers.txt 'imoca[peers]', or make .venv/.peers in a clone.",
        ) from error
    match name:
        case "botorch-momf":
            return SharedFidelitySearch("momf", initial_design)
        case "botorch-hvkg":
            return SharedFidelitySearch("hvkg", initial_design)
        case "botorch-qlognehvi":
            return FullFidelitySearch("qlognehvi")
        case "botorch-qlognparego":
            return FullFidelitySearch("qlognparego")
        case "botorch-jes":
            return FullFidelitySearch("jes")
        case "botorch-mesmo":
            return FullFidelitySearch("mesmo")
        case _:
            raise MethodError(f"Unknown method {name!r}.", hint=f"Choose one of {', '.join(peer_names())}.")

"""BoTorch's methods as recipes: they join imoca by entry points, and need BoTorch only when one is made."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from imoca.errors import MethodError
from imoca.methods import Method, MethodSettings, Recipe

if TYPE_CHECKING:
    from imoca_lab.peers.full_fidelity import FullCriterionName
    from imoca_lab.peers.shared_fidelity import SharedCriterionName


def _shared_fidelity(criterion: SharedCriterionName, settings: MethodSettings) -> Method:
    """Without an initial design it is the tutorial's own."""
    try:
        from imoca_lab.peers.shared_fidelity import SharedFidelitySearch
    except ImportError as error:
        raise _missing(criterion, error) from error
    return SharedFidelitySearch(criterion, settings.initial_design)


def _full_fidelity(criterion: FullCriterionName, settings: MethodSettings) -> Method:
    try:
        from imoca_lab.peers.full_fidelity import FullFidelitySearch
    except ImportError as error:
        raise _missing(criterion, error) from error
    return FullFidelitySearch(criterion)


def _missing(criterion: str, error: ImportError) -> MethodError:
    return MethodError(
        f"BoTorch's {criterion} needs PyTorch and BoTorch, which cannot be imported: {error}.",
        hint="Run pip install -c constraints-peers.txt 'imoca[peers]', or make .venv/.peers in a clone.",
    )


momf = Recipe(partial(_shared_fidelity, "momf"), frozenset({"initial_design"}), constraints="on outputs")
hvkg = Recipe(partial(_shared_fidelity, "hvkg"), frozenset({"initial_design"}))
qlognehvi = Recipe(partial(_full_fidelity, "qlognehvi"), constraints="on outputs")
qlognparego = Recipe(partial(_full_fidelity, "qlognparego"))
jes = Recipe(partial(_full_fidelity, "jes"))
mesmo = Recipe(partial(_full_fidelity, "mesmo"))

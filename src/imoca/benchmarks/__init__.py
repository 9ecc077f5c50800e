"""Problems whose true, or best known, Pareto front is stored with them."""

from imoca.benchmarks.registry import DESCRIPTIONS, get

__all__ = ["DESCRIPTIONS", "get"]

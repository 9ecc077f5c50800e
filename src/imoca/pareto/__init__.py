"""Fronts as plain arrays, every value maximised: dominance, indicators, search, and some points of many."""

from imoca.pareto.dominance import finite_points, non_dominated
from imoca.pareto.indicators import average_distance, estimate_hypervolume, hypervolume, sample_hypervolume
from imoca.pareto.search import Front, SearchEffort, log_uniform, search_fronts
from imoca.pareto.subset import representative_subset, spread_subset

__all__ = [
    "Front",
    "SearchEffort",
    "average_distance",
    "estimate_hypervolume",
    "finite_points",
    "hypervolume",
    "log_uniform",
    "non_dominated",
    "representative_subset",
    "sample_hypervolume",
    "search_fronts",
    "spread_subset",
]

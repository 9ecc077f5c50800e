"""Recipes: the only place that combines models, fronts and acquisitions into the next question."""

from imoca.methods.initial_design import candidate, initial_question, initial_size
from imoca.methods.method import Method, Recipe
from imoca.methods.registry import added_method_names, get_method, method_names
from imoca.methods.settings import InitialDesign, MethodSettings

__all__ = [
    "InitialDesign",
    "Method",
    "MethodSettings",
    "Recipe",
    "added_method_names",
    "candidate",
    "get_method",
    "initial_question",
    "initial_size",
    "method_names",
]

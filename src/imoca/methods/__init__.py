"""Recipes: the only place that combines models, fronts and acquisitions into the next question."""

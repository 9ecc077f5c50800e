"""Pareto fronts as plain arrays; every objective is maximised here."""

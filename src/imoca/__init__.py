"""Multi-objective Bayesian optimization with a fidelity and a cost per simulator."""

__version__ = "0.1.0"

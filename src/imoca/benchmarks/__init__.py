"""Problems whose true Pareto front is known."""

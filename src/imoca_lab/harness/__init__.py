"""Methods against problems: run, score, compare."""

"""One file per benchmark problem."""

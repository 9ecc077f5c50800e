"""How simulators are run."""

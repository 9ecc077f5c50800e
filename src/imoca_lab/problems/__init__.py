"""Test problems, each a module or, where it takes a simulator of its own, a folder."""

"""Input that nobody thought of, by chance: `make fuzz`."""

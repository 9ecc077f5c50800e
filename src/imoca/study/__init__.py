"""The one stateful object: a study asks, is told, and recommends."""

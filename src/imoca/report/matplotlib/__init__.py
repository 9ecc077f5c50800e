"""Records drawn by matplotlib."""

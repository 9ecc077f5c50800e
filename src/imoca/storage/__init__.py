"""Where trials live."""

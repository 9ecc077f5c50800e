"""Records drawn by plotly."""

"""What everything that is served over HTTP shares."""

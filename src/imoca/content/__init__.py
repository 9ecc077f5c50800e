"""Trials, fronts and runs as plain content for JSON: the same on the command line and over HTTP."""

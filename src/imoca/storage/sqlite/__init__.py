"""Trials in an SQLite file."""

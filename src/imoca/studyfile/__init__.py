"""The TOML file that describes a study: its shape, its faults in words, and what it means."""

from imoca.studyfile.entries import Duration, seconds
from imoca.studyfile.file import load_study_file
from imoca.studyfile.problem import fidelity_to_toml, problem_from_toml, problem_to_toml
from imoca.studyfile.tables import TYPE_WORDS, MethodSettingsTable, Table, key_of, known_keys

__all__ = [
    "TYPE_WORDS",
    "Duration",
    "MethodSettingsTable",
    "Table",
    "fidelity_to_toml",
    "key_of",
    "known_keys",
    "load_study_file",
    "problem_from_toml",
    "problem_to_toml",
    "seconds",
]

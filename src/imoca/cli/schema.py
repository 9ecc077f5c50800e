"""``imoca schema``: the JSON Schema of a study file, for editors."""

from __future__ import annotations

from imoca.cli.output import print_json


def schema() -> None:
    """Print the JSON Schema of a study file."""
    from imoca.studyfile.file import study_file_schema

    print_json(study_file_schema())

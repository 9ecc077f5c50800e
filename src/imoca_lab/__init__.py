"""The laboratory: test problems with known fronts, the harness that compares methods on them, and opponents.

It stands beside ``imoca`` and uses only its public names; nothing in ``imoca`` imports it. Its methods and commands
join by entry points.
"""

from imoca_lab.registry import DESCRIPTIONS, get

__all__ = ["DESCRIPTIONS", "get"]

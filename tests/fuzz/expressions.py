"""Cost expressions: refused in words, or worth what Python says they are."""

from __future__ import annotations

import math
import random
from pathlib import Path

import numpy as np

from fuzz.case import expect
from fuzz.mutate import mutated_text
from imoca import Fidelity
from imoca.errors import CostError
from imoca.problem.cost import ExpressionCost

FUNCTIONS = {
    "exp": math.exp,
    "log": math.log,
    "log10": math.log10,
    "sqrt": math.sqrt,
    "abs": abs,
    "min": min,
    "max": max,
}
NAMES = {"pi": math.pi, "e": math.e}
FIDELITY = Fidelity.continuous(0.5, 2.0)


def run(rng: random.Random, folder: Path) -> None:
    for _ in range(50):
        text = _expression(rng, 0)
        is_ours = rng.random() < 0.5
        if not is_ours:
            text = mutated_text(rng, text).decode("utf-8", "replace")
        try:
            cost = ExpressionCost(text)
            found = cost.evaluate({"x": np.array([0.3, 0.7])}, FIDELITY, np.array([0.0, 1.0]))
        except CostError:
            continue
        expect(found.shape == (2, 2), f"{text!r} has the shape {found.shape}")
        expect(bool(np.isfinite(found).all() and (found > 0.0).all()), f"{text!r} costs {found}")
        if is_ours:
            _compare(text, found[1, 0], x=0.7, z=0.5)


def _compare(text: str, found: float, **variables: float) -> None:
    names: dict[str, object] = {**FUNCTIONS, **NAMES, **variables, "__builtins__": {}}
    try:
        value = eval(text, names)  # noqa: S307  (made by us, a few lines below)
    except (ValueError, ZeroDivisionError, OverflowError):
        return  # NumPy has an infinity where Python has an error
    if isinstance(value, float | int) and math.isfinite(value):
        expect(math.isclose(value, found, rel_tol=1e-6), f"{text!r} is {value}, but {found} was computed")


def _expression(rng: random.Random, depth: int) -> str:
    if depth > 4 or rng.random() < 0.25:
        return rng.choice(["z", "x", "pi", "e", "1", "2.5", "0.05", "1e-3", str(rng.random())])
    inner = [_expression(rng, depth + 1) for _ in range(3)]
    return rng.choice(
        [
            f"({inner[0]} {rng.choice('+-*/')} {inner[1]})",
            f"({inner[0]})**{rng.choice(['2', '0.5', '-1', '6.5', '-3'])}",
            f"{rng.choice(['exp', 'log', 'log10', 'sqrt', 'abs'])}({inner[0]})",
            f"{rng.choice(['min', 'max'])}({', '.join(inner)})",
            f"-{inner[0]}",
        ]
    )

"""Constraints on parameters such as "x1 + x2 <= 1": known beforehand, free of cost, never violated by a question."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from imoca.arrays import Array, BoolArray
from imoca.errors import CostError, ProblemError
from imoca.problem.expression import Expression, compile_expression
from imoca.problem.names import is_writable_text

HINT = (
    'Write a comparison of expressions in the numeric parameters, such as "x1 + x2 <= 1" or "0.1 < a * b < 0.5",'
    " with <=, <, >= or >; + - * / **, exp, log, log10, sqrt, min, max, abs, pi and e may be used."
)
OPERATORS: dict[type[ast.cmpop], tuple[float, Callable[[Array, Array], BoolArray]]] = {
    ast.LtE: (1.0, np.less_equal),
    ast.Lt: (1.0, np.less),
    ast.GtE: (-1.0, np.greater_equal),
    ast.Gt: (-1.0, np.greater),
}
FARTHEST = 1e9  # by which an expression that is no number violates


@dataclass(frozen=True)
class _Comparison:
    left: Expression
    right: Expression
    sign: float  # +1 where the left side is to be the smaller one
    holds: Callable[[Array, Array], BoolArray]


@dataclass(frozen=True)
class Condition:
    """A comparison of expressions, or several in a chain; two are equal if their texts are."""

    text: str
    _comparisons: tuple[_Comparison, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.text, str) or not is_writable_text(self.text):
            raise ProblemError(f"A constraint on parameters came as {self.text!r}.", hint=HINT)
        try:
            object.__setattr__(self, "_comparisons", _compiled(self.text.strip()))
        except CostError as error:
            raise ProblemError(f"The constraint {self.text!r}: {error.message}", hint=HINT) from error

    def check_names(self, available: Sequence[str]) -> None:
        sides = [side for each in self._comparisons for side in (each.left, each.right)]
        used = {name for side in sides for name in side.names}
        unknown, hidden = sorted(used - {*available}), sorted({*available} & {n for s in sides for n in s.constants})
        if unknown or not used:
            fault = f"names {unknown}, which are no numeric parameters" if unknown else "names no parameter"
            raise ProblemError(
                f"The constraint {self.text!r} {fault}.", hint=f"The numeric parameters are {list(available)}."
            )
        if hidden:
            raise ProblemError(
                f"The constraint {self.text!r} uses {hidden}, both a constant and a parameter.",
                hint="Rename the parameter.",
            )

    def holds(self, columns: Mapping[str, Array]) -> BoolArray:  # name: (n,) -> (n,)
        """Exactly as written; an expression that is no number holds nowhere."""
        answers = [each.holds(each.left(columns), each.right(columns)) for each in self._comparisons]
        return np.broadcast_to(np.all(answers, axis=0), len(next(iter(columns.values()))))

    def excess(self, columns: Mapping[str, Array]) -> Array:  # name: (n,) -> (n,)
        """By how much it is violated, in the units of its expressions; 0 on the bound and within."""
        n = len(next(iter(columns.values())))
        total = np.zeros(n)
        for each in self._comparisons:
            with np.errstate(all="ignore"):
                beyond = each.sign * (each.left(columns) - each.right(columns))
            total = total + np.clip(np.nan_to_num(beyond, nan=FARTHEST), 0.0, FARTHEST)
        return total


def _compiled(text: str) -> tuple[_Comparison, ...]:
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise CostError(f"it cannot be read ({error}).", hint=HINT) from error
    if not isinstance(tree, ast.Compare) or not all(type(each) in OPERATORS for each in tree.ops):
        raise CostError("it is no comparison by <=, <, >= or >.", hint=HINT)
    sides = [compile_expression(ast.get_source_segment(text, node) or "") for node in (tree.left, *tree.comparators)]
    return tuple(
        _Comparison(left, right, *OPERATORS[type(operator)])
        for left, operator, right in zip(sides, tree.ops, sides[1:], strict=False)
    )

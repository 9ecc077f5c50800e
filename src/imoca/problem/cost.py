"""What a run costs, as declared by the user: an expression, a function, one number per level, or measured.

`evaluate` returns raw costs of shape (n, g) for n designs and g fidelities, positive and finite, or raises.
n is the length of the columns, 1 when there are none.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from imoca.arrays import Array
from imoca.errors import CostError
from imoca.problem.accuracy import FIDELITY_NAME
from imoca.problem.expression import Expression, compile_expression
from imoca.problem.fidelity import Fidelity, Levels
from imoca.problem.names import as_tuple, is_number
from imoca.problem.reference import FunctionReference, function_identity
from imoca.wording import shown

MEASURED = "measured"
HINT = 'Give an expression such as "0.05 + z**6.5", a function, one number per level, or "measured".'
EXPECTED_HINT = 'Give an expression such as "0.05 + z**6.5", a number, or one number per level.'


@dataclass(frozen=True)
class ExpressionCost:
    """A safe expression in z, the fidelity in the user's own units, or in several knobs, and in numeric parameters."""

    text: str
    _expression: Expression = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise CostError(f"A cost expression came as {shown(self.text)}, not as a string.", hint=HINT)
        object.__setattr__(self, "_expression", compile_expression(self.text))

    def __reduce__(self) -> tuple[type["ExpressionCost"], tuple[str]]:
        """Pickled as its text: closures cannot travel to another process."""
        return ExpressionCost, (self.text,)

    @property
    def uses_z(self) -> bool:
        return FIDELITY_NAME in self._expression.names

    def depends_on_design(self, fidelity: Fidelity) -> bool:
        return bool(self._expression.names - set(fidelity.names))

    def check_names(self, available: Sequence[str], fidelity: Fidelity) -> None:
        """Every name must be of the fidelity or of a numeric parameter, and no constant may hide a parameter."""
        if unknown := sorted(self._expression.names - {*fidelity.numeric_names, *available}):
            raise _unknown_names(f"The cost expression {shown(self.text)}", unknown, available, fidelity.numeric_names)
        if hidden := sorted(self._expression.constants & set(available)):
            raise CostError(
                f"The cost expression {shown(self.text)} uses {hidden!r}, both a constant and a parameter.",
                hint="Rename the parameter, or write the constant as a number.",
            )

    def evaluate(self, columns: Mapping[str, Array], fidelity: Fidelity, z: Array) -> Array:
        self.check_names(tuple(columns), fidelity)
        environment = {name: np.asarray(column)[:, None] for name, column in columns.items()}
        environment |= {name: numbers[None, :] for name, numbers in fidelity.variables(z).items()}
        raw = self._expression(environment)
        return _checked(raw, columns, fidelity, z, f"The cost expression {shown(self.text)}")


@dataclass(frozen=True)
class CallableCost:
    """A function of z, or of several knobs, and of numeric parameters, called by their names.

    Two are equal if their functions are, or if one is a reference to the other's; a reference is imported no
    sooner than the first evaluation.
    """

    function: Callable[..., float] | FunctionReference = field(compare=False)
    _identity: object = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.function, FunctionReference) and not callable(self.function):
            raise CostError(f"A cost function came as {shown(self.function)}, which cannot be called.", hint=HINT)
        object.__setattr__(self, "_identity", function_identity(self.function))

    @property
    def is_sealed(self) -> bool:
        """Whether it may not be called here."""
        return isinstance(self.function, FunctionReference) and self.function.is_sealed

    @property
    def is_resolved(self) -> bool:
        return not isinstance(self.function, FunctionReference)

    @property
    def uses_z(self) -> bool:
        return FIDELITY_NAME in self._arguments()

    def depends_on_design(self, fidelity: Fidelity) -> bool:
        return any(name not in fidelity.names for name in self._arguments())

    def check_names(self, available: Sequence[str], fidelity: Fidelity) -> None:
        """Every argument without a default must be of the fidelity or one of the numeric parameters."""
        known = {*fidelity.names, *available}
        required = [name for name, has_default in self._arguments().items() if not has_default]
        if unknown := [name for name in required if name not in known]:
            raise _unknown_names(f"The cost function {self._label}", unknown, available, fidelity.names)

    def evaluate(self, columns: Mapping[str, Array], fidelity: Fidelity, z: Array) -> Array:
        self.check_names(tuple(columns), fidelity)
        function, arguments = self._function(), self._arguments()
        used = [name for name in columns if name in arguments]
        n_rows = _n_designs(columns) if used else 1
        settings = [fidelity.decode(float(point)) for point in z]
        raw = np.empty((n_rows, len(settings)))
        for row in range(n_rows):
            named: dict[str, Any] = {name: float(columns[name][row]) for name in used}
            for column, setting in enumerate(settings):
                at_setting = {name: level for name, level in fidelity.named(setting).items() if name in arguments}
                raw[row, column] = self._call(function, named | at_setting)
        return _checked(raw, columns, fidelity, z, f"The cost function {self._label}")

    def _call(self, function: Callable[..., float], named: dict[str, Any]) -> float:
        try:
            answer = function(**named)
        except Exception as error:  # a user's function may fail in any way
            raise CostError(
                f"The cost function {self._label} failed at {shown(named)}: {type(error).__name__}: {error}.",
                hint="It must return a positive number for every design and fidelity.",
            ) from error
        if not is_number(answer):
            raise CostError(
                f"The cost function {self._label} returned {shown(answer)} at {shown(named)}.",
                hint="It must return a positive number for every design and fidelity.",
            )
        return float(answer)

    def _arguments(self) -> dict[str, bool]:
        """Argument names, and whether each has a default."""
        try:
            parameters = inspect.signature(self._function()).parameters.values()
        except (TypeError, ValueError) as error:
            raise self._signature_fault() from error
        by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        if any(parameter.kind not in by_name for parameter in parameters):
            raise self._signature_fault()
        return {parameter.name: parameter.default is not parameter.empty for parameter in parameters}

    def _signature_fault(self) -> CostError:
        return CostError(
            f"The cost function {self._label} does not name its arguments.",
            hint="Define it with named arguments only, such as def cost(z, x1); *args will not do.",
        )

    def _function(self) -> Callable[..., float]:
        return self.function.resolve() if isinstance(self.function, FunctionReference) else self.function

    @property
    def _label(self) -> str:
        if isinstance(self.function, FunctionReference):
            return repr(self.function.path)
        return repr(getattr(self.function, "__qualname__", self.function))


@dataclass(frozen=True, init=False)
class LevelCosts:
    """One positive number per level, in the order of the levels."""

    values: tuple[float, ...]

    def __init__(self, values: Sequence[float]) -> None:
        given = as_tuple(values, "The list of costs per level", CostError)
        if not given or not all(is_number(value) and value > 0 for value in given):
            raise CostError(
                f"The costs per level are {shown(list(given))}, but must be positive finite numbers.", hint=HINT
            )
        object.__setattr__(self, "values", tuple(float(value) for value in given))

    def depends_on_design(self, fidelity: Fidelity) -> bool:
        return False

    def check_fits(self, fidelity: Fidelity) -> Levels:
        """The levels that the costs belong to, or an error: there must be as many costs as levels."""
        if isinstance(fidelity, Levels) and len(fidelity.values) == len(self.values):
            return fidelity
        expected = f"{len(fidelity.values)} levels" if isinstance(fidelity, Levels) else "no levels"
        raise CostError(
            f"{len(self.values)} costs are given for a fidelity with {expected}.",
            hint="Give one cost per level, in the order of the levels; without levels, an expression.",
        )

    def evaluate(self, columns: Mapping[str, Array], fidelity: Fidelity, z: Array) -> Array:
        raw = np.array(self.values)[self.check_fits(fidelity).level_indices(z)]
        return _checked(raw, columns, fidelity, z, "The list of costs per level")


@dataclass(frozen=True, init=False)
class MeasuredCost:
    """Learned from the wall time or the told cost of finished runs.

    What is ``expected`` of it, an expression or one number per level, holds until runs tell otherwise; only its ratios
    count, its unit is anybody's. Without, a full run is expected to cost ten times the cheapest.
    """

    expected: ExpressionCost | LevelCosts | None

    def __init__(self, expected: str | float | Sequence[float] | ExpressionCost | LevelCosts | None = None) -> None:
        object.__setattr__(self, "expected", None if expected is None else _as_expectation(expected))

    def depends_on_design(self, fidelity: Fidelity) -> bool:
        return True


KnownCost = ExpressionCost | CallableCost | LevelCosts
Cost = KnownCost | MeasuredCost
DeclaredCost = Callable[..., float] | str | float | Sequence[float] | Cost


def as_cost(declared: DeclaredCost | None, fidelity: Fidelity) -> Cost:
    """The cost that a declaration means, checked against the simulator's fidelity.

    A number becomes the expression that says it, for a constant cost is one. None stands for 1 where there is
    no fidelity to choose.
    """
    cost = _build_cost(declared, fidelity)
    known = cost.expected if isinstance(cost, MeasuredCost) else cost
    if isinstance(known, LevelCosts):
        known.check_fits(fidelity)
    elif isinstance(known, ExpressionCost) and known.uses_z and not fidelity.is_numeric:
        raise CostError(
            f"The cost expression {known.text!r} uses z, but the fidelity is not a number.",
            hint="Give one number per level, or an expression without z.",
        )
    elif isinstance(known, CallableCost) and known.is_resolved and known.uses_z and not fidelity.has_knob:
        raise CostError(
            "The cost function takes z, but the simulator has no fidelity.",
            hint="Drop the argument z, or declare a fidelity.",
        )
    return cost


def _build_cost(declared: DeclaredCost | None, fidelity: Fidelity) -> Cost:
    if isinstance(declared, Cost):
        return declared
    if declared is None and not fidelity.has_knob:
        return ExpressionCost("1.0")
    if isinstance(declared, str):
        return MeasuredCost() if declared.strip() == MEASURED else ExpressionCost(declared)
    if callable(declared):
        return CallableCost(declared)
    if is_number(declared) and declared > 0:
        return ExpressionCost(repr(float(declared)))
    if isinstance(declared, list | tuple | np.ndarray):
        return LevelCosts(declared)
    fault = "No cost is given" if declared is None else f"The cost is {shown(declared)}"
    raise CostError(f"{fault}; a simulator with a fidelity needs a positive one.", hint=HINT)


def _as_expectation(given: Any) -> ExpressionCost | LevelCosts:
    """A function is none: it would have to be called by whoever only looks at a study."""
    if isinstance(given, ExpressionCost | LevelCosts):
        return given
    if isinstance(given, str) and given.strip() != MEASURED:
        return ExpressionCost(given)
    if is_number(given) and given > 0:
        return ExpressionCost(repr(float(given)))
    if isinstance(given, list | tuple | np.ndarray):
        return LevelCosts(tuple(given))
    raise CostError(f"What is expected of a measured cost is {shown(given)}.", hint=EXPECTED_HINT)


def _n_designs(columns: Mapping[str, Array]) -> int:
    return len(next(iter(columns.values()))) if columns else 1


def _checked(raw: Array, columns: Mapping[str, Array], fidelity: Fidelity, z: Array, what: str) -> Array:
    costs = np.array(np.broadcast_to(raw, (_n_designs(columns), len(z))), dtype=np.float64)
    wrong = ~(np.isfinite(costs) & (costs > 0.0))
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        design = {name: float(values[row]) for name, values in columns.items()}
        at = f"fidelity {fidelity.decode(float(z[column]))!r}" + (f" and design {design!r}" if design else "")
        raise CostError(
            f"{what} gives {costs[row, column]!s} at {at}.",
            hint="A cost must be a positive finite number at every design and fidelity.",
        )
    return costs


def _unknown_names(what: str, unknown: Sequence[str], available: Sequence[str], knobs: Sequence[str]) -> CostError:
    """``knobs``: what the fidelity is called, if it may be used."""
    fidelity = " and ".join(knobs) or "a fidelity"
    own = f"{' and '.join(knobs)} and " if knobs else ""
    return CostError(
        f"{what} refers to {list(unknown)!r}, which is neither {fidelity} nor a numeric parameter.",
        hint=f"It may use {own}{sorted(available)!r}."
        if available
        else f"It may use {fidelity} alone."
        if knobs
        else "It may be a number.",
    )

"""Cost expressions such as "0.05 + z**6.5", turned once into NumPy closures.

Nothing is ever handed to Python for execution: the text is parsed to a syntax tree, every node must be on the
list below, and all numbers are float64, so the worst an expression can do is overflow to infinity.
"""

import ast
import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce

import numpy as np

from imoca.arrays import Array
from imoca.errors import CostError
from imoca.wording import shown

Environment = Mapping[str, Array]
Closure = Callable[[Environment], Array]

# Far above any sensible cost, far below what could strain the parser, the stack or the memory.
MAX_CHARACTERS = 500
MAX_NODES = 400
MAX_DEPTH = 60
MAX_EXPONENT = 100.0

CONSTANTS = {"pi": math.pi, "e": math.e}
UNARY_FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    "exp": np.exp,
    "log": np.log,
    "log10": np.log10,
    "sqrt": np.sqrt,
    "abs": np.abs,
}
REDUCTIONS: dict[str, Callable[[Array, Array], Array]] = {"min": np.minimum, "max": np.maximum}
OPERATORS: dict[type[ast.operator], Callable[[Array, Array], Array]] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.divide,
    ast.Pow: np.power,
}
HINT = (
    "Use numbers, z, numeric parameter names, + - * / **, parentheses, the functions"
    " exp, log, log10, sqrt, min, max, abs and the constants pi, e; for anything else give a function."
)


@dataclass(frozen=True)
class Expression:
    """A compiled expression and the names it refers to."""

    names: frozenset[str]  # variables, to be found in the environment
    constants: frozenset[str]
    closure: Closure

    def __call__(self, environment: Environment) -> Array:
        """The value; arrays broadcast, faults of arithmetic show up as inf or nan."""
        with np.errstate(all="ignore"):
            return np.asarray(self.closure(environment), dtype=np.float64)


def compile_expression(text: str) -> Expression:
    """Parse, check against the whitelist, and build the closures."""
    tree = _parse(text)
    nodes = list(ast.walk(tree))
    if len(nodes) > MAX_NODES:
        raise _refusal(text, f"has {len(nodes)} syntax nodes; at most {MAX_NODES} are allowed")
    closure = _build(tree.body, text, 0)
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    names = {node.id for node in nodes if isinstance(node, ast.Name) and id(node) not in called}
    return Expression(frozenset(names - CONSTANTS.keys()), frozenset(names & CONSTANTS.keys()), closure)


def _parse(text: str) -> ast.Expression:
    if len(text) > MAX_CHARACTERS:
        raise _refusal(f"{text[:40]}...", f"has {len(text)} characters; at most {MAX_CHARACTERS} are allowed")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python warns of odd spellings that the whitelist refuses anyway
            return ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise _refusal(text, f"cannot be read ({error})") from error


def _build(node: ast.expr, text: str, depth: int) -> Closure:
    if depth > MAX_DEPTH:
        raise _refusal(text, f"is nested more than {MAX_DEPTH} deep")
    match node:
        case ast.Constant(value=value):
            return _constant(value, text)
        case ast.Name(id=name):
            return _name(name)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _build(operand, text, depth + 1)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = _build(operand, text, depth + 1)
            return lambda environment: np.negative(inner(environment))
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in OPERATORS:
            if isinstance(operator, ast.Pow):
                _check_exponent(right, text)
            return _binary(OPERATORS[type(operator)], _build(left, text, depth + 1), _build(right, text, depth + 1))
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
            return _call(name, [_build(argument, text, depth + 1) for argument in arguments], text)
        case _:
            raise _refusal(text, f"contains {ast.get_source_segment(text.strip(), node)!r}, which is not allowed")


def _constant(value: object, text: str) -> Closure:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _refusal(text, f"contains {shown(value)}, which is not a number")
    try:
        number = np.asarray(float(value))
    except OverflowError as error:
        raise _refusal(text, "contains a number too large for floating point") from error
    return lambda _environment: number


def _name(name: str) -> Closure:
    if name in CONSTANTS:
        number = np.asarray(CONSTANTS[name])
        return lambda _environment: number
    return lambda environment: environment[name]


def _binary(operator: Callable[[Array, Array], Array], left: Closure, right: Closure) -> Closure:
    return lambda environment: operator(left(environment), right(environment))


def _call(name: str, arguments: list[Closure], text: str) -> Closure:
    if name in UNARY_FUNCTIONS and len(arguments) == 1:
        function, argument = UNARY_FUNCTIONS[name], arguments[0]
        return lambda environment: function(argument(environment))
    if name in REDUCTIONS and len(arguments) >= 2:
        pairwise = REDUCTIONS[name]
        return lambda environment: reduce(pairwise, [argument(environment) for argument in arguments])
    raise _refusal(text, f"calls {name!r} with {len(arguments)} argument(s), which is not allowed")


def _check_exponent(node: ast.expr, text: str) -> None:
    exponent = node.operand if isinstance(node, ast.UnaryOp) else node
    value = exponent.value if isinstance(exponent, ast.Constant) else None
    if isinstance(value, int | float) and abs(value) > MAX_EXPONENT:
        raise _refusal(text, f"has the exponent {shown(value)}; at most {MAX_EXPONENT:g} is allowed")


def _refusal(text: str, fault: str) -> CostError:
    return CostError(f"The expression {text!r} {fault}.", hint=HINT)

"""What a run takes of a cluster, as declared: cores, memory and wall time, each as it depends on the fidelity."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import ClassVar

import numpy as np

from imoca.errors import CostError, ProblemError
from imoca.problem.accuracy import FidelityValue
from imoca.problem.expression import Expression, compile_expression
from imoca.problem.fidelity import Fidelity, Levels
from imoca.problem.names import is_number, plain_scalar
from imoca.problem.parameters import Value
from imoca.wording import shown

Amount = str | float  # an expression, or a number
Amounts = Amount | Sequence[Amount]  # or one of them per level of the fidelity

DURATIONS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
SIZES = {"kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30, "TiB": 2.0**40}
LARGEST = 1e18  # of any amount: what is more is a slip
ROUNDING = 1e-9  # relative: a sum that should be whole is not to be rounded up for its last bits
HINT = (
    'Write resources = { cores = "1 + 7*z", memory = "2GB", walltime = "10m + 2h*z" }; each may be left out, and may be'
    " a list with one entry per level."
)


@dataclass(frozen=True)
class Needs:
    """What one run takes; None is not declared."""

    cores: int | None = None
    memory: int | None = None  # bytes
    walltime: int | None = None  # seconds

    @property
    def declared(self) -> dict[str, int]:
        return {kind: amount for kind, amount in vars(self).items() if amount is not None}


@dataclass(frozen=True)
class Resources:
    """Safe expressions in z, the fidelity in the user's own units, and in numeric parameters, as a cost is.

    Sizes and durations have units: "2GB", "10m + 2h*z". A bare number is bytes or seconds.
    """

    cores: Amounts | None = None
    memory: Amounts | None = None
    walltime: Amounts | None = None
    _expressions: Mapping[str, tuple[Expression, ...]] = field(init=False, repr=False, compare=False)

    UNITS: ClassVar[dict[str, dict[str, float]]] = {"cores": {}, "memory": SIZES, "walltime": DURATIONS}

    def __post_init__(self) -> None:
        compiled = {}
        for kind, units in self.UNITS.items():
            given = plain_scalar(getattr(self, kind))
            if given is None:
                continue
            plain = tuple(given) if isinstance(given, list | tuple) else given
            amounts = plain if isinstance(plain, tuple) else (plain,)
            if not amounts or not all(isinstance(amount, str) or is_number(amount) for amount in amounts):
                raise ProblemError(f"resources.{kind} is {shown(given)}.", hint=HINT)
            object.__setattr__(self, kind, plain)
            compiled[kind] = tuple(_compiled(str(amount), units) for amount in amounts)
        object.__setattr__(self, "_expressions", compiled)

    def __reduce__(self) -> tuple[type["Resources"], tuple[Amounts | None, ...]]:
        """Pickled as its texts: closures cannot travel to another process."""
        return Resources, tuple(getattr(self, each.name) for each in fields(self) if each.init)

    @property
    def declared(self) -> dict[str, Amounts]:
        """As they were given."""
        return {kind: getattr(self, kind) for kind in self._expressions}

    def check(self, fidelity: Fidelity, numeric_names: Sequence[str]) -> None:
        """Every name must be of the fidelity, as a number, or a numeric parameter; a list has an entry per level."""
        known = {*numeric_names, *fidelity.numeric_names}
        for kind, expressions in self._expressions.items():
            given = f"resources.{kind} is {shown(getattr(self, kind))}"
            if unknown := sorted({name for each in expressions for name in each.names} - known):
                raise ProblemError(f"{given}, which uses {unknown!r}.", hint=f"There are {sorted(known)!r}. {HINT}")
            n_levels = len(fidelity.values) if isinstance(fidelity, Levels) else 1
            if isinstance(getattr(self, kind), tuple) and len(expressions) != n_levels:
                raise ProblemError(f"{given}, but there are {n_levels} level(s) of fidelity.", hint=HINT)

    def needed(self, parameters: Mapping[str, Value], fidelity: Fidelity, setting: FidelityValue) -> Needs:
        """Of one run; an amount that is not positive is an error."""
        environment = {name: np.asarray(float(value)) for name, value in parameters.items() if is_number(value)}
        level = 0
        if self._depends_on_fidelity(fidelity):
            z = np.array([fidelity.encode(setting)])
            level = int(fidelity.level_indices(z)[0]) if isinstance(fidelity, Levels) else 0
            environment |= {name: numbers[0] for name, numbers in fidelity.variables(z).items()}
        amounts = {
            kind: float(each[level if len(each) > 1 else 0](environment)) for kind, each in self._expressions.items()
        }
        return Needs(**{kind: self._rounded_up(kind, amount) for kind, amount in amounts.items()})

    def _depends_on_fidelity(self, fidelity: Fidelity) -> bool:
        several = self._expressions.values()
        return any(len(each) > 1 or not each[0].names.isdisjoint(fidelity.names) for each in several)

    def _rounded_up(self, kind: str, amount: float) -> int:
        if not 0.0 < amount <= LARGEST:
            raise ProblemError(
                f"resources.{kind} is {shown(getattr(self, kind))}, which comes to {shown(amount)}.",
                hint="It must be positive at every design and fidelity.",
            )
        is_whole = math.isclose(amount, round(amount), rel_tol=ROUNDING)
        return max(1, round(amount) if is_whole else math.ceil(amount))


NO_RESOURCES = Resources()


def _compiled(text: str, units: Mapping[str, float]) -> Expression:
    """Numbers with a unit become plain ones first."""
    number = r"(?<![\w.])(\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)\s*"
    names = "|".join(sorted(units, key=len, reverse=True))
    plain = re.sub(rf"{number}({names})\b", lambda m: f"({m[1]} * {units[m[2]]!r})", text) if units else text
    try:
        return compile_expression(plain)
    except CostError as error:
        allowed = f" Units are {', '.join(units)}." if units else ""
        raise ProblemError(f"{shown(text)} cannot be read: {error.message}", hint=HINT + allowed) from error

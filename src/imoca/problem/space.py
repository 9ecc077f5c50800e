"""The search space: named values to points of the unit cube and back."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from imoca.arrays import Array, BoolArray, IntArray
from imoca.errors import ParameterError
from imoca.problem.condition import Condition
from imoca.problem.names import as_tuple, duplicates
from imoca.problem.parameters import Choice, Integer, Parameter, Real, Value
from imoca.wording import shown

N_PROBES = 1024  # designs by which the size of violations is judged


@dataclass(frozen=True, init=False)
class SearchSpace:
    """All parameters side by side; d = `n_columns` is the width of an encoded design.

    Conditions forbid some of the designs that can be encoded; whoever chooses designs keeps to those allowed.
    """

    parameters: tuple[Parameter, ...]
    conditions: tuple[Condition, ...]

    def __init__(self, parameters: Sequence[Parameter], conditions: Sequence[Condition] = ()) -> None:
        object.__setattr__(self, "conditions", tuple(conditions))
        given = as_tuple(parameters, "The list of parameters", ParameterError)
        object.__setattr__(self, "parameters", given)
        strangers = [entry for entry in given if not isinstance(entry, Real | Integer | Choice)]
        if not given or strangers:
            raise ParameterError(
                f"A search space needs one or more parameters, but got {shown(strangers or list(given))}.",
                hint="Use Real(name, low, high), Integer(name, low, high) or Choice(name, values).",
            )
        if repeated := duplicates(self.names):
            raise ParameterError(
                f"Parameter name(s) used more than once: {repeated!r}.",
                hint="Give every parameter a name of its own.",
            )

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(parameter.name for parameter in self.parameters)

    @cached_property
    def numeric_names(self) -> tuple[str, ...]:
        """The parameters that `columns` returns and a cost may refer to."""
        return tuple(parameter.name for parameter in self.parameters if parameter.is_numeric)

    @property
    def n_parameters(self) -> int:
        return len(self.parameters)

    @cached_property
    def n_columns(self) -> int:
        return sum(parameter.n_columns for parameter in self.parameters)

    @cached_property
    def is_continuous(self) -> BoolArray:  # (d,)
        """Which columns belong to real parameters."""
        kinds = [isinstance(parameter, Real) for parameter in self.parameters]
        mask = np.repeat(kinds, [parameter.n_columns for parameter in self.parameters])
        mask.flags.writeable = False
        return mask

    @cached_property
    def parameter_of_column(self) -> IntArray:  # (d,)
        """Position of the parameter that each column belongs to."""
        owners = np.repeat(np.arange(self.n_parameters), [parameter.n_columns for parameter in self.parameters])
        owners.flags.writeable = False
        return owners

    @property
    def has_discrete(self) -> bool:
        return not bool(self.is_continuous.all())

    def check(self, parameters: Mapping[str, Value]) -> dict[str, Value]:
        """The design with every value validated, in the order of the space."""
        if not isinstance(parameters, Mapping):
            raise ParameterError(
                f"A design came as {shown(parameters)}.",
                hint=f"Give a dict with the parameters {list(self.names)}.",
            )
        unknown = [name for name in parameters if name not in self.names]
        missing = [name for name in self.names if name not in parameters]
        if unknown or missing:
            faults = [f"{word} {found!r}" for word, found in (("unknown", unknown), ("missing", missing)) if found]
            raise ParameterError(
                f"A design does not match the parameters: {', '.join(faults)}.",
                hint=f"Give exactly the parameters {list(self.names)}.",
            )
        return {parameter.name: parameter.check(parameters[parameter.name]) for parameter in self.parameters}

    def encode(self, parameters: Mapping[str, Value]) -> Array:  # (d,)
        row: Array = self.encode_all([self.check(parameters)])[0]
        return row

    def encode_all(self, designs: Sequence[Mapping[str, Value]]) -> Array:  # (n, d)
        """Designs that passed `check`, one row each."""
        columns = [parameter.encode([design[parameter.name] for design in designs]) for parameter in self.parameters]
        return np.concatenate(columns, axis=1)

    def decode(self, x: Array) -> dict[str, Value]:  # (d,)
        """The nearest valid design, as named values."""
        row = self.check_encoded(np.asarray(x, dtype=np.float64)[None, ...])[0]
        return {parameter.name: parameter.decode(row[part]) for parameter, part in self._parts()}

    def snap(self, x: Array) -> Array:  # (n, d) -> (n, d)
        """The nearest encoded designs that exist: integers and choices moved to their nodes."""
        rows = self.check_encoded(x)
        return np.concatenate([parameter.snap(rows[:, part]) for parameter, part in self._parts()], axis=1)

    def neighbours(self, x: Array) -> Array:  # (d,) -> (m, d)
        """Every design that differs in one discrete parameter: integers by one step, choices by any value."""
        row = self.snap(np.asarray(x, dtype=np.float64)[None, ...])[0]
        blocks = [np.empty((0, self.n_columns))]
        for parameter, part in self._parts():
            moved = parameter.neighbours(row[part])
            block = np.tile(row, (len(moved), 1))
            block[:, part] = moved
            blocks.append(block)
        return np.concatenate(blocks)

    def from_unit(self, u: Array) -> Array:  # (n, n_parameters) -> (n, d)
        """Encoded designs from one uniform coordinate per parameter, every discrete value equally likely."""
        u = np.asarray(u, dtype=np.float64)
        if u.ndim != 2 or u.shape[1] != self.n_parameters:
            raise ParameterError(
                f"Uniform coordinates of shape {u.shape} do not fit {self.n_parameters} parameters.",
                hint=f"Give an array of shape (n, {self.n_parameters}): one column per parameter.",
            )
        return np.concatenate([p.from_unit(u[:, index]) for index, p in enumerate(self.parameters)], axis=1)

    def columns(self, x: Array) -> dict[str, Array]:  # (n, d) -> name: (n,)
        """Decoded numbers per numeric parameter, for costs that depend on the design."""
        rows = self.check_encoded(x)
        return {p.name: p.numbers(rows[:, part]) for p, part in self._parts() if p.is_numeric}

    def is_allowed(self, x: Array) -> BoolArray:  # (n, d) -> (n,)
        """Which designs hold all conditions, exactly as their decoded values say."""
        allowed = np.ones(len(x), dtype=np.bool_)
        if self.conditions:
            columns = self.columns(self.snap(x))
            for condition in self.conditions:
                allowed &= condition.holds(columns)
        return allowed

    def excess(self, x: Array) -> Array:  # (n, d) -> (n,)
        """By how much designs violate the conditions, each in units of its largest violation of many; 0 if allowed."""
        columns = self.columns(x)
        scaled = [
            condition.excess(columns) / scale
            for condition, scale in zip(self.conditions, self._largest_excesses, strict=True)
        ]
        return np.sum(scaled, axis=0)

    @cached_property
    def _largest_excesses(self) -> list[float]:
        columns = self.columns(self.from_unit(np.random.default_rng(0).random((N_PROBES, self.n_parameters))))
        return [float(condition.excess(columns).max()) or 1.0 for condition in self.conditions]

    def _parts(self) -> Iterator[tuple[Parameter, slice]]:
        start = 0
        for parameter in self.parameters:
            yield parameter, slice(start, start + parameter.n_columns)
            start += parameter.n_columns

    def check_encoded(self, x: Array) -> Array:
        rows = np.asarray(x, dtype=np.float64)
        if rows.ndim != 2 or rows.shape[1] != self.n_columns:
            raise ParameterError(
                f"Encoded designs of shape {rows.shape} do not fit a space of {self.n_columns} columns.",
                hint="Encoded designs come from encode, from_unit or snap.",
            )
        return rows

"""What is run: a simulator, its outputs, its own fidelity and cost, and how to run it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from imoca.arrays import Array
from imoca.errors import CostError, ProblemError
from imoca.problem.cost import CallableCost, Cost, DeclaredCost, ExpressionCost, MeasuredCost, as_cost
from imoca.problem.fidelity import Fidelity
from imoca.problem.names import (
    as_tuple,
    check_name,
    check_unit,
    duplicates,
    is_number,
    is_whole,
    is_writable_text,
    plain_scalar,
)
from imoca.problem.reference import FunctionReference, function_identity
from imoca.problem.resources import NO_RESOURCES, Resources
from imoca.problem.space import SearchSpace
from imoca.wording import shown

__all__ = ["Command", "Constraint", "FunctionReference", "Goal", "Objective", "Output", "Runnable", "Simulator"]

Goal = Literal["minimize", "maximize"]

NO_FIDELITY = Fidelity.none()
N_PROBES = 9  # fidelities at which a declared cost is tried out at construction


@dataclass(frozen=True)
class Objective:
    """An output to be made small or large, and what its values are like.

    `low` and `high` bound the values that are physically possible. `log` says what is modelled: True its logarithm, so
    that only positive values are possible; False never its logarithm; None whichever the answers prefer.
    """

    name: str
    goal: Goal
    low: float | None = None
    high: float | None = None
    log: bool | None = None
    unit: str | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        check_name(self.name, "an objective", ProblemError)
        check_unit(self.unit, f"Objective {self.name!r}", ProblemError)
        if self.goal not in ("minimize", "maximize"):
            raise ProblemError(
                f"Objective {self.name!r}: the goal is {shown(self.goal)}, but must be 'minimize' or 'maximize'.",
                hint=f"Write Objective({self.name!r}, 'minimize').",
            )
        self._set_bounds()
        self._set_log()

    def contradiction(self, value: float) -> str | None:
        """How a value contradicts what is declared, in words that follow "which"; None when it does not."""
        if self.low is not None and value < self.low:
            return f"lies below its declared low = {shown(self.low)}"
        if self.high is not None and value > self.high:
            return f"lies above its declared high = {shown(self.high)}"
        if self.log and value <= 0.0:
            return "has no logarithm, but log is declared as true"
        return None

    def _set_bounds(self) -> None:
        bounds = [bound for bound in (self.low, self.high) if bound is not None]
        plain = [float(bound) for bound in bounds if is_number(bound)]
        if len(plain) < len(bounds) or (len(plain) == 2 and not plain[0] < plain[1]):
            raise ProblemError(
                f"Objective {self.name!r}: low = {shown(self.low)}, high = {shown(self.high)}, but both must be finite"
                " numbers, low less than high.",
                hint="They bound the values that are physically possible; leave out the one that there is not.",
            )
        object.__setattr__(self, "low", None if self.low is None else float(self.low))
        object.__setattr__(self, "high", None if self.high is None else float(self.high))

    def _set_log(self) -> None:
        log = plain_scalar(self.log)
        if log is not None and not isinstance(log, bool):
            raise ProblemError(
                f"Objective {self.name!r}: log is {shown(log)}, but must be True, False or None.",
                hint="True models its logarithm, False never does; leave it out to let the answers decide.",
            )
        if log and ((self.low is not None and self.low < 0.0) or (self.high is not None and self.high <= 0.0)):
            raise ProblemError(
                f"Objective {self.name!r}: log is True with low = {shown(self.low)} and high = {shown(self.high)}, but"
                " only positive values have a logarithm.",
                hint="Give low = 0 or more and high more than 0, or leave log out.",
            )
        object.__setattr__(self, "log", log)


@dataclass(frozen=True)
class Constraint:
    """An output that must stay within bounds; at least one is given."""

    name: str
    lower: float | None = None
    upper: float | None = None
    unit: str | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        check_name(self.name, "a constraint", ProblemError)
        check_unit(self.unit, f"Constraint {self.name!r}", ProblemError)
        bounds = [bound for bound in (self.lower, self.upper) if bound is not None]
        is_ordered = len(bounds) < 2 or (all(map(is_number, bounds)) and bounds[0] < bounds[1])
        if not bounds or not all(map(is_number, bounds)) or not is_ordered:
            raise ProblemError(
                f"Constraint {self.name!r}: lower = {shown(self.lower)}, upper = {shown(self.upper)}, but at least one"
                " must be given, both finite, lower less than upper.",
                hint=f"Write Constraint({self.name!r}, upper=240.0), for example.",
            )
        object.__setattr__(self, "lower", None if self.lower is None else float(self.lower))
        object.__setattr__(self, "upper", None if self.upper is None else float(self.upper))


Output = Objective | Constraint


@dataclass(frozen=True, init=False)
class Command:
    """An external program as an argument list, never a shell line; only described here, run elsewhere."""

    arguments: tuple[str, ...]

    def __init__(self, arguments: Sequence[str]) -> None:
        given = as_tuple(arguments, "The command", ProblemError)
        if not given or not given[0] or not all(isinstance(a, str) and is_writable_text(a) for a in given):
            raise ProblemError(
                f"The command {shown(list(given))} must be a list of strings that starts with a program.",
                hint='Write one string per argument: ["./cfd.sh", "{params}", "--mesh", "{fidelity}"].',
            )
        object.__setattr__(self, "arguments", tuple(str(argument) for argument in given))


Runnable = Callable[..., Any] | Command | FunctionReference | None  # how a simulator is run


@dataclass(frozen=True, init=False)
class Simulator:
    """One simulator; `full_cost` is what one run of it at the target fidelity counts in the budget.

    A run that takes longer than `timeout` is ended and counts as failed; a failed run is repeated up to `retries`
    times. `resources` is what a run takes of a cluster. Without `run` its answers are told by the user. For equality an
    importable function and a reference to it are the same, so that a problem read back from its file equals the
    original.
    """

    name: str
    outputs: tuple[Output, ...]
    run: Runnable = field(compare=False)
    fidelity: Fidelity
    cost: Cost
    full_cost: float
    timeout: float | None  # seconds
    retries: int
    resources: Resources
    _run_identity: object = field(init=False, repr=False)

    def __init__(
        self,
        name: str,
        outputs: Sequence[Output],
        run: Runnable = None,
        *,
        fidelity: Fidelity = NO_FIDELITY,
        cost: DeclaredCost | None = None,
        full_cost: float = 1.0,
        timeout: float | None = None,
        retries: int = 0,
        resources: Resources = NO_RESOURCES,
    ) -> None:
        check_name(name, "a simulator", ProblemError)
        given = as_tuple(outputs, f"Simulator {name!r}: the list of outputs", ProblemError)
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "outputs", given)
        object.__setattr__(self, "run", run)
        object.__setattr__(self, "fidelity", fidelity)
        object.__setattr__(self, "_run_identity", function_identity(run))
        self._check_outputs()
        self._check_run()
        self._check_patience(timeout, retries)
        object.__setattr__(self, "timeout", None if timeout is None else float(timeout))
        object.__setattr__(self, "retries", int(retries))
        if not isinstance(resources, Resources):
            raise ProblemError(
                f"Simulator {name!r}: resources is {shown(resources)}.",
                hint='Give Resources(cores="1 + 7*z", memory="2GB", walltime="10m + 2h*z").',
            )
        object.__setattr__(self, "resources", resources)
        if not isinstance(fidelity, Fidelity):
            raise ProblemError(
                f"Simulator {name!r}: the fidelity is {shown(fidelity)}.",
                hint="Use Fidelity.continuous(low, high), Fidelity.levels([...]), Fidelity.sources([...]),"
                " Fidelity.knobs(mesh=[...], steps=[...]) or Fidelity.none().",
            )
        if not is_number(full_cost) or full_cost <= 0:
            raise CostError(
                f"Simulator {name!r}: full_cost is {shown(full_cost)}, but must be a positive finite number.",
                hint="Leave it at 1 unless one run of this simulator counts more or less than the others'.",
            )
        object.__setattr__(self, "full_cost", float(full_cost))
        self._set_cost(cost)

    @property
    def is_cost_measured(self) -> bool:
        return isinstance(self.cost, MeasuredCost)

    @property
    def is_cost_by_design(self) -> bool:
        """Whether some designs cost more than others."""
        return self.cost.depends_on_design(self.fidelity)

    @property
    def is_cost_sealed(self) -> bool:
        """Whether its cost is a function that may not be called here: see `sealed`."""
        return isinstance(self.cost, CallableCost) and self.cost.is_sealed

    def sealed(self) -> "Simulator":
        """The same, to be looked at only: no function that it names is ever imported."""
        run, cost = self.run, self.cost
        if isinstance(run, FunctionReference):
            run = FunctionReference(run.path, is_sealed=True)
        if isinstance(cost, CallableCost) and isinstance(cost.function, FunctionReference):
            cost = CallableCost(FunctionReference(cost.function.path, is_sealed=True))
        return replace(self, run=run, cost=cost)

    @property
    def as_expected(self) -> "Simulator | None":
        """The same, as if its measured cost were what is expected of it; None if nothing is."""
        if not isinstance(self.cost, MeasuredCost) or self.cost.expected is None:
            return None
        return replace(self, cost=self.cost.expected, full_cost=1.0)

    def cost_ratio(
        self,
        space: SearchSpace,
        x: Array,  # (n, d)
        z: Array,  # (g,)
        unit: float | None = None,  # in the simulator's own units
    ) -> Array:  # (n, g)
        """Cost in units of the budget: ``full_cost * C(x, z) / unit``, for declared costs only.

        The unit is given, or the cost of a full run of the same design.
        """
        with_target = np.append(np.asarray(z, dtype=np.float64), 1.0)
        raw = self.costs(space, x, with_target)
        with np.errstate(over="ignore", under="ignore"):
            ratio: Array = self.full_cost * (raw[:, :-1] / (raw[:, -1:] if unit is None else unit))
        if not (np.isfinite(ratio) & (ratio > 0.0)).all():
            raise CostError(
                f"Simulator {self.name!r}: the ratio of its costs to that at the target overflows.",
                hint="Rescale the cost so that its values lie within a few hundred orders of magnitude.",
            )
        return ratio

    def costs(self, space: SearchSpace, x: Array, z: Array) -> Array:  # (n, d), (g,) -> (n, g)
        """As declared, in the simulator's own units."""
        designs = space.check_encoded(x)
        columns = space.columns(designs) if self.is_cost_by_design else {}
        raw = self._raw_cost(columns, z)
        return np.broadcast_to(raw, (len(x), raw.shape[1]))

    def target_costs(self, space: SearchSpace, x: Array) -> Array:  # (n, d) -> (n,)
        """Declared cost of a run at the target fidelity, in the simulator's own units."""
        return self.costs(space, x, np.ones(1))[:, 0]

    def check_resources(self, space: SearchSpace) -> None:
        """They may name only the fidelity and numeric parameters."""
        try:
            self.resources.check(self.fidelity, space.numeric_names)
        except ProblemError as error:
            raise ProblemError(f"Simulator {self.name!r}: {error.message}", hint=error.hint) from error

    def check_cost_names(self, space: SearchSpace) -> None:
        """The cost may name only the fidelity and numeric parameters; a reference is checked when first evaluated."""
        cost = self.cost.expected if isinstance(self.cost, MeasuredCost) else self.cost
        if isinstance(cost, ExpressionCost) or (isinstance(cost, CallableCost) and cost.is_resolved):
            try:
                cost.check_names(space.numeric_names, self.fidelity)
            except CostError as error:
                raise self._named(error) from error

    def _raw_cost(self, columns: Mapping[str, Array], z: Array) -> Array:
        if isinstance(self.cost, MeasuredCost):
            raise CostError(
                f"Simulator {self.name!r}: its cost is measured, so it is not known beforehand.",
                hint="Learn it from finished trials, or declare it as an expression or one number per level.",
            )
        try:
            return self.cost.evaluate(columns, self.fidelity, z)
        except CostError as error:
            raise self._named(error) from error

    def _set_cost(self, declared: DeclaredCost | None) -> None:
        try:
            cost = as_cost(declared, self.fidelity)
        except CostError as error:
            raise self._named(error) from error
        object.__setattr__(self, "cost", cost)
        tried = self.as_expected or self
        is_unresolved = isinstance(cost, CallableCost) and not cost.is_resolved
        if not is_unresolved and not tried.is_cost_by_design:
            tried._raw_cost({}, self.fidelity.grid(N_PROBES))

    def _check_outputs(self) -> None:
        strangers = [output for output in self.outputs if not isinstance(output, Objective | Constraint)]
        if not self.outputs or strangers:
            raise ProblemError(
                f"Simulator {self.name!r}: the outputs are {shown(strangers or list(self.outputs))}.",
                hint="Give one or more Objective(name, goal) or Constraint(name, upper=...).",
            )
        names = [output.name for output in self.outputs]
        if repeated := duplicates(names):
            raise ProblemError(
                f"Simulator {self.name!r}: output name(s) used more than once: {repeated!r}.",
                hint="Give every output a name of its own.",
            )
        if isinstance(self.run, Command) and "cost" in names:
            raise ProblemError(
                f"Simulator {self.name!r}: a program's output cannot be named 'cost'.",
                hint="In a program's result 'cost' is what the run cost; name the output 'price', say.",
            )

    def _check_run(self) -> None:
        if self.run is not None and not isinstance(self.run, Command | FunctionReference) and not callable(self.run):
            raise ProblemError(
                f"Simulator {self.name!r}: run is {shown(self.run)}, which cannot be run.",
                hint="Give a function, a Command, a FunctionReference, or None to tell the answers yourself.",
            )

    def _check_patience(self, timeout: object, retries: object) -> None:
        if timeout is not None and not (is_number(timeout) and timeout > 0):
            raise ProblemError(
                f"Simulator {self.name!r}: timeout is {shown(timeout)}, but must be a number of seconds > 0.",
                hint="Leave it out to wait for ever.",
            )
        if not is_whole(retries) or retries < 0:
            raise ProblemError(
                f"Simulator {self.name!r}: retries is {shown(retries)}, but must be a whole number from 0 on.",
                hint="Leave it out to try once only.",
            )
        if self.run is None and (timeout is not None or retries):
            raise ProblemError(
                f"Simulator {self.name!r} has a timeout or retries, but no command or function.",
                hint="They apply to what is run; remove them or add one.",
            )

    def _named(self, error: CostError) -> CostError:
        return CostError(f"Simulator {self.name!r}: {error.message}", hint=error.hint)

"""The problem: parameters and simulators, validated as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np

from imoca.arrays import Array, IntArray
from imoca.errors import ProblemError
from imoca.problem.accuracy import FIDELITY_NAME
from imoca.problem.condition import Condition
from imoca.problem.names import as_tuple, duplicates, is_number
from imoca.problem.parameters import Parameter
from imoca.problem.simulator import Constraint, Objective, Output, Simulator
from imoca.problem.space import SearchSpace
from imoca.sobol import sobol_sequence
from imoca.wording import shown

CostUnit = Literal["mean", "design"]
N_SPREAD = 256  # designs over which a mean is taken: a power of two


@dataclass(frozen=True, init=False)
class Problem:
    """What is optimised."""

    parameters: tuple[Parameter, ...]
    simulators: tuple[Simulator, ...]
    setup_cost: float  # of a question, in full runs, whichever simulators it runs: a mesh, an assembly
    cost_relative_to: CostUnit  # what a cost of 1 is: a full run of a mean design, or of the very design
    parameter_constraints: tuple[str, ...]  # that every design holds, such as "x1 + x2 <= 1"

    def __init__(
        self,
        parameters: Sequence[Parameter],
        simulators: Sequence[Simulator],
        *,
        setup_cost: float = 0.0,
        cost_relative_to: CostUnit = "mean",
        constraints: Sequence[str] = (),
    ) -> None:
        """Constraints here are those on parameters; an output with bounds is a ``Constraint`` of its simulator."""
        space = SearchSpace(parameters)
        given = as_tuple(simulators, "The list of simulators", ProblemError)
        object.__setattr__(self, "parameters", space.parameters)
        object.__setattr__(self, "simulators", given)
        strangers = [entry for entry in given if not isinstance(entry, Simulator)]
        if not given or strangers:
            raise ProblemError(
                f"A problem needs one or more simulators, but got {shown(strangers or list(given))}.",
                hint="Declare each as Simulator(name, outputs, run).",
            )
        if not is_number(setup_cost) or setup_cost < 0.0:
            raise ProblemError(
                f"The set-up cost is {shown(setup_cost)}.",
                hint="Give what preparing a design costs before any simulator runs, in full runs; 0 for nothing.",
            )
        if cost_relative_to not in get_args(CostUnit):
            raise ProblemError(
                f"cost_relative_to is {shown(cost_relative_to)}.",
                hint="Give 'mean' to count a full run of a mean design as 1, or 'design' for one of the very design.",
            )
        object.__setattr__(self, "setup_cost", float(setup_cost))
        object.__setattr__(self, "cost_relative_to", cost_relative_to)
        texts = as_tuple(constraints, "The list of constraints on parameters", ProblemError)
        object.__setattr__(self, "parameter_constraints", tuple(Condition(text).text for text in texts))
        for condition in self.space.conditions:
            condition.check_names(self.space.numeric_names)
        self._check_names()
        if not self.objectives:
            raise ProblemError(
                f"None of the outputs {[output.name for output in self.outputs]!r} is an objective.",
                hint="Give some simulator an Objective(name, 'minimize').",
            )
        for simulator in self.simulators:
            simulator.check_cost_names(self.space)
            simulator.check_resources(self.space)

    @cached_property
    def space(self) -> SearchSpace:
        return SearchSpace(self.parameters, [Condition(text) for text in self.parameter_constraints])

    @cached_property
    def outputs(self) -> tuple[Output, ...]:
        """Objectives and constraints of all simulators, in their order."""
        return tuple(output for simulator in self.simulators for output in simulator.outputs)

    @cached_property
    def objectives(self) -> tuple[Objective, ...]:
        return tuple(output for output in self.outputs if isinstance(output, Objective))

    @cached_property
    def constraints(self) -> tuple[Constraint, ...]:
        return tuple(output for output in self.outputs if isinstance(output, Constraint))

    @cached_property
    def signs(self) -> Array:  # (n_outputs,)
        """What turns an output into one to maximise: -1 where the goal is to minimise."""
        return np.array([-1.0 if isinstance(o, Objective) and o.goal == "minimize" else 1.0 for o in self.outputs])

    @cached_property
    def objective_columns(self) -> IntArray:  # (K,)
        """Positions of the objectives among the outputs."""
        return np.array([self.outputs.index(objective) for objective in self.objectives])

    @cached_property
    def modelled(self) -> tuple[Output, ...]:
        """All outputs in the order of the models: the objectives, then the constraints."""
        return (*self.objectives, *self.constraints)

    @cached_property
    def modelled_columns(self) -> IntArray:  # (K + C,)
        """Positions of the modelled outputs among the outputs; the first K are the objective columns."""
        return np.array([self.outputs.index(output) for output in self.modelled])

    @cached_property
    def simulator_columns(self) -> IntArray:  # (K + C,)
        """Positions among the simulators of the one that computes each modelled output."""
        return np.array([self.simulators.index(self.simulator_of(output.name)) for output in self.modelled])

    @cached_property
    def spread_designs(self) -> Array:  # (n, d)
        """Designs all over the space, always the same: what is counted may not depend on chance."""
        spread = sobol_sequence(self.space.n_parameters, np.random.default_rng(0)).random(N_SPREAD)
        return self.space.from_unit(spread)

    def mean_full_cost(self, s: int) -> float:
        """Of simulator ``s``, as declared and in its own units."""
        known = self._mean_full_costs
        if s not in known:
            known[s] = float(self.simulators[s].target_costs(self.space, self.spread_designs).mean())
        return known[s]

    @cached_property
    def _mean_full_costs(self) -> dict[int, float]:
        """Computed when first asked for: a bill asks at every question, and a declared cost does not change."""
        return {}

    def with_simulators(self, simulators: Sequence[Simulator]) -> Problem:
        """The same problem, computed by others."""
        return Problem(
            self.parameters,
            simulators,
            setup_cost=self.setup_cost,
            cost_relative_to=self.cost_relative_to,
            constraints=self.parameter_constraints,
        )

    def cost_unit(self, s: int) -> float | None:
        """By which costs of simulator ``s`` are divided: a mean full run, in its own units.

        None if that is a full run of the same design.
        """
        is_same = self.cost_relative_to != "mean" or not self.simulators[s].is_cost_by_design
        return None if is_same else self.mean_full_cost(s)

    def declared_costs(self, s: int, x: Array, z: float) -> tuple[float, float]:  # of a design (d,)
        """Of a run of simulator ``s``: what it counts in the budget, and by what costs of its design are divided."""
        simulator, unit = self.simulators[s], self.cost_unit(s)
        counted = simulator.cost_ratio(self.space, x[None], np.array([z]), unit)[0, 0]
        return float(counted), float(simulator.target_costs(self.space, x[None])[0]) if unit is None else unit

    def sealed(self) -> Problem:
        """The same, to be looked at only: no function that it names is ever imported."""
        return self.with_simulators([simulator.sealed() for simulator in self.simulators])

    def simulator(self, name: str) -> Simulator:
        for simulator in self.simulators:
            if simulator.name == name:
                return simulator
        known = [simulator.name for simulator in self.simulators]
        raise ProblemError(f"There is no simulator {name!r}.", hint=f"The simulators are {known!r}.")

    def output(self, name: str) -> Output:
        return next(output for output in self.simulator_of(name).outputs if output.name == name)

    def simulator_of(self, output_name: str) -> Simulator:
        """The simulator that produces an output."""
        for simulator in self.simulators:
            if any(output.name == output_name for output in simulator.outputs):
                return simulator
        known = [output.name for output in self.outputs]
        raise ProblemError(f"There is no output {output_name!r}.", hint=f"The outputs are {known!r}.")

    def _check_names(self) -> None:
        reserved = {FIDELITY_NAME, *(name for simulator in self.simulators for name in simulator.fidelity.names)}
        if taken := [name for name in self.space.names if name in reserved]:
            raise ProblemError(
                f"A parameter is named {taken[0]!r}, which is reserved for the fidelity.",
                hint="Rename the parameter, in the simulator functions too.",
            )
        for what, named in (("Simulator", self.simulators), ("Output", self.outputs)):
            if repeated := duplicates([entry.name for entry in named]):
                raise ProblemError(
                    f"{what} name(s) used more than once: {repeated!r}.",
                    hint=f"Give every {what.lower()} a name of its own.",
                )

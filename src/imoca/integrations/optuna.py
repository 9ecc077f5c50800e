"""iMOCA as a sampler of Optuna: every simulator has its own accuracy knob and its own cost."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Iterable, Mapping, Sequence
from secrets import randbits
from typing import Any, final

from optuna.distributions import BaseDistribution, FloatDistribution
from optuna.samplers import BaseSampler, RandomSampler
from optuna.search_space import IntersectionSearchSpace
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState
from optuna.trial import Trial as OptunaTrial

from imoca.errors import FidelityError, MethodError, ParameterError, TrialError
from imoca.integrations.optuna_distributions import (
    distribution_of,
    is_known,
    own_name,
    parameter_of,
    to_imoca,
    to_optuna,
)
from imoca.methods.registry import MethodName, check_suits, get_method
from imoca.methods.settings import MethodSettings
from imoca.models.surrogates import DEFAULT_MODEL
from imoca.problem.accuracy import FidelityValue
from imoca.problem.parameters import Value
from imoca.problem.problem import Problem
from imoca.problem.simulator import Constraint, Simulator
from imoca.snapshot.recommendation import ParetoPoint
from imoca.snapshot.snapshot import Snapshot
from imoca.trials.checks import checked_answer
from imoca.trials.table import TrialTable
from imoca.trials.trial import Answer, Trial

__all__ = ["COST", "ImocaSampler", "fidelity_name"]

COST = "imoca:cost"  # user attribute of a trial: what its runs cost, by simulator
QUESTION = "imoca:question"  # system attribute: what was suggested, for trials that run beside it
FINISHED_OR_RUNNING = (TrialState.COMPLETE, TrialState.PRUNED, TrialState.FAIL, TrialState.RUNNING)
GOALS = {StudyDirection.MINIMIZE: "minimize", StudyDirection.MAXIMIZE: "maximize"}


def fidelity_name(simulator: str) -> str:
    """Under which Optuna holds a simulator's fidelity, as a parameter like others."""
    return f"fidelity:{simulator}"


@final
class ImocaSampler(BaseSampler):
    """Suggests designs together with a fidelity per simulator.

    The objectives of the simulators, in their order, are what the objective function returns. It asks for the fidelity
    of a simulator with ``sampler.fidelity(trial, "cfd")``, tells what runs cost, where that is "measured", with
    ``trial.set_user_attr("imoca:cost", {"cfd": 12.5})``, and values of constraints, ``Constraint(name, upper=0)``, with
    ``trial.set_constraint(name, value)``. A pruned or failed trial has failed.
    """

    def __init__(
        self,
        simulators: Sequence[Simulator],
        *,
        method: MethodName | str = "imoca-p",
        seed: int | None = None,
        search_space: Mapping[str, BaseDistribution] | None = None,
        settings: MethodSettings | None = None,
    ) -> None:
        """Without a ``search_space`` it is what all complete trials have in common, and the first trial is random."""
        self.simulators = tuple(simulators)
        self._knobs = {
            simulator.name: distribution
            for simulator in self.simulators
            if (distribution := distribution_of(simulator.name, simulator.fidelity)) is not None
        }
        self._outputs = [output for simulator in self.simulators for output in simulator.outputs]
        _check_constraints([output for output in self._outputs if isinstance(output, Constraint)])
        self._seed = randbits(31) if seed is None else seed
        self._name = method
        self._settings = settings or MethodSettings()
        self._method = get_method(method, self._settings)
        self._given = None if search_space is None else dict(search_space)
        self._common = IntersectionSearchSpace()
        self._independent = RandomSampler(seed=self._seed)
        self._lock = threading.Lock()  # trials of several threads are suggested one after the other

    def fidelity(self, trial: OptunaTrial, simulator: str) -> FidelityValue:
        """At which a simulator is to be run in this trial, in its own units; None where it has no knob."""
        known = next((each for each in self.simulators if each.name == simulator), None)
        if known is None:
            names = [each.name for each in self.simulators]
            raise MethodError(f"There is no simulator {simulator!r}.", hint=f"The simulators are {names}.")
        if simulator not in self._knobs:
            return None
        distribution, name = self._knobs[simulator], fidelity_name(simulator)
        if isinstance(distribution, FloatDistribution):
            return trial.suggest_float(name, distribution.low, distribution.high, log=distribution.log)
        setting: FidelityValue = trial.suggest_categorical(name, distribution.choices)
        return setting

    def pareto_front(self, study: Study) -> list[ParetoPoint]:
        """The front at full accuracy; ``study.best_trials`` compares cheap runs with full ones as if all were alike."""
        space = self._space(study)
        if not space:
            return []
        problem = self._problem(study, space)
        table = TrialTable.encode(problem, list(self._trials(study, problem, space, None)))
        front = Snapshot(self._name, self._seed, table, (), self._settings.model or DEFAULT_MODEL).front
        return [dataclasses.replace(point, parameters=_in_optuna(space, point.parameters)) for point in front]

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        with self._lock:
            space = self._space(study)
        knobs = {fidelity_name(name): distribution for name, distribution in self._knobs.items()}
        return space | knobs if space else {}

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        names = {fidelity_name(name) for name in self._knobs}
        space = {name: each for name, each in search_space.items() if name not in names}
        if not space:
            return {}
        problem = self._problem(study, space)
        with self._lock:
            table = TrialTable.encode(problem, list(self._trials(study, problem, space, trial.number)))
            question = self._method.suggest(table, self._seed)
            fidelities = {fidelity_name(name): question.fidelities[name] for name in self._knobs}
            params = {**_in_optuna(space, question.parameters), **fidelities}
            fitted = {name: list(logs) for name, logs in question.fitted.items()}
            study._storage.set_trial_system_attr(trial._trial_id, QUESTION, {"params": params, "fitted": fitted})
        return params

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        """By chance; a fidelity of which nothing is known yet is the cheapest."""
        for simulator in self.simulators:
            if simulator.name in self._knobs and param_name == fidelity_name(simulator.name):
                return simulator.fidelity.cheapest
        return self._independent.sample_independent(study, trial, param_name, param_distribution)

    def after_trial(self, study: Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None) -> None:
        """What is missing is said at once, and not when the next trial is suggested."""
        if state is TrialState.COMPLETE:
            self._values(trial.user_attrs, trial.constraints, values or ())

    def reseed_rng(self) -> None:
        self._independent.reseed_rng()

    def __getstate__(self) -> dict[str, Any]:
        """Optuna's users pickle samplers; a lock cannot be."""
        return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=threading.Lock())

    def _space(self, study: Study) -> dict[str, BaseDistribution]:
        found = self._common.calculate(study) if self._given is None else self._given
        knobs = {fidelity_name(name) for name in self._knobs}
        return {name: each for name, each in found.items() if is_known(each) and name not in knobs}

    def _problem(self, study: Study, space: Mapping[str, BaseDistribution]) -> Problem:
        problem = Problem([parameter_of(name, each) for name, each in space.items()], self.simulators)
        check_suits(self._name, problem, self._settings)
        wanted = [objective.goal for objective in problem.objectives]
        directions = [GOALS.get(direction) for direction in study.directions]
        if directions != wanted:
            raise MethodError(
                f"The study has the directions {directions}, but the objectives of the simulators are to be {wanted}.",
                hint="Give create_study the directions of the objectives, in the order of the simulators.",
            )
        return problem

    def _trials(
        self, study: Study, problem: Problem, space: Mapping[str, BaseDistribution], this: int | None
    ) -> Iterable[Trial]:
        """All that fit the space, as iMOCA knows them; this one, which is being suggested, is left out."""
        number = 0
        for frozen in study.get_trials(deepcopy=False, states=FINISHED_OR_RUNNING):
            question = frozen.system_attrs.get(QUESTION, {})
            params = {**question.get("params", {}), **frozen.params}
            try:
                found = {own_name(name): to_imoca(each, params[name]) for name, each in space.items()}
                parameters = problem.space.check(found)
                fidelities = self._fidelities(params)
            except (KeyError, ValueError, TypeError, ParameterError, FidelityError):
                continue
            if frozen.number == this:
                continue
            fitted = {name: tuple(logs) for name, logs in question.get("fitted", {}).items()}
            yield Trial(number, parameters, fidelities, fitted, self._answer(problem, frozen))
            number += 1

    def _fidelities(self, params: Mapping[str, Any]) -> dict[str, FidelityValue]:
        """A trial that tells none was run at full accuracy."""
        return {
            simulator.name: simulator.fidelity.decode(
                simulator.fidelity.encode(params.get(fidelity_name(simulator.name), simulator.fidelity.target))
            )
            for simulator in self.simulators
        }

    def _answer(self, problem: Problem, frozen: FrozenTrial) -> Answer | None:
        if frozen.state is TrialState.RUNNING:
            return None
        costs = frozen.user_attrs.get(COST, {})
        names = [simulator.name for simulator in self.simulators]
        if frozen.state is not TrialState.COMPLETE:
            return checked_answer(problem, names, {}, costs, dict.fromkeys(names, frozen.state.name.lower()), {})
        told = self._values(frozen.user_attrs, frozen.constraints, frozen.values)
        try:
            return checked_answer(problem, names, told, costs, {}, {})
        except TrialError as error:  # a value that is none, or is declared impossible
            return checked_answer(problem, names, {}, costs, dict.fromkeys(names, error.message), {})

    def _values(
        self, attributes: Mapping[str, Any], constraints: Mapping[str, float], values: Sequence[float]
    ) -> dict[str, float]:
        """By output; an error where something was not told."""
        costs = attributes.get(COST, {})
        unpaid = [each.name for each in self.simulators if each.is_cost_measured and each.name not in costs]
        if unpaid:
            raise TrialError(
                f"The cost of {unpaid} is measured, but was not told.",
                hint=f"Say it in the objective function: trial.set_user_attr({COST!r}, {{{unpaid[0]!r}: ...}}).",
            )
        limits = [output.name for output in self._outputs if isinstance(output, Constraint)]
        if missing := [name for name in limits if name not in constraints]:
            raise TrialError(
                f"The constraint(s) {missing} were not told.",
                hint=f"Say them in the objective function: trial.set_constraint({missing[0]!r}, ...).",
            )
        goals = [output.name for output in self._outputs if not isinstance(output, Constraint)]
        return dict(zip(goals, values, strict=True)) | {name: constraints[name] for name in limits}


def _in_optuna(space: Mapping[str, BaseDistribution], parameters: Mapping[str, Value]) -> dict[str, Any]:
    return {name: to_optuna(distribution, parameters[own_name(name)]) for name, distribution in space.items()}


def _check_constraints(constraints: Iterable[Constraint]) -> None:
    for limit in constraints:
        if limit.lower is not None or limit.upper != 0.0:
            raise MethodError(
                f"Constraint {limit.name!r} has the bounds {limit.lower} and {limit.upper}.",
                hint="Optuna's constraints hold where they are zero or less: declare Constraint(name, upper=0).",
            )

"""What a stored study is, and whether a new description of it still means the same."""

from __future__ import annotations

import dataclasses
import logging
import tomllib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from imoca.errors import StorageError, StudyMismatchError
from imoca.methods.registry import usable_settings
from imoca.methods.settings import MethodSettings
from imoca.problem.cost import CallableCost, ExpressionCost
from imoca.problem.problem import Problem
from imoca.problem.reference import FunctionReference, reference_to
from imoca.problem.simulator import Simulator
from imoca.storage.base import Storage
from imoca.storage.definition import Definition
from imoca.studyfile.problem import storable_problem
from imoca.trials.trial import Run, Trial
from imoca.wording import printable

logger = logging.getLogger(__name__)

# How a simulator is started, and what is known of its outputs, may change between two runs of a study; what it
# computes may not.
DECLARED = "declared"
MAY_CHANGE = ("command", "function", "timeout", "retries", "resources", DECLARED)
N_SHOWN = 5  # answers that contradict what is declared


def stored_definition(storage: Storage, is_looked_at: bool) -> tuple[Definition, MethodSettings]:
    """What a database holds, and the settings of its method; of a study that is only looked at nothing is imported."""
    stored = storage.definition()
    if stored is None:
        raise StorageError(f"{storage.place} holds no study yet.", hint="Start it with imoca run, or from Python.")
    settings = MethodSettings(**usable_settings(stored.method, stored.settings))
    return dataclasses.replace(stored, problem=stored.problem.sealed()) if is_looked_at else stored, settings


def check_same(stored: Definition, given: Definition, where: str) -> bool:
    """Whether only what may change has changed; a StudyMismatchError shows everything else."""
    if dataclasses.replace(stored, version=given.version) == given:
        return True
    differences = list(_differences(_content(stored), _content(given)))
    grave = [line for key, line in differences if not _may_change(key)]
    units = [line for key, line in differences if _is_unit(key)]
    if units and not grave:
        listed = "".join(f"\n  {printable(line)}" for line in units)
        logger.warning("Units of %s have changed; they are only words, so no value is converted:%s", where, listed)
    if grave:
        listed = "".join(f"\n  {line}" for line in grave)
        raise StudyMismatchError(
            f"The study in {where} was made with another definition:{listed}\n",
            hint="Undo the change, or begin a new study under another name; budget, time, workers, commands, "
            "timeouts, retries, resources, units and low, high and log of outputs may change.",
        )
    return not differences


def check_answers_fit(problem: Problem, runs: Sequence[Run], trials: Sequence[Trial], where: str) -> None:
    """A StudyMismatchError shows answers, given before, that contradict what is declared of the outputs now."""
    answered = {trial.number for trial in trials if trial.answer}
    values = [(trial.number, trial.values) for trial in trials]
    values += [(run.trial, run.answer.values) for run in runs if run.answer and run.trial not in answered]
    faults = [
        f"trial {number}: {objective.name!r} is {told[objective.name]!r}, which {contradiction}"
        for number, told in values
        for objective in problem.objectives
        if objective.name in told and (contradiction := objective.contradiction(told[objective.name]))
    ]
    if faults:
        more = [f"and {len(faults) - N_SHOWN} more"] if len(faults) > N_SHOWN else []
        listed = "".join(f"\n  {line}" for line in [*faults[:N_SHOWN], *more])
        raise StudyMismatchError(
            f"The study in {where} has answers that contradict what its outputs are declared to be now:{listed}\n",
            hint="Correct low, high or log of the objective, or begin a new study under another name.",
        )


def _may_change(key: tuple[str, ...]) -> bool:
    match key:
        case ("simulators", _, entry, *_) if entry in MAY_CHANGE:
            return True
        case _:
            return _is_unit(key)


def _is_unit(key: tuple[str, ...]) -> bool:
    match key:
        case ("parameters" | "constraints", _, "unit") | ("simulators", _, "fidelity", "unit"):
            return True
        case ("simulators", _, "fidelity", "knobs", _, "unit"):
            return True
        case ("simulators", _, entry, _, "unit"):
            return entry == DECLARED
        case _:
            return False


def _content(definition: Definition) -> dict[str, Any]:
    """The tables of a study file, but for costs that none can hold: a local function is itself and no other."""
    problem = definition.problem
    local = {simulator.name: function for simulator in problem.simulators if (function := _local_cost(simulator))}
    writable = [dataclasses.replace(s, cost=ExpressionCost("1")) if s.name in local else s for s in problem.simulators]
    tables = tomllib.loads(storable_problem(problem.with_simulators(writable)))
    for name, function in local.items():
        tables["simulators"][name]["cost"] = function
    for simulator in tables["simulators"].values():
        _set_declared_apart(simulator)
    settings = usable_settings(definition.method, definition.settings)
    of_problem = tables.pop("study", {})
    return {"study": {"method": definition.method, "seed": definition.seed, **settings, **of_problem}, **tables}


def _set_declared_apart(simulator: dict[str, Any]) -> None:
    """Leave of every output its goal; what else is said of them goes to an entry of its own."""
    tables = {
        name: entry if isinstance(entry, dict) else {"goal": entry} for name, entry in simulator["outputs"].items()
    }
    simulator["outputs"] = {name: table.pop("goal") for name, table in tables.items()}
    simulator[DECLARED] = tables


def _local_cost(simulator: Simulator) -> Callable[..., float] | None:
    """The cost function that no other process could import, if it is one."""
    cost = simulator.cost
    if not isinstance(cost, CallableCost) or isinstance(cost.function, FunctionReference):
        return None
    return cost.function if reference_to(cost.function) is None else None


def _differences(stored: Any, given: Any, key: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """(key, line to show) of everything that differs, the order of parameters and simulators included."""
    if isinstance(stored, dict) and isinstance(given, dict):
        for name in [*stored, *(name for name in given if name not in stored)]:
            yield from _differences(stored.get(name), given.get(name), (*key, name))
        common = [name for name in stored if name in given]
        if key and key[-1] in ("parameters", "simulators", "outputs") and common != [n for n in given if n in stored]:
            yield (*key, "order"), f"{'.'.join(key)}: their order was {list(stored)}, now it is {list(given)}"
    elif stored != given:
        yield key, f"{'.'.join(key)}: was {_shown(stored)}, now is {_shown(given)}"


def _shown(value: object) -> str:
    return "absent" if value is None else repr(value)

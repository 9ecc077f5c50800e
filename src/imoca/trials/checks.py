"""Checks on what simulators and users answer. Only finite real numbers that are declared possible pass."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from imoca.errors import CostError, TrialError
from imoca.problem.accuracy import FidelityValue
from imoca.problem.names import is_integer, is_number
from imoca.problem.problem import Problem
from imoca.problem.simulator import Objective, Output, Simulator
from imoca.trials.trial import Answer, Trial
from imoca.wording import shown

NO_REASON = "no reason was given"  # of a failure; none at all would be no failure in a table
LARGEST_VALUE = 1e150  # its square is still a number


def checked_answer(
    problem: Problem,
    asked: Container[str],  # the simulators
    values: Mapping[str, float],
    cost: Mapping[str, float],
    failures: Mapping[str, str],
    errors: Mapping[str, float],
) -> Answer:
    """The answer, or an error that leaves everything as it was. What it does not speak of is pending."""
    names = [simulator.name for simulator in problem.simulators]
    known_outputs = [output.name for output in problem.outputs]
    for what, given, allowed in (
        ("Values", values, known_outputs),
        ("Costs", cost, names),
        ("Failures", failures, names),
        ("Standard errors", errors, known_outputs),
    ):
        check_is_table(what, given, allowed)
        if unknown := [name for name in given if name not in allowed]:
            raise TrialError(f"{what} came for unknown name(s) {unknown}.", hint=f"The names are {allowed}.")
    checked: dict[str, float] = {}
    pending: list[str] = []
    for simulator in problem.simulators:
        own = {o.name: values[o.name] for o in simulator.outputs if o.name in values}
        is_told = bool(own) or simulator.name in {*cost, *failures}
        if is_told and simulator.name not in asked:
            raise TrialError(
                f"An answer came of simulator {simulator.name!r}, which this trial does not ask.",
                hint=f"It asks {[name for name in names if name in asked]}; add what else you know with study.add.",
            )
        if own and simulator.name in failures:
            raise TrialError(
                f"Simulator {simulator.name!r} has both values {sorted(own)} and a failure.",
                hint="Give one or the other.",
            )
        if own:
            checked |= check_values(simulator, own)
        elif simulator.name in asked and simulator.name not in failures:
            pending.append(simulator.name)
    if paid := [name for name in pending if name in cost]:
        raise TrialError(
            f"A cost came for simulator(s) {paid}, which have neither values nor a failure.",
            hint="Give their values too, or leave the cost out until they have answered.",
        )
    costs = {name: check_cost(name, cost[name]) for name in cost}
    for simulator in problem.simulators:
        is_paid = simulator.name in {*costs, *failures, *pending} or simulator.name not in asked
        if simulator.is_cost_measured and not is_paid:
            raise TrialError(
                f"Simulator {simulator.name!r} has cost 'measured', but no cost was told.",
                hint=f"Tell it too: cost={{{simulator.name!r}: ...}}, in any unit you like.",
            )
    reasons = {name: str(reason) if str(reason).strip() else NO_REASON for name, reason in failures.items()}
    return Answer(checked, costs, reasons, pending=tuple(pending), errors=check_errors(errors, checked))


def checked_fidelities(
    problem: Problem,
    fidelities: Mapping[str, FidelityValue],
    values: Mapping[str, float],
    failures: Mapping[str, str],
) -> dict[str, FidelityValue]:
    """The settings of the simulators that were run, of a result that was not asked for; else an error.

    A simulator with neither values nor a failure was not run.
    """
    names = [simulator.name for simulator in problem.simulators]
    check_is_table("Values", values, [output.name for output in problem.outputs])
    check_is_table("Fidelities", fidelities, names)
    check_is_table("Failures", failures, names)
    unknown = [name for name in fidelities if name not in names]
    if unknown:
        raise TrialError(
            f"Fidelities came for unknown simulator(s) {unknown}.",
            hint=f"The simulators are {names}.",
        )
    checked: dict[str, FidelityValue] = {}
    for simulator in problem.simulators:
        value = fidelities.get(simulator.name, simulator.fidelity.target)
        setting = simulator.fidelity.decode(simulator.fidelity.encode(value))
        has_values = any(output.name in values for output in simulator.outputs)
        if not has_values and simulator.name not in failures:
            continue
        if simulator.name not in fidelities and simulator.fidelity.has_knob:
            raise TrialError(
                f"The fidelity of simulator {simulator.name!r} is missing.",
                hint=f"At full accuracy it is {simulator.fidelity.target!r}.",
            )
        checked[simulator.name] = setting
    if not checked:
        raise TrialError(
            "A result was added that holds neither a value nor a failure.",
            hint=f"Give values of the outputs {[output.name for output in problem.outputs]}.",
        )
    return checked


def number_of(trial: Trial | int) -> int:
    """Of a trial, or the number itself."""
    number = trial.number if isinstance(trial, Trial) else trial
    if not is_integer(number):
        raise TrialError(f"{shown(trial)} is no trial.", hint="Give the trial that ask returned, or its number.")
    return int(number)


def check_is_table(what: str, given: object, names: Sequence[str]) -> None:
    if not isinstance(given, Mapping):
        raise TrialError(
            f"{what} came as {shown(given)}, which is no table.", hint=f"Give a dict by the names {names}."
        )


def check_values(simulator: Simulator, values: Mapping[str, object]) -> dict[str, float]:
    """One possible number per output of the simulator, no more and no less."""
    names = [output.name for output in simulator.outputs]
    unknown = [name for name in values if name not in names]
    missing = [name for name in names if name not in values]
    if unknown or missing:
        faults = [f"{word} {found}" for word, found in (("unknown", unknown), ("missing", missing)) if found]
        raise TrialError(
            f"Simulator {simulator.name!r} answered with {', '.join(faults)} output(s).",
            hint=f"Give exactly the outputs {names}.",
        )
    return {output.name: _possible(output, values[output.name]) for output in simulator.outputs}


def check_errors(errors: Mapping[str, object], values: Container[str]) -> dict[str, float]:
    """A standard error of at least 0 for some of the outputs that were answered."""
    if unanswered := [name for name in errors if name not in values]:
        raise TrialError(
            f"A standard error came for output(s) {unanswered}, of which no value was told.",
            hint="Tell value and error together.",
        )
    return {name: _standard_error(name, error) for name, error in errors.items()}


def values_and_errors(outputs: Mapping[str, object]) -> tuple[dict[str, object], dict[str, object]]:
    """Outputs as a simulator answers them, numbers or pairs of a number and its standard error, apart."""
    pairs = {name: each for name, each in outputs.items() if isinstance(each, list | tuple) and len(each) == 2}
    errors = {name: error for name, (_, error) in pairs.items()}
    return {name: pairs[name][0] if name in pairs else each for name, each in outputs.items()}, errors


def check_cost(simulator_name: str, cost: object) -> float:
    """A positive finite cost in the simulator's own units."""
    if not is_number(cost) or float(cost) <= 0.0:
        raise CostError(
            f"The cost of simulator {simulator_name!r} came as {shown(cost)}.",
            hint="Tell a positive finite number in the simulator's own units (seconds, core hours, ...).",
        )
    return float(cost)


def _standard_error(output: str, error: object) -> float:
    if not is_number(error) or not 0.0 <= float(error) <= LARGEST_VALUE:
        raise TrialError(
            f"The standard error of output {output!r} came as {shown(error)}.",
            hint=f"Tell a number from 0 to {LARGEST_VALUE:g} in the output's own units, or leave it out.",
        )
    return float(error)


def _possible(output: Output, value: object) -> float:
    if not is_number(value) or abs(float(value)) > LARGEST_VALUE:
        raise TrialError(
            f"Output {output.name!r} came as {shown(value)}.",
            hint=f"Tell a finite number up to {LARGEST_VALUE:g} in size, or report the simulator as failed with"
            " study.fail or failures=.",
        )
    if isinstance(output, Objective) and (contradiction := output.contradiction(float(value))):
        raise TrialError(
            f"Output {output.name!r} came as {float(value)!r}, which {contradiction}.",
            hint="If such a value is possible, correct low, high or log of the objective; if it is not, report the"
            " simulator as failed with study.fail or failures=.",
        )
    return float(value)

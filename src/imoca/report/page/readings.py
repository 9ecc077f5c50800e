"""What a figure says, in a sentence or two with its numbers; also what a screen reader is told."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from imoca.report.figure_names import COST_UNIT, NOTHING, FigureName
from imoca.report.front_series import earlier_words
from imoca.report.labels import percent, plain_number, rounded, share
from imoca.report.records import (
    FULL,
    FULL_ACCURACY,
    MOST_PANELS,
    ConvergenceRecord,
    CorrelationRecord,
    CostRecord,
    ErrorRecord,
    FidelityMap,
    FidelityRecord,
    FrontRecord,
    ReplayRecord,
    SlicesRecord,
    SummaryRecord,
    TimelineRecord,
    TrustRecord,
    fidelity_map,
)
from imoca.report.records.importance import FEW_ANSWERS, MOST_SHOWN, largest_totals
from imoca.report.records.parallel import ParallelRecord
from imoca.report.records.trade_offs import MOST_IN_MATRIX, N_PAIRS
from imoca.snapshot.importance import Importance
from imoca.snapshot.recommendation import ParetoPoint
from imoca.trials.trial import RunState
from imoca.wording import bound_words, counted, duration, joined, number, printable, with_unit

N_LATE = 3  # checkpoints needed to see how the hypervolume varies
TRUSTED = 0.9  # share within two deviations, where a faultless model has 0.95
WORTH_IT = 0.9  # correlation with full accuracy
CHEAP = 0.5  # cost of a run, as a share of one at full accuracy
ENDS = {  # of runs
    RunState.ANSWERED: "answered",
    RunState.FAILED: "failed",
    RunState.LOST: "lost",
    RunState.RUNNING: "not ended",
}


def headline(record: SummaryRecord) -> str:
    """What was found and what it cost, in one line."""
    if not record.n_front:
        return "No results yet"
    return f"{counted(record.n_front, 'design')} to choose from, for the cost of {_runs(record.cost_spent)}"


def what_was_optimised(front: FrontRecord, n_parameters: int) -> str:
    goals = [f"{objective.goal} {printable(objective.name)}" for objective in front.objectives]
    told = f"The study looks for designs, given by {counted(n_parameters, 'parameter')}, that {joined(goals)}"
    limits = [
        f"{printable(limit.name)} is {bound_words(limit.lower, limit.upper, limit.unit)}" for limit in front.constraints
    ]
    return f"{told}, such that {joined(limits)}." if limits else f"{told}."


def what_was_found(record: SummaryRecord) -> str:
    if not record.n_front and record.n_trials > record.n_running:
        return "There is no front yet: too few answers, or no design that is likely to satisfy all constraints."
    if not record.n_front:
        return "No trial has an answer yet."
    verified = {0: "None of them was", 1: "One of them was"}.get(record.n_verified, f"{record.n_verified} of them were")
    if record.n_verified == record.n_front:
        verified = "It was" if record.n_front == 1 else "All of them were"
    rest = "" if record.n_verified == record.n_front else "; the others are predicted by the model"
    if not record.n_verified:
        rest = ": they are predicted by the model, so run the ones you like at full accuracy before you rely on them"
    beaten = "no design known is better in every objective" if record.n_front > 1 else "the best design known"
    make = "makes" if record.n_front == 1 else "make"
    designs = f"{counted(record.n_front, 'design')} {make} up the front ({beaten})"
    return f"{designs}. {verified} measured at full accuracy{rest}."


def what_it_cost(record: SummaryRecord) -> str:
    counts = ((record.n_failed, "with a failure"), (record.n_running, "still running"))
    some = ", ".join(f"{n} {what}" for n, what in counts if n)
    spent = counted(record.n_trials, "trial") + (f" ({some})" if some else "")
    verified = record.cost_of_verification
    to_verify = f", {plain_number(verified)} of it to verify designs" if verified else ""
    told = f"{spent} took the cost of {_runs(record.cost_spent)}{to_verify}."
    ratio = saving(record)
    if ratio is None:
        return told
    full = f"Running all of them at full accuracy would have cost {number(record.cost_at_full_accuracy)}"
    return f"{told} {full}: {ratio:.3g} times as much."


def saving(record: SummaryRecord) -> float | None:
    """How many times as much the same runs cost at full accuracy; None if they cost about the same."""
    if not record.cost_spent > 0.0 or record.cost_at_full_accuracy < 1.05 * record.cost_spent:
        return None
    return record.cost_at_full_accuracy / record.cost_spent


def front_reading(record: FrontRecord) -> str:
    if not record.points:
        return NOTHING["front"]
    today = record.today
    if len(today) == 1:
        return _only_design(record, today[0])
    ranges = []
    for objective in record.objectives:
        values = [point.known[objective.name] for point in today]
        span = max(values) - min(values)
        ends = with_unit(f"{rounded(min(values), span)} to {rounded(max(values), span)}", objective.unit)
        ranges.append(f"{printable(objective.name)} from {ends}")
    n_objectives = len(record.objectives)
    bars = "bars hold the truth in nine cases of ten" if n_objectives <= 3 else "every panel shows a pair"
    if n_objectives > MOST_IN_MATRIX:
        bars = f"of {n_objectives * (n_objectives - 1) // 2} pairs the {N_PAIRS} are shown that are most at odds"
    scatters = any(point.errors for point in record.points)
    counted = " Where measured values have errors, what counts is the best guess of model and measurement together."
    known = _how_known(sum(point.verified for point in today), len(today))
    before = f" {words}." if (words := earlier_words(record)) else ""
    return (
        f"Each point is a design; along the front one trades {joined(ranges)}. "
        f"{known}; {bars}.{before}{counted if scatters else ''}"
    )


def _only_design(record: FrontRecord, point: ParetoPoint) -> str:
    """Nothing is traded along such a front."""
    values = [
        f"{printable(each.name)} {with_unit(number(point.known[each.name]), each.unit)}" for each in record.objectives
    ]
    before = f" {words}." if (words := earlier_words(record)) else ""
    return f"The front is one design, with {joined(values)}. {_how_known(int(point.verified), 1)}.{before}"


def _how_known(n_verified: int, n_points: int) -> str:
    if not n_verified:
        return "All are predicted by the model" if n_points > 1 else "It is predicted by the model"
    if n_verified == n_points:
        return "All were measured at full accuracy" if n_points > 1 else "It was measured at full accuracy"
    were = "was" if n_verified == 1 else "were"
    return f"{n_verified} of {n_points} {were} measured at full accuracy, the others are predicted"


def parallel_reading(record: ParallelRecord) -> str:
    if not record.is_verified:
        return NOTHING["parallel"]
    narrow = [
        printable(axis.name)
        for axis in record.axes
        if axis.objective is None and np.ptp(axis.values) < 0.1 * (axis.high - axis.low)
    ]
    colour = next(axis.name for axis in record.axes if axis.objective is not None)
    agreed = f" All of them agree on {joined(narrow)}." if narrow and len(record.is_verified) > 1 else ""
    return (
        "One line is one design, from its parameters on the left to its objectives on the right, "
        f"coloured by {printable(colour)}.{agreed}"
    )


def slices_reading(record: SlicesRecord) -> str:
    if not record.outputs:
        return NOTHING["slices"]
    steepest = []
    for output in record.outputs:
        reaches = [np.ptp([v for v in piece.values if v == v] or [0.0]) for piece in output.slices]
        most = int(np.argmax(reaches))
        if reaches[most] > 0.0:
            steepest.append(f"{printable(output.output)} most with {printable(record.axes[most].parameter)}")
    changes = f" Here {joined(steepest)} changes." if len(steepest) == 1 else ""
    if len(steepest) > 1:
        changes = f" From here {joined(steepest)} change."
    left_out = [printable(name) for name in (*record.parameters_left_out, *record.outputs_left_out)]
    rest = f" Left out, because they matter less: {joined(left_out)}." if left_out else ""
    return (
        f"Slices through design {record.design}: one parameter changes, the others stay. The band holds the truth at "
        f"full accuracy in nine cases of ten; dotted curves are cheaper fidelities.{changes}{rest}"
    )


def importance_reading(records: Sequence[Importance]) -> str:
    if not records:
        return NOTHING["importance"]
    parts = []
    for record in records:
        most = record.ranked[0]
        share_of = record.total[most]
        if share_of.value != share_of.value:
            parts.append(f"{printable(record.output)} varies with nothing")
            continue
        logarithm = ", of its logarithm" if record.is_log else ""
        parts.append(
            f"{printable(record.output)} {percent(share_of.value)} by {printable(record.parameters[most])}{logarithm}"
        )
    largest = largest_totals(records)
    n_hidden = max(0, len(largest) - MOST_SHOWN)
    hidden = (
        f" {counted(n_hidden, 'parameter')} of at most {percent(sorted(largest)[n_hidden - 1])} are left out."
        if n_hidden
        else ""
    )
    fewest = min(record.n_answers for record in records)
    few = f" With {counted(fewest, 'answer')} this is hardly more than a guess." if fewest < FEW_ANSWERS else ""
    return (
        "The share of an output's variance over all designs, at full accuracy and as the model sees it, that a "
        f"parameter has a part in; the largest: {joined(parts)}.{hidden}{few}"
    )


def convergence_reading(record: ConvergenceRecord) -> str:
    if not record.costs:
        return NOTHING["convergence"]
    n_late = max(N_LATE, sum(cost >= 0.75 * record.costs[-1] for cost in record.costs))
    late = record.hypervolumes[-n_late:]
    change = (max(late) - min(late)) / max(late) if max(late) > 0.0 else 0.0
    state = (
        f" Over the last quarter of the cost the hypervolume varied by {percent(change)}. Fronts are shown as they "
        "were believed in then; the verdict on whether the front has settled judges all by what is known now."
    )
    return (
        "Hypervolume is the share of one box, around all values seen and the last front, that a front beats; the "
        f"distance is to the front recommended last.{state if len(late) >= N_LATE else ''}"
    )


def fidelities_reading(records: Sequence[FidelityRecord]) -> str:
    shown = [record for record in records if record.trials]
    if not shown:
        return NOTHING["fidelities"]
    if len(shown) > MOST_PANELS:
        return _map_reading(fidelity_map(shown))
    parts = [
        f"{printable(record.simulator)} ran {sum(z == 1.0 for z in record.z)} of {len(record.z)} times at full accuracy"
        for record in shown
    ]
    return f"{joined(parts)}; the top of each axis is full accuracy."


def _map_reading(record: FidelityMap) -> str:
    part, n_runs, name, band = max(
        (part, n, name, band)
        for name, counts, parts in zip(record.simulators, record.n_runs, record.shares, strict=True)
        for band, n, part in zip(record.bands, counts, parts, strict=True)
    )
    where = "at full accuracy" if band == FULL else f"{band} of the way to full accuracy"
    what = "of what all of them cost" if record.is_of_cost else "of the runs of all"
    return (
        f"A row per simulator: how many runs, from its cheapest fidelity to full accuracy, and their share {what}. "
        f"The largest part, {percent(part)}, went into {counted(n_runs, 'run')} of {printable(name)}, {where}."
    )


def cost_reading(records: Sequence[CostRecord]) -> str:
    total = sum(sum(record.costs) + record.wasted for record in records)
    if not total:
        return NOTHING["cost"]
    most, name, band, n_runs = max(
        (cost, record.simulator, band, n)
        for record in records
        for cost, band, n in zip(record.costs, record.bands, record.n_runs, strict=True)
    )
    wasted = sum(record.wasted for record in records)
    lost = f" {percent(wasted / total)} was lost in attempts that had to be repeated." if wasted else ""
    where = "at full accuracy" if band == FULL_ACCURACY else f"at fidelity {printable(band)}"
    return (
        f"{percent(most / total)} of the {total:.4g} {COST_UNIT} went into {counted(n_runs, 'run')} of "
        f"{printable(name)} {where}.{lost}"
    )


def trust_reading(records: Sequence[TrustRecord]) -> str:
    if not records:
        return NOTHING["trust"]
    judged = [record for record in records if not math.isnan(record.skill)]
    few = [printable(record.output) for record in records if math.isnan(record.skill)]
    untold = f" Of {joined(few)} there are too few answers, or too much alike, to tell." if few else ""
    if not judged:
        return f"Every observation is predicted from all the others.{untold} {_at_full_accuracy(records)}"
    skills = [f"{printable(r.output)} {r.skill:.2f}" for r in judged]
    shares = [f"{printable(r.output)} {percent(r.share_within_two_deviations)}" for r in judged]
    doubtful = [printable(r.output) for r in judged if r.share_within_two_deviations < TRUSTED]
    verdict = "the model knows how much it does not know"
    if doubtful:
        verdict = f"be wary of {joined(doubtful)}, where the model is too sure of itself"
    return (
        "Every observation is predicted from all the others. Of what they vary by, the predictions explain (R², 1 at "
        f"best): {joined(skills)}. The share that falls within two standard deviations, about 95 % for a faultless "
        f"model, is {joined(shares)}: {verdict}.{untold} {_at_full_accuracy(records)}"
    )


def _at_full_accuracy(records: Sequence[TrustRecord]) -> str:
    """What was run there: cheap runs say nothing of how good a prediction is at full accuracy."""
    seen = [record for record in records if record.n_full]
    if not seen:
        return "No run at full accuracy yet: nothing tells how good these numbers are there."
    told = [f"{printable(r.output)} {r.n_kept_at_full_accuracy} of {r.n_full}" for r in seen]
    kept = [f"{printable(r.output)} {r.n_promises_kept} of {len(r.promises)}" for r in records if r.promises]
    promised = (
        f" Of what was promised before a verification held (stars, 90 % intervals): {joined(kept)}." if kept else ""
    )
    return f"Of the runs at full accuracy, which alone tell of predictions there, within: {joined(told)}.{promised}"


def correlation_reading(records: Sequence[CorrelationRecord]) -> str:
    if not records:
        return NOTHING["correlation"]
    cheap: dict[str, list[str]] = {}  # outputs by the cost of a run that tells enough
    dear = []
    for record in records:
        pairs = zip(record.cost_ratios, record.correlations, strict=True)
        cheapest = min(((cost, c) for cost, c in pairs if c >= WORTH_IT), default=None)
        name = printable(record.output)
        if cheapest is None or cheapest[0] > CHEAP:
            dear.append(name)
        else:
            cheap.setdefault(share(cheapest[0]), []).append(f"{name} at {cheapest[1]:.2f}")
    parts = [f"a run at {cost} of the full cost already correlates for {joined(each)}" for cost, each in cheap.items()]
    parts += [f"for {joined(dear)} only runs near full accuracy tell much"] if dear else []
    return f"As the model sees it, {joined(parts)}."


def error_reading(records: Sequence[ErrorRecord]) -> str:
    if not records:
        return NOTHING["error"]
    parts = []
    for record in records:
        error, cost = with_unit(plain_number(record.typical[0]), record.unit), share(record.cost_ratios[0])
        of_spread = f", where it varies by {plain_number(record.spread)}" if record.spread > 0.0 else ""
        parts.append(f"{printable(record.output)} is off by {printable(error)} for {cost} of the cost{of_spread}")
    unseen = [printable(record.output) for record in records if not record.n_full]
    guess = "at full accuracy yet: the model supposes where cheaper runs lead."
    return (
        "What a run at the cheapest fidelity typically misses of full accuracy, as the model has learned it: "
        f"{joined(parts)}.{f' No run of {joined(unseen)} {guess}' if unseen else ''}"
    )


def timeline_reading(record: TimelineRecord) -> str:
    if not record.runs:
        return NOTHING["timeline"]
    busy, span = sum(run.seconds for run in record.runs), max(run.end for run in record.runs)
    took = duration(busy) if busy >= 1.0 else "less than a second"
    at_once = f", {busy / span:.1f} at a time on average" if span > 0.0 and len(record.lanes) > 1 else ""
    counts = [(sum(run.state is state for run in record.runs), word) for state, word in ENDS.items()]
    ends = [f"{n} {word}" for n, word in counts if n]
    paused = sum(seconds for _, seconds in record.pauses)
    pauses = f" Pauses of {duration(paused)} in all are cut short." if record.pauses else ""
    return (
        f"{counted(len(record.runs), 'run')} took {took} of computing{at_once}; {joined(ends)}. A lane is "
        f"a simulator, or its share of several at once; blue is full accuracy, orange the cheapest.{pauses}"
    )


def replay_reading(record: ReplayRecord) -> str:
    if not record.steps:
        return NOTHING["replay"]
    n_outside = record.n_outside
    outside = f" {counted(n_outside, 'run')} outside of the axes, which stay the same." if n_outside else ""
    x, y = (printable(objective.name) for objective in record.objectives)
    return (
        f"Move the slider to see {y} against {x} as they were known: the front recommended at that cost, and the runs "
        f"by then, those since the step before it the brightest. {counted(len(record.steps), 'step')} from "
        f"{counted(record.steps[0].n_trials, 'trial')} to {record.steps[-1].n_trials}.{outside}"
    )


def known(cost: float) -> str:
    return "unknown" if math.isnan(cost) else plain_number(cost)


def _runs(cost: float) -> str:
    if math.isnan(cost):
        return f"an unknown number of {COST_UNIT}"
    return "1 full-fidelity run" if plain_number(cost) == "1" else f"{plain_number(cost)} {COST_UNIT}"


READINGS: Mapping[FigureName, Callable[[Any], str]] = {  # in the order of reading
    "front": front_reading,
    "parallel": parallel_reading,
    "slices": slices_reading,
    "importance": importance_reading,
    "fidelities": fidelities_reading,
    "cost": cost_reading,
    "convergence": convergence_reading,
    "correlation": correlation_reading,
    "error": error_reading,
    "timeline": timeline_reading,
    "replay": replay_reading,
    "trust": trust_reading,
}

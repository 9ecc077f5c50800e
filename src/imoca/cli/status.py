"""``imoca status``: how far a study is."""

from __future__ import annotations

import math
import sys
import time
from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from imoca.cli.opening import AsJson, Opened, StudyArgument, open_to_read
from imoca.cli.output import print_json, print_pairs, say
from imoca.cli.tables import Column, print_table
from imoca.cli.text import duration
from imoca.content.records import run_record
from imoca.wording import last_line, number

if TYPE_CHECKING:
    from imoca.snapshot.snapshot import Snapshot
    from imoca.trials.table import TrialTable

SIMULATOR_COLUMNS = (
    Column("simulator"),
    Column("answered", is_number=True),
    Column("failed", is_number=True),
    Column("at full fidelity", is_number=True),
    Column("cost, own units", is_number=True),
)
RUNNING_COLUMNS = (
    Column("running"),
    Column("trial", is_number=True),
    Column("attempt", is_number=True),
    Column("for", is_number=True),
)


def status(study: StudyArgument = None, as_json: AsJson = False) -> None:
    """Show how far a study is: spent, running, failed; whether it has settled, and what is verified."""
    with open_to_read(study) as opened:
        content = summary(opened)
        if as_json:
            print_json(content)
            return
        print_pairs(_lines(content))
        print()
        print_table(SIMULATOR_COLUMNS, _simulator_rows(content))
        if content["running"]:
            print()
            print_table(RUNNING_COLUMNS, _running_rows(content))
        if not opened.is_started:
            say(f"The study was not started yet. Start it with: imoca run{opened.command_argument}")


def summary(opened: Opened) -> dict[str, Any]:
    """All that is shown, as content for JSON."""
    from imoca.problem.allowance import Allowance
    from imoca.snapshot.accounting import seconds_bill

    study = opened.study
    snapshot = study.snapshot()
    trials = snapshot.trials
    states = Counter(str(trial.state) for trial in trials)
    failures = [(t.number, name, why) for t in trials for name, why in t.failures.items()]
    written = None if opened.settings is None else opened.settings.budget
    owner, step = study.owner, snapshot.verdict_for(written).next_step
    is_time = written is not None and Allowance.read(written).is_time
    time_bill = seconds_bill(snapshot.table, snapshot.runs) if is_time else None
    running = [] if owner is None else [run for run in snapshot.runs if run.ended is None]  # else they ended with it
    return {
        "name": opened.name,
        "database": str(opened.database),
        "method": study.method,
        "seed": study.seed,
        "trials": {"total": len(trials)} | {state: states[state] for state in ("complete", "failed", "running")},
        "cost_spent": known(snapshot.bill.total),
        "cost_of_verification": known(snapshot.bill.verification),
        "budget": written,
        "simulator_seconds": time_bill.total if time_bill else None,  # spent, of a budget that is simulator time
        "simulator_seconds_of_verification": time_bill.verification if time_bill else None,
        "driver": None if owner is None else {"pid": owner.pid, "host": owner.host, "since": owner.since},
        "simulators": {
            simulator.name: _simulator(snapshot.table, s) for s, simulator in enumerate(study.problem.simulators)
        },
        "running": [run_record(run, is_driven=True) for run in running],
        "last_failure": None
        if not failures
        else dict(zip(("trial", "simulator", "reason"), failures[-1], strict=True)),
        **diagnosis(snapshot),
        "next": {
            "what": step.line,
            "command": step.command(opened.command_argument),
            "price": step.price,
            "unit": "seconds of simulator time" if step.is_time else "full-fidelity runs",
        },
    }


def known(cost: float) -> float | None:
    return None if math.isnan(cost) else cost


def diagnosis(snapshot: Snapshot) -> dict[str, Any]:
    """How far the front can be relied on; no model is fitted for it."""
    movement, found, verdict = snapshot.movement, snapshot.verification, snapshot.verdict
    return {
        "settled": {
            "is_settled": movement.is_settled,
            "movement": movement.share,  # share of the front's hypervolume
            "over_cost": movement.cost,
            "why": movement.words,
        },
        "verified": {
            "at_full_fidelity": snapshot.n_full,
            "on_demand": len(found.designs),
            "n_within": found.n_kept,
            "n_measured": found.n_measured,
            "relied_on": verdict.trusted.word,
            "why": verdict.trusted.why,
        },
        "cheap_runs": [
            asdict(each) | {"worth_it": each.is_worth_it, "why": each.words, "verdict": each.verdict}
            for each in snapshot.cheap_runs
        ],
        "failing": verdict.failing or None,
    }


def _simulator(table: TrialTable, s: int) -> dict[str, Any]:
    from imoca.trials.trial import SimulatorState

    is_answered = table.states[:, s] == SimulatorState.ANSWERED
    told = [cost for cost in table.costs[:, s].tolist() if cost == cost]  # NaN where none was told
    return {
        "answered": int(is_answered.sum()),
        "failed": int((table.states[:, s] == SimulatorState.FAILED).sum()),
        "at_full_fidelity": int((is_answered & (table.z[:, s] == 1.0)).sum()),
        "cost": min(sum(told), sys.float_info.max) if told else None,  # in its own units
    }


def _lines(content: dict[str, Any]) -> list[tuple[str, str]]:
    counts = content["trials"]
    words = {"complete": "complete", "failed": "failed", "running": "without an answer yet"}
    parts = [f"{counts[state]} {word}" for state, word in words.items() if counts[state]]
    lines = [
        ("study", f"{content['name']} in {content['database']}"),
        ("method", f"{content['method']}, seed {content['seed']}"),
        ("trials", f"{counts['total']}" + (f": {', '.join(parts)}" if parts else "")),
        ("spent", _spent(content)),
        ("driver", _driver(content["driver"])),
    ]
    lines += _diagnosis_lines(content)
    if failure := content["last_failure"]:
        reason = last_line(failure["reason"])
        lines.append(("last failure", f"trial {failure['trial']}, {failure['simulator']}: {reason}"))
    return lines


def _spent(content: dict[str, Any]) -> str:
    from imoca.problem.allowance import Allowance

    budget, cost, to_verify = content["budget"], content["cost_spent"], content["cost_of_verification"]
    if content["simulator_seconds"] is not None:
        allowance = Allowance.read(budget)
        to_verify = allowance.told(content["simulator_seconds_of_verification"])
        words = allowance.spent_words(content["simulator_seconds"])
    elif cost is None:
        return "unknown: a function tells what runs cost, which is not imported for looking at a study"
    else:
        words = f"{cost:.4g}{'' if budget is None else f' of {budget:g}'} full-fidelity runs"
    return words + (f", {to_verify:.4g} of it to verify designs" if to_verify else "")


def _diagnosis_lines(content: dict[str, Any]) -> list[tuple[str, str]]:
    settled, verified = content["settled"], content["verified"]
    lines = [
        ("settled", f"{'yes' if settled['is_settled'] else 'no'}: {settled['why']}"),
        ("verified", verified["why"]),
        *((f"cheap {each['output']}", each["verdict"]) for each in content["cheap_runs"]),
        *([("failing", content["failing"])] if content["failing"] else []),
    ]
    step = content["next"]
    return [*lines, ("next", f"{step['what']}: {step['command']}")]


def _driver(driver: dict[str, Any] | None) -> str:
    if driver is None:
        return "no process is driving this study"
    since = duration(max(0.0, time.time() - driver["since"]))
    return f"process {driver['pid']} on {driver['host']}, started {since} ago"


def _simulator_rows(content: dict[str, Any]) -> list[list[str]]:
    return [
        [
            *(name, str(one["answered"]), str(one["failed"]), str(one["at_full_fidelity"])),
            "as declared" if one["cost"] is None else number(one["cost"]),
        ]
        for name, one in content["simulators"].items()
    ]


def _running_rows(content: dict[str, Any]) -> list[list[str]]:
    now = time.time()
    return [
        [run["simulator"], str(run["trial"]), str(run["attempt"]), duration(max(0.0, now - run["started"]))]
        for run in content["running"]
    ]

"""What the page's navigator is given: verdict, budget, and every recommended design with its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from imoca.problem.parameters import Choice, Integer, Parameter, Real
from imoca.problem.problem import Problem
from imoca.report.page.decision import Budget, highlights
from imoca.snapshot.recommendation import ParetoPoint, is_feasibility_told
from imoca.snapshot.verdict import Answer, Verdict
from imoca.wording import limit_words

N_DIGITS = 7  # of what is predicted; parameters are told exactly, for a design is named by them


@dataclass(frozen=True)
class Commands:
    """How a study is named where a reader types."""

    study: str | None  # after the verb, a blank before; None for a study that no command finds

    def verify(self) -> dict[str, str]:
        """What stands before, between and after the ids of designs."""
        if self.study is None:
            return {"before": 'study.verify(["', "between": '", "', "after": '"])'}
        return {"before": f"imoca verify{self.study} ", "between": " ", "after": ""}


def navigator_content(
    problem: Problem, front: Sequence[ParetoPoint], verdict: Verdict, budget: Budget, commands: Commands
) -> dict[str, Any]:
    """For JSON."""
    return {
        **verdict_content(verdict, budget, commands),
        "columns": _columns(problem),
        "designs": [_design(problem, point) for point in front],
        "begin": [{"design": front.index(each.point), "reason": each.reason} for each in highlights(problem, front)],
        "feasibility": is_feasibility_told(problem, front),
        "verify": commands.verify(),
    }


def verdict_content(verdict: Verdict, budget: Budget, commands: Commands) -> dict[str, Any]:
    """That which needs no front."""
    step = verdict.next_step
    command = "" if commands.study is None else step.command(commands.study)
    return {
        "verdict": [_answer(verdict.settled), _answer(verdict.trusted)],
        "next": {"what": step.line, "command": command},
        "warnings": list(verdict.warnings),
        "budget": {
            "spent": budget.spent,
            "verification": budget.verification,
            "total": budget.total,
            "words": budget.words,
        },
    }


def _answer(answer: Answer) -> dict[str, str]:
    return {"question": answer.question, "word": answer.word, "why": answer.why, "level": answer.level}


def _columns(problem: Problem) -> list[dict[str, Any]]:
    """Objectives, constraints, parameters."""
    objectives = [
        {"kind": "objective", "name": each.name, "unit": each.unit, "goal": each.goal} for each in problem.objectives
    ]
    limits = [
        {"kind": "constraint", "name": each.name, "unit": each.unit, "bound": limit_words(each.lower, each.upper)}
        for each in problem.constraints
    ]
    return [*objectives, *limits, *(_parameter(each) for each in problem.parameters)]


def _parameter(parameter: Parameter) -> dict[str, Any]:
    scale: dict[str, Any]
    match parameter:
        case Real():
            scale = {"low": parameter.low, "high": parameter.high, "log": parameter.log}
        case Integer():
            scale = {"low": parameter.low, "high": parameter.high, "whole": True}
        case Choice():
            scale = {"choices": list(parameter.values)}
    return {"kind": "parameter", "name": parameter.name, "unit": parameter.unit, **scale}


def _design(problem: Problem, point: ParetoPoint) -> dict[str, Any]:
    names = [output.name for output in problem.modelled]
    ends = [point.interval.get(name, (point.predicted[name], point.predicted[name])) for name in names]
    return {
        "id": point.id,
        "state": point.state,
        "earlier": point.is_earlier,
        "parameters": [point.parameters[name] for name in problem.space.names],
        "predicted": _digits([point.predicted[name] for name in names]),
        "uncertainty": _digits([point.uncertainty[name] for name in names]),
        "low": _digits([low for low, _ in ends]),
        "high": _digits([high for _, high in ends]),
        "measured": None if point.measured is None else [point.measured[name] for name in names],
        "errors": [point.errors.get(name) for name in names] if point.errors else None,
        "feasibility": point.feasibility,
    }


def _digits(values: Sequence[float]) -> list[float]:
    return [float(f"{value:.{N_DIGITS}g}") for value in values]

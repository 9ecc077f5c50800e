"""The figures there are, their titles, and what stands in their place while there is nothing to draw."""

from __future__ import annotations

from typing import Literal, get_args

FigureName = Literal[
    "front",
    "parallel",
    "slices",
    "importance",
    "convergence",
    "fidelities",
    "cost",
    "trust",
    "correlation",
    "error",
    "timeline",
    "replay",
]
Backend = Literal["plotly", "matplotlib"]

FIGURE_NAMES: tuple[FigureName, ...] = get_args(FigureName)

TITLES: dict[FigureName, str] = {
    "front": "The Pareto front at full accuracy",
    "parallel": "The designs on the front",
    "slices": "Why this design",
    "importance": "Which parameters matter",
    "convergence": "How the front came to be",
    "fidelities": "The fidelity chosen for each simulator",
    "cost": "Where the cost went",
    "trust": "Is the model to be trusted?",
    "correlation": "Is a cheap fidelity worth it?",
    "error": "What a knob buys",
    "timeline": "When simulators ran",
    "replay": "The front, step by step",
}
NOTHING: dict[FigureName, str] = {
    "front": "No front yet: no trial has an answer.",
    "parallel": "No front yet: no trial has an answer.",
    "slices": "No design yet: too few answers, or none that is likely to satisfy all constraints.",
    "importance": "No model yet: no trial has an answer.",
    "convergence": "No front yet: no trial has an answer.",
    "fidelities": "No simulator with a fidelity was run yet.",
    "cost": "Nothing was spent yet.",
    "trust": "No model yet: no trial has an answer.",
    "correlation": "Too few answers of a simulator with a fidelity yet.",
    "error": "No simulator with a fidelity has an answer yet.",
    "timeline": "No run yet: answers that are told or added have no time.",
    "replay": "Nothing to replay: it takes two objectives, and answers to both.",
}
COST_UNIT = "full-fidelity runs"

"""What the runs of a question cost where a function tells it, which is called when the question is asked or never."""

from __future__ import annotations

import dataclasses

from imoca.problem.cost import CallableCost
from imoca.problem.problem import Problem
from imoca.trials.trial import Candidate


def with_declared_costs(problem: Problem, candidate: Candidate) -> Candidate:
    x = problem.space.encode(candidate.parameters)
    declared = {
        simulator.name: problem.declared_costs(s, x, simulator.fidelity.encode(candidate.fidelities[simulator.name]))
        for s, simulator in enumerate(problem.simulators)
        if isinstance(simulator.cost, CallableCost) and simulator.name in candidate.fidelities
    }
    return dataclasses.replace(candidate, declared=declared)

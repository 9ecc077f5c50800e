"""What every method must do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
import pytest

from imoca.methods.method import Method
from imoca.problem.fidelity import Fidelity
from imoca.problem.parameters import Choice, Integer, Real
from imoca.problem.problem import Problem
from imoca.problem.simulator import Objective, Simulator
from imoca.trials.table import TrialTable
from imoca.trials.trial import Answer, Candidate, Trial

N_ASKED = 3  # questions beyond the initial design
MOST_ASKED = 150  # before an initial design counts as endless

CONTINUOUS = Problem(
    [Real("a", -1.0, 1.0), Real("b", 0.1, 10.0, log=True)],
    [
        Simulator("s0", [Objective("f0", "maximize")], fidelity=Fidelity.continuous(), cost="0.1 + z**2"),
        Simulator("s1", [Objective("f1", "minimize")], fidelity=Fidelity.continuous(), cost="0.1 + z**2"),
    ],
)
MIXED = Problem(
    [Real("a", 0.0, 1.0), Integer("n", 1, 5), Choice("c", ["x", "y", "z"])],
    [
        Simulator("flow", [Objective("drag", "minimize")], fidelity=Fidelity.levels(["coarse", "fine"]), cost=[1, 9]),
        Simulator("mass", [Objective("mass", "minimize")], full_cost=0.01),
        Simulator("noise", [Objective("noise", "minimize")], fidelity=Fidelity.continuous(), cost="measured"),
    ],
)
PROBLEMS = {"continuous": CONTINUOUS, "mixed": MIXED}


class MethodContract(ABC):
    """Inherit it in a class named ``Test...``."""

    @abstractmethod
    def make_method(self) -> Method:
        """The method, with settings that make it quick."""

    @pytest.fixture(params=PROBLEMS)
    def asked(self, request: pytest.FixtureRequest) -> TrialTable:
        """The initial design and the first questions after it, all answered."""
        problem, method = PROBLEMS[request.param], self.make_method()
        table = TrialTable.encode(problem, ())
        n_left = N_ASKED
        while n_left:
            n_left -= not method.is_start(table, 0)
            table = table.renewed([*table.trials, answered(problem, len(table), method.suggest(table, 0))])
            assert len(table) < MOST_ASKED
        return table

    def test_questions_are_designs_and_fidelities_of_the_problem(self, asked: TrialTable) -> None:
        for trial in asked.trials:
            assert asked.problem.space.check(trial.parameters) == trial.parameters
            assert list(trial.fidelities) == [simulator.name for simulator in asked.problem.simulators]
        assert ((asked.z >= 0.0) & (asked.z <= 1.0)).all()

    def test_the_same_trials_and_seed_give_the_same_question(self, asked: TrialTable) -> None:
        again = TrialTable.encode(asked.problem, asked.trials[:-1])
        question = self.make_method().suggest(again, 0)
        assert (question.parameters, question.fidelities) == (asked.trials[-1].parameters, asked.trials[-1].fidelities)

    def test_another_seed_begins_elsewhere(self) -> None:
        table = TrialTable.encode(CONTINUOUS, ())
        first, other = (self.make_method().suggest(table, seed).parameters for seed in (0, 1))
        assert first != other

    def test_nothing_it_is_given_is_changed(self, asked: TrialTable) -> None:
        copies = [array.copy() for array in arrays_of(asked)]
        self.make_method().suggest(asked, 0)
        for copy, array in zip(copies, arrays_of(asked), strict=True):
            np.testing.assert_array_equal(copy, array)

    def test_a_question_that_is_still_open_is_not_asked_again(self) -> None:
        table, method = started(CONTINUOUS, self.make_method()), self.make_method()
        first = method.suggest(table, 0)
        second = method.suggest(table.renewed([*table.trials, Trial.asked(len(table), first)]), 0)
        assert (first.parameters, first.fidelities) != (second.parameters, second.fidelities)

    def test_where_every_answer_failed_it_still_asks(self) -> None:
        method = self.make_method()
        trials: list[Trial] = []
        failed = Answer(failures={simulator.name: "no" for simulator in CONTINUOUS.simulators})
        for number in range(5):
            question = method.suggest(TrialTable.encode(CONTINUOUS, trials), 0)
            trials.append(Trial.asked(number, question, failed))
        assert len({tuple(trial.parameters.values()) for trial in trials}) == len(trials)


def started(problem: Problem, method: Method) -> TrialTable:
    """The initial design, answered."""
    table = TrialTable.encode(problem, ())
    while method.is_start(table, 0) or len(table) < 2 * (problem.space.n_parameters + 1):
        table = table.renewed([*table.trials, answered(problem, len(table), method.suggest(table, 0))])
        assert len(table) < MOST_ASKED
    return table


def answered(problem: Problem, number: int, question: Candidate) -> Trial:
    """Smooth functions of the encoded design; lower fidelities are biased."""
    x = problem.space.encode(question.parameters)
    values: dict[str, float] = {}
    costs: dict[str, float] = {}
    for s, simulator in enumerate(problem.simulators):
        if simulator.name not in question.fidelities:
            continue
        z = simulator.fidelity.encode(question.fidelities[simulator.name])
        for j, output in enumerate(simulator.outputs):
            values[output.name] = float(np.sin(3.0 * x + s + j).sum() + 0.2 * (1.0 - z) * x[0])
        if simulator.is_cost_measured:
            costs[simulator.name] = 10.0 ** (2.0 * z)
    return Trial.asked(number, question, Answer(values, costs))


def arrays_of(table: TrialTable) -> Sequence[np.ndarray]:
    return (table.x, table.z, table.values, table.costs, table.wasted, table.states)

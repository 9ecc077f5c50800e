"""What does a knob buy? A few designs at several fidelities, as questions of a loop."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from imoca.errors import MethodError
from imoca.methods.calibration import FULL_RUNS, first_questions, further_questions, knobbed
from imoca.problem.names import is_number
from imoca.snapshot.calibration import Calibration, calibration
from imoca.trials.trial import Candidate, Trial
from imoca.wording import shown

if TYPE_CHECKING:
    from imoca.study.study import Study


class Calibrating:
    """The ends of every knob first; then, as prices and errors become known, what may be had for the rest."""

    def __init__(self, study: Study, full_runs: float = FULL_RUNS) -> None:
        if not is_number(full_runs) or full_runs < FULL_RUNS:
            raise MethodError(
                f"full_runs is {shown(full_runs)}.",
                hint=f"Give what calibrating a simulator may cost, at least {FULL_RUNS:g} full runs.",
            )
        if not knobbed(study.problem):
            raise MethodError(
                "There is nothing to calibrate: no simulator has a fidelity.",
                hint="Declare one, such as Fidelity.continuous(10, 1000, log=True).",
            )
        self._study = study
        self._full_runs = float(full_runs)
        self._left: deque[Candidate] = deque()

    def begin(self) -> None:
        for question in first_questions(self._study.table(), self._study.seed):
            self._study.launch(question)

    def next(self, n_free: int, is_idle: bool) -> Trial | None:
        if not self._left and is_idle:
            self._left = deque(further_questions(self._study.table(), self._study.seed, self._full_runs))
        return self._study.launch(self._left.popleft()) if self._left else None

    def outcome(self) -> Calibration:
        return calibration(self._study.table())

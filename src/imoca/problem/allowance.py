"""What a study may spend in all: so many full-fidelity runs, or so much simulator time."""

from __future__ import annotations

from dataclasses import dataclass

from imoca.errors import CostError, MethodError
from imoca.problem.names import is_number
from imoca.problem.problem import Problem
from imoca.wording import duration_seconds, shown

__all__ = ["Allowance"]

SCALES = ((7200.0, 3600.0, "h"), (120.0, 60.0, "min"), (0.0, 1.0, "s"))  # from so many seconds on, shown in


@dataclass(frozen=True)
class Allowance:
    amount: float  # of full-fidelity runs, or seconds of simulator time
    is_time: bool = False

    @staticmethod
    def read(written: float | str) -> Allowance:
        """As a user writes a budget: 30, or "40h"."""
        seconds = duration_seconds(written) if isinstance(written, str) else None
        amount = written if seconds is None else seconds
        if not is_number(amount) or amount <= 0.0:
            raise MethodError(
                f"The budget is {shown(written)}.",
                hint='Give a positive number of full-fidelity runs, or simulator time such as "90m", "40h" or "2d".',
            )
        return Allowance(float(amount), seconds is not None)

    def check_suits(self, problem: Problem) -> None:
        """A CostError, unless what runs of every simulator cost is their time."""
        if not self.is_time:
            return
        declared = [simulator.name for simulator in problem.simulators if not simulator.is_cost_measured]
        if declared:
            raise CostError(
                f"The budget is simulator time, but how long {', '.join(map(repr, declared))} runs is not measured.",
                hint='Declare cost = "measured" for every simulator, or give the budget in full-fidelity runs.',
            )
        if problem.setup_cost:
            raise CostError(
                "The budget is simulator time, but the set-up cost of a question is in full-fidelity runs.",
                hint="Leave setup_cost out, or give the budget in full-fidelity runs.",
            )

    @property
    def unit(self) -> str:
        return f"{self._scale[1]} of simulator time" if self.is_time else "full-fidelity runs"

    def told(self, amount: float) -> float:
        """An amount, spent or left, in the unit that is shown."""
        return amount / self._scale[0]

    def spent_words(self, spent: float) -> str:
        """Such as "12.50 of 40 h of simulator time"."""
        return f"{self.told(spent):.2f} of {self.told(self.amount):g} {self.unit}"

    @property
    def _scale(self) -> tuple[float, str]:
        if not self.is_time:
            return 1.0, ""
        return next((size, word) for least, size, word in SCALES if self.amount >= least)

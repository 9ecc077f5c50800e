"""A kind of fidelity that the package does not know goes all the way through a study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import pytest

from imoca.arrays import Array
from imoca.errors import FidelityError, ProblemError
from imoca.problem.accuracy import FidelityValue
from imoca.problem.fidelity import Fidelity
from imoca.problem.parameters import Real
from imoca.problem.problem import Problem
from imoca.problem.simulator import Objective, Simulator
from imoca.report.problem_words import fidelity_words
from imoca.report.records import cost_records, fidelity_records
from imoca.study.study import Study
from imoca.studyfile import problem_to_toml


@final
@dataclass(frozen=True)
class Meshes(Fidelity):
    """So many elements: powers of two up to the target."""

    exponent: int

    @property
    def has_knob(self) -> bool:
        return True

    @property
    def is_continuous(self) -> bool:
        return False

    @property
    def is_numeric(self) -> bool:
        return True

    def encode_all(self, values: Sequence[FidelityValue]) -> Array:
        for value in values:
            if value not in [2**power for power in range(self.exponent + 1)]:
                raise FidelityError(f"{value!r} is not {self._allowed()}.", hint="Give one.")
        return np.log2(np.array(values, dtype=np.float64)) / self.exponent

    def numbers(self, z: Array) -> Array:
        return 2.0 ** np.rint(self.exponent * np.asarray(z))

    def grid(self, n: int) -> Array:
        return np.linspace(0.0, 1.0, self.exponent + 1)

    def _setting(self, z: float) -> FidelityValue:
        return int(self.numbers(np.array(z)))

    def _allowed(self) -> str:
        return f"a power of two up to {2**self.exponent}"


def elements_squared(x: float, z: int) -> dict[str, float]:
    return {"f": (x - 0.3) ** 2 + 1.0 / z, "g": (x - 0.7) ** 2}


PROBLEM = Problem(
    [Real("x", 0, 1)],
    [
        Simulator(
            "fem",
            [Objective("f", "minimize"), Objective("g", "minimize")],
            elements_squared,
            fidelity=Meshes(3),
            cost="z**2",
        )
    ],
)


@pytest.mark.parametrize("method", ["imoca-t", "random"])
def test_a_study_asks_pays_and_recommends_with_a_kind_of_its_own(method: str) -> None:
    settings: dict[str, Any] = {} if method == "random" else {"n_fronts": 2}
    study = Study(PROBLEM, method=method, **settings)
    study.optimize(4.0)
    asked: list[Any] = [trial.fidelities["fem"] for trial in study.trials]
    assert set(asked) <= {1, 2, 4, 8}
    assert study.cost_spent == pytest.approx(sum((float(each) / 8.0) ** 2 for each in asked))
    assert study.pareto_front()


def test_what_is_reported_of_it_needs_no_more_than_its_own_answers() -> None:
    study = Study(PROBLEM)
    for x, z in ((0.1, 1), (0.4, 8), (0.6, 2), (0.9, 8)):
        study.add({"x": x}, {"fem": z}, elements_squared(x, z))
    assert fidelity_words(PROBLEM.simulators[0].fidelity) == "1, 2, 4, 8; the last is full accuracy"
    (record,) = cost_records(study.snapshot())
    assert (record.bands, record.n_runs) == (("1", "2", "4", "8"), (1, 1, 0, 2))
    assert fidelity_records(study.snapshot())[0].z == pytest.approx((0.0, 1.0, 1.0 / 3.0, 1.0))


def test_a_study_file_refuses_a_kind_it_has_no_words_for() -> None:
    with pytest.raises(ProblemError, match=r"Meshes\(exponent=3\)"):
        problem_to_toml(PROBLEM)

"""One absurd but finite answer does not move the recommended front."""

import numpy as np
import pytest
from deciding import believe, recommend, trial_at

from imoca.arrays import Array
from imoca.pareto import hypervolume
from imoca.problem import Fidelity, Objective, Problem, Real, Simulator
from imoca.report.records import trust_records
from imoca.snapshot.recommendation import front_values
from imoca.snapshot.snapshot import Snapshot
from imoca.sobol import sobol_sequence
from imoca.trials import Answer, Trial, TrialTable

PROBLEM = Problem(
    [Real("a", 0.0, 1.0), Real("b", 0.0, 1.0)],
    [
        Simulator("s", [Objective("f0", "minimize")], fidelity=Fidelity.continuous(), cost="0.1 + z"),
        Simulator("t", [Objective("f1", "maximize")], fidelity=Fidelity.continuous(), cost="0.1 + z"),
    ],
)
N, BAD = 40, 23


def trials(answer_0: float | None = None) -> list[Trial]:
    """40 answers in [0, 1], some at full accuracy; the first objective of one trial answers something else."""
    rng = np.random.default_rng(3)
    x = sobol_sequence(2, rng).random_base2(6)[:N]
    z = rng.choice([0.25, 0.5, 1.0], (N, 2))
    z[BAD] = 1.0
    made = []
    for i in range(N):
        values = simulate(x[i], z[i])
        if i == BAD and answer_0 is not None:
            values["f0"] = answer_0
        made.append(trial_at(PROBLEM, i, x[i], z[i].tolist(), Answer(values)))
    return made


def simulate(x: Array, z: Array) -> dict[str, float]:
    distances = [float((x[0] - best) ** 2 + (x[1] - 0.5) ** 2) for best in (0.2, 0.8)]
    return {"f0": distances[0] * (0.8 + 0.2 * float(z[0])), "f1": 1.0 - distances[1] * (0.8 + 0.2 * float(z[1]))}


def volume(told: list[Trial]) -> float:
    return hypervolume(front_values(PROBLEM, recommend(PROBLEM, told)), np.array([-1.0, 0.0]))


@pytest.mark.slow
@pytest.mark.parametrize("bad", [10.0, 1e3, 1e6, -10.0, -1e6])
def test_the_front_stays_where_it_is(bad: float) -> None:
    assert volume(trials(bad)) == pytest.approx(volume(trials()), rel=0.01)


@pytest.mark.parametrize("bad", [10.0, 1e3, 1e6, -1e6])
def test_the_trial_is_named_and_no_front_shows_its_value(bad: float) -> None:
    told = trials(bad)
    beliefs = believe(PROBLEM, told)
    assert beliefs is not None
    assert beliefs.set_aside == ((BAD,), ())
    assert len(beliefs.surrogates[1].values) == N  # its other answer is believed
    front = recommend(PROBLEM, told)
    assert all(abs(point.predicted["f0"]) < 2.0 for point in front)
    assert all(abs(point.measured["f0"]) < 2.0 for point in front if point.measured is not None)


def test_the_figure_of_trust_leaves_it_out() -> None:
    records = trust_records(Snapshot("imoca-p", 0, TrialTable.encode(PROBLEM, trials(1e6))))
    assert [BAD in record.trials for record in records] == [False, True]
    assert [len(record.trials) for record in records] == [len(record.observed) for record in records] == [N - 1, N]


def test_whoever_makes_the_front_warns_of_it_and_nobody_else_fits_a_model_for_it() -> None:
    snapshot = Snapshot("imoca-p", 0, TrialTable.encode(PROBLEM, trials(1e6)))
    words = f"Set aside as impossible: f0 of trial {BAD}. See: imoca show {BAD}"
    assert words not in snapshot.verdict_for(None).warnings
    assert "beliefs" not in vars(snapshot)
    assert words in snapshot.verdict_for(None, snapshot.front).warnings
    assert not Snapshot("imoca-p", 0, TrialTable.encode(PROBLEM, trials())).set_aside_words

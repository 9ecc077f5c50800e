"""The family of problems along which cheap runs pay less and less, and what is said of a run on it."""

import numpy as np
import pytest

from experiments.growth.family import REFERENCE, Member
from experiments.growth.run import row_of, table_rows
from imoca.pareto import estimate_hypervolume
from imoca_lab.problems.dtlz2 import dtlz2_values
from imoca_lab.problems.dtlz2 import front_hypervolume as hypervolume_of_three

MEMBERS = [
    *(Member(correlation=r) for r in (1.0, 0.9, 0.5, 0.3)),
    *(Member(n_parameters=d, n_objectives=k) for d, k in ((2, 2), (10, 3), (33, 2), (12, 9))),
]


@pytest.mark.parametrize("member", MEMBERS, ids=str)
def test_cheapest_runs_have_the_correlation_that_was_asked_for(member: Member) -> None:
    x = np.random.default_rng(7).random((40_000, member.n_parameters))
    cheap, full = member.values(x, 0.0), member.values(x, 1.0)
    found = [np.corrcoef(cheap[:, j], full[:, j])[0, 1] for j in range(member.n_objectives)]
    assert found == pytest.approx([member.correlation] * member.n_objectives, abs=0.03)


def test_at_full_accuracy_it_is_dtlz2_where_four_parameters_lead_to_the_sphere() -> None:
    member = Member(n_parameters=9, n_objectives=6)
    x = np.random.default_rng(1).random((50, 9))
    assert member.values(x, 1.0) == pytest.approx(dtlz2_values(x, 1.0, 6))


def test_the_way_to_the_sphere_is_as_long_in_many_parameters() -> None:
    rng = np.random.default_rng(5)
    lengths = [
        np.linalg.norm(Member(n_parameters=d).values(rng.random((20_000, d)), 1.0), axis=1).mean() for d in (5, 20, 33)
    ]
    assert lengths == pytest.approx([4.0 / 3.0] * 3, abs=0.01)


def test_simulators_answer_what_the_member_says_and_a_full_run_costs_one() -> None:
    member = Member(n_parameters=4, n_objectives=3, cost_ratio=50.0, correlation=0.7)
    problem = member.benchmark().problem
    x = np.random.default_rng(2).random(4)
    design = problem.space.decode(x)
    for j, simulator in enumerate(problem.simulators):
        assert callable(simulator.run)
        assert simulator.run(z=0.3, **design) == pytest.approx(member.values(x[None], 0.3)[0, j])
        costs = simulator.costs(problem.space, x[None], np.array([0.0, 1.0]))
        assert costs[0] == pytest.approx([1.0 / 50.0, 1.0])


def test_the_front_is_the_sphere_and_its_hypervolume_what_a_dense_front_comes_near_to() -> None:
    member = Member(n_parameters=5, n_objectives=3)
    benchmark = member.benchmark()
    assert np.linalg.norm(benchmark.reference_front, axis=1) == pytest.approx(1.0)
    assert benchmark.hypervolume == pytest.approx(hypervolume_of_three(3))
    two = Member(n_parameters=5, n_objectives=2).benchmark()
    found = estimate_hypervolume(two.reference_front, np.full(2, -REFERENCE), np.random.default_rng(0)).volume
    assert 0.99 * two.hypervolume < found < two.hypervolume


def test_a_row_tells_where_the_median_comes_and_stays_near() -> None:
    member = Member()
    tracks = [
        {"spent": [1.0, 2.0, 4.0], "lacking": [0.9, 0.04, 0.01]},
        {"spent": [1.0, 3.0, 4.0], "lacking": [0.9, 0.03, 0.02]},
        {"spent": [1.0, 2.5, 4.0], "lacking": [0.9, 0.5, 0.4]},
    ]
    row = row_of("correlation", member, "imoca-p", tracks)
    assert (row["value"], row["seeds"], row["cost"], row["lacking"]) == (0.9, 3, 3.0, 0.02)
    assert row["limit"] == pytest.approx(0.05, abs=0.006)
    never = row_of("correlation", member, "ehi", tracks[2:])
    assert (never["cost"], never["end"]) == (None, 4.0)
    assert table_rows([row, never]) == ["| correlation | 0.9 | 3 | 3 | > 4 | – | 2 % | 40 % |"]

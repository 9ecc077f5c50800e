import math
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.optimize import brentq
from scipy.sparse.linalg import ArpackNoConvergence
from scipy.stats import qmc, spearmanr

from imoca.arrays import Array
from imoca.errors import FidelityError, ProblemError
from imoca.pareto.dominance import non_dominated
from imoca.pareto.indicators import hypervolume
from imoca.problem.fidelity import Fidelity
from imoca.problem.space import SearchSpace
from imoca.studyfile.problem import problem_from_toml, problem_to_toml
from imoca_lab.benchmark import CostMode
from imoca_lab.problems.panel import problem as model
from imoca_lab.problems.panel import strips as panel_strips
from imoca_lab.problems.panel.problem import (
    PARAMETERS,
    SHARPER_REFERENCE_POINT,
    Design,
    johnson_ostenfeld,
    panel,
    panel_half_waves,
    panel_section,
    strength,
    strength_and_work,
    true_values,
    unit_cell_section,
    values_at,
    weight,
)
from imoca_lab.problems.panel.strips import (
    STEEL,
    CrossSection,
    Material,
    assemble,
    critical_stresses,
    lowest_critical_stress,
)
from imoca_lab.stored_front import load_front

SPACE = SearchSpace(PARAMETERS)
DESIGN = Design(8, 0.014, 0.30, 0.011, 0.15, 0.018)
NAMED: dict[str, Any] = {
    "n_stiffeners": 8,
    "plate_thickness": 14.0,
    "web_height": 300.0,
    "web_thickness": 11.0,
    "flange_width": 150.0,
    "flange_thickness": 18.0,
}
SAMPLE = SPACE.from_unit(qmc.LatinHypercube(6, rng=0).random(24))
NAMED_SAMPLE: list[dict[str, Any]] = [SPACE.decode(design) for design in SAMPLE]


def plate(n_strips: int, fixed: list[int], thickness: float = 0.01) -> CrossSection:
    """A flat plate of 1 m width."""
    nodes = np.stack([np.linspace(0.0, 1.0, n_strips + 1), np.zeros(n_strips + 1)], axis=1)
    strips = np.stack([np.arange(n_strips), np.arange(1, n_strips + 1)], axis=1)
    return CrossSection(nodes, strips, np.full(n_strips, thickness), np.array(fixed))


def buckling_factor(section: CrossSection, length: float, most_half_waves: int = 6) -> float:
    unit = math.pi**2 * STEEL.plate_modulus / 12.0 * 0.01**2
    return float(critical_stresses(section, length, np.arange(1, most_half_waves + 1)).min() / unit)


@cache
def sample_runs(level: str) -> Array:  # (24, 2) strength, work
    return np.array([strength_and_work(**named, z=level) for named in NAMED_SAMPLE])


# Validation of the strips against plate and column theory.


@pytest.mark.parametrize("length", [1.0, 2.0, 3.0])
def test_a_simply_supported_plate_buckles_in_squares_at_a_factor_of_four(length: float) -> None:
    assert buckling_factor(plate(8, fixed=[2, 34]), length) == pytest.approx(4.00003, abs=1e-5)


def test_a_plate_with_one_free_edge_buckles_where_its_characteristic_equation_says() -> None:
    # w = f(x) sin(ky) with f = A sinh(ax) + B sin(bx); no moment and no shear force at the free edge x = 1
    k, nu = math.pi / 5.0, 0.3

    def determinant(factor: float) -> float:
        root = k * math.pi * math.sqrt(factor)
        a, b = math.sqrt(root + k**2), math.sqrt(root - k**2)
        left = b * (a**2 - nu * k**2) ** 2 * math.tanh(a) * math.cos(b)
        return left - a * (b**2 + nu * k**2) ** 2 * math.sin(b)

    exact = brentq(determinant, 0.3, 0.6)
    assert exact == pytest.approx(0.425 + 1.0 / 25.0, abs=2e-3)
    assert buckling_factor(plate(8, fixed=[2]), 5.0) == pytest.approx(exact, rel=1e-4)
    assert buckling_factor(plate(8, fixed=[2]), 5.0) == pytest.approx(0.4642, abs=1e-4)


def test_a_plate_with_clamped_edges_buckles_at_the_factor_of_the_textbook() -> None:
    # Timoshenko and Gere: 6.97 for long plates, at half waves of 0.66 widths
    assert buckling_factor(plate(12, fixed=[2, 3, 50, 51]), 0.66, 1) == pytest.approx(6.97, abs=0.01)


def column_stress(design: Design, length: float) -> float:
    areas = np.array(
        [design.spacing * design.plate, design.web_height * design.web, design.flange_width * design.flange]
    )
    heights = np.array([0.0, 0.5 * design.web_height, design.web_height])
    own = areas / 12.0 * np.array([design.plate, design.web_height, design.flange]) ** 2
    inertia = (own + areas * (heights - areas @ heights / areas.sum()) ** 2).sum()
    return float(math.pi**2 * 206e9 * inertia / length**2 / areas.sum())


def test_a_long_unit_cell_without_lateral_contraction_approaches_the_euler_column_as_the_length_squared() -> None:
    section = replace(unit_cell_section(DESIGN), material=Material(206e9, 0.0))
    lengths = np.array([20.0, 40.0, 80.0])
    found = np.array([critical_stresses(section, length, np.array([1]))[0] for length in lengths.tolist()])
    short_of = 1.0 - found / [column_stress(DESIGN, length) for length in lengths.tolist()]  # the shear of the web
    assert short_of[2] < 5e-4
    np.testing.assert_allclose(short_of[:2] / short_of[1:], 4.0, rtol=0.05)


def test_a_long_unit_cell_of_steel_buckles_near_the_euler_column() -> None:
    for length in (10.0, 20.0):
        steel = critical_stresses(unit_cell_section(DESIGN), length, np.array([1]))[0]
        assert steel == pytest.approx(column_stress(DESIGN, length), rel=0.03)


@pytest.mark.slow
def test_six_strips_per_bay_are_converged() -> None:
    half_waves = np.arange(1, 12)
    stresses = [critical_stresses(panel_section(DESIGN, n), 5.0, half_waves).min() for n in (2, 4, 6, 16)]
    assert stresses == sorted(stresses, reverse=True)  # strips are conforming, so they approach from above
    assert stresses[2] == pytest.approx(stresses[3], rel=2e-4)
    assert stresses[0] == pytest.approx(stresses[3], rel=1e-2)


def test_a_turned_cross_section_buckles_at_the_same_stress() -> None:
    section = replace(unit_cell_section(DESIGN), fixed=np.array([], dtype=np.int64))
    c, s = math.cos(0.7), math.sin(0.7)
    turned = replace(section, nodes=section.nodes @ np.array([[c, s], [-s, c]]))
    half_waves = np.array([1, 4, 9])
    np.testing.assert_allclose(
        critical_stresses(turned, 5.0, half_waves), critical_stresses(section, 5.0, half_waves), rtol=1e-8
    )


@pytest.mark.parametrize("m", [1, 6, 20])
def test_the_sparse_solver_finds_the_eigenvalue_of_the_dense_one(m: int) -> None:
    section = panel_section(Design(5, 0.014, 0.30, 0.011, 0.15, 0.018))
    geometric, stiffness = assemble(section).at(m * math.pi / 5.0)
    exact = 1.0 / eigh(geometric.toarray(), stiffness.toarray(), eigvals_only=True)[-1]
    assert critical_stresses(section, 5.0, np.array([m]))[0] == pytest.approx(exact, rel=1e-7)


def test_what_the_sparse_solver_gives_up_is_left_to_the_dense_one(monkeypatch: pytest.MonkeyPatch) -> None:
    section = panel_section(DESIGN)
    found = critical_stresses(section, 5.0, np.array([6]))

    def give_up(*matrices: object, **options: object) -> None:  # as ARPACK does where modes lie close together
        asked.append(matrices)
        raise ArpackNoConvergence("ARPACK error -1: No convergence", np.array([]), np.array([[]]))

    asked: list[object] = []
    monkeypatch.setattr(panel_strips, "eigsh", give_up)
    assert critical_stresses(section, 5.0, np.array([6])) == pytest.approx(found, rel=1e-7)
    assert len(asked) == 1


def test_the_lowest_stress_is_found_without_solving_for_every_half_wave() -> None:
    for design in (DESIGN, Design(14, 0.010, 0.12, 0.018, 0.18, 0.008), Design(5, 0.025, 0.5, 0.006, 0.05, 0.03)):
        section, half_waves = panel_section(design), panel_half_waves(design)
        every = critical_stresses(section, 5.0, half_waves)
        assert lowest_critical_stress(section, 5.0, half_waves) == pytest.approx(every.min(), rel=1e-9)


# The pieces of the panel by hand.


def test_the_weight_computed_by_hand() -> None:
    # 8 m x 10 mm of plate and ten stiffeners of 300 x 10 and 100 x 20 mm: 0.13 m^2 of steel, 5 m long
    assert weight(10, 10.0, 300.0, 10.0, 100.0, 20.0) == pytest.approx(0.13 * 5.0 * 7.85)


def test_half_the_yield_stress_is_elastic_and_above_it_steel_gives_way() -> None:
    assert johnson_ostenfeld(100.0) == 100.0
    assert johnson_ostenfeld(177.5) == pytest.approx(177.5)
    assert johnson_ostenfeld(177.5 + 1e-9) == pytest.approx(177.5)
    assert johnson_ostenfeld(355.0) == pytest.approx(0.75 * 355.0)
    assert johnson_ostenfeld(1e9) == pytest.approx(355.0)


def test_the_half_waves_reach_beyond_the_shortest_buckle_of_plate_or_web() -> None:
    tried = panel_half_waves(replace(DESIGN, web_height=0.12))
    assert tried[:16].tolist() == list(range(1, 17))
    assert tried[16:].tolist() == [18, 21, 24, 27, 31, 35, 40, 45, 51, 58]  # 1.3 * 5 / 0.12 = 54.2


def test_the_full_section_has_the_stated_strips_and_the_area_of_its_walls() -> None:
    section = panel_section(DESIGN)
    assert len(section.strips) == 6 * 9 + 8 * (4 + 4)
    along = section.nodes[section.strips[:, 1]] - section.nodes[section.strips[:, 0]]
    area = np.hypot(along[:, 0], along[:, 1]) @ section.thickness
    assert area * 5.0 * 7.85 == pytest.approx(weight(**NAMED))
    assert section.n_free == 4 * len(section.nodes) - 2


def test_the_formula_gives_the_plate_mode_where_the_plate_is_thin() -> None:
    thin = Design(5, 0.008, 0.30, 0.02, 0.15, 0.03)
    expected = 4.0 * math.pi**2 * 206e9 / (12.0 * 0.91) * (0.008 / (8.0 / 6.0)) ** 2
    assert model.formula_stress(thin)[0] == pytest.approx(expected)


def test_the_formula_gives_the_column_where_the_stiffener_is_low() -> None:
    low = Design(15, 0.025, 0.12, 0.02, 0.10, 0.02)
    assert model.formula_stress(low)[0] == pytest.approx(column_stress(low, 5.0))


# The table of fidelities, with the scatter of 24 designs.


@pytest.mark.slow
@pytest.mark.parametrize(("level", "least", "error"), [("formula", 0.92, 0.31), ("unit cell", 0.97, 0.12)])
def test_lower_levels_rank_designs_as_the_panel_does_with_the_stated_error(
    level: str, least: float, error: float
) -> None:
    truth, cheap = sample_runs("panel")[:, 0], sample_runs(level)[:, 0]
    assert spearmanr(truth, cheap).statistic > least
    assert np.sqrt(((cheap - truth) ** 2).mean()) / truth.std() == pytest.approx(error, rel=0.4)


@pytest.mark.slow
def test_the_cell_overestimates_the_panel_by_up_to_a_fifth() -> None:
    ratio = sample_runs("panel")[:, 0] / sample_runs("unit cell")[:, 0]
    assert 0.75 < ratio.min() < 0.95
    assert ratio.max() < 1.03


@pytest.mark.slow
def test_the_panel_does_tens_of_times_the_work_of_the_cell() -> None:
    ratio = sample_runs("panel")[:, 1] / sample_runs("unit cell")[:, 1]
    assert 20.0 < ratio.min() < ratio.mean() < ratio.max() < 150.0
    # 8 stiffeners: 482 degrees of freedom at 16 half waves and three more up to 22
    section = panel_section(DESIGN)
    assert strength_and_work(**NAMED, z="panel")[1] == section.n_free * len(panel_half_waves(DESIGN))


@pytest.mark.slow
def test_a_few_random_designs_reach_the_stated_share_of_the_volume() -> None:
    weights = [-weight(**named) for named in NAMED_SAMPLE]
    values = np.stack([sample_runs("panel")[:, 0], weights], axis=1)
    assert hypervolume(values, panel().reference_point) / 3649.0 == pytest.approx(0.77, abs=0.07)


# The benchmark.


def test_the_problem_has_six_parameters_and_weighs_at_next_to_no_cost() -> None:
    problem = panel().problem
    assert problem.space.names == tuple(NAMED)
    assert [(o.name, o.goal) for o in problem.objectives] == [("strength", "maximize"), ("weight", "minimize")]
    assert problem.simulator("buckling").fidelity == Fidelity.levels(["unit cell", "panel"])
    assert problem.simulator("buckling").is_cost_measured
    assert problem.simulator("weighing").full_cost == 0.001


def test_the_cost_modes_differ_in_what_is_charged_but_not_in_the_answers() -> None:
    work, wall = panel().problem.simulator("buckling").run, panel("wall").problem.simulator("buckling").run
    assert callable(work)
    assert callable(wall)
    answer, amount = work(**NAMED, z="unit cell")
    assert wall(**NAMED, z="unit cell") == answer == strength(**NAMED, z="unit cell")
    assert amount == 32 * 7  # 9 nodes less 4 fixed degrees of freedom; half waves 1, 2, 3, 4, 6, 8, 17
    assert panel("wall").problem.simulator("buckling").is_cost_measured


def test_the_nominal_cost_is_the_papers_ratio_of_21() -> None:
    problem = panel("nominal", with_formula=True).problem
    ratio = problem.simulator("buckling").cost_ratio(problem.space, np.full((1, 6), 0.5), np.array([0.0, 0.5, 1.0]))
    np.testing.assert_allclose(ratio[0], [0.004 / 21.0, 1.0 / 21.0, 1.0])


@pytest.mark.parametrize("with_formula", [False, True])
@pytest.mark.parametrize("cost", ["work", "nominal", "wall"])
def test_the_problem_survives_its_study_file(cost: CostMode, with_formula: bool) -> None:
    problem = panel(cost=cost, with_formula=with_formula).problem
    assert problem_from_toml(problem_to_toml(problem)) == problem


def test_unknown_options_and_levels_are_refused() -> None:
    with pytest.raises(ProblemError, match="minutes"):
        panel("minutes")  # type: ignore[arg-type]
    with pytest.raises(FidelityError, match="shell"):
        strength(**NAMED, z="shell")


@pytest.mark.slow
def test_true_values_are_those_of_the_simulators_at_full_fidelity() -> None:
    problem, designs = panel().problem, SAMPLE[:3]
    buckling, weighing = (problem.simulator(name).run for name in ("buckling", "weighing"))
    assert callable(buckling)
    assert callable(weighing)
    decoded = [problem.space.decode(design) for design in designs]
    expected = [[buckling(**named, z="panel")[0], -weighing(**named)] for named in decoded]
    assert true_values(designs).tolist() == expected


def test_between_two_whole_numbers_of_stiffeners_the_nearer_counts() -> None:
    unit = np.full((3, 6), 0.5)
    unit[:, 0] = 0.30, 0.34, 0.36  # 8.0, 8.4 and 8.6 stiffeners
    values = values_at(unit, "unit cell")
    assert values[0].tolist() == values[1].tolist()
    assert (values[1] != values[2]).all()


@pytest.mark.slow
def test_the_stored_front_is_what_its_designs_give() -> None:
    stored = load_front("panel", n_parameters=6)
    rows = np.linspace(0, len(stored.values) - 1, 8).astype(int)
    np.testing.assert_allclose(true_values(stored.designs[rows]), stored.values[rows], rtol=1e-7)
    assert len(stored.values) <= 300
    assert non_dominated(stored.values).all()


def test_the_hypervolume_exceeds_that_of_an_independent_search() -> None:
    benchmark = panel()
    assert 3649.0 < benchmark.hypervolume < 1.03 * 3649.0
    stored = hypervolume(benchmark.reference_front, benchmark.reference_point)
    assert 0.998 * benchmark.hypervolume < stored <= benchmark.hypervolume * (1.0 + 1e-9)
    assert 1734.0 < hypervolume(benchmark.reference_front, SHARPER_REFERENCE_POINT) < 1.06 * 1734.0


@pytest.mark.slow
def test_no_random_design_beats_the_stored_front() -> None:
    weights = [-weight(**named) for named in NAMED_SAMPLE]
    values = np.stack([sample_runs("panel")[:, 0], weights], axis=1)
    assert not (values[:, None] > panel().reference_front[None]).all(axis=2).any()

"""The stiffened panel: a light ship deck that does not buckle; how much of it is modelled is the fidelity.

Six parameters and two objectives with two discrete fidelities, as the panel of [Belakaria2020]. It is an open
counterpart, not the authors' unpublished simulator: a deck of 5 m between frames and 8 m width with n equal
T-stiffeners along the load, all edges simply supported, buckles elastically by the finite strip method and
yields by the Johnson-Ostenfeld formula. The weight is known exactly, so it is a simulator of its own without a
fidelity and costs next to nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, pi
from typing import Any

import numpy as np

from imoca.arrays import Array, IntArray
from imoca.errors import FidelityError
from imoca.problem import Fidelity, Integer, Objective, Parameter, Problem, Real, SearchSpace, Simulator
from imoca_lab.benchmark import Benchmark, CostMode, check_option, with_stored_front
from imoca_lab.problems.panel.strips import (
    N_PER_NODE,
    STEEL,
    CrossSection,
    critical_stresses,
    lowest_critical_stress,
)

LENGTH = 5.0  # m, between frames
WIDTH = 8.0  # m
DENSITY = 7850.0  # kg/m^3
YIELD_STRESS = 355.0  # MPa

PARAMETERS: tuple[Parameter, ...] = (
    Integer("n_stiffeners", 5, 15),
    Real("plate_thickness", 8.0, 25.0),  # mm, as all below
    Real("web_height", 120.0, 500.0),
    Real("web_thickness", 6.0, 20.0),
    Real("flange_width", 50.0, 250.0),
    Real("flange_thickness", 8.0, 30.0),
)
REFERENCE_POINT = np.array([0.0, -15.0])  # MPa, minus tonnes
SHARPER_REFERENCE_POINT = np.array([100.0, -12.0])

FORMULA, UNIT_CELL, PANEL = "formula", "unit cell", "panel"
NOMINAL_COSTS = {FORMULA: 0.004, UNIT_CELL: 1.0, PANEL: 21.0}  # minutes in the paper; the formula by its wall time
FORMULA_WORK = 1.0
WEIGHT_FULL_COST = 0.001  # next to nothing, but a budget must count it

LARGEST_CONSECUTIVE = 16  # half waves all tried up to here, beyond in steps of 12 %
STEP_FACTOR = 1.12


@dataclass(frozen=True)
class Design:
    """One panel, in m."""

    n_stiffeners: int
    plate: float  # thickness
    web_height: float
    web: float  # thickness
    flange_width: float
    flange: float  # thickness

    @property
    def spacing(self) -> float:
        return WIDTH / (self.n_stiffeners + 1)


def panel(cost: CostMode = "work", *, with_formula: bool = False) -> Benchmark:
    """Two levels, the cell around one stiffener and the whole panel; ``with_formula`` adds a level below both.

    ``cost="work"`` reports the sum over half-wave numbers of the degrees of freedom, which depends on the design
    and is known only afterwards; ``"nominal"`` declares the paper's minutes; ``"wall"`` leaves it to the clock.
    """
    check_option("panel", "cost", cost, CostMode)
    levels = [FORMULA, UNIT_CELL, PANEL] if with_formula else [UNIT_CELL, PANEL]
    buckling = Simulator(
        "buckling",
        [Objective("strength", "maximize")],
        strength_and_work if cost == "work" else strength,
        fidelity=Fidelity.levels(levels),
        cost=[NOMINAL_COSTS[level] for level in levels] if cost == "nominal" else "measured",
    )
    weighing = Simulator("weighing", [Objective("weight", "minimize")], weight, full_cost=WEIGHT_FULL_COST)
    problem = Problem(parameters=PARAMETERS, simulators=[buckling, weighing], cost_relative_to="design")
    return with_stored_front("panel", problem, REFERENCE_POINT, true_values)


def weight(
    n_stiffeners: int,
    plate_thickness: float,  # mm
    web_height: float,
    web_thickness: float,
    flange_width: float,
    flange_thickness: float,
) -> float:  # t
    """Of the steel in the panel; exact."""
    stiffener = web_height * web_thickness + flange_width * flange_thickness  # mm^2
    return DENSITY * LENGTH * (WIDTH * plate_thickness * 1e-3 + n_stiffeners * stiffener * 1e-6) / 1000.0


def strength_and_work(
    n_stiffeners: int,
    plate_thickness: float,  # mm
    web_height: float,
    web_thickness: float,
    flange_width: float,
    flange_thickness: float,
    z: str,
) -> tuple[float, float]:  # MPa, degrees of freedom summed over the half-wave numbers
    """Average stress the panel carries in compression, and the work of finding it."""
    lengths = np.array([plate_thickness, web_height, web_thickness, flange_width, flange_thickness]) * 1e-3
    design = Design(int(n_stiffeners), *lengths.tolist())
    if z not in LEVELS:
        raise FidelityError(f"The panel has no level {z!r}.", hint=f"Its levels are {list(LEVELS)!r}.")
    elastic, work = LEVELS[z](design)
    return johnson_ostenfeld(elastic * 1e-6), work


def strength(*, z: str, **design: Any) -> float:  # MPa
    """Average stress the panel carries in compression, without the work."""
    return strength_and_work(**design, z=z)[0]


def johnson_ostenfeld(elastic: float) -> float:  # MPa
    """Critical stress of a column of real steel: the elastic one up to half the yield stress, then less."""
    if elastic <= 0.5 * YIELD_STRESS:
        return elastic
    return YIELD_STRESS * (1.0 - YIELD_STRESS / (4.0 * elastic))


def panel_stress(design: Design) -> tuple[float, float]:  # Pa, work
    """Elastic buckling stress of the whole panel."""
    section = panel_section(design)
    half_waves = panel_half_waves(design)
    return lowest_critical_stress(section, LENGTH, half_waves), float(section.n_free * len(half_waves))


def unit_cell_stress(design: Design) -> tuple[float, float]:  # Pa, work
    """Elastic buckling stress of one stiffener with its strip of plate among infinitely many alike.

    Misses the plate's action across the stiffeners and the supported edges.
    """
    section = unit_cell_section(design)
    ratios = [0.7 * LENGTH / design.spacing, LENGTH / design.spacing, 1.4 * LENGTH / design.spacing]
    tried = {1, 2, 3, *(round(ratio) for ratio in (*ratios, LENGTH / design.web_height))}
    half_waves = np.array(sorted(tried), dtype=np.int64)
    return float(critical_stresses(section, LENGTH, half_waves).min()), float(section.n_free * len(half_waves))


def formula_stress(design: Design) -> tuple[float, float]:  # Pa, work
    """The lowest of the textbook modes: plate, web and flange buckling, column, tripping.

    Overall buckling as an orthotropic plate is left out: it adds to the column's stress, so it is never lower.
    """
    steel, spacing = STEEL, design.spacing
    plate_factor = pi**2 * steel.plate_modulus / 12.0
    stiffener, area, inertia = _column_properties(design)
    h, t_w, b, t_f = design.web_height, design.web, design.flange_width, design.flange
    polar = t_w * h**3 / 3.0 + b * t_f * h**2 + t_f * b**3 / 12.0  # of the stiffener about its foot
    torsion = (h * t_w**3 + b * t_f**3) / 3.0
    warping = t_f * b**3 / 12.0 * h**2
    m = np.arange(1, panel_half_waves(design)[-1] + 1)
    tripping = (
        steel.shear_modulus * torsion / polar
        + steel.youngs_modulus * warping * (pi * m / LENGTH) ** 2 / polar
        + steel.youngs_modulus * design.plate**3 / (3.0 * spacing) * (LENGTH / (pi * m)) ** 2 / polar
    )
    modes = [
        4.0 * plate_factor * (design.plate / spacing) ** 2,
        4.0 * plate_factor * (t_w / h) ** 2,
        0.43 * plate_factor * (2.0 * t_f / b) ** 2,
        pi**2 * steel.youngs_modulus * inertia / (LENGTH**2 * (stiffener + area)),
        float(tripping.min()),
    ]
    return min(modes), FORMULA_WORK


LEVELS: dict[str, Callable[[Design], tuple[float, float]]] = {
    FORMULA: formula_stress,
    UNIT_CELL: unit_cell_stress,
    PANEL: panel_stress,
}


def _column_properties(design: Design) -> tuple[float, float, float]:
    """Area of a stiffener, area of its plate, and their second moment together about their common centroid."""
    h, t_w, t_p = design.web_height, design.web, design.plate
    areas = np.array([design.spacing * t_p, h * t_w, design.flange_width * design.flange])
    heights = np.array([0.0, 0.5 * h, h])  # of thin walls: distances between mid-planes
    own = np.array([design.spacing * t_p**3, t_w * h**3, design.flange_width * design.flange**3]) / 12.0
    centroid = float(areas @ heights / areas.sum())
    inertia = float((own + areas * (heights - centroid) ** 2).sum())
    return float(areas[1] + areas[2]), float(areas[0]), inertia


def panel_half_waves(design: Design) -> IntArray:
    """All numbers of half waves up to 16, then ever wider steps beyond the shortest wave of plate or web."""
    largest = ceil(1.3 * LENGTH / min(design.spacing, design.web_height))
    tried = list(range(1, LARGEST_CONSECUTIVE + 1))
    while tried[-1] < largest:
        tried.append(ceil(STEP_FACTOR * tried[-1]))
    return np.array(tried, dtype=np.int64)


def panel_section(design: Design, strips_per_bay: int = 6) -> CrossSection:
    """The full width, its long edges held vertically."""
    n_strips = strips_per_bay * (design.n_stiffeners + 1)
    feet = strips_per_bay * np.arange(1, design.n_stiffeners + 1)
    held = np.array([2, N_PER_NODE * n_strips + 2])
    return stiffened_section(design, WIDTH, n_strips, feet, n_web=4, n_half_flange=2, fixed=held)


def unit_cell_section(design: Design) -> CrossSection:
    """Half a bay to either side of one stiffener; the edges neither turn nor move sideways."""
    held = np.array([0, 3, N_PER_NODE * 4, N_PER_NODE * 4 + 3])
    return stiffened_section(design, design.spacing, 4, np.array([2]), n_web=2, n_half_flange=1, fixed=held)


def stiffened_section(
    design: Design,
    width: float,
    n_strips: int,  # in the plate
    feet: IntArray,  # plate nodes that carry a stiffener
    *,
    n_web: int,
    n_half_flange: int,
    fixed: IntArray,
) -> CrossSection:
    """A plate at height 0 with equal T-stiffeners, all by the mid-planes of their walls."""
    across = np.linspace(0.0, width, n_strips + 1)
    nodes = [np.stack([across, np.zeros_like(across)], axis=1)]
    chains, walls = [np.arange(n_strips + 1)], [design.plate]
    n_nodes = n_strips + 1
    reach = 0.5 * design.flange_width * np.arange(1, n_half_flange + 1) / n_half_flange
    for foot in feet.tolist():
        heights = design.web_height * np.arange(1, n_web + 1) / n_web
        top = n_nodes + n_web - 1
        right, left = top + 1 + np.arange(n_half_flange), top + 1 + n_half_flange + np.arange(n_half_flange)
        nodes.append(np.stack([np.full(n_web, across[foot]), heights], axis=1))
        for side in (reach, -reach):
            nodes.append(np.stack([across[foot] + side, np.full(n_half_flange, design.web_height)], axis=1))
        chains += [np.append(foot, np.arange(n_nodes, top + 1)), np.append(top, right), np.append(top, left)]
        walls += [design.web, design.flange, design.flange]
        n_nodes = int(left[-1]) + 1
    return CrossSection(
        nodes=np.concatenate(nodes),
        strips=np.concatenate([np.stack([chain[:-1], chain[1:]], axis=1) for chain in chains]),
        thickness=np.concatenate([np.full(len(chain) - 1, t) for chain, t in zip(chains, walls, strict=True)]),
        fixed=fixed,
    )


def true_values(
    unit_designs: Array,  # (n, 6)
) -> Array:  # (n, 2) MPa, minus tonnes
    """Maximised values of the whole panel; 0.1 s each."""
    return values_at(unit_designs, PANEL)


def values_at(unit_designs: Array, level: str) -> Array:  # (n, 6) -> (n, 2)
    """Maximised strength and minus weight at one level."""
    columns = SearchSpace(PARAMETERS).columns(np.asarray(unit_designs))
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return np.array([[strength(**row, z=level), -weight(**row)] for row in rows]).reshape(-1, 2)

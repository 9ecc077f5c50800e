"""The panel's finite strips against a general finite element program: CalculiX with quadratic shells (S8R).

Strips assume the same stress everywhere. Ends that stopped the plate from widening under its load would add stress
across, so here they hold the plate up but let it widen, and webs and flanges go along.
"""

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from imoca.arrays import Array
from imoca_lab.problems.panel.problem import LENGTH, WIDTH, Design, panel_stress, stiffened_section
from imoca_lab.problems.panel.strips import STEEL, CrossSection

PER_BAY, N_WEB, N_HALF_FLANGE, N_ALONG = 4, 2, 1, 24  # elements; half as many give 15 to 25 % too much
EIGENVALUES = "1,1e-6"  # the first to six digits; by default two
UNIT_STRESS = 1e6  # Pa, so that load factors are MPa
EDGE_SHARES = (1.0, 1.0, 4.0)  # sixths of an edge load at its ends and its middle
U, V, W = 1, 2, 3  # CalculiX's directions: across, along the load, up

pytestmark = pytest.mark.skipif(shutil.which("ccx") is None, reason="the program ccx (CalculiX) is not installed")


class ShellMesh:
    """A cross-section drawn out along the load, each strip a row of elements; quadratic, so with middles of sides."""

    def __init__(self, design: Design) -> None:
        self.design = design
        self.feet = PER_BAY * np.arange(1, design.n_stiffeners + 1)
        self.section: CrossSection = stiffened_section(
            *(design, WIDTH, PER_BAY * (design.n_stiffeners + 1), self.feet),
            n_web=N_WEB,
            n_half_flange=N_HALF_FLANGE,
            fixed=np.array([], dtype=np.int64),
        )
        self.middles = len(self.section.nodes) + np.arange(len(self.section.strips))
        nodes = self.section.nodes
        self.points: Array = np.concatenate([nodes, nodes[self.section.strips].mean(axis=1)])
        self.ends = (0, 2 * N_ALONG)

    def number(self, point: int, row: int) -> int:
        return 1 + point * (2 * N_ALONG + 1) + row

    def nodes(self) -> list[str]:
        lines = ["*NODE"]
        for point, (across, up) in enumerate(self.points.tolist()):
            step = 1 if point < self.middles[0] else 2
            for row in range(0, 2 * N_ALONG + 1, step):
                y = LENGTH * row / (2 * N_ALONG)
                lines.append(f"{self.number(point, row)},{across:.9g},{y:.9g},{up:.9g}")
        return lines

    def elements(self) -> list[str]:
        lines = ["*MATERIAL,NAME=STEEL", "*ELASTIC", f"{STEEL.youngs_modulus},{STEEL.poisson_ratio}"]
        element = 0
        for thickness in np.unique(self.section.thickness).tolist():
            name = f"T{round(1e6 * thickness)}"
            lines.append(f"*ELEMENT,TYPE=S8R,ELSET={name}")
            for strip in np.flatnonzero(self.section.thickness == thickness).tolist():
                (a, b), middle = self.section.strips[strip].tolist(), int(self.middles[strip])
                for row in range(0, 2 * N_ALONG, 2):
                    corners = [(a, row), (b, row), (b, row + 2), (a, row + 2)]
                    sides = [(middle, row), (b, row + 1), (middle, row + 2), (a, row + 1)]
                    element += 1
                    lines.append(",".join(map(str, [element, *(self.number(*at) for at in corners + sides)])))
            lines += [f"*SHELL SECTION,ELSET={name},MATERIAL=STEEL", f"{thickness:.9g}"]
        return lines

    def ties_at_ends(self) -> list[str]:
        """Webs move sideways with their feet and flanges up with their webs."""
        lines = ["*EQUATION"]
        top = self.design.web_height
        for foot in self.feet.tolist():
            offset = self.points[:, 0] - self.points[foot, 0]
            is_web = np.isclose(offset, 0.0) & (self.points[:, 1] > 0.0)
            is_top = np.isclose(self.points[:, 1], top)
            is_flange = is_top & ~is_web & (np.abs(offset) < self.design.flange_width)
            corner = int(np.flatnonzero(is_web & is_top)[0])
            for end in self.ends:
                for wall, leader, direction in ((is_web, foot, U), (is_flange, corner, W)):
                    for point in np.flatnonzero(wall).tolist():
                        follower = f"{self.number(point, end)},{direction},1"
                        lines += ["2", f"{follower},{self.number(leader, end)},{direction},-1"]
        return lines

    def supports(self) -> list[str]:
        """All four edges of the plate are held vertically; one node more, against moving as a whole."""
        plate = np.flatnonzero(self.points[:, 1] == 0.0).tolist()
        edges = (0, PER_BAY * (self.design.n_stiffeners + 1))
        held = [self.number(point, end) for point in plate for end in self.ends]
        held += [self.number(edge, row) for edge in edges for row in range(1, 2 * N_ALONG)]
        centre = edges[1] // 2
        sideways = [f"{self.number(centre, end)},{U}" for end in self.ends]
        return ["*BOUNDARY", *(f"{node},{W}" for node in held), *sideways, f"{self.number(centre, N_ALONG)},{V}"]

    def loads(self) -> list[str]:
        force = np.zeros(len(self.points))
        for strip, (a, b) in enumerate(self.section.strips.tolist()):
            width = float(np.linalg.norm(self.section.nodes[b] - self.section.nodes[a]))
            load = UNIT_STRESS * width * self.section.thickness[strip]
            force[[a, b, self.middles[strip]]] += load * np.array(EDGE_SHARES) / 6.0
        return ["*CLOAD"] + [
            f"{self.number(point, end)},{V},{sign * force[point]:.9g}"
            for end, sign in zip(self.ends, (1, -1), strict=True)
            for point in range(len(self.points))
        ]

    def deck(self) -> str:
        model = [*self.nodes(), *self.elements(), *self.ties_at_ends(), *self.supports()]
        return "\n".join([*model, "*STEP", "*BUCKLE", EIGENVALUES, *self.loads(), "*END STEP", ""])


def calculix_stress(design: Design, folder: Path) -> float:  # MPa
    """Of the first buckling mode."""
    (folder / "panel.inp").write_text(ShellMesh(design).deck())
    subprocess.run(["ccx", "panel"], cwd=folder, check=True, capture_output=True, timeout=300)
    found = re.search(r"^\s+1\s+(\S+)\s*$", (folder / "panel.dat").read_text(), re.MULTILINE)
    assert found is not None
    return float(found[1])


@pytest.mark.parametrize(
    "design",
    [
        pytest.param(Design(5, 0.020, 0.25, 0.012, 0.12, 0.016), id="plate between stiffeners, 4 half waves"),
        pytest.param(Design(5, 0.012, 0.15, 0.010, 0.10, 0.012), id="thin plate, 4 half waves"),
        pytest.param(Design(7, 0.016, 0.14, 0.010, 0.06, 0.010), id="the whole panel as a column, 1 half wave"),
    ],
)
def test_strips_agree_with_shell_elements(design: Design, tmp_path: Path) -> None:
    by_strips = panel_stress(design)[0] * 1e-6
    assert calculix_stress(design, tmp_path) == pytest.approx(by_strips, rel=0.02)

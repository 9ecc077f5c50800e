"""Heat that a tapered cooling fin gives off, per metre of its width, and its mass.

One-dimensional conduction along the fin against natural convection and radiation from its faces. More cells are more
accurate and take longer. Put your own program in its place, in any language that reads and writes JSON.
"""

import json
import sys
from pathlib import Path

METALS = {"aluminium": (200.0, 2700.0), "copper": (390.0, 8960.0), "steel": (45.0, 7850.0)}  # W/(m K), kg/m3
BASE, AIR = 373.15, 293.15  # K
CONVECTION = 1.4  # W/(m2 K**1.25)
RADIATION = 0.8 * 5.67e-8  # emissivity times Stefan's constant
SWEEPS = 30


def fin(length: float, thickness: float, taper: float, metal: str, n_cells: int) -> dict[str, float]:
    conductivity, density = METALS[metal]
    length, thickness = length / 1000.0, thickness / 1000.0
    step = length / n_cells
    edges = [thickness * (1.0 - (1.0 - taper) * i / n_cells) for i in range(n_cells + 1)]
    conductances = [*(conductivity * edge / step for edge in edges[:-1]), 0.0]  # first order: a full step to the base
    temperatures = [BASE] * n_cells
    for _ in range(SWEEPS):  # the film coefficient depends on the temperature: solve, update, repeat
        losses = [2.0 * step * film(temperature) for temperature in temperatures]
        temperatures = solve(conductances, losses)
    heat = conductances[0] * (BASE - temperatures[0])
    return {"heat": heat, "mass": density * length * thickness * (1.0 + taper) / 2.0}


def film(temperature: float) -> float:
    """W/(m2 K) by natural convection and radiation."""
    excess = max(temperature - AIR, 0.0)
    return CONVECTION * excess**0.25 + RADIATION * (temperature + AIR) * (temperature**2 + AIR**2)


def solve(conductances: list[float], losses: list[float]) -> list[float]:
    """Temperatures of the cells, a tridiagonal system (Thomas algorithm)."""
    factors, values = [], []
    factor, value = 0.0, BASE  # the base is held at its temperature
    for before, after, loss in zip(conductances, conductances[1:], losses, strict=False):
        diagonal = before * (1.0 - factor) + after + loss
        value = (before * value + loss * AIR) / diagonal
        factor = after / diagonal
        factors.append(factor)
        values.append(value)
    temperatures = [values[-1]]
    for factor, value in zip(reversed(factors[:-1]), reversed(values[:-1]), strict=True):
        temperatures.append(factor * temperatures[-1] + value)
    return temperatures[::-1]


if __name__ == "__main__":
    question = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    answer = fin(**question["parameters"], n_cells=round(question["fidelity"]))
    Path("result.json").write_text(json.dumps(answer), encoding="utf-8")

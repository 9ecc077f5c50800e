"""The regulator with linear switches: a fallback where ngspice is not installed, and an oracle for its averages.

Modified nodal analysis of the 20 free nodes, backward Euler with fixed steps. A switch is its on-resistance
while its clock is up and open otherwise; in a step that a clock edge cuts it conducts for that share of the step.
Gates cost the charge of their capacitance, but do not feed through to the nodes, so the ripples differ.
"""

import numpy as np

from imoca.arrays import Array
from imoca_lab.problems.circuit.netlist import (
    BOTTOM_PLATE_SHARE,
    DEAD_SHARE,
    DRIVE_VOLTAGE,
    EDGE_SHARE,
    FLYING,
    INPUT_VOLTAGE,
    LOADS,
    MEASURED_CYCLES,
    N_OUTPUTS,
    RATIOS,
    SERIES_RESISTANCE,
    START_FLYING,
    START_OUTPUT,
    SWITCHES,
    Accuracy,
    Regulator,
)
from imoca_lab.problems.circuit.ngspice import objectives

FREE_NODES = (
    *(f"o{i + 1}" for i in range(N_OUTPUTS)),
    *(f"s{i + 1}" for i in range(N_OUTPUTS)),  # between an output capacitor and its series resistance
    *(f"{capacitor.name}{plate}" for capacitor in FLYING for plate in "pn"),
)
N_FREE = len(FREE_NODES)
INDEX = {name: i for i, name in enumerate(FREE_NODES)} | {"vin": N_FREE}  # the input follows; ground is left out
CLOSED_FROM = DEAD_SHARE + EDGE_SHARE / 2  # of the period, where the clock of phase 1 passes one half
CLOSED_TO = 0.5 - DEAD_SHARE - EDGE_SHARE / 2


def simulate_pwl(regulator: Regulator, how: Accuracy, leap: bool = False) -> dict[str, float]:
    """The nine objectives; ``leap`` takes all unmeasured cycles at once by a matrix power, same answer to round-off."""
    steps, input_rows = one_cycle(regulator, how.n_points)
    state = start_state()
    n_before = how.n_cycles - MEASURED_CYCLES
    if leap:
        cycle = np.eye(N_FREE + 1)
        for step in steps:
            cycle = step @ cycle
        state = np.linalg.matrix_power(cycle, n_before) @ state
    else:
        for _ in range(n_before):
            for step in steps:
                state = step @ state
    states = np.empty((MEASURED_CYCLES, how.n_points, N_FREE + 1))
    for cycle_states in states:
        for k, step in enumerate(steps):
            cycle_states[k] = state = step @ state
    return _measured(regulator, states, input_rows)


def _measured(
    regulator: Regulator,
    states: Array,  # (cycles, points, 21)
    input_rows: Array,  # (points, 21)
) -> dict[str, float]:
    outputs = states[:, :, :N_OUTPUTS]
    voltages, ripples = outputs.mean(axis=(0, 1)), np.ptp(outputs, axis=(0, 1))
    input_current = float((states * input_rows).sum(axis=2).mean())
    gate_power = regulator.gate_capacitance * DRIVE_VOLTAGE**2 * regulator.frequency
    delivered = float((voltages**2 / LOADS).sum())
    efficiency = delivered / (INPUT_VOLTAGE * input_current + gate_power)
    return objectives(efficiency, voltages.tolist(), ripples.tolist())


def start_state() -> Array:  # (21,) free nodes and the input
    """Lower plates at ground, capacitors charged as in the netlist."""
    state = np.zeros(N_FREE + 1)
    state[:N_OUTPUTS] = START_OUTPUT * RATIOS * INPUT_VOLTAGE
    for capacitor in FLYING:
        state[INDEX[f"{capacitor.name}p"]] = START_FLYING * capacitor.voltage
    state[N_FREE] = INPUT_VOLTAGE
    return state


def one_cycle(regulator: Regulator, n_points: int) -> tuple[Array, Array]:  # (n, 21, 21), (n, 21)
    """The linear map of every time step, and the row that gives the input current at its end."""
    shares = closed_shares(n_points)  # (n, 2)
    conductance = _load_conductance() + np.tensordot(shares, _switch_conductances(regulator), axes=1)  # (n, 21, 21)
    capacitance = _capacitance(regulator) * (regulator.frequency * n_points)  # over the time step
    free = slice(None, N_FREE)
    pushed = np.repeat(capacitance[None, free], n_points, axis=0)
    pushed[:, :, N_FREE] = -conductance[:, free, N_FREE]
    steps = np.zeros((n_points, N_FREE + 1, N_FREE + 1))
    steps[:, free] = np.linalg.solve(conductance[:, free, free] + capacitance[free, free], pushed)
    steps[:, N_FREE, N_FREE] = 1.0
    return steps, conductance[:, N_FREE]


def closed_shares(n_points: int) -> Array:  # (n, 2)
    """Which part of each time step the switches of phases 1 and 2 are closed."""
    edges = np.arange(n_points + 1) / n_points
    columns = []
    for shift in (0.0, 0.5):
        inside = np.clip(edges, CLOSED_FROM + shift, CLOSED_TO + shift)
        columns.append(np.diff(inside) * n_points)
    return np.stack(columns, axis=1)


def _switch_conductances(regulator: Regulator) -> Array:  # (2, 21, 21)
    """Of the switches of phases 1 and 2, all closed."""
    matrices = np.zeros((2, N_FREE + 2, N_FREE + 2))  # the last row and column are ground
    for switch, resistance in zip(SWITCHES, regulator.on_resistances, strict=True):
        _stamp(matrices[switch.phase - 1], switch.left, switch.right, 1.0 / resistance)
    return matrices[:, :-1, :-1]


def _load_conductance() -> Array:  # (21, 21)
    matrix = np.zeros((N_FREE + 2, N_FREE + 2))
    for i, load in enumerate(LOADS):
        _stamp(matrix, f"o{i + 1}", "0", 1.0 / load)
        _stamp(matrix, f"s{i + 1}", "0", 1.0 / SERIES_RESISTANCE)
    return matrix[:-1, :-1]


def _capacitance(regulator: Regulator) -> Array:  # (21, 21)
    matrix = np.zeros((N_FREE + 2, N_FREE + 2))
    for capacitor, farads in zip(FLYING, regulator.flying, strict=True):
        _stamp(matrix, f"{capacitor.name}p", f"{capacitor.name}n", farads)
        _stamp(matrix, f"{capacitor.name}n", "0", BOTTOM_PLATE_SHARE * farads)
    for i, farads in enumerate(regulator.outputs):
        _stamp(matrix, f"o{i + 1}", f"s{i + 1}", farads)
    return matrix[:-1, :-1]


def _stamp(matrix: Array, left: str, right: str, value: float) -> None:
    """Add a two-terminal element to a nodal matrix, in place."""
    i, j = INDEX.get(left, N_FREE + 1), INDEX.get(right, N_FREE + 1)
    matrix[i, i] += value
    matrix[j, j] += value
    matrix[i, j] -= value
    matrix[j, i] -= value

"""The regulator as components, and as the text of an ngspice netlist.

Four outputs are fed by two-phase switched-capacitor cells [Seeman2008]: a halves the input, b takes two thirds
of it, e one third, and d halves output 1. All flying capacitors share one budget and all output capacitors
another, so that the outputs compete for them.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from imoca.arrays import Array
from imoca.errors import ParameterError

INPUT_VOLTAGE = 1.8
DRIVE_VOLTAGE = 3.6  # of the gates: NMOS switches must pass the input voltage
RATIOS = np.array([1 / 2, 2 / 3, 1 / 3, 1 / 4])  # ideal output voltage over input voltage
LOAD_CURRENTS = np.array([6e-3, 6e-3, 5e-3, 2.5e-3])  # A at the ideal voltage
LOADS = INPUT_VOLTAGE * RATIOS / LOAD_CURRENTS  # ohm
FLYING_BUDGET = 12e-9  # F, all flying capacitors together
OUTPUT_BUDGET = 240e-9  # F, all output capacitors together
BOTTOM_PLATE_SHARE = 0.015  # of a flying capacitor, from its lower plate to ground
SERIES_RESISTANCE = 0.03  # ohm, of an output capacitor
CHANNEL_LENGTH = 0.35e-6  # m
THRESHOLD = 0.5  # V
TRANSCONDUCTANCE = 180e-6  # A/V^2
OXIDE_THICKNESS = 7.5e-9  # m
OVERLAP_CAPACITANCE = 0.2e-9  # F per metre of width, on each side of the gate
DEAD_SHARE = 0.02  # of the period, before each phase
EDGE_SHARE = 0.01  # of the period, for a clock edge
START_FLYING, START_OUTPUT = 0.96, 0.92  # of the ideal voltages, so that few cycles are spent on starting up
MEASURED_CYCLES = 4  # the last ones
MODEL = (
    f".model nch nmos level=1 vto={THRESHOLD} kp={TRANSCONDUCTANCE:g} gamma=0 lambda=0.02 tox={OXIDE_THICKNESS:g}"
    f" cgso={OVERLAP_CAPACITANCE:g} cgdo={OVERLAP_CAPACITANCE:g} is=1e-18"
)


@dataclass(frozen=True)
class Switch:
    """One transistor between two nodes, closed in one phase."""

    left: str
    right: str
    phase: int  # 1 or 2
    voltage: float  # V of its two nodes against ground while it is closed, in the ideal circuit


@dataclass(frozen=True)
class FlyingCapacitor:
    """One flying capacitor between the nodes ``<name>p`` and ``<name>n``."""

    name: str
    voltage: float  # V across it in the ideal circuit


SWITCHES = (
    Switch("vin", "ap", 1, 1.8),
    Switch("an", "o1", 1, 0.9),
    Switch("ap", "o1", 2, 0.9),
    Switch("an", "0", 2, 0.0),
    Switch("vin", "b1p", 1, 1.8),
    Switch("vin", "b2p", 1, 1.8),
    Switch("b1n", "o2", 1, 1.2),
    Switch("b2n", "o2", 1, 1.2),
    Switch("o2", "b1p", 2, 1.2),
    Switch("b1n", "b2p", 2, 0.6),
    Switch("b2n", "0", 2, 0.0),
    Switch("vin", "e1p", 1, 1.8),
    Switch("e1n", "e2p", 1, 1.2),
    Switch("e2n", "o3", 1, 0.6),
    Switch("e1p", "o3", 2, 0.6),
    Switch("e2p", "o3", 2, 0.6),
    Switch("e1n", "0", 2, 0.0),
    Switch("e2n", "0", 2, 0.0),
    Switch("o1", "dp", 1, 0.9),
    Switch("dn", "o4", 1, 0.45),
    Switch("dp", "o4", 2, 0.45),
    Switch("dn", "0", 2, 0.0),
)
FLYING = (
    FlyingCapacitor("a", INPUT_VOLTAGE / 2),
    FlyingCapacitor("b1", INPUT_VOLTAGE / 3),
    FlyingCapacitor("b2", INPUT_VOLTAGE / 3),
    FlyingCapacitor("e1", INPUT_VOLTAGE / 3),
    FlyingCapacitor("e2", INPUT_VOLTAGE / 3),
    FlyingCapacitor("d", INPUT_VOLTAGE / 4),
)
N_OUTPUTS = len(RATIOS)
WIDTH_NAMES = tuple(f"width_{i}" for i in range(len(SWITCHES)))
FLYING_NAMES = tuple(f"weight_{capacitor.name}" for capacitor in FLYING)
OUTPUT_NAMES = tuple(f"weight_out{i + 1}" for i in range(N_OUTPUTS))
DESIGN_NAMES = ("frequency", *WIDTH_NAMES, *FLYING_NAMES, *OUTPUT_NAMES)


@dataclass(frozen=True)
class Regulator:
    """The component values of one design, in SI units."""

    frequency: float  # Hz
    widths: Array  # (22,) m, in the order of SWITCHES
    flying: Array  # (6,) F, in the order of FLYING
    outputs: Array  # (4,) F

    @property
    def gate_capacitance(self) -> float:
        """F of all gates: oxide over the channel, and the overlaps at both ends."""
        oxide = 3.9 * 8.854e-12 / OXIDE_THICKNESS  # F/m^2
        return float((oxide * CHANNEL_LENGTH + 2 * OVERLAP_CAPACITANCE) * self.widths.sum())

    @property
    def on_resistances(self) -> Array:  # (22,) ohm
        """Of a closed switch at small drain-source voltage, its nodes at their ideal voltages."""
        overdrive = DRIVE_VOLTAGE - THRESHOLD - np.array([switch.voltage for switch in SWITCHES])
        resistances: Array = CHANNEL_LENGTH / (TRANSCONDUCTANCE * self.widths * overdrive)
        return resistances


@dataclass(frozen=True)
class Accuracy:
    """How long and how finely a transient is simulated."""

    n_cycles: int
    n_points: int  # per cycle
    tolerance: float  # relative, of ngspice; the linear backend has none

    @property
    def n_steps(self) -> int:
        return self.n_cycles * self.n_points


def accuracy(z: float) -> Accuracy:
    """23 cycles of 20 points at z = 0, 151 of 40 at z = 1: few cycles leave the outputs unsettled."""
    return Accuracy(round(23 * 10 ** (0.816 * z)), round(20 * 10 ** (0.3 * z)), 10 ** -(2.4 + 1.1 * z))


def regulator_from(design: Mapping[str, float]) -> Regulator:
    """Component values from MHz, micrometres and weights."""
    if set(design) != set(DESIGN_NAMES):
        strange = sorted(set(design) ^ set(DESIGN_NAMES))
        raise ParameterError(
            f"The circuit got unknown or misses parameter(s) {strange}.",
            hint=f"Give exactly {list(DESIGN_NAMES)}.",
        )
    flying, outputs = (np.array([design[name] for name in names]) for names in (FLYING_NAMES, OUTPUT_NAMES))
    return Regulator(
        frequency=1e6 * design["frequency"],
        widths=1e-6 * np.array([design[name] for name in WIDTH_NAMES]),
        flying=FLYING_BUDGET * flying / flying.sum(),
        outputs=OUTPUT_BUDGET * outputs / outputs.sum(),
    )


def netlist(regulator: Regulator, how: Accuracy) -> str:
    """The whole ngspice input: circuit, transient and measures over the last cycles."""
    parts = [
        ["* four-output switched-capacitor regulator", f"Vin vin 0 {INPUT_VOLTAGE}", f"Vdrv vdd 0 {DRIVE_VOLTAGE}"],
        _clock_lines(1.0 / regulator.frequency),
        _switch_lines(regulator),
        _capacitor_lines(regulator),
        [MODEL],
        _analysis_lines(1.0 / regulator.frequency, how),
    ]
    return "\n".join(line for part in parts for line in part) + "\n.end\n"


def _clock_lines(period: float) -> list[str]:
    """Gates pulled up or down, never both: a linear pair would short the supply at every edge."""
    lines = []
    for phase in (1, 2):
        delay = period * (DEAD_SHARE + (phase - 1) / 2)
        edge, width = EDGE_SHARE * period, period * (0.5 - 2 * DEAD_SHARE - 2 * EDGE_SHARE)
        clock, gate = f"c{phase}", f"g{phase}"
        lines += [
            f"Vc{phase} {clock} 0 PULSE(0 1 {delay:.9g} {edge:.9g} {edge:.9g} {width:.9g} {period:.9g})",
            f"Bu{phase} vdd {gate} I=(v(vdd)-v({gate}))*0.5*max(0,2*v({clock})-1)",
            f"Bd{phase} {gate} 0 I=v({gate})*0.5*max(0,1-2*v({clock}))",
            f"Cg{phase} {gate} 0 10f",
        ]
    return lines


def _switch_lines(regulator: Regulator) -> list[str]:
    return [
        f"M{i} {switch.left} g{switch.phase} {switch.right} 0 nch W={width:.9g} L={CHANNEL_LENGTH:g}"
        for i, (switch, width) in enumerate(zip(SWITCHES, regulator.widths, strict=True))
    ]


def _capacitor_lines(regulator: Regulator) -> list[str]:
    lines = []
    for capacitor, farads in zip(FLYING, regulator.flying, strict=True):
        name, start = capacitor.name, START_FLYING * capacitor.voltage
        lines += [
            f"Cf{name} {name}p {name}n {farads:.9g} ic={start:.9g}",
            f"Cb{name} {name}n 0 {BOTTOM_PLATE_SHARE * farads:.9g}",
        ]
    for i, farads in enumerate(regulator.outputs):
        start = START_OUTPUT * RATIOS[i] * INPUT_VOLTAGE
        lines += [
            f"Co{i + 1} o{i + 1} s{i + 1} {farads:.9g} ic={start:.9g}",
            f"Rs{i + 1} s{i + 1} 0 {SERIES_RESISTANCE:g}",
            f"Rl{i + 1} o{i + 1} 0 {LOADS[i]:.9g}",
        ]
    return lines


def _analysis_lines(period: float, how: Accuracy) -> list[str]:
    step, end = period / how.n_points, how.n_cycles * period
    window = f"from={end - MEASURED_CYCLES * period:.9g} to={end:.9g}"
    outputs = [f"o{i + 1}" for i in range(N_OUTPUTS)]
    return [
        f".options reltol={how.tolerance:.9g} method=gear abstol=1n vntol=10u chgtol=1e-15 itl4=50",
        f".tran {step:.9g} {end:.9g} 0 {step:.9g} uic",
        f".save {' '.join(f'v({node})' for node in outputs)} i(vin) i(vdrv)",
        *(f".measure tran mean_{node} AVG v({node}) {window}" for node in outputs),
        *(f".measure tran swing_{node} PP v({node}) {window}" for node in outputs),
        *(f".measure tran mean_i{source} AVG i(v{source}) {window}" for source in ("in", "drv")),
    ]

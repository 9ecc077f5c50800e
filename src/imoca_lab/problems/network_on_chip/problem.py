"""The network on a chip: fast and frugal traffic between cores and memory; the simulated time is the fidelity.

Ten two-valued parameters and two objectives with two discrete fidelities, as the network of [Belakaria2020]. It
is an open counterpart, not the authors' unpublished simulator: 30 cores and 6 memory controllers on a 6 x 6 mesh
exchange short requests for long replies in bursts, as graphics kernels do. All 1024 designs were simulated at
both fidelities, so the front is exact.
"""

from functools import cache
from importlib.resources import as_file, files
from math import ceil
from typing import Any

import numpy as np

from imoca.arrays import Array, IntArray
from imoca.problem import Choice, DeclaredCost, Fidelity, Objective, Problem, Runnable, Simulator
from imoca_lab.benchmark import Benchmark, CostMode, Setting, check_option, with_stored_front
from imoca_lab.problems.network_on_chip.mesh import Counts, Mesh, run_mesh
from imoca_lab.problems.network_on_chip.traffic import bursts

SIDE = 6
CYCLES = (2_000, 30_000)  # the two fidelities
WARM_UP_SHARE = 10  # the first tenth is not measured
MEMORY_NODES = {"edge rows": (1, 3, 5, 30, 32, 34), "spread": (2, 10, 12, 23, 25, 33)}  # spread: one per row and column
N_CORES = SIDE**2 - 6

REQUEST_RATE = 0.32  # per ns, of all cores together
BURST_TIME = 50.0  # ns, mean time a core asks, and mean time it is silent
SERVICE_TIME = 30.0  # ns in the memory
REQUEST_BITS, REPLY_BITS = 64, 576
WAKE_AFTER, WAKE_CYCLES = 8, 2

PARAMETERS = (
    Choice("link_width", [64, 128]),  # bit
    Choice("channels_per_class", [1, 2]),  # virtual channels
    Choice("channel_depth", [4, 8]),  # flits
    Choice("router_pipeline", [3, 1]),  # extra cycles per hop
    Choice("request_routing", ["xy", "yx"]),
    Choice("reply_routing", ["xy", "yx"]),
    Choice("arbiter", ["round robin", "oldest first"]),
    Choice("memory_placement", ["edge rows", "spread"]),
    Choice("clock", [1.0, 1.5]),  # GHz, at 0.8 and 1.0 V
    Choice("power_gating", [False, True]),  # of idle buffers
)
VOLTAGE = {1.0: 0.8, 1.5: 1.0}  # V, by clock
REFERENCE_POINT = np.array([-150.0, -1800.0])  # minus ns, minus pJ
NOMINAL_COSTS = [3.0, 45.0]  # the paper's minutes


def network_on_chip(setting: Setting = "coupled", cost: CostMode = "work") -> Benchmark:
    """One simulator that answers both objectives, or the paper's one simulator per objective.

    ``cost="work"`` counts simulated cycles, ``"nominal"`` the paper's minutes, both in the ratio 15;
    ``"wall"`` leaves it to the clock.
    """
    check_option("network_on_chip", "setting", setting, Setting)
    check_option("network_on_chip", "cost", cost, CostMode)
    problem = Problem(parameters=PARAMETERS, simulators=_simulators(setting, cost))
    return with_stored_front("network_on_chip", problem, REFERENCE_POINT, true_values)


def _simulators(setting: Setting, cost: CostMode) -> list[Simulator]:
    costs: dict[str, DeclaredCost] = {"work": list(CYCLES), "nominal": NOMINAL_COSTS, "wall": "measured"}
    objectives = [Objective("latency", "minimize"), Objective("energy", "minimize")]
    named: list[tuple[str, list[Objective], Runnable]]
    if setting == "coupled":
        named = [("mesh", objectives, mesh)]
    else:
        named = [("latency", objectives[:1], latency), ("energy", objectives[1:], energy)]
    return [
        Simulator(name, outputs, run, fidelity=Fidelity.levels(CYCLES), cost=costs[cost])
        for name, outputs, run in named
    ]


def mesh(
    link_width: int,  # bit
    channels_per_class: int,
    channel_depth: int,  # flits
    router_pipeline: int,  # cycles
    request_routing: str,
    reply_routing: str,
    arbiter: str,
    memory_placement: str,
    clock: float,  # GHz
    power_gating: bool,
    z: int,  # cycles
) -> dict[str, float]:
    """Mean round trip [ns] from a request's creation to the end of its reply, and energy per round trip [pJ]."""
    configuration = Mesh(
        side=SIDE,
        n_channels=int(channels_per_class),
        depth=int(channel_depth),
        pipeline=int(router_pipeline),
        request_length=ceil(REQUEST_BITS / link_width),
        reply_length=ceil(REPLY_BITS / link_width),
        service=round(SERVICE_TIME * clock),
        is_request_yx=int(request_routing == "yx"),
        is_reply_yx=int(reply_routing == "yx"),
        is_oldest_first=int(arbiter == "oldest first"),
        wake_after=WAKE_AFTER if power_gating else 0,
        wake_cycles=WAKE_CYCLES,
        n_cycles=int(z),
        warm_up=int(z) // WARM_UP_SHARE,
    )
    counts = run_mesh(configuration, *requests(memory_placement, clock, int(z)))
    joules = energy_per_round_trip(configuration, counts, link_width, clock, memory_placement)
    return {"latency": counts.latency_sum / counts.n_finished / clock, "energy": joules}


def latency(*, z: int, **design: Any) -> float:  # ns
    """Mean round trip alone."""
    return mesh(**design, z=z)["latency"]


def energy(*, z: int, **design: Any) -> float:  # pJ
    """Energy per round trip alone."""
    return mesh(**design, z=z)["energy"]


def requests(memory_placement: str, clock: float, n_cycles: int) -> tuple[IntArray, IntArray, IntArray]:
    """Cycles, source nodes and destination nodes; cores ask alike whichever nodes they stand on."""
    memory = np.array(MEMORY_NODES[memory_placement])
    cores = np.setdiff1d(np.arange(SIDE**2), memory)
    rate = REQUEST_RATE / N_CORES / 0.5 / clock  # a core asks half of the time
    cycles, sources, chosen = bursts(N_CORES, len(memory), n_cycles, 1.0 / (BURST_TIME * clock), rate)
    return cycles, cores[sources], memory[chosen]


def energy_per_round_trip(
    configuration: Mesh, counts: Counts, link_width: int, clock: float, memory_placement: str
) -> float:  # pJ
    """Buffers, switches and links by what moved; leakage by time; wires from the memory to the pads at the edge.

    Coefficients in pJ per bit or per event at 1 V, mW for leakage, of the size usual for 45 nm.
    """
    width, depth, extra = link_width, configuration.depth, configuration.n_channels - 1
    n_round_trips = counts.n_ejected / (configuration.request_length + configuration.reply_length)
    writing = 0.05 * width * (1.0 + 0.15 * (depth / 4.0 - 1.0))
    arbitration = (1.2 if configuration.is_oldest_first else 0.6) * (1.0 + 0.2 * extra)
    latches = (0.055 if configuration.pipeline == 1 else 0.03) * width  # fewer stages need stronger gates
    crossing = 0.04 * width * (1.0 + 0.1 * extra) + arbitration + latches
    moving = counts.n_buffer_writes * writing + counts.n_traversals * crossing + counts.n_hops * 0.10 * width
    waking = counts.n_wakes * 0.05 * width * depth * 0.3
    awake = 0.55 if configuration.wake_after else 1.0
    storage = 5 * 2 * configuration.n_channels * depth * width  # bits per router
    leakage = (0.00025 * storage * awake + 0.004 * width) * SIDE**2 * configuration.n_cycles / clock
    pads = (REQUEST_BITS + REPLY_BITS) * 0.45 * mean_edge_distance(memory_placement)
    voltage = VOLTAGE[clock]
    return ((moving + waking) / n_round_trips + pads) * voltage**2 + leakage * voltage / n_round_trips


def mean_edge_distance(memory_placement: str) -> float:
    """Tiles from a memory controller to the nearest edge of the chip."""
    rows, columns = np.divmod(np.array(MEMORY_NODES[memory_placement]), SIDE)
    return float(np.min([rows, columns, SIDE - 1 - rows, SIDE - 1 - columns], axis=0).mean())


@cache
def stored_table() -> Array:  # (2, 1024, 2): fidelity, design, latency [ns] and energy [pJ]
    """All designs at both fidelities; design number's bit j is the position of parameter j's value."""
    with as_file(files("imoca_lab").joinpath("fronts", "network_on_chip_table.npz")) as path:
        table: Array = np.load(path)["table"]
    table.flags.writeable = False
    return table


def design_numbers(unit_designs: Array) -> IntArray:  # (n, 10) -> (n,)
    """Rows of the table."""
    bits = np.asarray(unit_designs) >= 0.5
    return np.asarray(bits @ (1 << np.arange(len(PARAMETERS))), dtype=np.int64)


def true_values(
    unit_designs: Array,  # (n, 10)
) -> Array:  # (n, 2) minus ns, minus pJ
    """Maximised values at full fidelity, looked up."""
    return np.asarray(-stored_table()[1][design_numbers(unit_designs)])

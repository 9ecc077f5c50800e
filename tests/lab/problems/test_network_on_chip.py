from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from scipy.stats import spearmanr
from simulating import function_of

from experiments.reference_fronts.network_on_chip import all_designs, search_front
from imoca.arrays import Array, IntArray
from imoca.errors import ProblemError
from imoca.pareto.dominance import non_dominated
from imoca.pareto.indicators import hypervolume
from imoca.problem.space import SearchSpace
from imoca.studyfile.problem import problem_from_toml, problem_to_toml
from imoca_lab.benchmark import CostMode, Setting
from imoca_lab.problems.network_on_chip.mesh import Counts, Mesh, run_mesh
from imoca_lab.problems.network_on_chip.problem import (
    CYCLES,
    MEMORY_NODES,
    PARAMETERS,
    design_numbers,
    energy_per_round_trip,
    mean_edge_distance,
    mesh,
    network_on_chip,
    requests,
    stored_table,
    true_values,
)
from imoca_lab.problems.network_on_chip.traffic import bursts, scrambled
from imoca_lab.stored_front import load_front

SPACE = SearchSpace(PARAMETERS)
needs_numba = pytest.mark.skipif(find_spec("numba") is None, reason="Numba is not installed")
PLAIN = Mesh(
    side=8,
    n_channels=2,
    depth=4,
    pipeline=0,
    request_length=1,
    reply_length=0,
    service=0,
    is_request_yx=0,
    is_reply_yx=0,
    is_oldest_first=0,
    wake_after=0,
    wake_cycles=0,
    n_cycles=4000,
    warm_up=0,
)
Requests = tuple[IntArray, IntArray, IntArray]


def uniform_traffic(side: int, rate: float, n_cycles: int, seed: int = 0) -> Requests:
    """Every node sends a packet with this probability per cycle to any other."""
    rng = np.random.default_rng(seed)
    times, sources = np.nonzero(rng.random((n_cycles, side**2)) < rate)
    others = rng.integers(side**2 - 1, size=len(times))
    return times, sources, others + (others >= sources)


def distance(side: int, sources: IntArray, destinations: IntArray) -> IntArray:
    return np.abs(sources % side - destinations % side) + np.abs(sources // side - destinations // side)


def one_packet(mesh_: Mesh, source: int, destination: int) -> Counts:
    return run_mesh(mesh_, *(np.array([number]) for number in (0, source, destination)), compiled=False)


# Validation against closed solutions; interpreted, so that they hold without Numba too.


@pytest.mark.parametrize(("pipeline", "length"), [(0, 1), (0, 5), (2, 1), (2, 5)])
def test_a_packet_alone_takes_its_zero_load_latency(pipeline: int, length: int) -> None:
    counts = one_packet(PLAIN._replace(pipeline=pipeline, request_length=length), 0, 63)
    assert counts.latency_sum == (1 + pipeline) * 14 + pipeline + 1 + (length - 1)
    assert (counts.n_hops, counts.n_traversals, counts.n_buffer_writes) == (14 * length, 15 * length, 15 * length)


@pytest.mark.slow
@pytest.mark.parametrize(("pipeline", "length"), [(0, 1), (0, 5), (2, 1), (2, 5)])
def test_rare_packets_take_the_zero_load_latency_of_their_mean_distance(pipeline: int, length: int) -> None:
    traffic = uniform_traffic(8, 2e-4, 3900)
    hops = distance(8, *traffic[1:]).mean()
    assert hops == pytest.approx(2 * 8 / 3, rel=0.2)  # the mean over all pairs; these are some fifty
    mesh_ = PLAIN._replace(pipeline=pipeline, request_length=length)
    counts = run_mesh(mesh_, *traffic, compiled=False)
    assert counts.n_finished == len(traffic[0])
    zero_load = (1 + pipeline) * hops + pipeline + 1 + (length - 1)
    assert zero_load <= counts.latency_sum / counts.n_finished < 1.03 * zero_load


def waits_in_a_queue(n_arrivals: IntArray) -> int:
    """Cycles waited by all arrivals together where one departs per cycle."""
    backlog, waited = 0, 0
    for n_new in n_arrivals.tolist():
        waited += n_new * backlog + n_new * (n_new - 1) // 2
        backlog = max(backlog + n_new - 1, 0)
    return waited


LOADS = [0.2, 0.5, 0.7, 0.8, 0.9]  # of a hot spot by four neighbours


@pytest.mark.slow
@pytest.mark.parametrize("load", LOADS)
def test_four_neighbours_of_a_hot_spot_wait_as_in_an_output_queue(load: float) -> None:
    n_cycles = 10_000
    arrivals = np.random.default_rng(1).random((n_cycles, 4)) < load / 4
    times, neighbours = np.nonzero(arrivals)
    sources = np.array([1, 3, 5, 7])[neighbours]
    mesh_ = PLAIN._replace(side=3, n_cycles=n_cycles + 100)
    counts = run_mesh(mesh_, times, sources, np.full(len(times), 4), compiled=False)
    assert counts.n_finished == len(times)
    assert counts.latency_sum - 2 * len(times) == waits_in_a_queue(arrivals.sum(axis=1))


@pytest.mark.parametrize("load", LOADS)
def test_that_queue_waits_as_long_as_its_theory_says(load: float) -> None:
    """Karol, Hluchyj and Morgan 1987: with N inputs the mean wait is (N - 1) / N * rho / (2 (1 - rho))."""
    n_arrivals = np.random.default_rng(1).binomial(4, load / 4, size=1_000_000)
    mean_wait = waits_in_a_queue(n_arrivals) / n_arrivals.sum()
    assert mean_wait == pytest.approx(0.75 * load / (2 * (1 - load)), rel=0.05)


@pytest.mark.slow
@pytest.mark.parametrize("rate", [0.05, 0.9])
def test_every_flit_injected_is_ejected_or_still_buffered(rate: float) -> None:
    counts = run_mesh(PLAIN._replace(n_cycles=300), *uniform_traffic(8, rate, 300), compiled=False)
    assert counts.n_injected == counts.n_ejected + counts.n_buffered
    assert counts.n_buffer_writes == counts.n_injected + counts.n_hops
    assert counts.n_traversals == counts.n_hops + counts.n_ejected


@pytest.mark.slow
@pytest.mark.parametrize("rate", [0.05, 0.1, 0.2, 0.3])
def test_below_saturation_as_much_leaves_as_is_offered(rate: float) -> None:
    counts = run_mesh(PLAIN._replace(n_cycles=500), *uniform_traffic(8, rate, 500), compiled=False)
    assert counts.n_ejected / (64 * 500) == pytest.approx(rate, rel=0.05)


def test_a_round_trip_alone_is_request_service_and_reply() -> None:
    mesh_ = PLAIN._replace(request_length=2, reply_length=9, service=30, pipeline=1)
    counts = one_packet(mesh_, 0, 9)
    request, reply = 2 * 2 + 2 + 1, 2 * 2 + 2 + 8
    assert counts.latency_sum == request + 30 + reply
    assert counts.n_ejected == 11


def test_a_sleeping_channel_delays_the_head_by_its_wake_up_at_every_hop() -> None:
    awake = one_packet(PLAIN, 0, 2)
    late = PLAIN._replace(wake_after=8, wake_cycles=2)
    arrays = (np.array([20]), np.array([0]), np.array([2]))
    asleep = run_mesh(late, *arrays, compiled=False)
    assert asleep.latency_sum == awake.latency_sum + 2 * 2  # the local channel never sleeps
    assert asleep.n_wakes == 2


def test_a_packet_meets_another_on_its_way_by_xy_but_not_by_yx() -> None:
    # 0 -> 9 by way of 1 wants the link from 1 to 9 in cycle 1, as does 1 -> 17; by way of 8 it does not
    traffic = (np.array([0, 1]), np.array([0, 1]), np.array([9, 17]))
    by_xy = run_mesh(PLAIN, *traffic, compiled=False)
    by_yx = run_mesh(PLAIN._replace(is_request_yx=1), *traffic, compiled=False)
    assert (by_xy.latency_sum, by_yx.latency_sum) == (3 + 3 + 1, 3 + 3)


def test_the_oldest_packet_passes_first_or_the_next_in_turn() -> None:
    # as above, but only the younger packet is measured, which starts at the port whose turn it is
    traffic = (np.array([0, 1]), np.array([0, 1]), np.array([9, 17]))
    in_turn = run_mesh(PLAIN._replace(warm_up=1), *traffic, compiled=False)
    oldest = run_mesh(PLAIN._replace(warm_up=1, is_oldest_first=1), *traffic, compiled=False)
    assert (in_turn.latency_sum, oldest.latency_sum) == (3, 3 + 1)


@needs_numba
@pytest.mark.slow
@pytest.mark.parametrize("flags", [(0, 1, 0, 0), (1, 0, 1, 8), (1, 1, 0, 8)])
def test_compiled_and_interpreted_runs_agree_bit_for_bit(flags: tuple[int, int, int, int]) -> None:
    is_request_yx, is_reply_yx, is_oldest_first, wake_after = flags
    mesh_ = PLAIN._replace(
        side=6,
        n_channels=1 + is_reply_yx,
        reply_length=9,
        service=30,
        is_request_yx=is_request_yx,
        is_reply_yx=is_reply_yx,
        is_oldest_first=is_oldest_first,
        wake_after=wake_after,
        wake_cycles=2,
        n_cycles=1000,
        warm_up=100,
    )
    traffic = requests("spread", 1.0, 1000)
    assert run_mesh(mesh_, *traffic, compiled=True) == run_mesh(mesh_, *traffic, compiled=False)


def test_a_packet_waits_until_the_one_before_has_left_the_only_local_channel() -> None:
    # with three cycles of pipeline a flit injected in cycle 0 leaves in cycle 3; the next is injected in cycle 4
    mesh_ = PLAIN._replace(side=3, n_channels=1, pipeline=3)
    counts = run_mesh(mesh_, np.array([0, 1]), np.array([0, 0]), np.array([1, 1]), compiled=False)
    alone = 4 + 3 + 1
    assert counts.latency_sum == alone + (3 + alone)


# Traffic.


def test_the_random_numbers_are_those_of_the_published_generator() -> None:
    # first outputs for seed 0, by the recurrence in exact integers
    def by_hand(n: int) -> int:
        mask = (1 << 64) - 1
        bits = (n + 1) * 0x9E3779B97F4A7C15 & mask
        bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9 & mask
        bits = (bits ^ bits >> 27) * 0x94D049BB133111EB & mask
        return bits ^ bits >> 31

    numbers = scrambled(np.arange(100, dtype=np.uint64), seed=0)
    assert numbers.tolist() == [by_hand(n) for n in range(100)]
    assert numbers[0] == 0xE220A8397B1DCDAF


@pytest.mark.parametrize("clock", [1.0, 1.5])
def test_cores_ask_at_the_stated_rate_whatever_the_clock(clock: float) -> None:
    times, sources, destinations = requests("edge rows", clock, 30_000)
    assert len(times) / (30_000 / clock) == pytest.approx(0.32, rel=0.04)
    assert set(destinations.tolist()) == set(MEMORY_NODES["edge rows"])
    assert not set(sources.tolist()) & set(destinations.tolist())
    assert len(set(sources.tolist())) == 30


def test_bursts_last_as_long_as_stated() -> None:
    # asking every cycle of a burst shows its length; mean 50 cycles, half of the time
    times, cores, _ = bursts(30, 6, 30_000, 1.0 / 50.0, 1.0)
    assert len(times) / (30 * 30_000) == pytest.approx(0.5, abs=0.02)
    order = np.lexsort((times, cores))
    starts = (np.diff(times[order]) != 1) | (np.diff(cores[order]) != 0)
    assert len(times) / (starts.sum() + 1) == pytest.approx(50.0, rel=0.03)


def test_a_short_run_sees_the_beginning_of_a_long_one() -> None:
    short, long = requests("spread", 1.5, 2_000), requests("spread", 1.5, 30_000)
    for column_short, column_long in zip(short, long, strict=True):
        assert column_short.tolist() == column_long[: len(column_short)].tolist()


# Objectives.


def test_the_energy_of_one_round_trip_computed_by_hand() -> None:
    mesh_ = PLAIN._replace(side=6, n_channels=1, pipeline=3, request_length=1, reply_length=9, n_cycles=100)
    counts = Counts(60, 1, 30, 30, 20, 0, 10, 10, 0)
    # per flit at 64 bit: write 3.2, switch 2.56 + 0.6 + 1.92, link 6.4 pJ, at 0.8 V
    moving = (30 * 3.2 + 30 * 5.08 + 20 * 6.4) * 0.64
    leakage = (0.00025 * 5 * 2 * 4 * 64 + 0.004 * 64) * 0.8 * 36 * 100.0
    assert energy_per_round_trip(mesh_, counts, 64, 1.0, "edge rows") == pytest.approx(moving + leakage)
    pads = 640 * 0.45 * (2 / 6) * 0.64
    assert energy_per_round_trip(mesh_, counts, 64, 1.0, "spread") == pytest.approx(moving + leakage + pads)


def test_the_energy_of_the_dearest_choices_computed_by_hand() -> None:
    mesh_ = PLAIN._replace(
        side=6, depth=8, pipeline=1, reply_length=5, is_oldest_first=1, wake_after=8, wake_cycles=2, n_cycles=150
    )
    counts = Counts(60, 2, 40, 40, 30, 6, 12, 12, 0)  # two round trips of six flits
    switch = 0.04 * 128 * 1.1 + 1.2 * 1.2 + 0.055 * 128
    moving = 40 * 6.4 * 1.15 + 40 * switch + 30 * 12.8 + 6 * 6.4 * 8 * 0.3
    leakage = (0.00025 * 5 * 2 * 2 * 8 * 128 * 0.55 + 0.004 * 128) * 36 * 100.0
    expected = (moving + leakage) / 2 + 640 * 0.45 * 2 / 6
    assert energy_per_round_trip(mesh_, counts, 128, 1.5, "spread") == pytest.approx(expected)


def test_the_spread_memory_stands_once_in_every_row_and_column() -> None:
    rows, columns = np.divmod(np.array(MEMORY_NODES["spread"]), 6)
    assert sorted(rows.tolist()) == sorted(columns.tolist()) == list(range(6))
    assert mean_edge_distance("edge rows") == 0.0


# The table and the exact front.


@pytest.mark.slow
@pytest.mark.parametrize("number", [0, 2, 341, 777, 1023])
def test_the_table_is_what_the_simulator_gives_bit_for_bit_at_the_low_fidelity(number: int) -> None:
    design: dict[str, Any] = SPACE.decode(all_designs()[number])
    outputs = mesh(**design, z=CYCLES[0])
    assert [outputs["latency"], outputs["energy"]] == stored_table()[0, number].tolist()


@needs_numba
@pytest.mark.slow
@pytest.mark.parametrize("number", [5, 514, 1000])
def test_the_table_is_what_the_simulator_gives_bit_for_bit_at_full_fidelity(number: int) -> None:
    design: dict[str, Any] = SPACE.decode(all_designs()[number])
    outputs = mesh(**design, z=CYCLES[1])
    assert [outputs["latency"], outputs["energy"]] == stored_table()[1, number].tolist()


def main_effect(values: Array, parameter: int) -> float:
    is_second = all_designs()[:, parameter] == 1.0
    return float(values[is_second].mean() - values[~is_second].mean())


def test_the_low_fidelity_ranks_designs_as_the_full_one_and_flatters_the_congested() -> None:
    low, full = stored_table()
    assert spearmanr(low[:, 0], full[:, 0]).statistic > 0.99
    assert spearmanr(low[:, 1], full[:, 1]).statistic > 0.99
    congested = full[:, 0] > 150.0
    assert 0.0 < congested.mean() < 0.05
    assert low[congested, 0].mean() < 0.6 * full[congested, 0].mean()
    assert low[:, 0].max() < 0.3 * full[:, 0].max()


def test_latency_and_energy_spread_as_specified() -> None:
    latency, energy = stored_table()[1].T
    np.testing.assert_allclose(np.quantile(latency, [0.0, 0.1, 0.5, 0.9]), [45.8, 51.9, 69.1, 96.7], rtol=0.02)
    np.testing.assert_allclose(np.quantile(energy, [0.0, 0.1, 0.5, 0.9, 1.0]), [540, 632, 936, 1331, 1691], rtol=0.03)


def test_the_main_effects_are_those_specified() -> None:
    latency, energy = stored_table()[1].T
    nanoseconds = {0: -19.0, 1: -11.0, 2: -11.0, 3: -29.0, 5: -8.0, 7: -11.0, 8: -28.0, 9: 21.0}
    picojoules = {0: 260.0, 1: 134.0, 2: 153.0, 3: 75.0, 6: 22.0, 8: 382.0, 9: -51.0}
    for parameter, effect in nanoseconds.items():
        assert main_effect(latency, parameter) == pytest.approx(effect, abs=0.6)
    for parameter, effect in picojoules.items():
        assert main_effect(energy, parameter) == pytest.approx(effect, rel=0.05)


def test_the_stored_front_is_the_exact_front_of_the_table() -> None:
    stored, exact = load_front("network_on_chip", n_parameters=10), search_front()
    np.testing.assert_array_equal(stored.designs, exact.designs)
    np.testing.assert_allclose(stored.values, exact.values, rtol=1e-9)
    assert stored.hypervolume == pytest.approx(hypervolume(exact.values, np.array([-150.0, -1800.0])))
    assert non_dominated(stored.values).all()
    assert stored.hypervolume == pytest.approx(1.2131e5, rel=0.01)


@pytest.mark.parametrize(("n_designs", "share"), [(10, 0.85), (20, 0.91), (50, 0.95), (100, 0.98)])
def test_random_search_covers_the_specified_share_of_the_volume(n_designs: int, share: float) -> None:
    benchmark, rng = network_on_chip(), np.random.default_rng(0)
    volumes = [
        hypervolume(true_values(rng.integers(2, size=(n_designs, 10)).astype(float)), benchmark.reference_point)
        for _ in range(100)
    ]
    assert np.mean(volumes) / benchmark.hypervolume == pytest.approx(share, abs=0.025)


def test_a_design_finds_its_row_by_its_bits() -> None:
    assert design_numbers(all_designs()).tolist() == list(range(1024))
    assert design_numbers(np.array([[0.6, 0.4] + 8 * [0.0]])).tolist() == [1]


# The benchmark.


@pytest.mark.slow
@pytest.mark.parametrize("setting", ["coupled", "per_objective"])
def test_true_values_are_those_of_the_simulators_at_full_fidelity(setting: Setting) -> None:
    # At the low fidelity without Numba, where a full run takes ten seconds; the table's two halves are made alike.
    level = 1 if find_spec("numba") is not None else 0
    problem = network_on_chip(setting=setting).problem
    design = all_designs()[614]
    outputs: dict[str, float] = {}
    for simulator in problem.simulators:
        answer = function_of(simulator)(**problem.space.decode(design), z=CYCLES[level])
        outputs |= answer if isinstance(answer, dict) else {simulator.name: answer}
    expected = true_values(design[None])[0] if level == 1 else -stored_table()[0, 614]
    assert [-outputs["latency"], -outputs["energy"]] == expected.tolist()


@pytest.mark.parametrize("cost", ["work", "nominal", "wall"])
@pytest.mark.parametrize("setting", ["coupled", "per_objective"])
def test_the_problem_survives_its_study_file(setting: Setting, cost: CostMode) -> None:
    problem = network_on_chip(setting=setting, cost=cost).problem
    assert problem_from_toml(problem_to_toml(problem)) == problem
    assert [(o.name, o.goal) for o in problem.objectives] == [("latency", "minimize"), ("energy", "minimize")]


@pytest.mark.parametrize("cost", ["work", "nominal"])
def test_the_full_fidelity_costs_fifteen_times_the_low_one(cost: CostMode) -> None:
    problem = network_on_chip(cost=cost).problem
    ratio = problem.simulator("mesh").cost_ratio(problem.space, np.zeros((1, 10)), np.array([0.0, 1.0]))
    np.testing.assert_allclose(ratio[0], [1 / 15, 1.0])
    assert network_on_chip(cost="wall").problem.simulator("mesh").is_cost_measured


def test_unknown_options_are_refused() -> None:
    with pytest.raises(ProblemError, match="split"):
        network_on_chip(setting="split")  # type: ignore[arg-type]
    with pytest.raises(ProblemError, match="minutes"):
        network_on_chip(cost="minutes")  # type: ignore[arg-type]

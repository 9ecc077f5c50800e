from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.stats import qmc, spearmanr
from simulating import function_of

from imoca import Study
from imoca.arrays import Array
from imoca.errors import ParameterError, ProblemError, ProgramError
from imoca.studyfile.problem import problem_from_toml, problem_to_toml
from imoca_lab.benchmark import CostMode
from imoca_lab.problems.circuit import problem as circuit_module
from imoca_lab.problems.circuit.netlist import (
    DESIGN_NAMES,
    DRIVE_VOLTAGE,
    INPUT_VOLTAGE,
    LOADS,
    RATIOS,
    SWITCHES,
    Accuracy,
    Regulator,
    accuracy,
    netlist,
    regulator_from,
)
from imoca_lab.problems.circuit.ngspice import is_installed, run_ngspice, simulate_ngspice
from imoca_lab.problems.circuit.problem import (
    GOALS,
    SIGNS,
    SPACE,
    Backend,
    TrueValues,
    circuit,
    n_steps,
    regulator,
    regulator_pwl,
)
from imoca_lab.problems.circuit.pwl import FREE_NODES, closed_shares, simulate_pwl

needs_ngspice = pytest.mark.skipif(not is_installed(), reason="the program ngspice is not installed")
UNIT_DESIGNS = qmc.LatinHypercube(33, rng=0).random(64)
DESIGNS: list[dict[str, Any]] = [SPACE.decode(row) for row in UNIT_DESIGNS]
N_BY_NGSPICE = 6  # designs, for a run at full fidelity takes 1.5 s


def named_design(frequency: float, width: float) -> dict[str, float]:
    """All switches alike and all capacitors alike."""
    weights = dict.fromkeys(DESIGN_NAMES[23:], 0.5)
    return {"frequency": frequency} | dict.fromkeys(DESIGN_NAMES[1:23], width) | weights


CORNERS = {
    "slow": named_design(5.0, 1000.0),  # the capacitors limit
    "middle": named_design(5.0 * 10**0.5, 200.0),
    "fast": named_design(50.0, 100.0),  # the switches limit
}


def voltages_in_theory(built: Regulator) -> Array:  # (4,)
    """Seeman and Sanders: an ideal transformer with an output resistance between two limits."""

    def resistance(switches: slice, capacitors: slice, multiplier: float) -> float:
        slow = (multiplier**2 / (built.frequency * built.flying[capacitors])).sum()
        fast = (multiplier**2 * built.on_resistances[switches] / 0.44).sum()
        return float(np.hypot(slow, fast))

    a = resistance(slice(0, 4), slice(0, 1), 1 / 2)
    b = resistance(slice(4, 11), slice(1, 3), 1 / 3)
    e = resistance(slice(11, 18), slice(3, 5), 1 / 3)
    d = resistance(slice(18, 22), slice(5, 6), 1 / 2)
    first = 0.9 / (1 + a / LOADS[0] + a / 4 / (LOADS[3] + d))  # cell d draws half the current of output 4
    return np.array([first, 1.2 / (1 + b / LOADS[1]), 0.6 / (1 + e / LOADS[2]), first / 2 / (1 + d / LOADS[3])])


@cache
def by_ngspice(z: float) -> Array:  # (6, 9)
    return np.array([list(regulator(z=z, **design).values()) for design in DESIGNS[:N_BY_NGSPICE]])


@cache
def linear(z: float) -> Array:  # (64, 9)
    return np.array([list(simulate_pwl(regulator_from(d), accuracy(z), leap=True).values()) for d in DESIGNS])


def efficiency_bound(voltages: Array) -> Array:  # (n, 4) -> (n,)
    """Ideal transformers lose what their output voltage falls short of the ideal one."""
    return (voltages**2 / LOADS).sum(axis=1) / (RATIOS * INPUT_VOLTAGE * voltages / LOADS).sum(axis=1)


# The components.


def test_the_middle_of_the_cube_is_the_geometric_mean_of_every_range() -> None:
    middle: dict[str, Any] = SPACE.decode(np.full(33, 0.5))
    built = regulator_from(middle)
    assert built.frequency == pytest.approx(5e6 * 10**0.5)
    np.testing.assert_allclose(built.widths, 200e-6)
    np.testing.assert_allclose(built.flying, 2e-9)
    np.testing.assert_allclose(built.outputs, 60e-9)


def test_capacitors_share_their_budgets_whatever_the_weights() -> None:
    for design in DESIGNS[:5]:
        built = regulator_from(design)
        assert built.flying.sum() == pytest.approx(12e-9)
        assert built.outputs.sum() == pytest.approx(240e-9)
        assert built.flying[0] / built.flying[5] == pytest.approx(design["weight_a"] / design["weight_d"])


def test_there_are_33_parameters_9_objectives_22_switches_and_20_free_nodes() -> None:
    assert (SPACE.n_columns, len(GOALS), len(SWITCHES), len(FREE_NODES)) == (33, 9, 22, 20)
    assert SPACE.names == DESIGN_NAMES
    assert [switch.phase for switch in SWITCHES].count(1) == 11


@pytest.mark.parametrize("phase", [1, 2])
def test_ideal_voltages_solve_the_loops_of_both_phases(phase: int) -> None:
    """Walking from rail to output through closed switches and charged capacitors meets each node at one voltage."""
    at = {"vin": 1.8, "0": 0.0, "o1": 0.9, "o2": 1.2, "o3": 0.6, "o4": 0.45}
    across = {"a": 0.9, "b1": 0.6, "b2": 0.6, "e1": 0.6, "e2": 0.6, "d": 0.45}
    closed = [switch for switch in SWITCHES if switch.phase == phase]
    node_voltages = {node: switch.voltage for switch in closed for node in (switch.left, switch.right)}
    for switch in closed:
        for node in (switch.left, switch.right):
            assert node_voltages[node] == pytest.approx(at.get(node, switch.voltage))
    for name, volts in across.items():
        assert node_voltages[f"{name}p"] - node_voltages[f"{name}n"] == pytest.approx(volts)


def test_loads_draw_their_nominal_currents_at_the_ideal_voltages() -> None:
    np.testing.assert_allclose(LOADS, [150.0, 200.0, 120.0, 180.0])


def test_the_netlist_holds_every_component_once() -> None:
    lines = netlist(regulator_from(CORNERS["middle"]), accuracy(1.0)).splitlines()
    counts = {start: sum(line.startswith(start) for line in lines) for start in ("M", "Cf", "Cb", "Co", "Rs", "Rl")}
    assert counts == {"M": 22, "Cf": 6, "Cb": 6, "Co": 4, "Rs": 4, "Rl": 4}
    assert "M9 b1n g2 b2p 0 nch W=0.0002 L=3.5e-07" in lines
    assert "Cbd dn 0 3e-11" in lines
    assert "Cfe1 e1p e1n 2e-09 ic=0.576" in lines  # 0.96 * 0.6 V


@pytest.mark.parametrize(
    ("z", "n_cycles", "n_points"), [(0, 23, 20), (0.2, 33, 23), (0.4, 49, 26), (0.6, 71, 30), (0.8, 103, 35)]
)
def test_the_fidelity_sets_cycles_and_points_as_specified(z: float, n_cycles: int, n_points: int) -> None:
    how = accuracy(z)
    assert how.n_cycles == pytest.approx(n_cycles, abs=1)
    assert how.n_points == n_points
    assert how.tolerance == pytest.approx(10 ** -(2.4 + 1.1 * z))


def test_the_work_spans_a_factor_of_13() -> None:
    assert accuracy(1.0) == Accuracy(151, 40, pytest.approx(10**-3.5))  # type: ignore[arg-type]
    assert n_steps(1.0) / n_steps(0.0) == pytest.approx(13.1, abs=0.05)
    problem = circuit(backend="pwl").problem
    ratio = problem.simulator("regulator").cost_ratio(problem.space, UNIT_DESIGNS[:1], np.array([0.0]))
    assert 1.0 / ratio[0, 0] == pytest.approx(6040 / 460)


def test_a_missing_parameter_is_named() -> None:
    with pytest.raises(ParameterError, match="width_3"):
        regulator_from({name: value for name, value in CORNERS["slow"].items() if name != "width_3"})


# The physics, against the theory of switched-capacitor converters.


def test_the_theory_gives_the_specified_voltages() -> None:
    expected = {
        "slow": [0.7513, 1.0796, 0.5061, 0.3297],
        "middle": [0.8120, 1.1334, 0.5520, 0.3815],
        "fast": [0.7651, 1.0961, 0.5311, 0.3494],
    }
    for name, voltages in expected.items():
        np.testing.assert_allclose(voltages_in_theory(regulator_from(CORNERS[name])), voltages, atol=2e-4)


@pytest.mark.slow
@needs_ngspice
@pytest.mark.parametrize(
    ("name", "voltages"),
    [("slow", [0.7514, 1.0785, 0.5049, 0.3282]), ("middle", [0.8137, 1.1321, 0.5517, 0.3828])],
)
def test_ngspice_gives_the_specified_voltages_within_half_a_percent_of_theory(name: str, voltages: list[float]) -> None:
    built = regulator_from(CORNERS[name])
    found = list(simulate_ngspice(built, accuracy(1.0)).values())[1:5]
    np.testing.assert_allclose(found, voltages, atol=5e-4)
    np.testing.assert_allclose(found, voltages_in_theory(built), rtol=5e-3)


@pytest.mark.slow
@needs_ngspice
def test_where_the_switches_limit_151_cycles_are_nearly_settled_and_400_agree_with_theory() -> None:
    built = regulator_from(CORNERS["fast"])
    full = np.array(list(simulate_ngspice(built, accuracy(1.0)).values()))
    settled = np.array(list(simulate_ngspice(built, Accuracy(400, 40, 1e-4)).values()))
    np.testing.assert_allclose(settled[1:5], voltages_in_theory(built), rtol=0.012)
    np.testing.assert_allclose(full[1:5], settled[1:5], rtol=0.03)
    assert full[0] == pytest.approx(settled[0], rel=0.045)
    np.testing.assert_allclose(full[5:], settled[5:], rtol=0.24)


@pytest.mark.slow
@needs_ngspice
def test_the_drivers_pay_for_the_charge_of_the_gates() -> None:
    built = regulator_from(CORNERS["middle"])
    measured = -DRIVE_VOLTAGE * run_ngspice(netlist(built, accuracy(0.6)), ["mean_idrv"], timeout=60.0)["mean_idrv"]
    in_theory = built.gate_capacitance * DRIVE_VOLTAGE**2 * built.frequency
    assert in_theory == pytest.approx(1.81e-3, rel=0.01)
    # Below theory: the channel of a switch at a raised voltage takes less charge than its whole oxide.
    assert measured == pytest.approx(1.56e-3, rel=0.03)


@pytest.mark.slow
@needs_ngspice
def test_no_design_is_more_efficient_than_ideal_transformers_allow() -> None:
    values = by_ngspice(1.0)
    assert (values[:, 0] < 0.95 * efficiency_bound(values[:, 1:5])).all()


@pytest.mark.slow
@needs_ngspice
def test_few_cycles_bias_the_efficiency_but_rank_the_voltages_well() -> None:
    truth, cheap, better = by_ngspice(1.0), by_ngspice(0.0), by_ngspice(0.6)
    assert (cheap[:, 0] > truth[:, 0]).mean() > 0.7  # the stored charge still feeds the loads
    assert all(spearmanr(cheap[:, j], truth[:, j]).statistic > 0.6 for j in range(1, 5))
    assert all(spearmanr(better[:, j], truth[:, j]).statistic > 0.9 for j in range(5))
    assert np.abs(better - truth).mean(axis=0)[0] < 0.4 * np.abs(cheap - truth).mean(axis=0)[0]


@pytest.mark.slow
@needs_ngspice
def test_linear_switches_agree_with_ngspice_on_averages_but_not_on_ripples() -> None:
    truth, simple = by_ngspice(1.0), linear(1.0)[:N_BY_NGSPICE]
    np.testing.assert_allclose(simple[:, 1:5], truth[:, 1:5], rtol=0.03)
    assert spearmanr(simple[:, 0], truth[:, 0]).statistic > 0.9
    assert (simple[:, 5:] < truth[:, 5:]).mean() > 0.8  # no gate feed-through


# The linear backend.


@pytest.mark.parametrize("n_points", [20, 23, 26, 33, 40])
def test_both_phases_are_closed_for_45_percent_of_a_cycle_and_never_together(n_points: int) -> None:
    shares = closed_shares(n_points)
    np.testing.assert_allclose(shares.mean(axis=0), 0.45)
    assert (shares.min(axis=1) == 0.0).all()


@pytest.mark.parametrize("name", ["slow", "middle", "fast"])
def test_linear_switches_settle_at_the_voltages_of_theory(name: str) -> None:
    built = regulator_from(CORNERS[name])
    found = simulate_pwl(built, Accuracy(2000, 40, 1.0), leap=True)
    np.testing.assert_allclose(list(found.values())[1:5], voltages_in_theory(built), rtol=0.02)


def test_leaping_over_unmeasured_cycles_changes_nothing() -> None:
    for z in (0.0, 0.5, 1.0):
        built = regulator_from(DESIGNS[0])
        stepped, leapt = simulate_pwl(built, accuracy(z)), simulate_pwl(built, accuracy(z), leap=True)
        np.testing.assert_allclose(list(stepped.values()), list(leapt.values()), rtol=1e-9)


def test_no_linear_design_is_more_efficient_than_ideal_transformers_allow() -> None:
    settled = np.array(
        [list(simulate_pwl(regulator_from(d), Accuracy(3000, 40, 1.0), leap=True).values()) for d in DESIGNS[:24]]
    )
    assert (settled[:, 0] < efficiency_bound(settled[:, 1:5])).all()


def test_linear_low_fidelities_rank_voltages_better_than_efficiency() -> None:
    truth = linear(1.0)
    correlations = np.array([spearmanr(linear(0.0)[:, j], truth[:, j]).statistic for j in range(5)])
    assert 0.7 < correlations[0] < 0.95
    assert (correlations[1:] > 0.75).all()
    assert all(spearmanr(linear(0.8)[:, j], truth[:, j]).statistic > 0.98 for j in range(5))


# The benchmark.


@pytest.mark.parametrize("backend", [pytest.param("ngspice", marks=needs_ngspice), "pwl"])
@pytest.mark.parametrize("cost", ["work", "nominal", "wall"])
def test_the_problem_round_trips_to_a_study_file(backend: Backend, cost: CostMode) -> None:
    problem = circuit(cost=cost, backend=backend).problem
    assert problem_from_toml(problem_to_toml(problem)) == problem
    if cost != "wall":
        separate = circuit("per_objective", cost=cost, backend=backend).problem
        assert problem_from_toml(problem_to_toml(separate)) == separate


def test_each_objective_has_its_own_simulator_in_the_setting_of_the_paper() -> None:
    together, separate = circuit(backend="pwl").problem, circuit("per_objective", backend="pwl").problem
    outputs = function_of(together.simulator("regulator"))(z=0.1, **DESIGNS[0])
    assert list(outputs) == [simulator.name for simulator in separate.simulators] == list(GOALS)
    assert {simulator.name: function_of(simulator)(z=0.1, **DESIGNS[0]) for simulator in separate.simulators} == outputs


@needs_ngspice
def test_each_objective_by_ngspice_reads_its_own_number() -> None:
    outputs = regulator(z=0.0, **DESIGNS[0])
    separate = circuit("per_objective").problem
    assert {simulator.name: function_of(simulator)(z=0.0, **DESIGNS[0]) for simulator in separate.simulators} == outputs


@pytest.mark.parametrize(("cost", "n_runs"), [("work", 2), ("nominal", 2), ("wall", 9)])
def test_separate_objectives_at_one_fidelity_share_a_run_unless_the_clock_counts(
    cost: CostMode, n_runs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = []

    def counted(**named: float) -> dict[str, float]:
        runs.append(named["z"])
        return regulator_pwl(**named)

    monkeypatch.setattr(circuit_module, "regulator_pwl", counted)
    for j, simulator in enumerate(circuit("per_objective", cost=cost, backend="pwl").problem.simulators):
        function_of(simulator)(z=0.03 if j < 4 else 0.04, **DESIGNS[{"work": 1, "nominal": 2, "wall": 3}[cost]])
    assert len(runs) == n_runs


@needs_ngspice
def test_a_timeout_reaches_the_runs() -> None:
    problem = circuit(timeout=0.001).problem
    with pytest.raises(ProgramError, match=r"0\.001 s"):
        function_of(problem.simulator("regulator"))(z=1.0, **DESIGNS[0])


def test_the_nominal_cost_spans_the_paper_s_factor_of_12() -> None:
    problem = circuit(cost="nominal", backend="pwl").problem
    ratio = problem.simulator("regulator").cost_ratio(problem.space, UNIT_DESIGNS[:1], np.array([0.0]))
    assert ratio[0, 0] == pytest.approx(1 / 12)


def test_the_wall_clock_is_measured_by_the_study() -> None:
    study = Study(circuit(cost="wall", backend="pwl").problem, method="random", seed=0)
    study.optimize(budget=2, progress=False)
    assert all(0.0 < trial.costs["regulator"] < 5.0 for trial in study.trials)


@pytest.mark.parametrize("option", [{"setting": "split"}, {"cost": "dear"}, {"backend": "hspice"}, {"timeout": -1.0}])
def test_an_unknown_option_is_refused(option: dict[str, object]) -> None:
    with pytest.raises(ProblemError, match=str(next(iter(option.values())))):
        circuit(**{"backend": "pwl"} | option)  # type: ignore[arg-type]


def test_linear_true_values_are_what_the_simulator_gives_at_full_fidelity() -> None:
    run = function_of(circuit(backend="pwl").problem.simulator("regulator"))
    expected = SIGNS * np.array([list(run(z=1.0, **design).values()) for design in DESIGNS[:3]])
    np.testing.assert_allclose(circuit(backend="pwl").true_values(UNIT_DESIGNS[:3]), expected, rtol=1e-9)
    assert TrueValues("pwl")(np.empty((0, 33))).shape == (0, 9)


@pytest.mark.slow
@needs_ngspice
def test_true_values_by_ngspice_are_what_the_simulator_gives_at_full_fidelity() -> None:
    np.testing.assert_allclose(circuit().true_values(UNIT_DESIGNS[:1]), SIGNS * by_ngspice(1.0)[:1], rtol=1e-9)

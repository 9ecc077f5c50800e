"""The rocket: fly long, land far away, point steeply; the solver's tolerance is the fidelity.

Three parameters and three objectives as in [Belakaria2020]. Departure: the Earth rotates, for without it
flight time and distance grow together and the front collapses to a curve; and the ranges hold returning
flights only. The angle's objective costs nothing to know, so it is a simulator of its own without a fidelity.
"""

import numpy as np

from imoca.arrays import Array
from imoca.problem import Fidelity, Objective, Problem, Real, Simulator
from imoca_lab.benchmark import Benchmark, CostMode, Setting, check_option, with_stored_front
from imoca_lab.problems.rocket.flight import (
    HOURS_PER_TIME_UNIT,
    accurate_flights,
    distance_degrees,
    simulate_rocket,
)

LOW = np.array([0.93, 30.0, 1.01])  # fuel fraction, angle [deg], launch radius [Earth radii]
HIGH = np.array([0.975, 90.0, 1.03])
REFERENCE_POINT = np.array([0.0, 0.0, -60.0])  # hours, degrees, minus degrees of tilt
NOMINAL_COST = "0.05 * 600**z"  # minutes, from the 0.05 to the 30 of the paper
AIM_FULL_COST = 0.001  # next to nothing, but a budget must count it


def rocket(setting: Setting = "coupled", cost: CostMode = "work") -> Benchmark:
    """One simulator that answers both flight objectives, or the paper's one simulator per objective.

    ``cost="work"`` reports how often the solver evaluated its right-hand side, which depends on the design
    and is known only afterwards; ``"nominal"`` declares the paper's minutes; ``"wall"`` leaves it to the clock.
    """
    check_option("rocket", "setting", setting, Setting)
    check_option("rocket", "cost", cost, CostMode)
    names = (("fuel_fraction", None), ("angle", "deg"), ("launch_radius", "Earth radii"))
    parameters = [
        Real(name, float(low), float(high), unit=unit) for (name, unit), low, high in zip(names, LOW, HIGH, strict=True)
    ]
    aim = Simulator("aim", [Objective("tilt", "minimize", unit="deg")], tilt, full_cost=AIM_FULL_COST)
    problem = Problem(
        parameters=parameters, simulators=[*_flight_simulators(setting, cost), aim], cost_relative_to="design"
    )
    return with_stored_front("rocket", problem, REFERENCE_POINT, true_values)


def _flight_simulators(setting: Setting, cost: CostMode) -> list[Simulator]:
    declared = NOMINAL_COST if cost == "nominal" else "measured"
    hours, degrees = Objective("flight_time", "maximize", unit="h"), Objective("distance", "maximize", unit="deg")
    fidelity = Fidelity.continuous()
    if setting == "coupled":
        run = trajectory_and_work if cost == "work" else trajectory
        return [Simulator("trajectory", [hours, degrees], run, fidelity=fidelity, cost=declared)]
    run_time = flight_time_and_work if cost == "work" else flight_time
    run_distance = distance_and_work if cost == "work" else distance
    return [
        Simulator("flight_time", [hours], run_time, fidelity=fidelity, cost=declared),
        Simulator("distance", [degrees], run_distance, fidelity=fidelity, cost=declared),
    ]


def tolerance(z: float) -> float:
    """Relative tolerance of the solver: 3e-2 at z = 0 to 6e-8 at z = 1, which costs 600 times as much."""
    return float(10.0 ** -(1.5 + 5.7 * z))


def trajectory_and_work(
    fuel_fraction: float, angle: float, launch_radius: float, z: float
) -> tuple[dict[str, float], float]:
    """Hours of flight, degrees of distance, and the solver's work."""
    flight = simulate_rocket(fuel_fraction, angle, launch_radius, tolerance(z))
    outputs = {
        "flight_time": flight.time * HOURS_PER_TIME_UNIT,
        "distance": float(distance_degrees(flight.time, flight.swept_angle)),
    }
    return outputs, float(flight.n_evaluations)


def trajectory(fuel_fraction: float, angle: float, launch_radius: float, z: float) -> dict[str, float]:
    """Hours of flight and degrees of distance."""
    return trajectory_and_work(fuel_fraction, angle, launch_radius, z)[0]


def flight_time_and_work(fuel_fraction: float, angle: float, launch_radius: float, z: float) -> tuple[float, float]:
    """Hours of flight and the solver's work."""
    outputs, work = trajectory_and_work(fuel_fraction, angle, launch_radius, z)
    return outputs["flight_time"], work


def flight_time(fuel_fraction: float, angle: float, launch_radius: float, z: float) -> float:
    """Hours of flight."""
    return trajectory(fuel_fraction, angle, launch_radius, z)["flight_time"]


def distance_and_work(fuel_fraction: float, angle: float, launch_radius: float, z: float) -> tuple[float, float]:
    """Degrees of distance and the solver's work."""
    outputs, work = trajectory_and_work(fuel_fraction, angle, launch_radius, z)
    return outputs["distance"], work


def distance(fuel_fraction: float, angle: float, launch_radius: float, z: float) -> float:
    """Degrees between launch site and landing point."""
    return trajectory(fuel_fraction, angle, launch_radius, z)["distance"]


def tilt(fuel_fraction: float, angle: float, launch_radius: float) -> float:
    """Degrees between the thrust and the vertical; exact, and free of the other two parameters."""
    return 90.0 - angle


def true_values(
    unit_designs: Array,  # (n, 3)
) -> Array:  # (n, 3) hours, degrees, minus degrees of tilt
    """Maximised values by the accurate solver; the z = 1 of the simulator differs by about 1e-6 of them."""
    fuel_fraction, angle, launch_radius = (LOW + np.asarray(unit_designs) * (HIGH - LOW)).T
    time, swept_angle = accurate_flights(fuel_fraction, angle, launch_radius)
    return np.stack([time * HOURS_PER_TIME_UNIT, distance_degrees(time, swept_angle), angle - 90.0], axis=1)

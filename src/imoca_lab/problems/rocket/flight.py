"""The flight of a rocket launched from a rotating Earth: a cheap adaptive solver and an accurate one.

The rocket of [Hasbun2012], which [Belakaria2020] optimises, thrusts in a fixed direction until its fuel is
gone and then falls freely. Departure: it starts with the ground speed of a rotating Earth. Units: Earth
radii, initial masses, and the time in which a satellite grazing the surface turns by one radian, so that
gravity is ``1 / r**2``.
"""

import math
from dataclasses import dataclass

import numpy as np

from imoca.arrays import Array

EARTH_RADIUS = 6.37e6  # m
EARTH_GM = 6.67e-11 * 5.98e24  # m^3/s^2
TIME_UNIT = math.sqrt(EARTH_RADIUS**3 / EARTH_GM)  # s
HOURS_PER_TIME_UNIT = TIME_UNIT / 3600.0
EARTH_ROTATION = 7.2921159e-5 * TIME_UNIT  # radians per time unit
EXHAUST_SPEED = 0.35
MASS_FLOW = 1.5 / EXHAUST_SPEED  # the thrust at launch is 1.5 times the weight

CUTOFF_RATE = 100.0  # the engine fades within about 0.01 time units
ENGINE_OFF = 60.0  # exponent of the fading beyond which the engine counts as off
SMALLEST_MASS = 1e-3  # a coarse predictor may burn more fuel than there is
SMALLEST_STEP = 1e-13  # accepted whatever its error
TIME_LIMIT = 200.0  # a flight that has not landed by then is given up; none in the benchmark's domain is

N_BURN_STEPS = 100  # leaves an error of 5e-8 time units; the adaptive solver's at z = 1 is 1e-6
COAST_DELAY = 0.4  # after burnout; the engine has faded to exp(-40) and the orbit is an ellipse


@dataclass(frozen=True)
class Flight:
    """How a flight ended, in the units of the model."""

    time: float
    swept_angle: float  # radians eastward, seen from space
    x: float  # state at the end of the last step, which lies below ground if the rocket landed
    y: float
    vx: float
    vy: float
    mass: float
    landed: bool
    n_evaluations: int  # of the right-hand side: the work done


def simulate_rocket(
    fuel_fraction: float,
    angle: float,  # of the thrust above the launch site's horizon, degrees
    launch_radius: float,
    rtol: float,
    *,
    gravity: bool = True,
    thrust: bool = True,
    rotation: float = EARTH_ROTATION,
    end_time: float = TIME_LIMIT,
) -> Flight:
    """Fly until the ground or ``end_time`` with Heun's method, steps chosen by Euler's error.

    Of order 2(1) with local extrapolation: higher orders converge so fast that the tolerance hardly changes
    the cost. Plain floats, because NumPy is slower on five numbers. The landing is interpolated linearly
    within the last step. The switches leave out parts of the physics for comparison with closed solutions.
    """
    exp, sqrt, atan2 = math.exp, math.sqrt, math.atan2
    attraction = 1.0 if gravity else 0.0
    mass_flow = MASS_FLOW if thrust else 0.0
    burnout = fuel_fraction / MASS_FLOW
    engine_end = burnout + ENGINE_OFF / CUTOFF_RATE
    thrust_x = EXHAUST_SPEED * mass_flow * math.cos(math.radians(angle))
    thrust_y = EXHAUST_SPEED * mass_flow * math.sin(math.radians(angle))
    atol = rtol / 100.0

    def acceleration(t: float, x: float, y: float, mass: float) -> tuple[float, float, float]:
        square = x * x + y * y
        pull = attraction / (square * sqrt(square))
        if t > engine_end:
            return -x * pull, -y * pull, 0.0
        throttle = 1.0 / (1.0 + exp(CUTOFF_RATE * (t - burnout)))
        push = throttle / mass
        return thrust_x * push - x * pull, thrust_y * push - y * pull, -mass_flow * throttle

    t, x, y, vx, vy, mass = 0.0, 0.0, launch_radius, rotation * launch_radius, 0.0, 1.0
    radius, swept, n_evaluations = launch_radius, 0.0, 0
    h = min(0.02, 0.1 * sqrt(rtol))
    while t < end_time:
        ax, ay, burn = acceleration(t, x, y, mass)
        n_evaluations += 1
        while True:
            h = min(h, end_time - t)
            px, py, pvx, pvy = x + h * vx, y + h * vy, vx + h * ax, vy + h * ay
            p_mass = max(mass + h * burn, SMALLEST_MASS)
            bx, by, p_burn = acceleration(t + h, px, py, p_mass)
            n_evaluations += 1
            ex = (pvx - vx) / (atol + rtol * max(abs(x), abs(px)))
            ey = (pvy - vy) / (atol + rtol * max(abs(y), abs(py)))
            evx = (bx - ax) / (atol + rtol * max(abs(vx), abs(pvx)))
            evy = (by - ay) / (atol + rtol * max(abs(vy), abs(pvy)))
            em = (p_burn - burn) / (atol + rtol * max(abs(mass), p_mass))
            error = 0.5 * h * sqrt((ex * ex + ey * ey + evx * evx + evy * evy + em * em) / 5.0)
            growth = 0.9 / sqrt(error) if error > 0.0 else 5.0
            if error <= 1.0 or h < SMALLEST_STEP:
                break
            h *= max(0.2, growth)
        half = 0.5 * h
        new_x, new_y = x + half * (vx + pvx), y + half * (vy + pvy)
        new_radius = sqrt(new_x * new_x + new_y * new_y)
        turned = -atan2(x * new_y - y * new_x, x * new_x + y * new_y)
        vx, vy, mass = vx + half * (ax + bx), vy + half * (ay + by), mass + half * (burn + p_burn)
        if new_radius < 1.0:
            part = min(1.0, max(0.0, (radius - 1.0) / (radius - new_radius)))
            return Flight(t + part * h, swept + part * turned, new_x, new_y, vx, vy, mass, True, n_evaluations)
        # Exactly end_time, not up to rounding: a remainder could be too small a step ever to add up.
        t = end_time if h >= end_time - t else t + h
        x, y, radius, swept = new_x, new_y, new_radius, swept + turned
        h *= min(5.0, max(0.2, growth))
    return Flight(t, swept, x, y, vx, vy, mass, False, n_evaluations)


def distance_degrees(time: Array | float, swept_angle: Array | float) -> Array:
    """Central angle, 0 to 180, from the launch site, which turned with the Earth, to the landing point."""
    cosine = np.cos(np.asarray(swept_angle) - EARTH_ROTATION * np.asarray(time))
    return np.asarray(np.degrees(np.arccos(cosine)), dtype=np.float64)


def accurate_flights(
    fuel_fraction: Array,  # (n,)
    angle: Array,  # (n,) degrees
    launch_radius: Array,  # (n,)
    n_burn_steps: int = N_BURN_STEPS,
) -> tuple[Array, Array]:  # time (n,), swept angle (n,)
    """The limit of ``simulate_rocket`` for a vanishing tolerance, for many flights that land after burnout.

    The speed gained from the engine is known in closed form, ``-u log m(t)`` with the mass m the integral of
    a logistic function; only gravity's part is integrated, by the classical Runge-Kutta method. The rest is a
    Kepler ellipse.
    """
    burnout = fuel_fraction / MASS_FLOW
    end = burnout + COAST_DELAY
    direction = np.stack([np.cos(np.radians(angle)), np.sin(np.radians(angle))])  # (2, n)

    def engine_velocity(t: Array) -> Array:
        fading = np.logaddexp(0.0, CUTOFF_RATE * (t - burnout)) - np.logaddexp(0.0, -CUTOFF_RATE * burnout)
        gained: Array = -EXHAUST_SPEED * np.log1p(-MASS_FLOW * (t - fading / CUTOFF_RATE)) * direction
        return gained

    def gravity(position: Array) -> Array:
        return np.asarray(-position * (position**2).sum(axis=0) ** -1.5)

    position = np.stack([np.zeros_like(launch_radius), launch_radius])
    falling = np.stack([EARTH_ROTATION * launch_radius, np.zeros_like(launch_radius)])  # velocity minus engine's
    h = end / n_burn_steps
    boost = engine_velocity(np.zeros_like(end))
    for step in range(n_burn_steps):
        mid_boost, end_boost = engine_velocity((step + 0.5) * h), engine_velocity((step + 1.0) * h)
        v1, a1 = falling + boost, gravity(position)
        v2, a2 = falling + 0.5 * h * a1 + mid_boost, gravity(position + 0.5 * h * v1)
        v3, a3 = falling + 0.5 * h * a2 + mid_boost, gravity(position + 0.5 * h * v2)
        v4, a4 = falling + h * a3 + end_boost, gravity(position + h * v3)
        position = position + h / 6.0 * (v1 + 2.0 * v2 + 2.0 * v3 + v4)
        falling = falling + h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
        boost = end_boost
    time, angle_left = fall_to_ground(position, falling + boost)
    return end + time, np.arctan2(position[0], position[1]) + angle_left


def fall_to_ground(
    position: Array,  # (2, n) outside the Earth
    velocity: Array,  # (2, n) below escape speed
) -> tuple[Array, Array]:  # time (n,) and eastward angle (n,) until r = 1
    """Kepler's equation from here to the descending crossing of the surface."""
    radius = np.hypot(position[0], position[1])
    half_axis = 1.0 / (2.0 / radius - (velocity**2).sum(axis=0))
    e_cos = 1.0 - radius / half_axis
    e_sin = (position * velocity).sum(axis=0) / np.sqrt(half_axis)
    eccentricity = np.hypot(e_cos, e_sin)
    start = np.arctan2(e_sin, e_cos) % (2.0 * np.pi)  # eccentric anomaly, beyond pi when already descending
    landing = 2.0 * np.pi - np.arccos((1.0 - 1.0 / half_axis) / eccentricity)
    time = half_axis**1.5 * (landing - start - eccentricity * (np.sin(landing) - np.sin(start)))

    def true_anomaly(anomaly: Array) -> Array:
        numerator = np.sqrt(1.0 + eccentricity) * np.sin(0.5 * anomaly)
        return np.asarray(2.0 * np.arctan2(numerator, np.sqrt(1.0 - eccentricity) * np.cos(0.5 * anomaly)))

    eastward = np.sign(position[1] * velocity[0] - position[0] * velocity[1])
    return time, eastward * (true_anomaly(landing) - true_anomaly(start))

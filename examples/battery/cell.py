"""A lithium-ion cell in PyBaMM: energy per mass at 1C and peak temperature at 3C.

Parameters of Chen2020 (an LG M50) but for the electrodes: thicknesses and radii in micrometres, porosities as
fractions. The knob names a model: SPM (one particle per electrode), SPMe (with electrolyte), or DFN-n (Doyle, Fuller
and Newman's, with n points in each electrode, in the separator and in each particle).
"""

import os

os.environ["PYBAMM_DISABLE_TELEMETRY"] = "true"  # before it is imported

import pybamm

INACTIVE = 0.03  # binder and carbon, a fraction of the volume of an electrode
ELECTROLYTE_DENSITY = 1200.0  # kg/m3
NOMINAL_CAPACITY = 5.0  # Ah, of Chen2020, whose electrodes are the measure of ours
LONGEST = 1.5  # of the time in which the rated capacity is discharged: the voltage falls below its limit before
END = "Minimum voltage [V]"  # the only good reason to stop
MICRO = 1e-6


def energy(z: str, **design: float) -> float:
    """Wh/kg of a discharge in an hour."""
    values = parameters(design)
    return float(discharge(z, values, 1.0)["Discharge energy [W.h]"].entries[-1]) / mass(values)


def heat(z: str, **design: float) -> float:
    """The highest temperature of a discharge in twenty minutes, in degrees Celsius, from 25 in air."""
    found = discharge(z, parameters(design), 3.0)["Volume-averaged cell temperature [K]"].entries.max()
    return float(found) - 273.15


def parameters(design: dict[str, float]) -> pybamm.ParameterValues:
    """Chen2020 with our electrodes, rated at the capacity of the smaller one: 1C discharges that in an hour."""
    values = pybamm.ParameterValues("Chen2020")
    capacities = []
    for side in ("negative", "positive"):
        electrode, material = f"{side.capitalize()} electrode", f"{side.capitalize()} electrode active material"
        porosity, thickness = design[f"{side}_porosity"], design[f"{side}_thickness"] * MICRO
        active = 1.0 - INACTIVE - porosity
        before = values[f"{electrode} thickness [m]"] * values[f"{material} volume fraction"]
        capacities.append(NOMINAL_CAPACITY * thickness * active / before)
        solid = values[f"{electrode} density [kg.m-3]"] / (1.0 - values[f"{electrode} porosity"])
        values.update(
            {
                f"{electrode} thickness [m]": thickness,
                f"{electrode} porosity": porosity,
                f"{material} volume fraction": active,
                f"{electrode} density [kg.m-3]": solid * (1.0 - porosity) + ELECTROLYTE_DENSITY * porosity,
                f"{side.capitalize()} particle radius [m]": design[f"{side}_radius"] * MICRO,
            }
        )
    values["Nominal cell capacity [A.h]"] = min(capacities)
    return values


def mass(values: pybamm.ParameterValues) -> float:
    """kg of electrodes with the electrolyte in their pores, separator and foils; no can."""
    layers = ("Negative electrode", "Separator", "Positive electrode")
    foils = ("Negative current collector", "Positive current collector")
    per_area = sum(values[f"{layer} thickness [m]"] * values[f"{layer} density [kg.m-3]"] for layer in layers + foils)
    return float(per_area * values["Electrode height [m]"] * values["Electrode width [m]"])


def discharge(z: str, values: pybamm.ParameterValues, c_rate: float) -> pybamm.Solution:
    """From full to the lower limit of the voltage; a run that ends otherwise has failed: its numbers mean little."""
    options = {"thermal": "lumped", "calculate discharge energy": "true"}
    name, _, points = z.partition("-")
    model = getattr(pybamm.lithium_ion, name)(options)
    var_pts = dict.fromkeys(("x_n", "x_s", "x_p", "r_n", "r_p"), int(points)) if points else None
    simulation = pybamm.Simulation(model, parameter_values=values, C_rate=c_rate, var_pts=var_pts)
    solution = simulation.solve([0.0, LONGEST * 3600.0 / c_rate])
    if solution.termination != f"event: {END}":
        raise RuntimeError(f"the discharge ended by {solution.termination!r}, not by the voltage")
    return solution

"""An aerostructural wing in OpenAeroStruct: a vortex lattice, and a tube as spar, bent by it and bending it.

Twist in degrees, thicknesses of the tube in millimetres, linear from root to tip. There are two knobs: nodes of the
mesh along the chord and along the span, the latter odd.
"""

import os

os.environ["OPENMDAO_REPORTS"] = "0"  # before it is imported: no folder of reports per run

import numpy as np
import openmdao.api as om
from openaerostruct.integration.aerostruct_groups import AerostructGeometry, AerostructPoint
from openaerostruct.meshing.mesh_generator import generate_mesh

SPAN, CHORD = 20.0, 3.0  # m, before it is tapered
FLIGHT = {  # a cruise at 11 km
    "v": (248.136, "m/s"),
    "Mach_number": (0.84, None),
    "re": (1.0e6, "1/m"),
    "rho": (0.38, "kg/m**3"),
    "CT": (9.80665 * 17.0e-6, "1/s"),
    "R": (3.0e6, "m"),
    "W0": (2.5e4, "kg"),  # without wing and fuel
    "speed_of_sound": (295.4, "m/s"),
    "load_factor": (1.0, None),
    "empty_cg": (np.zeros(3), "m"),
}
ALUMINIUM = {"E": 70.0e9, "G": 30.0e9, "yield": 500.0e6 / 2.5, "mrho": 3.0e3}  # with a safety factor of 2.5


def wing(chordwise: int, spanwise: int, **design: float) -> dict[str, float]:
    """Fuel of the flight and mass of the spar in kg, and how far the spar is beyond failure: below 0 it is safe."""
    problem = om.Problem(reports=None)
    surface = wing_surface(design, chordwise, spanwise)
    inputs = problem.model.add_subsystem("flight", om.IndepVarComp(), promotes=["*"])
    for name, (value, units) in (FLIGHT | {"alpha": (design["alpha"], "deg")}).items():
        inputs.add_output(name, val=value, units=units)
    problem.model.add_subsystem("wing", AerostructGeometry(surface=surface))
    problem.model.add_subsystem("cruise", AerostructPoint(surfaces=[surface]), promotes_inputs=[*FLIGHT, "alpha"])
    connect(problem.model)
    problem.setup(derivatives=False)
    problem.set_solver_print(level=-1)
    problem.run_model()
    outputs = {"fuel_burn": "cruise.fuelburn", "mass": "wing.structural_mass", "failure": "cruise.wing_perf.failure"}
    return {name: float(np.squeeze(problem.get_val(path))) for name, path in outputs.items()}


def wing_surface(design: dict[str, float], chordwise: int, spanwise: int) -> dict[str, object]:
    """What OpenAeroStruct wants to know; control points run from the tip to the root."""
    mesh = {"wing_type": "rect", "symmetry": True, "span": SPAN, "root_chord": CHORD}
    return ALUMINIUM | {
        "name": "wing",
        "symmetry": True,
        "S_ref_type": "wetted",
        "fem_model_type": "tube",
        "mesh": generate_mesh(mesh | {"num_x": chordwise, "num_y": spanwise}),
        "taper": design["taper"],
        "sweep": design["sweep"],
        "twist_cp": np.array([design["tip_twist"], design["root_twist"]]),
        "thickness_cp": np.array([design["tip_thickness"], design["root_thickness"]]) / 1000.0,
        "t_over_c_cp": np.array([0.12]),
        "c_max_t": 0.3,
        "CL0": 0.0,
        "CD0": 0.015,
        "k_lam": 0.05,
        "with_viscous": True,
        "with_wave": False,
        "fem_origin": 0.35,
        "wing_weight_ratio": 2.0,
        "struct_weight_relief": False,
        "distributed_fuel_weight": False,
        "exact_failure_constraint": False,
    }


def connect(model: om.Group) -> None:
    """The wing's shape and structure to the flight."""
    for name in ("local_stiff_transformed", "nodes"):
        model.connect(f"wing.{name}", f"cruise.coupled.wing.{name}")
    model.connect("wing.mesh", "cruise.coupled.wing.mesh")
    for name in ("radius", "thickness", "nodes"):
        model.connect(f"wing.{name}", f"cruise.wing_perf.{name}")
    model.connect("wing.t_over_c", "cruise.wing_perf.t_over_c")
    model.connect("wing.cg_location", "cruise.total_perf.wing_cg_location")
    model.connect("wing.structural_mass", "cruise.total_perf.wing_structural_mass")

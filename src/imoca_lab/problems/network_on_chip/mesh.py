"""Run a mesh network, interpreted by Python or compiled by Numba, which is optional.

Every quantity is an integer and the traffic is given, so both give the same counts bit for bit.
"""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import FunctionType
from typing import Any, cast

import numpy as np

from imoca.arrays import IntArray
from imoca_lab.problems.network_on_chip import router
from imoca_lab.problems.network_on_chip.state import INJECTED, Counts, Ints, Mesh, State, Traffic, new_state

__all__ = ["Counts", "Mesh", "run_mesh"]


def run_mesh(
    mesh: Mesh,
    times: IntArray,  # (n,) cycles, ascending
    sources: IntArray,  # (n,) nodes
    destinations: IntArray,  # (n,)
    *,
    compiled: bool | None = None,  # by Numba; None for if it is installed
) -> Counts:
    """Simulate from an empty network."""
    columns = [times, sources, destinations]
    state = new_state(mesh, len(times))
    if compiled or (compiled is None and is_numba_installed()):
        traffic = Traffic(*(cast(Ints, np.ascontiguousarray(column, dtype=np.int64)) for column in columns))
        arrays = State(*(cast(Ints, np.array(column, dtype=np.int64)) for column in state))
        compiled_simulate()(mesh, traffic, arrays)
        state = arrays
    else:
        router.simulate(mesh, Traffic(*(column.tolist() for column in columns)), state)
    totals = [int(state.counters[index]) for index in range(INJECTED + 1)]
    return Counts._make([*totals, int(sum(state.n_held))])


def is_numba_installed() -> bool:
    return find_spec("numba") is not None


@cache
def compiled_simulate() -> Callable[[Mesh, Traffic, State], None]:
    """`simulate`, with twins of the functions it calls that are copied into it before it is compiled.

    Calls that stay calls would pass two dozen arrays each time. The machine code is kept on disk.
    """
    compile_function: Any = import_module("numba").njit
    names = dict(vars(router))
    for function in router.SIMULATION:
        twin = FunctionType(function.__code__, names, function.__name__)
        names[function.__name__] = compile_function(inline="always")(twin)
    simulate = FunctionType(router.simulate.__code__, names, router.simulate.__name__)
    return cast(Callable[[Mesh, Traffic, State], None], compile_function(cache=True)(simulate))

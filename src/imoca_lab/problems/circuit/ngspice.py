"""Run ngspice in batch mode on a netlist and read its measures.

Departure from a simulator that answers with a bad value when it fails: every failure raises, so that the
study records it as one and no invented number reaches the models.
"""

import os
import re
import shutil
import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from imoca.errors import MissingProgramError, ProgramError
from imoca_lab.problems.circuit.netlist import (
    DRIVE_VOLTAGE,
    INPUT_VOLTAGE,
    LOADS,
    N_OUTPUTS,
    Accuracy,
    Regulator,
    netlist,
)

PROGRAM = "ngspice"
TIMEOUT = 120.0  # s; a run takes 1 to 2 s on a free core
SHOWN = 400  # last characters of the program's words that a message repeats
MEASURE = re.compile(r"^(\w+)\s*=\s*(\S+)", re.MULTILINE)


def is_installed() -> bool:
    return shutil.which(PROGRAM) is not None


def require_ngspice() -> str:
    """The path of the program, or an error that tells how to get it."""
    path = shutil.which(PROGRAM)
    if path is None:
        raise MissingProgramError(
            "The circuit needs the program ngspice, which is not on the PATH.",
            hint='Install it ("apt-get install ngspice", "brew install ngspice"), or use backend="pwl".',
        )
    return path


def simulate_ngspice(regulator: Regulator, how: Accuracy, timeout: float = TIMEOUT) -> dict[str, float]:
    """The nine objectives in volts and as a fraction."""
    nodes = [f"o{i + 1}" for i in range(N_OUTPUTS)]
    names = [*(f"mean_{node}" for node in nodes), *(f"swing_{node}" for node in nodes), "mean_iin", "mean_idrv"]
    measured = run_ngspice(netlist(regulator, how), names, timeout)
    voltages = np.array([measured[f"mean_{node}"] for node in nodes])
    ripples = [measured[f"swing_{node}"] for node in nodes]
    supplied = -INPUT_VOLTAGE * measured["mean_iin"] - DRIVE_VOLTAGE * measured["mean_idrv"]
    if not supplied > 0.0:
        raise ProgramError(
            f"ngspice measured {supplied:.3g} W of supplied power.",
            hint="The transient has gone astray.",
        )
    return objectives(float((voltages**2 / LOADS).sum()) / supplied, voltages.tolist(), ripples)


def objectives(efficiency: float, voltages: list[float], ripples: list[float]) -> dict[str, float]:
    """The named outputs of the benchmark, in its order."""
    return {
        "efficiency": efficiency,
        **{f"voltage_{i + 1}": volts for i, volts in enumerate(voltages)},
        **{f"ripple_{i + 1}": volts for i, volts in enumerate(ripples)},
    }


def run_ngspice(text: str, names: list[str], timeout: float) -> dict[str, float]:
    """The named ``.measure`` results of a netlist."""
    program = require_ngspice()
    with TemporaryDirectory(prefix="imoca-ngspice-") as folder:
        Path(folder, "circuit.cir").write_text(text, encoding="ascii")
        # --no-spiceinit: a user's own start-up file must not change a benchmark
        words = _run([program, "--batch", "--no-spiceinit", "circuit.cir"], folder, timeout)
    found = {name: _number(number) for name, number in MEASURE.findall(words) if name in names}
    wrong = [name for name in names if name not in found or not np.isfinite(found[name])]
    if wrong:
        raise ProgramError(f"ngspice gave no measure of {wrong}. It said: {words[-SHOWN:]!r}.", hint="See its output.")
    return found


def _run(arguments: list[str], folder: str, timeout: float) -> str:
    """What the program printed; it and whatever it started are killed when the time is over."""
    process = subprocess.Popen(  # noqa: S603  an argument list, no shell, and a netlist of our own
        arguments,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        start_new_session=True,
    )
    try:
        words, _ = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired as error:
        _kill_group(process)
        raise ProgramError(
            f"ngspice did not finish within {timeout:g} s.", hint="Give circuit(timeout=...) more seconds."
        ) from error
    except BaseException:  # interrupted: leave nothing running behind
        _kill_group(process)
        raise
    if process.returncode != 0:
        raise ProgramError(
            f"ngspice ended with code {process.returncode}. It said: {words[-SHOWN:]!r}.", hint="See its output."
        )
    return words


def _kill_group(process: "subprocess.Popen[str]") -> None:
    """Also where the program itself has ended and a child still holds its output."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)  # the session it leads has its own id as group
    process.communicate()


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")

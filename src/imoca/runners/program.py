"""Run an external program: a fresh folder, ``params.json`` in, ``result.json`` out, and nothing left behind."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from shutil import which
from typing import IO, Any

from imoca.errors import ProgramError, StorageError
from imoca.json_text import read_json
from imoca.problem.simulator import Command
from imoca.runners.base import Job
from imoca.runners.process_tree import MARK, STARTER, end_processes, starter

MAX_OUTPUT = 10 * 2**20  # bytes kept of each of standard output and standard error
MAX_RESULT = 10 * 2**20  # bytes read of result.json
TAIL = 1500  # characters of standard error shown with a failure, which says other things too
CHUNK = 65536
LAST_WORDS = 5.0  # seconds to read what the program left in its pipes; one that got away holds them open for ever
PLACEHOLDERS = ("python", "params", "workdir")  # in a command, beside the parameters and the fidelity
FIDELITY = "fidelity"  # the setting of one knob; of several each has its name
CORES = "cores"  # another one, where the simulator declares how many it takes
LEFT_IN_PLACE = ("", ".", "..")  # arguments that name folders, but mean something to the program


def run_program(job: Job, command: Command) -> tuple[dict[str, Any], Any] | dict[str, Any]:
    """The outputs in ``result.json``, with the cost if the program tells one."""
    _write_question(job)
    exit_code = _run(job, program_arguments(job, command))
    if exit_code != 0:
        ending = f"exit code {exit_code}" if exit_code > 0 else f"signal {-exit_code}"
        raise ProgramError(f"The program ended with {ending}.", hint=_evidence(job.folder))
    outputs = _read_result(job.folder)
    return (outputs, outputs.pop("cost")) if "cost" in outputs else outputs


def _write_question(job: Job) -> None:
    question = {
        "parameters": dict(job.parameters),
        "fidelity": job.fidelity,
        "simulator": job.simulator.name,
        "trial": job.trial,
    }
    try:
        job.folder.mkdir(parents=True)
        (job.folder / "params.json").write_text(json.dumps(question, indent=1), encoding="utf-8")
    except OSError as error:
        raise StorageError(
            f"The folder of a run, {job.folder}, cannot be written: {error.strerror or error}.",
            hint="Free some space there and run the same command again; everything acknowledged so far is kept.",
        ) from error


def program_arguments(job: Job, command: Command) -> list[str]:
    """The argument list with files found and placeholders filled in; every argument stays one argument."""
    program, *others = command.arguments
    fixed = (sys.executable, str(job.folder / "params.json"), str(job.folder))
    filled = {name: str(value) for name, value in job.parameters.items()} | dict(zip(PLACEHOLDERS, fixed, strict=True))
    fidelity = job.fidelity if isinstance(job.fidelity, Mapping) else {FIDELITY: job.fidelity}
    filled |= {name: str(setting) for name, setting in fidelity.items()}
    if (cores := job.needs.cores) is not None:
        filled[CORES] = str(cores)

    def fill(argument: str, find: Callable[[str, Path], str]) -> str:
        """Filled in or found, not both: braces in the name of the study's own folder mean nothing."""
        text = re.sub(r"\{([^{}]+)\}", lambda match: filled.get(match[1], match[0]), argument)
        return text if text != argument else find(argument, job.study_folder)

    return [fill(program, found_program), *(fill(argument, _found) for argument in others)]


def found_program(program: str, study_folder: Path) -> str:
    """A program on the PATH as it is; one beside the study by its full path."""
    if program == "{python}":
        return sys.executable
    is_on_path = os.sep not in program and which(program) is not None
    return program if is_on_path else _found(program, study_folder)


def _found(argument: str, study_folder: Path) -> str:
    """The full path of what exists beside the study, for the program starts in another folder."""
    path = study_folder / argument
    try:
        is_there = argument not in LEFT_IN_PLACE and path.exists()
    except OSError:  # longer than a file name may be
        is_there = False
    return str(path.absolute()) if is_there else argument


def _run(job: Job, arguments: list[str]) -> int:
    process: subprocess.Popen[bytes] | None = None
    copies: list[threading.Thread] = []
    try:
        process = _start(job, arguments)
        for stream, name in ((process.stdout, "stdout.txt"), (process.stderr, "stderr.txt")):
            copies.append(threading.Thread(target=_copy_capped, args=(stream, job.folder / name), daemon=True))
            copies[-1].start()
        return process.wait(job.simulator.timeout)
    except subprocess.TimeoutExpired as error:
        raise ProgramError(
            f"The program ran longer than its timeout of {job.simulator.timeout:g} s.", hint=_where(job.folder)
        ) from error
    finally:  # also when the program left others running, and on Ctrl-C, which may come before its number is known
        end_processes(process.pid if process else None, str(job.folder))
        if process:
            process.wait()
        for copy in copies:
            if copy.is_alive():
                copy.join(LAST_WORDS)


def _start(job: Job, arguments: list[str]) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(  # noqa: S603  (an argument list, never a shell)
            arguments,
            cwd=job.folder,
            env={**os.environ, MARK: str(job.folder), STARTER: starter()},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise ProgramError(f"The program {arguments[0]!r} cannot be started: {error}.", hint="Check it.") from error


def _copy_capped(stream: IO[bytes], path: Path) -> None:
    """Read to the end whatever comes, keep the first part of it, and of that what the disk has room for."""
    left = MAX_OUTPUT
    with stream:
        with suppress(OSError), path.open("wb", buffering=0) as file:
            while left and (chunk := os.read(stream.fileno(), min(CHUNK, left))):
                file.write(chunk)
                left -= len(chunk)
            if not left:
                file.write(b"\n[cut off here by imoca]\n")
        while os.read(stream.fileno(), CHUNK):  # a program whose output nobody reads stands still
            pass


def _read_result(folder: Path) -> dict[str, Any]:
    path = folder / "result.json"
    if not path.is_file():  # nor a pipe, which would keep us waiting
        raise ProgramError("The program wrote no result.json.", hint=_evidence(folder))
    try:
        with path.open("rb") as file:
            text = file.read(MAX_RESULT)
        result = read_json(text)
    except ValueError as error:
        raise ProgramError(f"result.json is not valid JSON: {error}.", hint=_evidence(folder)) from error
    if not isinstance(result, dict):
        raise ProgramError("result.json is not an object of named outputs.", hint=_evidence(folder))
    return result


def _evidence(folder: Path) -> str:
    try:
        with (folder / "stderr.txt").open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - 4 * TAIL))
            said = file.read().decode("utf-8", errors="replace").strip()[-TAIL:]
    except OSError as error:
        said = f"(its stderr cannot be read: {error.strerror})"
    return (f"It said: {said}. " if said else "") + _where(folder)


def _where(folder: Path) -> str:
    return f"Its folder is kept: {folder}"

"""One run as a batch job: ``python -m imoca.runners.batch FOLDER``, started on whatever node the batch system chose.

The folder holds what is to be run (``job.json``) and gets what came of it (``answer.json``). A node needs no more of a
simulator than how it is run; whether its answer is one is for the driver to say.
"""

from __future__ import annotations

import dataclasses
import json
import signal
import sys
import time
from pathlib import Path
from types import FrameType

from imoca.errors import ProblemError, StorageError, TrialError
from imoca.files import write_whole
from imoca.json_text import read_json
from imoca.problem.cost import MEASURED
from imoca.problem.fidelity import Fidelity
from imoca.problem.reference import FunctionReference, reference_to
from imoca.problem.resources import Resources
from imoca.problem.simulator import Command, Objective, Simulator
from imoca.runners.base import Finished, Job
from imoca.runners.execution import free_folder, run_job
from imoca.runners.process_tree import end_orphans
from imoca.trials.checks import check_cost, check_errors, check_values
from imoca.trials.trial import Answer

JOB, ANSWER = "job.json", "answer.json"
ENDED = 128 + signal.SIGTERM  # exit code of a job that was asked to end
LAST_CALL = 2.0  # seconds; where a whole job is killed, its program may go first


def address_of(simulator: Simulator) -> str | None:
    """Where a node finds the simulator's function; None for a program."""
    run = simulator.run
    if isinstance(run, Command):
        return None
    reference = run if isinstance(run, FunctionReference) else reference_to(run)
    if reference is None:
        raise ProblemError(
            f"Simulator {simulator.name!r}: its function cannot be imported on another node.",
            hint="Put it at the top level of a file beside the study, or make it a program.",
        )
    return reference.path


def write_job(job: Job, place: Path) -> None:
    """Into a folder that is made for it."""
    simulator, run = job.simulator, job.simulator.run
    content = {
        "trial": job.trial,
        "attempt": job.attempt,
        "simulator": simulator.name,
        "outputs": [output.name for output in simulator.outputs],
        "command": list(run.arguments) if isinstance(run, Command) else None,
        "function": address_of(simulator),
        "parameters": dict(job.parameters),
        "fidelity": job.fidelity,
        "has_knob": simulator.fidelity.has_knob,
        "is_cost_measured": simulator.is_cost_measured,
        "timeout": simulator.timeout,
        "cores": job.needs.cores,
        "study_folder": str(job.study_folder.absolute()),
        "folder": str(job.folder.absolute()),
    }
    try:
        place.mkdir(parents=True)
    except OSError as error:
        raise StorageError(f"{place} cannot be made: {error.strerror}.", hint="Make room there.") from error
    write_whole(place / JOB, json.dumps(content, indent=1))


def read_job(place: Path) -> Job:
    """As far as a node needs it; a run that is repeated gets a folder of its own."""
    told = read_json((place / JOB).read_text(encoding="utf-8"))
    simulator = Simulator(
        told["simulator"],
        [Objective(name, "minimize") for name in told["outputs"]],
        FunctionReference(told["function"]) if told["command"] is None else Command(told["command"]),
        fidelity=Fidelity.continuous() if told["has_knob"] else Fidelity.none(),  # whatever its settings are
        cost=MEASURED if told["is_cost_measured"] else "1",
        timeout=told["timeout"],
        resources=Resources(cores=told["cores"]),
    )
    study_folder, folder = Path(told["study_folder"]), free_folder(Path(told["folder"]))
    return Job(told["trial"], simulator, told["parameters"], told["fidelity"], told["attempt"], study_folder, folder)


def write_answer(place: Path, job: Job, answer: Answer) -> None:
    told = {
        "folder": str(job.folder),
        "values": dict(answer.values),
        "errors": dict(answer.errors),
        "costs": dict(answer.costs),
        "failures": dict(answer.failures),
    }
    write_whole(place / ANSWER, json.dumps(told))


def read_answer(place: Path, job: Job) -> Finished | None:
    """What came of a job, checked as if it had been run here; None while there is nothing."""
    try:
        told = read_json((place / ANSWER).read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        return Finished(job, job.failed(f"The answer of the batch job, {place / ANSWER}, cannot be read: {error}"))
    if "fault" in told:
        raise StorageError(told["fault"], hint="Mend it and run the same command again; nothing acknowledged is lost.")
    ran = dataclasses.replace(job, folder=Path(told["folder"]))
    if told["failures"]:
        return Finished(ran, Answer(costs=told["costs"], failures=told["failures"]))
    try:
        costs = {name: check_cost(name, cost) for name, cost in told["costs"].items()}
        values = check_values(job.simulator, told["values"])
        return Finished(ran, Answer(values, costs, errors=check_errors(told.get("errors", {}), values)))
    except TrialError as error:
        return Finished(ran, job.failed(f"TrialError: {error}"))


def main(arguments: list[str]) -> int:
    place = Path(arguments[0])
    is_ended = False

    def end(number: int, frame: FrameType | None) -> None:
        """Wall time is up, or it was cancelled: the program is ended; what becomes of the run the driver decides."""
        nonlocal is_ended
        is_ended = True
        sys.exit(ENDED)

    signal.signal(signal.SIGTERM, end)
    job = read_job(place)
    sys.path.insert(0, str(job.study_folder))  # where its functions are found
    end_orphans(str(job.study_folder))
    try:
        answer = run_job(job)
    except StorageError as error:  # no room for the run, which is not the simulator's fault
        write_whole(place / ANSWER, json.dumps({"fault": str(error)}))
        return 1
    if answer.failures:  # perhaps not the program's own: whoever ends the job reaches this process too
        time.sleep(LAST_CALL)
    if is_ended:
        return ENDED
    write_answer(place, job, answer)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Kill the server of a study and its clients at random, and count what became of every answer.

``python experiments/serve_kills.py``: `imoca serve` and three clients by urllib, 50 times SIGKILL to one of the four.
A client notes, in a file of its own and on the disk, every answer that was acknowledged. In the end the study is
compared with these notes: none may be lost, none counted twice, no question left behind.
Results go to experiments/results/serve_kills.json.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
import traceback
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPException
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy  # noqa: F401  (imported before the processes are forked, and so is what the server needs)
import uvicorn  # noqa: F401

from imoca import Study, Trial, __version__
from imoca.cli import main as imoca
from imoca.files import write_whole
from imoca.serve import serve as _serve  # noqa: F401
from imoca.study import from_file as _from_file  # noqa: F401

RESULTS = Path(__file__).parent / "results" / "serve_kills.json"
N_CLIENTS = 3
PATIENCE = 300.0  # seconds after which nothing moves any more
LONGEST_PAUSE = 0.15  # seconds between an acknowledgement and the next kill
DEAREST = 2.0  # times what was declared is what a run costs here
STUDY = """
[study]
name = "killed"
method = "random"
[parameters]
x = { type = "real", low = 0.0, high = 1.0 }
y = { type = "real", low = 0.0, high = 1.0 }
[simulators.left]
outputs = { f = "minimize" }
fidelity = { low = 0.0, high = 1.0 }
cost = "0.1 + z"
[simulators.right]
outputs = { g = "minimize" }
fidelity = { low = 0.0, high = 1.0 }
cost = "0.1 + z"
"""
OUTPUTS = {"left": "f", "right": "g"}


@dataclass(frozen=True)
class Client:
    """Asks, computes and tells until it is killed; what it does not hear it says again."""

    folder: Path
    name: str

    def run(self) -> None:
        while True:
            question = self._post("/ask", {"worker": self.name})
            self._note("asked", question["number"], {})
            for part in self._parts(question):
                kept = self._post(*part)
                self._note("acknowledged", kept["number"], kept["values"])

    def _parts(self, question: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        """What is told of a question: all at once, simulator by simulator, or that it failed."""
        number, pending = question["number"], question["pending"]
        cost = {name: cost_of(question["fidelities"][name]) for name in pending}
        if number % 7 == 3:
            return [("/fail", {"number": number, "reason": f"trial {number} failed", "cost": cost})]
        values = {name: {OUTPUTS[name]: value_of(name, question)} for name in pending}
        if number % 2:
            return [("/tell", {"number": number, "values": values[n], "cost": {n: cost[n]}}) for n in pending]
        together = {key: value for part in values.values() for key, value in part.items()}
        return [("/tell", {"number": number, "values": together, "cost": cost})]

    def _post(self, path: str, content: dict[str, Any]) -> dict[str, Any]:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                address = json.loads((self.folder / "killed.serve.json").read_text(encoding="utf-8"))
                headers = {"Authorization": f"Bearer {address['token']}"}
                request = urllib.request.Request(address["url"] + path, json.dumps(content).encode(), headers)  # noqa: S310
                with urllib.request.urlopen(request, timeout=PATIENCE) as response:  # noqa: S310
                    answer: dict[str, Any] = json.load(response)
                    return answer
            except urllib.error.HTTPError as error:  # an answer, and never one that should come
                self._note(f"refused with {error.code}", content.get("number", -1), {})
                raise
            except (OSError, ValueError, HTTPException):  # killed before or after it stored, or in mid-answer
                self._note("unheard", content.get("number", -1), {})
                time.sleep(0.01)
        raise TimeoutError(f"{self.name} hears nothing")

    def _note(self, what: str, number: int, values: Mapping[str, float]) -> None:
        with (self.folder / f"{self.name}.notes").open("a", encoding="utf-8") as notes:
            notes.write(json.dumps([what, number, values]) + "\n")
            notes.flush()
            os.fsync(notes.fileno())


def value_of(simulator: str, question: Mapping[str, Any]) -> float:
    x, y, z = question["parameters"]["x"], question["parameters"]["y"], question["fidelities"][simulator]
    return float(x - y * z if simulator == "left" else x * y + z)


def cost_of(z: float) -> float:
    return DEAREST * (0.1 + z)


class Process:
    """Forked, for starting Python fifty times would take minutes; started again whenever it was killed."""

    def __init__(self, name: str, run: Callable[[], None]) -> None:
        self.name, self.n_kills = name, 0
        self._run = run
        self.pid = self._fork()

    def strike(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        _, status = os.waitpid(self.pid, 0)
        if os.WIFSIGNALED(status):
            self.n_kills += 1
        self.pid = self._fork()

    def end(self, how: signal.Signals) -> int:
        os.kill(self.pid, how)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def _fork(self) -> int:
        if pid := os.fork():
            return pid
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs are begun without Ctrl-C
        try:
            self._run()
            os._exit(0)
        except SystemExit as stopped:
            os._exit(int(stopped.code or 0))
        except BaseException:
            traceback.print_exc()
            os._exit(1)


def run(folder: Path, n_kills: int, seed: int) -> dict[str, Any]:
    """Kill so often, let everybody come through once more, and judge."""
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    chance = random.Random(seed)  # noqa: S311
    server = Process("server", lambda: imoca(["serve", str(folder / "study.toml"), "--port", "0"]))
    clients = [Process(f"client-{i}", Client(folder, f"client-{i}").run) for i in range(N_CLIENTS)]
    try:
        for _ in range(n_kills):
            await_acknowledged(folder, 1)
            time.sleep(chance.uniform(0.0, LONGEST_PAUSE))
            chance.choice([server, server, *clients]).strike()
        await_acknowledged(folder, 3 * N_CLIENTS)
    finally:
        for client in clients:
            client.end(signal.SIGKILL)
        exit_code = server.end(signal.SIGINT)
    kills = {each.name: each.n_kills for each in (server, *clients)}
    return {"kills": kills, "exit code of the server after Ctrl-C": exit_code, **judge(folder)}


def await_acknowledged(folder: Path, n: int) -> None:
    """So many more than now."""
    wanted, end = n_acknowledged(folder) + n, time.monotonic() + PATIENCE
    while n_acknowledged(folder) < wanted:
        if time.monotonic() > end:
            raise TimeoutError(f"Nothing was acknowledged for {PATIENCE:.0f} s.")
        time.sleep(0.005)


def n_acknowledged(folder: Path) -> int:
    return sum(path.read_text(encoding="utf-8").count('["acknowledged"') for path in folder.glob("*.notes"))


def judge(folder: Path) -> dict[str, Any]:
    notes = [note for path in sorted(folder.glob("*.notes")) for note in _notes(path)]
    with Study.load(folder / "killed.db", read_only=True) as study:
        trials, spent = study.trials, study.cost_spent
    with closing(sqlite3.connect(f"file:{folder / 'killed.db'}?mode=ro", uri=True)) as connection:
        (n_counted,) = connection.execute("SELECT n_answers FROM keeping").fetchone()
    told = [(number, values) for what, number, values in notes if what == "acknowledged"]
    asked = [number for what, number, _ in notes if what == "asked"]
    answered = [trial for trial in trials if trial.answer is not None]
    expected = sum(expected_cost(trial) for trial in answered)
    return {
        "trials": len(trials),
        "acknowledged": len(told),
        "acknowledged and lost": sum(not values.items() <= trials[number].values.items() for number, values in told)
        + sum(number not in {trial.number for trial in answered} for number, _ in told),
        "answers with other values than were computed": sum(not is_true(trial) for trial in answered),
        "answers counted more than once": abs(n_counted - len(answered)),
        "cost spent beyond that of each answer once": round(spent - expected, 9),
        "questions without an answer in full": sum(bool(trial.pending) for trial in trials),
        "clients with more than one such question": _n_with_several([t.worker for t in trials if t.pending]),
        "questions given again": len(asked) - len(set(asked)),
        "requests without an answer, sent again": sum(what == "unheard" for what, _, _ in notes),
        "refusals": sum(what.startswith("refused") for what, _, _ in notes),
    }


def is_clean(found: Mapping[str, Any]) -> bool:
    return (
        not any(
            found[what]
            for what in (
                "acknowledged and lost",
                "answers with other values than were computed",
                "answers counted more than once",
                "cost spent beyond that of each answer once",
                "clients with more than one such question",
                "refusals",
            )
        )
        and found["questions without an answer in full"] <= N_CLIENTS
        and found["exit code of the server after Ctrl-C"] == 130
    )


def expected_cost(trial: Trial) -> float:
    """Of all that was told of it, in full runs."""
    run = [name for name in trial.fidelities if name not in trial.pending]
    return sum(cost_of(float(str(trial.fidelities[name]))) / 1.1 for name in run)


def is_true(trial: Trial) -> bool:
    question = {"parameters": trial.parameters, "fidelities": trial.fidelities}
    run = [name for name in trial.fidelities if name not in trial.pending]
    if trial.number % 7 == 3:
        return not trial.values and set(trial.failures.values()) == {f"trial {trial.number} failed"}
    return trial.values == {OUTPUTS[name]: value_of(name, question) for name in run}


def _notes(path: Path) -> list[tuple[str, int, dict[str, float]]]:
    """A last line that was cut short was acknowledged to nobody."""
    lines = path.read_text(encoding="utf-8").split("\n")[:-1]
    return [tuple(json.loads(line)) for line in lines]


def _n_with_several(workers: list[str]) -> int:
    return sum(workers.count(worker) > 1 for worker in set(workers))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-o", "--output", type=Path, default=RESULTS)
    wish = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="serve-kills-"))
    found = run(folder, wish.kills, wish.seed)
    record = {
        "command": f"python experiments/serve_kills.py --kills {wish.kills} --seed {wish.seed}",
        "versions": {name: version(name) for name in ("numpy", "starlette", "uvicorn")}
        | {"imoca": __version__, "python": platform.python_version(), "sqlite": sqlite3.sqlite_version},
        **found,
    }
    write_whole(wish.output, json.dumps(record, indent=1) + "\n")
    print(json.dumps(record, indent=1))
    if not is_clean(found):
        print(f"Something is wrong; the study is kept in {folder}.")
        return 1
    shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())

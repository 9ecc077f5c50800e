"""Every sabotage of mutants.toml must turn its test file red: `make mutants`.

The tests are first run as the code is, then once per sabotage against a copy of src/ in which it was committed, each
time in a process that is forked from this one, so that NumPy and the like are imported once. A sabotage is not tried
again as long as it, the file it spoils and the tests that killed it are what they were; ``--all`` tries every one, for
other files may matter too.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import signal
import sys
import tempfile
import time
import tomllib
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import IO

import pytest

ROOT = Path(__file__).resolve().parents[2]
LIST = Path(__file__).with_name("mutants.toml")
KILLERS = Path(__file__).with_name("killers.json")  # which test turned red last time, and the seal of that time
FAILED = re.compile(r"^FAILED (\S+?::[^\s\[]+)", re.MULTILINE)
PYTEST = ["-x", "-q", "-p", "no:cacheprovider", "-m", "not slow"]
IMPORTED = ("moocore", "numpy", "pydantic", "rich", "scipy.optimize", "scipy.stats", "tomli_w", "typer")
HANGING = 900.0  # seconds; the slowest of these test files takes a few, and a busy machine several times as many
N_AT_ONCE = 2
GREEN, RED, NOT_RUN = 0, 1, 3  # exit codes of pytest; any but the first two means that the tests did not run


@dataclass(frozen=True)
class Mutant:
    file: str  # below src/
    text: str
    becomes: str
    breaks: str
    test: str  # below tests/

    @property
    def count(self) -> int:
        """How often its text occurs; once is right."""
        path = ROOT / "src" / self.file
        return path.read_text(encoding="utf-8").count(self.text) if path.is_file() else 0

    @property
    def key(self) -> str:
        return f"{self.file}: {self.breaks}"

    @property
    def seal(self) -> str:
        """Of all that its death hangs on: itself, the file that it spoils, its test file and what that shares."""
        tests = ROOT / "tests"
        files = [ROOT / "src" / self.file, tests / self.test, *shared_by(tests / self.test)]
        parts = [self.text.encode(), self.becomes.encode(), *(path.read_bytes() for path in files)]
        return hashlib.blake2b(b"\0".join(parts), digest_size=8).hexdigest()

    def commit(self, source: Path) -> None:
        path = source / self.file
        path.write_text(path.read_text(encoding="utf-8").replace(self.text, self.becomes), encoding="utf-8")


def shared_by(test: Path) -> list[Path]:
    """Files of tests/ that a test file, or one of these, names."""
    known = {path for path in (ROOT / "tests").glob("*.py") if not path.name.startswith("test_")}
    found = {path for path in known if path.stem == "conftest"}
    text = test.read_text(encoding="utf-8") + "".join(path.read_text(encoding="utf-8") for path in found)
    while more := {path for path in known - found if re.search(rf"\b{path.stem}\b", text)}:
        text = "".join(path.read_text(encoding="utf-8") for path in more)
        found |= more
    return sorted(found)


@dataclass(frozen=True)
class Verdict:
    word: str
    seconds: float
    detail: str = ""
    killer: str = ""

    @property
    def is_killed(self) -> bool:
        return self.word.startswith("killed")


def read_mutants() -> list[Mutant]:
    """All entries; each belongs to a file and, unless it names another, to that file's test."""
    table = tomllib.loads(LIST.read_text(encoding="utf-8"))
    return [
        Mutant(entry["path"], each["text"], each["becomes"], each["breaks"], each.get("test", entry["test"]))
        for entry in table["file"]
        for each in entry["mutant"]
    ]


@dataclass
class Child:
    """Tests at work in a process of their own, forked from this one, in which everything but imoca is imported."""

    tests: Sequence[str]  # below tests/
    source: Path  # that imoca is imported from
    begin: float = field(default_factory=time.monotonic)
    pid: int = 0
    code: int | None = None  # exit code of pytest, once it has ended
    _output: IO[bytes] = field(default_factory=tempfile.TemporaryFile)

    def __post_init__(self) -> None:
        self.pid = os.fork()
        if self.pid == 0:
            self._work()

    def _work(self) -> None:
        code = NOT_RUN
        try:
            os.setsid()  # so that what tests start ends with it
            os.dup2(self._output.fileno(), 1)
            os.dup2(self._output.fileno(), 2)
            sys.dont_write_bytecode = True
            sys.path.insert(0, str(self.source))
            os.environ["PYTHONPATH"] = str(self.source)  # for the processes that tests start
            if not _is_beside(self.source):
                print("The tests would not see the sabotage: imoca is imported from elsewhere.")
            else:
                code = int(pytest.main([*PYTEST, *(str(ROOT / "tests" / test) for test in self.tests)]))
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)

    def has_ended(self) -> bool:
        ended, status = os.waitpid(self.pid, os.WNOHANG)
        if ended:
            self.code = os.waitstatus_to_exitcode(status)
        elif self.seconds > HANGING:
            os.killpg(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.code = RED  # by hanging
        return self.code is not None

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.begin

    def said(self) -> str:
        self._output.seek(0)
        return self._output.read().decode("utf-8", "replace")[-4000:]


def _is_beside(source: Path) -> bool:
    import imoca

    return Path(imoca.__file__).is_relative_to(source)


def run_all(starts: Sequence[Callable[[], Child]]) -> Iterator[Child]:
    """Each in turn, a few at once; in the order in which they began."""
    waiting, running = deque(starts), deque[Child]()
    while waiting or running:
        while waiting and sum(child.code is None for child in running) < N_AT_ONCE:
            running.append(waiting.popleft()())
        for child in running:
            if child.code is None:
                child.has_ended()
        while running and running[0].code is not None:
            yield running.popleft()
        time.sleep(0.01)


def noted() -> dict[str, dict[str, str]]:
    """By key: the test that killed a sabotage last time, and its seal then."""
    return json.loads(KILLERS.read_text(encoding="utf-8")) if KILLERS.exists() else {}


def likely(mutant: Mutant) -> list[str]:
    """The test that killed it last time, if it is still there."""
    killer = noted().get(mutant.key, {}).get("killer", "")
    file, _, name = killer.partition("::")
    is_there = file == mutant.test and f"def {name.split('::')[-1]}(" in (ROOT / "tests" / file).read_text("utf-8")
    return [killer] if is_there else []


def judge(mutants: Sequence[Mutant], folder: Path) -> Iterator[tuple[Mutant, Verdict]]:
    def start(i: int, mutant: Mutant) -> Child:
        source = folder / f"{i}"
        shutil.copytree(ROOT / "src", source)  # with its bytecode, which fits as long as a file is not touched
        mutant.commit(source)
        return Child([*likely(mutant), mutant.test], source)

    words = {GREEN: "SURVIVED", RED: "killed"}
    children = run_all([partial(start, i, mutant) for i, mutant in enumerate(mutants)])
    for mutant, child in zip(mutants, children, strict=True):
        detail = "" if child.code in words else child.said()
        killer = FAILED.search(child.said())
        name = killer[1].partition("tests/")[2] if killer else ""
        yield mutant, Verdict(words.get(child.code or GREEN, "NOT RUN"), child.seconds, detail, name)
        shutil.rmtree(child.source)


def check_green(tests: Sequence[str]) -> bool:
    """Whether the tests pass on the code as it is, imported the way that the mutants will be."""
    halves = [half for i in range(N_AT_ONCE) if (half := tests[i::N_AT_ONCE])]
    children = list(run_all([partial(Child, half, ROOT / "src") for half in halves]))
    for child in children:
        if child.code != GREEN:
            print(child.said())
    return all(child.code == GREEN for child in children)


def main(wanted: Sequence[str], is_thorough: bool) -> int:
    """Those whose file or description contains one of the wanted words, or all; known deaths only if thorough."""
    listed = read_mutants()
    if lost := [mutant for mutant in listed if mutant.count != 1]:
        for mutant in lost:
            print(f"occurs {mutant.count} times in {mutant.file}, not once: {mutant.text!r}")
        return 1
    deaths = {mutant.key: noted()[mutant.key] for mutant in listed if mutant.key in noted()}
    chosen = [each for each in listed if not wanted or any(word in each.file + each.breaks for word in wanted)]
    known = [each for each in chosen if not is_thorough and deaths.get(each.key, {}).get("seal") == each.seal]
    mutants = [each for each in chosen if each not in known]
    print(f"{len(known)} of {len(chosen)} were killed before by what has not changed since.", flush=True)
    if not mutants:
        return 0
    for name in IMPORTED:  # once for all processes that are forked from this one
        import_module(name)
    begin = time.monotonic()
    tests = sorted({mutant.test for mutant in mutants})
    if not check_green(tests):
        print("Some test is red without any sabotage.")
        return 1
    print(f"{len(tests)} test files are green without sabotage ({time.monotonic() - begin:.0f} s).", flush=True)
    alive = []
    with tempfile.TemporaryDirectory(prefix="imoca-mutants-") as folder:
        for mutant, verdict in judge(mutants, Path(folder)):
            print(f"{verdict.word:9} {verdict.seconds:5.1f} s  {mutant.key}", flush=True)
            print(verdict.detail, end="")
            deaths.pop(mutant.key, None)
            if verdict.is_killed:
                deaths[mutant.key] = {"killer": verdict.killer, "seal": mutant.seal}
            else:
                alive.append(mutant)
    in_order = {mutant.key: deaths[mutant.key] for mutant in listed if mutant.key in deaths}
    KILLERS.write_text(json.dumps(in_order, indent=1) + "\n", "utf-8")
    n_killed = len(mutants) - len(alive)
    print(f"{n_killed} of {len(mutants)} killed in {time.monotonic() - begin:.0f} s.")
    for mutant in alive:
        print(f"not killed by tests/{mutant.test}: {mutant.key}")
    return 1 if alive else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("wanted", nargs="*", help="words in a file's name or in what a sabotage breaks")
    parser.add_argument("--all", action="store_true", help="also those whose death is known")
    given = parser.parse_args()
    sys.exit(main(given.wanted, given.all))

"""Every sabotage of mutants.toml must turn its test file red: `make mutants`.

The tests are first run as the code is, then once per sabotage against a copy of src/ in which it was committed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIST = Path(__file__).with_name("mutants.toml")
PYTEST = ["-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-m", "not slow"]
HANGING = 900.0  # seconds; the slowest of these test files takes a few, and a busy machine several times as many
N_AT_ONCE = 2
GREEN, RED = 0, 1  # exit codes of pytest; any other means that the tests did not run


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

    def commit(self, source: Path) -> None:
        path = source / self.file
        path.write_text(path.read_text(encoding="utf-8").replace(self.text, self.becomes), encoding="utf-8")


@dataclass(frozen=True)
class Verdict:
    word: str
    seconds: float
    detail: str = ""

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


def run_python(
    arguments: Sequence[str], source: Path, seconds: float | None = None
) -> subprocess.CompletedProcess[str]:
    settings = {"PYTHONPATH": str(source), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=os.environ | settings | {"PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )


def judge(mutant: Mutant) -> Verdict:
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="imoca-mutant-") as folder:
        source = Path(folder) / "src"
        shutil.copytree(ROOT / "src", source, ignore=shutil.ignore_patterns("__pycache__"))
        mutant.commit(source)
        try:
            ran = run_python([*PYTEST, f"tests/{mutant.test}"], source, HANGING)
        except subprocess.TimeoutExpired:
            return Verdict("killed by hanging", time.monotonic() - begin)
    words = {GREEN: "SURVIVED", RED: "killed"}
    detail = "" if ran.returncode in words else ran.stdout[-2000:] + ran.stderr[-2000:]
    return Verdict(words.get(ran.returncode, "NOT RUN"), time.monotonic() - begin, detail)


def check_green(tests: Sequence[str]) -> bool:
    """Whether the tests pass on the code as it is, imported the way that the mutants will be."""
    where = run_python(["-c", "import imoca; print(imoca.__file__)"], ROOT / "src")
    if not where.stdout.startswith(str(ROOT / "src")):
        print(f"The tests would not see the sabotage: imoca is imported from {where.stdout or where.stderr}")
        return False
    with ThreadPoolExecutor(N_AT_ONCE) as pool:
        halves = [[f"tests/{test}" for test in tests[i::N_AT_ONCE]] for i in range(N_AT_ONCE)]
        runs = list(pool.map(lambda half: run_python([*PYTEST, *half], ROOT / "src"), filter(None, halves)))
    for run in runs:
        if run.returncode != GREEN:
            print(run.stdout[-5000:] + run.stderr[-2000:])
    return all(run.returncode == GREEN for run in runs)


def main(wanted: Sequence[str]) -> int:
    """Those whose file or description contains one of the wanted words, or all."""
    mutants = [each for each in read_mutants() if not wanted or any(w in each.file + each.breaks for w in wanted)]
    if lost := [mutant for mutant in mutants if mutant.count != 1]:
        for mutant in lost:
            print(f"occurs {mutant.count} times in {mutant.file}, not once: {mutant.text!r}")
        return 1
    begin = time.monotonic()
    tests = sorted({mutant.test for mutant in mutants})
    if not check_green(tests):
        print("Some test is red without any sabotage.")
        return 1
    print(f"{len(tests)} test files are green without sabotage ({time.monotonic() - begin:.0f} s).", flush=True)
    verdicts = []
    with ThreadPoolExecutor(N_AT_ONCE) as pool:
        for mutant, verdict in zip(mutants, pool.map(judge, mutants), strict=True):
            print(f"{verdict.word:9} {verdict.seconds:5.1f} s  {mutant.file}: {mutant.breaks}", flush=True)
            print(verdict.detail, end="")
            verdicts.append(verdict)
    alive = [mutant for mutant, verdict in zip(mutants, verdicts, strict=True) if not verdict.is_killed]
    n_killed = len(mutants) - len(alive)
    print(f"{n_killed} of {len(mutants)} killed in {time.monotonic() - begin:.0f} s.")
    for mutant in alive:
        print(f"not killed by tests/{mutant.test}: {mutant.file}: {mutant.breaks}")
    return 1 if alive else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Cases by chance until the time is up: `make fuzz`, or `PYTHONPATH=tests python -m fuzz --seed 7` for one case again.

Every case runs in a process of its own. A finding is an error that nobody put into words, data that are silently
others, a case that takes too long or too much memory.
"""

from __future__ import annotations

import argparse
import logging
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

from fuzz import databases, expressions, page, requests, results, study_files, tables
from fuzz.case import FindingError

TARGETS = (study_files, results, databases, expressions, tables, page, requests)  # by the seed of the case
CASE_SECONDS = 20.0
MOST_MEMORY = 500  # MB


def main() -> int:
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long to look")
    parser.add_argument("--seed", type=int, help="run this one case again")
    parser.add_argument("--first", type=int, help="seed of the first case; another each time unless given")
    parser.add_argument("--target", choices=[_name(i) for i in range(len(TARGETS))], help="cases of one kind only")
    wish = parser.parse_args()
    if wish.seed is not None:
        return int(_run(wish.seed) is not None)
    seed = random.SystemRandom().randrange(10**9) if wish.first is None else wish.first
    print(f"The first seed is {seed}.", flush=True)
    end, counts, findings = time.monotonic() + wish.seconds, Counter[str](), []
    while time.monotonic() < end:
        if wish.target is None or _name(seed) == wish.target:
            counts[_name(seed)] += 1
            if (finding := _run(seed)) is not None:
                findings.append(finding)
        seed += 1
    print(
        f"{counts.total()} cases ({', '.join(f'{n} {name}' for name, n in counts.items())}), {len(findings)} findings"
    )
    return int(bool(findings))


def _name(seed: int) -> str:
    return TARGETS[seed % len(TARGETS)].__name__.split(".")[-1]


def _run(seed: int) -> str | None:
    """What is wrong with a case, printed with its seed; None if nothing is."""
    folder = Path(tempfile.mkdtemp(prefix=f"fuzz-{seed}-"))
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        os.write(write, _finding(seed, folder).encode("utf-8", "backslashreplace")[:4000])
        os._exit(0)
    os.close(write)
    finding = _await(child)
    with os.fdopen(read, "rb") as pipe:
        finding = finding or pipe.read().decode()
    shutil.rmtree(folder, ignore_errors=True)
    if not finding:
        return None
    print(f"seed {seed} ({_name(seed)}): {finding}", flush=True)
    return finding


def _finding(seed: int, folder: Path) -> str:
    os.chdir(folder)
    logging.disable()  # warnings are meant for users
    try:
        TARGETS[seed % len(TARGETS)].run(random.Random(seed), folder)  # noqa: S311
    except FindingError as error:
        return str(error)
    except BaseException:
        return traceback.format_exc(limit=-6)
    return ""


def _await(child: int) -> str:
    end = time.monotonic() + CASE_SECONDS
    while time.monotonic() < end:
        pid, status, usage = os.wait4(child, os.WNOHANG)
        if pid:
            return _judged(status, usage)
        time.sleep(0.002)
    os.kill(child, signal.SIGKILL)
    os.wait4(child, 0)
    return f"it took longer than {CASE_SECONDS:g} s"


def _judged(status: int, usage: resource.struct_rusage) -> str:
    if os.WIFSIGNALED(status):
        return f"it was ended by signal {os.WTERMSIG(status)}"
    memory = usage.ru_maxrss // 1024
    return f"it took {memory} MB" if memory > MOST_MEMORY else ""


if __name__ == "__main__":
    sys.exit(main())

"""The fuzzer sees what it looks for, and one seed is one case."""

import contextlib
import copy
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from fuzz import results
from fuzz.mutate import ODD, mutated_content

TESTS = Path(__file__).parent
SABOTAGE = """
import sys, time, types
from fuzz import __main__ as fuzz
from fuzz.case import expect

def hang(rng, folder): time.sleep(60)
def swallow(rng, folder): rng.fill = bytearray(600_000_000)
def stumble(rng, folder): {}["missing"]
def lie(rng, folder): expect(rng.random() < 0, f"it is {rng.random():.3f}")
def behave(rng, folder): (folder / "file").touch()

fuzz.CASE_SECONDS = 0.5
fuzz.TARGETS = tuple(types.SimpleNamespace(__name__=f.__name__, run=f) for f in (hang, swallow, stumble, lie, behave))
for seed in map(int, sys.argv[1:]):
    fuzz._run(seed)
"""


def python(*words: str) -> "subprocess.CompletedProcess[str]":
    paths = os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"PYTHONPATH": paths, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.run([sys.executable, *words], env=environment, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_it_sees_hanging_gluttony_errors_and_wrong_data_each_with_its_seed() -> None:
    done = python("-c", SABOTAGE, *map(str, range(5)))
    lines = [line for line in done.stdout.splitlines() if line.startswith("seed ")]
    assert len(lines) == 4, done.stdout + done.stderr
    assert lines[0].startswith("seed 0 (hang): it took longer than 0.5 s")
    assert lines[1].startswith("seed 1 (swallow): it took ")
    assert lines[2].startswith("seed 2 (stumble): Traceback")
    assert lines[3].startswith("seed 3 (lie): it is 0.")


def test_the_same_seed_is_the_same_case() -> None:
    assert (
        python("-c", SABOTAGE, "3").stdout == python("-c", SABOTAGE, "3").stdout != python("-c", SABOTAGE, "8").stdout
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(7))
def test_a_case_of_every_kind_finds_nothing(seed: int) -> None:
    done = python("-m", "fuzz", "--seed", str(seed))
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_chance_changes_can_be_written_and_leaves_its_own_words_as_they_are() -> None:
    before = copy.deepcopy(ODD)
    for seed in range(300):
        changed = mutated_content(random.Random(seed), {"number": 3, "values": {"f": 1.0, "g": [1.0, 0.5]}})  # noqa: S311
        with contextlib.suppress(ValueError):  # numbers of too many digits
            json.dumps(changed)
        assert "..." not in repr(changed)  # as Python shows what contains itself
    assert repr(ODD) == repr(before)


@pytest.mark.parametrize("error", ["0.25", "0", "0.0"])
def test_a_result_with_its_standard_error_is_no_finding(
    error: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = f'{{"drag": [0.021, {error}], "lift": -1.5e-3}}'.encode()
    monkeypatch.setattr(results, "mutated_text", lambda rng, text: content)
    monkeypatch.setattr(results, "mutated_content", lambda rng, table: json.loads(content))
    results.run(random.Random(0), tmp_path)  # noqa: S311

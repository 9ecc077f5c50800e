"""The list of sabotages does not rot: what `make mutants` needs is where it says."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

RUNNER = Path(__file__).parent / "mutants" / "run.py"


def load_runner() -> ModuleType:
    specification = importlib.util.spec_from_file_location("mutants_run", RUNNER)
    assert specification is not None
    assert specification.loader is not None
    runner = importlib.util.module_from_spec(specification)
    sys.modules["mutants_run"] = runner  # where dataclasses look up the annotations
    specification.loader.exec_module(runner)
    return runner


def test_every_sabotage_changes_a_text_that_occurs_exactly_once() -> None:
    mutants = load_runner().read_mutants()
    assert len(mutants) > 100
    assert [(each.file, each.text, each.count) for each in mutants if each.count != 1] == []
    assert [each.breaks for each in mutants if each.text == each.becomes] == []


def test_every_sabotage_names_a_test_file_and_differs_from_all_others() -> None:
    mutants = load_runner().read_mutants()
    assert [each.test for each in mutants if not (RUNNER.parents[1] / each.test).is_file()] == []
    assert len({(each.file, each.text, each.becomes) for each in mutants}) == len(mutants)
    assert len({each.key for each in mutants}) == len(mutants)


@pytest.mark.parametrize(
    "changed", ["src/a.py", "tests/unit/test_a.py", "tests/shared.py", "tests/behind.py", "tests/conftest.py"]
)
def test_a_known_death_counts_no_longer_once_a_file_that_it_hangs_on_changes(
    changed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner = load_runner()
    monkeypatch.setattr(runner, "ROOT", tmp_path)
    texts = {"tests/unit/test_a.py": "from shared import x", "tests/shared.py": "import behind"}
    for name in (*texts, "src/a.py", "src/b.py", "tests/behind.py", "tests/beside.py", "tests/conftest.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(texts.get(name, "as it was"))
    mutant = runner.Mutant("a.py", "as", "was", "nothing", "unit/test_a.py")
    before = mutant.seal
    for other in ("src/b.py", "tests/beside.py"):
        (tmp_path / other).write_text("another")
    assert mutant.seal == before
    (tmp_path / changed).write_text("another")
    assert mutant.seal != before
    assert runner.Mutant("a.py", "as", "is", "nothing", "unit/test_a.py").seal != mutant.seal

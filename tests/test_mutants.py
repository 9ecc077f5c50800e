"""The list of sabotages does not rot: what `make mutants` needs is where it says."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

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

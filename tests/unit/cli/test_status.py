import re
from contextlib import ExitStack
from pathlib import Path

import pytest
from command_line import CommandLine

from imoca.snapshot.movement import Movement
from imoca.study.study import Study


def test_status_agrees_with_the_study(imoca: CommandLine, toy_with_results: Path, until_the_end: ExitStack) -> None:
    content = imoca("status", "--json").json
    study = until_the_end.enter_context(Study.load(toy_with_results / "toy.db", read_only=True))
    assert content["trials"] == {"total": 4, "complete": 2, "failed": 1, "running": 1}
    assert content["cost_spent"] == pytest.approx(study.cost_spent)
    assert (content["budget"], content["method"], content["seed"]) == (3.0, "random", 0)
    assert content["driver"] is None
    assert content["simulators"]["cfd"] == {"answered": 2, "failed": 1, "at_full_fidelity": 1, "cost": None}
    assert content["simulators"]["scale"] == {"answered": 1, "failed": 2, "at_full_fidelity": 1, "cost": 8.0}
    assert content["last_failure"] == {"trial": 2, "simulator": "scale", "reason": "mesh exploded"}
    assert content["failing"] is None  # three of six runs failed, but the front has not come to rest
    assert content["next"]["command"] == "imoca run"  # 2.66 are spent of 3
    by_database = content["next"] | {
        "what": "let the search go on, for about 1.3 full-fidelity runs",  # half of 2.66 again: no budget is known
        "command": "imoca run toy.db --budget 3.96",
        "price": pytest.approx(1.3),
    }
    assert imoca("status", "toy.db", "--json").json == content | {"budget": None, "next": by_database}


def test_status_in_words(imoca: CommandLine, toy_with_results: Path) -> None:
    answer = imoca("status")
    assert "4: 2 complete, 1 failed, 1 without an answer yet" in answer.out
    assert "of 3 full-fidelity runs" in answer.out
    assert "trial 2, scale: mesh exploded" in answer.out
    assert "no: too few questions were asked by a model to tell" in answer.out
    assert "0 designs at full accuracy" in answer.out
    assert "let the search go on, for about 0.34 full-fidelity runs: imoca run" in answer.out
    assert "\x1b" not in answer.out


def test_a_study_that_was_not_started_is_empty_and_stays_so(imoca: CommandLine, toy: Path) -> None:
    answer = imoca("status", "--json")
    assert answer.json["trials"]["total"] == 0
    assert "imoca run" in imoca("status").err
    assert not (toy / "toy.db").exists()


def test_a_front_that_rests_where_runs_fail_is_told(
    imoca: CommandLine, toy_with_results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("imoca.snapshot.snapshot.movement", lambda *_: Movement(0.001, 3.0, False))
    assert "failing       50 % of the runs failed. Questions and the front keep away" in imoca("status").out


def test_the_driver_is_named(imoca: CommandLine, toy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from imoca.storage.owner import this_process

    owner = this_process()
    monkeypatch.setattr(Study, "owner", owner)
    assert imoca("status", "--json").json["driver"] == {"pid": owner.pid, "host": owner.host, "since": owner.since}
    shown = imoca("status").out
    assert re.search(rf"process {owner.pid} on {re.escape(owner.host)}, started \d+ s ago", shown)

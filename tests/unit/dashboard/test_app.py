"""What the routes tell is what the study says."""

import json
import shutil
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from imoca import Study
from imoca.trials.trial import Run


def strict(text: str) -> Any:
    """JSON as a browser reads it: NaN and infinity are no numbers there."""

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} in JSON")

    return json.loads(text, parse_constant=refuse)


def table_of(study: Study) -> list[list[Any]]:
    simulators = [simulator.name for simulator in study.problem.simulators]
    return [
        [
            trial.number,
            str(trial.state),
            *trial.parameters.values(),
            *(trial.fidelities[name] for name in simulators),
            *(trial.values.get(output.name) for output in study.problem.outputs),
            *(trial.costs.get(name) for name in simulators),
            "; ".join(f"{name}: {why}" for name, why in trial.failures.items()) or None,
        ]
        for trial in study.trials
    ]


def test_the_list_tells_how_every_study_stands(page: TestClient, database: Path, until_the_end: ExitStack) -> None:
    study = until_the_end.enter_context(Study.load(database, read_only=True))
    (listed,) = strict(page.get("/api/studies").text)["studies"]
    assert listed["name"] == database.stem
    assert listed["fault"] is None
    assert listed["n_trials"] == len(study.trials) == 9
    assert listed["states"] == {"complete": 7, "failed": 1, "running": 1}
    assert listed["n_failures"] == 3
    assert listed["last_failure"]["trial"] == 7
    assert listed["cost_spent"] == study.cost_spent
    assert listed["driver"] is None
    assert [each["name"] for each in listed["objectives"]] == [each.name for each in study.problem.objectives]


def test_the_table_is_that_of_the_study_with_hostile_names_untouched(
    page: TestClient, study_path: str, database: Path, until_the_end: ExitStack
) -> None:
    study = until_the_end.enter_context(Study.load(database, read_only=True))
    response = page.get(study_path)
    content = strict(response.text)
    assert response.headers["content-type"] == "application/json"
    assert response.text.isascii()
    assert content["reset"]
    assert content["rows"] == table_of(study)
    names = {column["name"] for column in content["columns"] if column["group"] == "parameters"}
    assert names == set(study.problem.space.names)
    assert len(content["columns"]) == len(content["rows"][0])


def test_since_a_mark_only_what_changed_is_told(
    page: TestClient, study_path: str, database: Path, until_the_end: ExitStack
) -> None:
    study = until_the_end.enter_context(Study.load(database))
    first = page.get(study_path).json()
    assert page.get(f"{study_path}?since={first['mark']}").json()["rows"] == []
    running = study.trials[-1]
    study.fail(running, "gave up")
    study.ask()
    content = wait_for_rows(page, f"{study_path}?since={first['mark']}")
    assert not content["reset"]
    assert "columns" not in content
    assert content["rows"] == table_of(study)[running.number :]


def wait_for_rows(page: TestClient, path: str) -> dict[str, Any]:
    """What was read a moment ago counts as new."""
    for _ in range(200):
        content: dict[str, Any] = page.get(path).json()
        if content["rows"]:
            return content
    raise AssertionError("no new rows")


@pytest.mark.parametrize("mark", ["", "nonsense", "..", "other.3", "1.2.3", "x.99999999999999999999", "\u0661.\u0661"])
def test_with_an_unknown_mark_everything_is_told(page: TestClient, study_path: str, mark: str) -> None:
    content = page.get(study_path, params={"since": mark}).json()
    assert content["reset"]
    assert len(content["rows"]) == 9


def test_a_trial_is_told_in_full_with_its_runs(
    page: TestClient, study_path: str, database: Path, until_the_end: ExitStack
) -> None:
    study = until_the_end.enter_context(Study.load(database))
    run = Run(6, "right", 1, 1000.0, None, 1002.5)
    study._storage.record(run)
    content = strict(page.get(f"{study_path}/trials/6").text)
    trial = study.trials[6]
    for part in ("parameters", "fidelities", "values", "costs", "failures"):
        assert content[part] == dict(getattr(trial, part))
    assert content["runs"] == [
        {
            "simulator": "right", "attempt": 1, "state": "lost", "started": 1000.0, "ended": 1002.5,
            "logs": [], "failures": {},
        }
    ]  # fmt: skip


@pytest.mark.parametrize("number", ["9", "99999999999999999999", "-1", "x", "0.0"])
def test_no_such_trial_is_a_404(page: TestClient, study_path: str, number: str) -> None:
    assert page.get(f"{study_path}/trials/{number}").status_code == 404


@pytest.mark.parametrize(
    "query", ["", "?run=0", "?run=x&stream=stdout", "?run=0&stream=../params", "?run=-1&stream=stderr"]
)
def test_a_log_that_is_not_named_rightly_is_refused(page: TestClient, study_path: str, query: str) -> None:
    assert page.get(f"{study_path}/trials/0/log{query}").status_code == 400


def test_the_log_of_a_run_is_plain_text(
    page: TestClient, study_path: str, database: Path, until_the_end: ExitStack
) -> None:
    study = until_the_end.enter_context(Study.load(database))
    folder = study.runs_folder / "trial-6"
    folder.mkdir(parents=True)
    (folder / "stdout.txt").write_text("<b>step 1</b>\n\x1b[31mred\n")
    study._storage.record(Run(6, "right", 1, 1000.0, str(folder), 1002.5))
    response = page.get(f"{study_path}/trials/6/log?run=0&stream=stdout")
    assert response.text == "<b>step 1</b>\n\\x1b[31mred\n"
    assert response.headers["content-type"] == "text/plain; charset=utf-8"
    assert page.get(f"{study_path}/trials/6").json()["runs"][0]["logs"] == ["stdout"]
    assert page.get(f"{study_path}/trials/6/log?run=0&stream=stderr").status_code == 404
    assert page.get(f"{study_path}/trials/6/log?run=1&stream=stdout").status_code == 404


def test_a_damaged_study_is_shown_as_such_beside_a_sound_one(
    open_page: Callable[..., TestClient], database: Path
) -> None:
    (database.parent / "damaged.db").write_bytes(database.read_bytes()[:5000])
    (database.parent / "empty.db").write_bytes(b"")
    (database.parent / "noise.db").write_bytes(bytes(range(256)) * 40)
    client = open_page([database.parent])
    studies = {each["name"]: each for each in client.get("/api/studies").json()["studies"]}
    assert set(studies) == {"damaged", "empty", "noise", database.stem}
    assert studies[database.stem]["n_trials"] == 9
    for name in ("damaged", "empty", "noise"):
        assert studies[name]["fault"]
        content = client.get(f"/api/studies/{studies[name]['id']}").json()
        assert content["rows"] == []
        assert content["overview"]["fault"] == studies[name]["fault"]


def test_a_study_that_appears_later_is_found(open_page: Callable[..., TestClient], database: Path) -> None:
    client = open_page([database.parent])
    assert len(client.get("/api/studies").json()["studies"]) == 1
    shutil.copy(database, database.parent / "late.db")
    assert [each["name"] for each in client.get("/api/studies").json()["studies"]] == [database.stem, "late"]


def test_the_page_is_served_with_plotly_of_the_package_and_no_other_host(page: TestClient) -> None:
    html = page.get("/").text
    assert "http://" not in html
    assert "https://" not in html
    assert "<style" not in html
    assert page.get("/static/plotly.min.js").text.lstrip().startswith("/**\n* plotly.js")


def test_events_begin_with_everything_and_resume_after_the_last_one(database: Path, until_the_end: ExitStack) -> None:
    from imoca.dashboard.app import make_app
    from imoca.web.security import Access

    looks = iter([False, True, False, True])
    app = make_app([database], Access(), lambda: next(looks))
    client = until_the_end.enter_context(TestClient(app, base_url="http://127.0.0.1"))
    path = f"/api/studies/{client.get('/api/studies').json()['studies'][0]['id']}/events"
    response = client.get(path)
    assert response.headers["content-type"].startswith("text/event-stream")
    lines = dict(line.split(": ", 1) for line in response.text.splitlines() if ": " in line)
    content = strict(lines["data"])
    assert len(content["rows"]) == 9
    assert lines["id"] == content["mark"]
    again = client.get(path, headers={"Last-Event-ID": content["mark"]})
    resumed = strict(dict(line.split(": ", 1) for line in again.text.splitlines() if ": " in line)["data"])
    assert resumed["rows"] == []
    assert not resumed["reset"]


@pytest.mark.slow
def test_the_report_is_served_under_a_policy_that_names_its_scripts(page: TestClient, study_path: str) -> None:
    response = page.get(f"{study_path}/report")
    policy = response.headers["content-security-policy"]
    assert response.headers["content-type"].startswith("text/html")
    assert policy.count("'sha256-") == 2
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe-inline" not in policy.split("script-src")[1].split(";")[0]
    assert response.headers["x-content-type-options"] == "nosniff"
    assert "<script>alert" not in response.text
    assert page.post(f"{study_path}/report").status_code == 405


@pytest.mark.slow
def test_slices_are_of_a_design_of_the_front_and_of_nothing_else(
    page: TestClient, study_path: str, database: Path, until_the_end: ExitStack
) -> None:
    study = until_the_end.enter_context(Study.load(database, read_only=True))
    design = study.pareto_front()[0].id
    content = strict(page.get(f"{study_path}/slices/{design}").text)
    assert design in content["reading"]
    assert content["data"]
    for nonsense in ("F0000", "F", "x", "%2e%2e%2freport", "F12345678901234567890", "F%00", "{}"):
        assert page.get(f"{study_path}/slices/{nonsense}").status_code == 404


def test_a_run_that_did_not_end_is_lost_once_nobody_drives_the_study(
    page: TestClient, study_path: str, database: Path, until_the_end: ExitStack
) -> None:
    study = until_the_end.enter_context(Study.load(database))
    study._storage.record(Run(8, "right", 1, 1000.0))
    assert [run["state"] for run in page.get(f"{study_path}/trials/8").json()["runs"]] == ["lost"]


def test_a_run_that_did_not_end_goes_on_while_somebody_drives_the_study(
    page: TestClient, study_path: str, database: Path, until_the_end: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    from imoca.dashboard import view
    from imoca.storage.owner import this_process

    monkeypatch.setattr(view, "FRESH", 0.0)  # or what was read a moment ago would count as new
    study = until_the_end.enter_context(Study.load(database))
    owner = this_process()
    study._storage.claim(owner)
    study._storage.record(Run(8, "right", 1, 1000.0))
    state = page.get(f"{study_path}/trials/8").json()["runs"][0]["state"]
    study._storage.release(owner)
    assert state == "running"


def test_every_registered_figure_is_listed_once_with_its_title(page: TestClient, study_path: str) -> None:
    from imoca.report.figure_names import TITLES

    listed = page.get(study_path).json()["gallery"]
    assert {each["name"]: each["title"] for each in listed} == TITLES
    assert len(listed) == len(TITLES)
    assert listed[0]["name"] == "front"

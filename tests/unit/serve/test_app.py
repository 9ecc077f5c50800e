"""What clients are told is what the study says, and what they tell is counted once."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from serving import HOSTILE, MASS, Client, make_problem

from imoca import Study, TrialState
from imoca.content.records import front_record, trial_record
from imoca.errors import MethodError, StorageError
from imoca.problem.parameters import Value
from imoca.serve import app
from imoca.serve.bodies import read_failed, read_told, read_worker

VALUES = {"drag": 0.5, "lift": 2.0, MASS: 3.0}
ANSWER = {"number": 0, "values": VALUES, "cost": {"scale": 7.0}}


def test_a_question_is_that_of_the_study_in_the_users_own_units(client: Client, study: Study) -> None:
    question = client.ask()
    (trial,) = study.trials
    assert question == json.loads(json.dumps(trial_record(trial)))
    assert question["parameters"] == dict(trial.parameters)
    assert question["fidelities"] == dict(trial.fidelities)
    assert question["pending"] == ["cfd", "scale"]
    with Study(make_problem(), method="random") as other:
        assert dict(other.ask().parameters) == question["parameters"]


def test_a_question_is_given_again_to_its_worker_until_it_is_answered_in_full(client: Client, study: Study) -> None:
    first = client.ask()
    assert client.ask() == first
    assert client.ask("node-2")["number"] == 1
    in_part = client.post_json("/tell", {"number": 0, "values": {"drag": 0.5, "lift": 2.0}})
    assert in_part["pending"] == ["scale"]
    assert client.ask() == in_part
    whole = client.post_json("/tell", {"number": 0, "values": {MASS: 3.0}, "cost": {"scale": 7.0}})
    assert (whole["state"], whole["values"], whole["costs"]) == ("complete", VALUES, {"scale": 7.0})
    assert client.ask()["number"] == 2
    assert [trial.worker for trial in study.trials] == ["node-1", "node-2", "node-1"]


def test_the_same_answer_again_is_counted_once_and_another_is_refused_in_words(client: Client, study: Study) -> None:
    client.ask()
    told = client.post_json("/tell", ANSWER)
    spent = study.cost_spent
    assert client.post_json("/tell", ANSWER) == told
    for other in ({**VALUES, "drag": 0.6}, {**VALUES, "lift": -2.0}):
        refusal = client.post_json("/tell", {**ANSWER, "values": other}, 409)
        assert "already has another answer" in refusal["error"]
        assert "first answer is kept" in refusal["hint"]
    assert "already" in client.post_json("/tell", {**ANSWER, "cost": {"scale": 8.0}}, 409)["error"]
    assert "already" in client.post_json("/fail", {"number": 0, "reason": "exploded"}, 409)["error"]
    assert study.cost_spent == spent
    assert dict(study.trials[0].values) == VALUES


def test_a_failure_again_is_counted_once_and_another_is_refused(client: Client, study: Study) -> None:
    client.ask()
    failure = {"number": 0, "reason": "mesh exploded", "cost": {"scale": 2.0}}
    failed = client.post_json("/fail", failure)
    assert (failed["state"], failed["costs"]) == ("failed", {"scale": 2.0})
    assert client.post_json("/fail", failure) == failed
    assert "already" in client.post_json("/fail", {**failure, "reason": "no licence"}, 409)["error"]
    assert "already" in client.post_json("/tell", ANSWER, 409)["error"]
    assert study.trials[0].state is TrialState.FAILED


def test_standard_errors_are_told_and_returned(client: Client, study: Study) -> None:
    client.ask()
    answer = {"number": 0, "values": {"drag": 1.0, "lift": 1.0}, "errors": {"drag": 0.25}}
    told = client.post_json("/tell", answer)
    assert told["errors"] == {"drag": 0.25}
    assert client.post_json("/tell", answer) == told
    assert "already" in client.post_json("/tell", {**answer, "errors": {"drag": 0.5}}, 409)["error"]
    assert dict(study.trials[0].errors) == {"drag": 0.25}


def test_a_simulator_may_fail_alone(client: Client, study: Study) -> None:
    client.ask()
    client.post_json("/tell", {"number": 0, "values": {"drag": 1.0, "lift": 1.0}, "failures": {"scale": "no balance"}})
    assert dict(study.trials[0].failures) == {"scale": "no balance"}


BAD_BODIES: list[tuple[str, bytes]] = [
    ("/ask", b""),
    ("/ask", b"{}"),
    ("/ask", b"[]"),
    ("/ask", b"null"),
    ("/ask", b'{"worker": ""}'),
    ("/ask", b'{"worker": 3}'),
    ("/ask", b'{"worker": "\\ud800"}'),
    ("/ask", b'{"worker": "%s"}' % (b"n" * 201)),
    ("/ask", b'{"worker": "a", "n": 2}'),
    ("/ask", b'{"worker": "a", "worker": "b"}'),
    ("/ask", b"\xff\xfe\x00"),
    ("/ask", b"[" * 100_000),
    ("/tell", b"number=0"),
    ("/tell", b"{}"),
    ("/tell", b'{"number": 0}'),
    ("/tell", b'{"number": 0, "values": {}}'),
    ("/tell", b'{"number": true, "values": {"drag": 1, "lift": 1}}'),
    ("/tell", b'{"number": 0.0, "values": {"drag": 1, "lift": 1}}'),
    ("/tell", b'{"number": "0", "values": {"drag": 1, "lift": 1}}'),
    ("/tell", b'{"number": 0, "values": [1, 2]}'),
    ("/tell", b'{"number": 0, "values": {"drag": 1}}'),
    ("/tell", b'{"number": 0, "values": {"drag": 1, "lift": NaN}}'),
    ("/tell", b'{"number": 0, "values": {"drag": 1, "lift": -Infinity}}'),
    ("/tell", b'{"number": 0, "values": {"drag": 1, "lift": 1e400}}'),
    ("/tell", b'{"number": 0, "values": {"drag": 1, "lift": "2"}}'),
    ("/tell", b'{"number": 0, "values": {"drag": 1, "lift": true}}'),
    ("/tell", b'{"number": 0, "values": {"drag": 1, "lift": null}}'),
    ("/tell", b'{"number": 0, "values": {"drag": 1, "lift": %s}}' % (b"9" * 5000)),
    ("/tell", b'{"number": 0, "values": {"drag": 1, "lift": 1, "weight": 1}}'),
    ("/tell", b'{"number": 0, "values": {"drag": 1, "lift": 1}, "cost": {"cfd": 0}}'),
    ("/tell", b'{"number": 0, "values": {"drag": 1, "lift": 1}, "cost": {"scale": 1}}'),
    ("/tell", b'{"number": 0, "values": {"drag": 1, "lift": 1}, "failures": {"cfd": "no"}}'),
    ("/tell", b'{"number": 0, "failures": {"cfd": ["no"]}}'),
    ("/tell", b'{"number": 0, "failures": {"cfd": ""}}'),
    ("/tell", b'{"number": 0, "values": {"drag": 1, "lift": 1}, "fidelity": 1}'),
    ("/tell", b'{"number": 0, "values": {"drag": 1, "lift": 1}, "errors": {"drag": -1}}'),
    ("/tell", b'{"number": 0, "values": {"drag": 1, "lift": 1}, "errors": {"drag": "1"}}'),
    ("/tell", b'{"number": 0, "values": {"drag": 1, "lift": 1}, "errors": [1, 1]}'),
    ("/tell", b'{"number": 0, "values": {"drag": 1, "lift": 1}, "errors": {"weight": 1}}'),
    ("/tell", b'{"number": 0, "values": {"drag": [1, 0.1], "lift": 1}}'),
    ("/fail", b'{"number": 0}'),
    ("/fail", b'{"number": 0, "reason": ""}'),
    ("/fail", b'{"number": 0, "reason": 7}'),
    ("/fail", b'{"number": 0, "reason": "no", "cost": {"cfd": -1}}'),
    ("/fail", b'{"number": 0, "reason": "no", "cost": 3}'),
]


def test_what_cannot_be_used_is_refused_in_words_and_changes_nothing(client: Client, study: Study) -> None:
    client.ask()
    before = study.trials
    for path, body in BAD_BODIES:
        response = client.post(path, content=body)
        assert response.status_code == 400, (path, body[:100], response.text)
        refusal = response.json()
        assert set(refusal) == {"error", "hint"}
        assert refusal["error"], body
        assert refusal["hint"], body
        assert len(refusal["error"]) < 2000
        assert response.text.isascii()
    assert study.trials == before


@pytest.mark.parametrize("number", [1, -1, 10**30])
def test_an_unknown_trial_is_a_404_that_says_which_there_are(client: Client, study: Study, number: int) -> None:
    client.ask()
    before = study.trials
    for path, content in (("/tell", {"values": {"drag": 1.0, "lift": 1.0}}), ("/fail", {"reason": "no"})):
        assert "the study holds 1" in client.post_json(path, {"number": number} | content, 404)["error"]
    assert study.trials == before


def test_a_body_may_be_as_long_as_is_said_and_no_longer(
    client: Client, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.ask()
    text = json.dumps({"number": 0, "reason": "no"})
    monkeypatch.setattr(app, "MOST_BYTES", len(text) + 10)
    assert client.post("/fail", content=text + " " * 11).status_code == 413
    assert study.trials[0].answer is None
    assert client.post("/fail", content=text + " " * 10).status_code == 200


def test_the_front_is_that_of_the_study_with_ids_and_intervals(client: Client, study: Study) -> None:
    assert client.get("/front").json()["points"] == []
    x, n, skin = study.problem.space.names
    for i in range(4):
        design: dict[str, Value] = {x: i / 3, n: 1 + i, skin: "al"}
        values = {"drag": i / 3, "lift": 1 - i, MASS: 1.0 + i}
        study.add(design, {"cfd": 1.0, "scale": "solid"}, values, {"scale": 1.0})
    told = client.get("/front").json()
    assert told == json.loads(json.dumps(front_record(study.problem, study.snapshot().front)))
    assert len(told["points"]) >= 1
    assert all(point["id"].startswith("F") and set(point["interval"]) == set(VALUES) for point in told["points"])
    again = client.get("/front").json()
    assert again == told


def test_the_status_is_told_with_the_questions_that_wait_and_for_whom(client: Client, study: Study) -> None:
    client.ask()
    study.ask()
    client.post_json("/fail", {"number": client.ask("node-2")["number"], "reason": "no"})
    study.launch()
    assert client.get("/status").json() == {
        "name": "toy",
        "open": [
            {"number": 0, "worker": "node-1", "pending": ["cfd", "scale"]},
            {"number": 1, "worker": None, "pending": ["cfd", "scale"]},
        ],
    }


def test_the_study_is_described_in_the_tables_of_a_study_file(client: Client) -> None:
    told = client.get("/study").json()
    assert (told["method"], told["seed"]) == ("random", 0)
    assert told["parameters"]["n"] == {"type": "integer", "low": 1, "high": 4}
    assert told["parameters"][f"x {HOSTILE}"]["unit"] == "mm"
    assert told["simulators"]["cfd"]["outputs"] == {"drag": "minimize", "lift": "maximize"}
    assert told["simulators"]["scale"]["fidelity"]["levels"] == [f"beam {HOSTILE}", "solid"]
    assert "command" not in told["simulators"]["cfd"]


@pytest.mark.parametrize("path", ["/ask", "/tell", "/fail"])
@pytest.mark.parametrize(
    ("harm", "words"), [(Path.unlink, "is gone"), (lambda path: path.chmod(0o444), "is marked read-only")]
)
def test_a_study_that_is_lost_is_told_with_a_503_and_ends_the_server(
    path: str,
    harm: Callable[[Path], None],
    words: str,
    client: Client,
    study: Study,
    losses: list[StorageError],
    tmp_path: Path,
) -> None:
    client.ask()
    harm(tmp_path / "toy.db")
    contents: dict[str, Any] = {"/ask": {"worker": "b"}, "/tell": ANSWER, "/fail": {"number": 0, "reason": "no"}}
    refusal = client.post_json(path, contents[path], 503)
    assert words in refusal["error"]
    assert "Nothing more was stored" in refusal["hint"]
    assert [type(loss).__name__ for loss in losses] == ["LostStudyError"]


def test_a_study_that_is_lost_is_noticed_while_nobody_asks(
    open_client: Callable[..., Client], losses: list[StorageError], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "WATCH_SECONDS", 0.01)
    (tmp_path / "toy.db").unlink()
    client = open_client()
    while not losses:
        client.get("/")
    assert "is gone" in str(losses[0])


def test_an_error_of_the_method_is_told_in_words_and_one_nobody_expected_without(
    client: Client, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fault(error: Exception) -> Callable[..., None]:
        def ask(**_: object) -> None:
            raise error

        return ask

    monkeypatch.setattr(study, "ask", fault(MethodError("No design holds.", hint="Widen it.")))
    assert client.post_json("/ask", {"worker": "a"}, 500) == {"error": "No design holds.", "hint": "Widen it."}
    monkeypatch.setattr(study, "ask", fault(ValueError("secret")))
    assert "secret" not in json.dumps(client.post_json("/ask", {"worker": "a"}, 500))


def test_bodies_are_read_as_they_stand() -> None:
    assert read_worker(b'{"worker": "node-1"}') == "node-1"
    told = read_told(b'{"number": 3, "values": {"a": 1.5}, "cost": {"s": 2}, "failures": {"t": "no"}}')
    assert (told.number, told.values, told.cost, told.failures) == (3, {"a": 1.5}, {"s": 2}, {"t": "no"})
    failed = read_failed(b'{"number": 3, "reason": "no"}')
    assert (failed.number, failed.reason, failed.cost) == (3, "no", {})

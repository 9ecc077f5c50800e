"""Requests to the server of a study: an answer in words below 500, and only answers that could be used are stored."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from fuzz.case import expect, toy_problem
from fuzz.mutate import NASTY, mutated_content, mutated_text
from imoca import Study
from imoca.serve.app import make_app
from imoca.web.security import Access

TOKEN = "correct horse battery"  # noqa: S105
ORIGIN = "http://127.0.0.1"
METHODS = ["POST"] * 8 + ["GET", "PUT", "FOO"]
N_REQUESTS = 20
CONTENTS: dict[str, dict[str, Any]] = {
    "/ask": {"worker": "node-1"},
    "/tell": {
        "number": 0,
        "values": {"drag": 0.5, "lift": 1.5, "mass": 2.0},
        "cost": {"scale": 3.0, "cfd": 1.0},
        "failures": {},
    },
    "/fail": {"number": 1, "reason": "the licence is gone", "cost": {"scale": 3.0}},
    "/front": {},
    "/study": {},
    "/status": {},
    "/absent": {},
}


def run(rng: random.Random, folder: Path) -> None:
    with Study(toy_problem(), method="random", storage=folder / "toy.db") as study:
        study.ask(worker="node-1")
        study.ask(worker="node-2")
        app = make_app(study, dict, Access(token=TOKEN), lambda error: None)
        with TestClient(app, ORIGIN, raise_server_exceptions=False) as client:
            for _ in range(N_REQUESTS):
                _request(rng, client, study)
        with Study.load(folder / "toy.db", read_only=True) as seen:
            expect(seen.trials == study.trials, "what is stored is not what was told")


def _request(rng: random.Random, client: TestClient, study: Study) -> None:
    route = rng.choice(list(CONTENTS))
    is_known = rng.random() < 0.9
    headers = {"Authorization": f"Bearer {TOKEN if is_known else rng.choice(NASTY)[:200]}"}
    body = _body(rng, CONTENTS[route])
    method = rng.choice(METHODS)
    before = study.trials
    try:
        request = client.build_request(method, ORIGIN + route, headers=headers, content=body)
    except Exception:  # what no client can say no server hears
        return
    answer = client.send(request)
    what = f"{method} {route} {body[:200]!r}"
    expect(answer.status_code < 500, f"{what} is answered with {answer.status_code}: {answer.text[:200]}")
    expect(answer.headers.get("x-content-type-options") == "nosniff", f"{what} may be sniffed")
    content = answer.json()
    if answer.status_code >= 400:
        expect(bool(content["error"]) and len(answer.text) < 10_000, f"{what} is refused with {answer.text[:200]}")
        expect(study.trials == before, f"{what} is refused and has changed the study")
    if not is_known:
        expect(answer.status_code in (401, 405), f"{what} needs no token")  # 405: nobody may do that


def _body(rng: random.Random, content: dict[str, Any]) -> bytes:
    match rng.randrange(4):
        case 0:
            return mutated_text(rng, json.dumps(content))
        case 1:
            return json.dumps(mutated_content(rng, content)).encode()
        case 2:
            return rng.choice(NASTY).encode("utf-8", "surrogatepass")
    return json.dumps(content).encode()

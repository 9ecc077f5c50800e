"""Requests to the page: an answer below 500 with all its headers, and the database untouched."""

from __future__ import annotations

import random
from pathlib import Path

from starlette.testclient import TestClient

from fuzz.case import expect, make_database
from fuzz.mutate import NASTY
from imoca.dashboard.app import make_app
from imoca.web.security import Access

METHODS = ["GET", "GET", "GET", "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "FOO"]
HEADERS = ["last-event-id", "range", "if-none-match", "accept", "content-length", "origin", "cookie", "authorization"]
N_REQUESTS = 20
ORIGIN = "http://127.0.0.1"


def run(rng: random.Random, folder: Path) -> None:
    path = make_database(folder, 4)
    before = path.read_bytes()
    with TestClient(make_app([path], Access(), is_closing=lambda: True), base_url=ORIGIN) as client:
        study = client.get("/api/studies").json()["studies"][0]["id"]
        for _ in range(N_REQUESTS):
            _ask(rng, client, study)
    expect(path.read_bytes() == before, "the page has changed the database")


def _ask(rng: random.Random, client: TestClient, study: str) -> None:
    place = _place(rng, study)
    headers = {name: _word(rng) for name in rng.sample(HEADERS, rng.randrange(3))}
    if rng.random() < 0.1:
        headers["host"] = _word(rng)
    method = rng.choice(METHODS)
    try:
        request = client.build_request(method, ORIGIN + place, headers=headers)
    except Exception:  # what no client can say no server hears
        return
    answer = client.send(request)
    what = f"{method} {place[:200]!r} {headers!r}"
    expect(answer.status_code < 500, f"{what} is answered with {answer.status_code}")
    expect("default-src 'none'" in answer.headers.get("content-security-policy", ""), f"{what} has no policy")
    expect(answer.headers.get("x-content-type-options") == "nosniff", f"{what} may be sniffed")


def _place(rng: random.Random, study: str) -> str:
    known = [
        *("/", "/static/main.js", "/static/plotly.min.js", "/api/studies", "/api/comparison", f"/api/studies/{study}"),
        *(
            f"/api/studies/{study}/{rest}"
            for rest in (
                "events",
                "trials/0",
                "trials/2/log",
                "figures/cost",
                "figures/verdict",
                "slices/F0000",
                "report",
            )
        ),
    ]
    place = rng.choice(known)
    if rng.random() < 0.5:
        parts = place.split("/")
        parts[rng.randrange(len(parts))] = rng.choice([_word(rng), "..", "%2e%2e", "%00", "-1", "99999999999999999999"])
        place = "/" + "/".join(parts).lstrip("/")
    query = [
        f"{rng.choice(['since', 'run', 'stream', 'study', 'token'])}={_word(rng)}" for _ in range(rng.randrange(3))
    ]
    return place + ("?" + "&".join(query) if query else "")


def _word(rng: random.Random) -> str:
    word = rng.choice([*NASTY, "0", "stdout", "stderr", "a.1", "a." + "9" * 30, "²", "٣"])[:2000]
    return word.encode("ascii", "backslashreplace").decode()

"""The list of what every route must do, tried on every route."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from imoca.study.from_file import open_study
from imoca.web.security import Access

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-ancestors 'none'"
)
ROUTES = (
    *("/", "/static/main.js", "/static/style.css", "/static/plotly.min.js", "/static/absent.js", "/absent"),
    *("/api/studies", "/api/comparison", "/api/studies/absent", "STUDY", "STUDY/events", "STUDY/trials/0"),
    *("STUDY/trials/99", "STUDY/trials/0/log", "STUDY/figures/cost", "STUDY/figures/absent", "/static/../app.py"),
)
WRITING = ("POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PROPFIND")


def check_headers(headers: dict[str, str]) -> None:
    assert headers["content-security-policy"].startswith(POLICY)
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert not [name for name in headers if name.startswith("access-control-") or name in ("set-cookie", "server")]


@pytest.mark.parametrize("route", ROUTES)
def test_every_response_carries_the_policy(page: TestClient, study_path: str, route: str) -> None:
    for method in ("GET", "HEAD"):
        response = page.request(method, route.replace("STUDY", study_path))
        assert response.status_code in (200, 400, 404)
        check_headers(dict(response.headers))


@pytest.mark.parametrize("route", ROUTES)
def test_nothing_can_be_written_anywhere(page: TestClient, study_path: str, route: str) -> None:
    for method in WRITING:
        response = page.request(method, route.replace("STUDY", study_path))
        assert response.status_code == 405
        assert response.headers["allow"] == "GET, HEAD"
        check_headers(dict(response.headers))


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
def test_a_foreign_name_is_refused_on_every_route_and_method(
    page: TestClient, study_path: str, route: str, method: str
) -> None:
    for host in ("evil.example", "127.0.0.1.evil.example", "localhost.evil.example:8765", "", "10.0.0.1", "[::2]:8765"):
        response = page.request(method, route.replace("STUDY", study_path), headers={"Host": host})
        assert response.status_code == 421
        assert "studies" not in response.text
        check_headers(dict(response.headers))


def test_two_names_at_once_are_refused(page: TestClient) -> None:
    assert page.get("/", headers=[("Host", "127.0.0.1"), ("Host", "evil.example")]).status_code == 421


@pytest.mark.parametrize("host", ["127.0.0.1:8765", "localhost", "LOCALHOST:9000", "[::1]:8765"])
def test_the_names_of_this_machine_are_allowed_at_any_port(page: TestClient, host: str) -> None:
    assert page.get("/api/studies", headers={"Host": host}).status_code == 200


def test_an_error_of_the_server_carries_the_policy_and_tells_nothing(
    page: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*arguments: object) -> None:
        raise ValueError("secret")

    monkeypatch.setattr("imoca.dashboard.library.Library.views", broken)
    response = page.get("/api/studies")
    assert response.status_code == 500
    assert "secret" not in response.text
    check_headers(dict(response.headers))


def test_looking_at_everything_changes_no_file(page: TestClient, study_path: str, database: Path) -> None:
    before = hashlib.sha256(database.read_bytes()).hexdigest()
    files = {path.name for path in database.parent.iterdir()}
    for route in ROUTES:
        page.get(route.replace("STUDY", study_path))
    assert hashlib.sha256(database.read_bytes()).hexdigest() == before
    new = {path.name for path in database.parent.iterdir()} - files
    assert new <= {f"{database.name}-wal", f"{database.name}-shm"}  # how SQLite reads what others write meanwhile


def test_viewing_imports_no_module_of_the_study(
    open_page: Callable[..., TestClient], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from imoca.studyfile.file import load_study_file

    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "trap.py").write_text("open('sprung', 'w').close()\ndef f(x): return x\n")
    (tmp_path / "study.toml").write_text(
        '[study]\nname = "trapped"\n[parameters]\nx = { type = "real", low = 0.0, high = 1.0 }\n'
        '[simulators.one]\nfunction = "trap:f"\noutputs = { a = "minimize" }\n'
        '[simulators.two]\ncommand = ["touch", "sprung"]\noutputs = { b = "minimize" }\n'
    )
    file = load_study_file(tmp_path / "study.toml")
    with open_study(file, storage=file.database) as study:
        study.add({"x": 0.5}, {}, {"a": 1.0, "b": 1.0})
    (tmp_path / "sprung").unlink(missing_ok=True)
    client = open_page([file.database])
    path = f"/api/studies/{client.get('/api/studies').json()['studies'][0]['id']}"
    for route in ("", "/trials/0", "/figures/cost", "/events"):
        client.get(path + route)
    assert client.get(f"{path}/trials/0").json()["values"] == {"a": 1.0, "b": 1.0}
    assert not (tmp_path / "sprung").exists()


def test_a_token_guards_all_that_is_told_of_studies(open_page: Callable[..., TestClient], database: Path) -> None:
    client = open_page([database], Access("127.0.0.1", "correct horse battery"))
    for route in ("/api/studies", "/api/comparison", "/api/studies/absent/events", "/api/anything"):
        for query in ("", "?token=", "?token=wrong", "?token=correct+horse+batter", "?token=\xe9"):
            response = client.get(route + query)
            assert response.status_code == 401
            check_headers(dict(response.headers))
    assert client.get("/api/studies?token=correct+horse+battery").status_code == 200
    assert client.get("/").status_code == 200
    assert "hostile" not in client.get("/").text

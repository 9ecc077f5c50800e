"""What every route must do, tried on every route."""

from collections.abc import Callable

import pytest
from serving import TOKEN, Client

from imoca import Study

ROUTES = ("/study", "/status", "/front", "/ask", "/tell", "/fail", "/", "/absent", "/../study")
HOSTS = ("evil.example", "127.0.0.1.evil.example", "localhost.evil.example:8766", "", "10.0.0.1")


def check_headers(headers: dict[str, str]) -> None:
    assert headers["content-security-policy"].startswith("default-src 'none'")
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    assert headers["content-type"] == "application/json"
    assert not [name for name in headers if name.startswith("access-control-") or name in ("set-cookie", "server")]


@pytest.mark.parametrize("route", ROUTES)
def test_nothing_is_told_or_done_without_the_token(
    route: str, open_client: Callable[..., Client], study: Study
) -> None:
    wrong = (
        "",
        "Bearer",
        "Bearer ",
        f"Bearer {TOKEN}x",
        f"Bearer {TOKEN[:-1]}",
        f"Basic {TOKEN}",
        TOKEN,
        "Bearer \xe9",
    )
    client = open_client()
    for given in (None, *wrong):
        headers = [] if given is None else [(b"Authorization", given.encode("latin-1"))]
        for method in ("GET", "HEAD", "POST"):
            response = client.request(method, f"{route}?token={TOKEN}", headers=headers, content=b'{"worker": "a"}')
            assert response.status_code == 401
            check_headers(dict(response.headers))
    assert study.trials == ()


@pytest.mark.parametrize("route", ROUTES)
def test_a_foreign_name_is_refused_whatever_it_knows(route: str, client: Client, study: Study) -> None:
    for host in HOSTS:
        response = client.post(route, headers={"Host": host}, json={"worker": "a"})
        assert response.status_code == 421
        check_headers(dict(response.headers))
    assert study.trials == ()


@pytest.mark.parametrize("route", ROUTES)
def test_no_other_method_does_anything(route: str, client: Client, study: Study) -> None:
    for method in ("PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"):
        response = client.request(method, route, content=b'{"worker": "a"}')
        assert response.status_code == 405
        check_headers(dict(response.headers))
    assert study.trials == ()


def test_reading_changes_nothing_and_changing_is_not_reading(client: Client, study: Study) -> None:
    for route in ("/ask", "/tell", "/fail"):
        response = client.get(route)
        assert (response.status_code, response.headers["allow"]) == (405, "POST")
        check_headers(dict(response.headers))
    for route in ("/study", "/status", "/front"):
        assert client.post(route, json={"worker": "a"}).status_code == 405
        assert client.head(route).status_code == client.get(route).status_code == 200
        check_headers(dict(client.get(route).headers))
    assert client.get("/absent").status_code == 404
    assert study.trials == ()


def test_one_token_alone_is_given(open_client: Callable[..., Client]) -> None:
    client = open_client()
    assert client.get("/study", headers={"Authorization": f"bearer  {TOKEN} "}).status_code == 200
    both = [("Authorization", f"Bearer {TOKEN}"), ("Authorization", f"Bearer {TOKEN}")]
    assert client.get("/study", headers=both).status_code == 401

"""What every request must satisfy and every response must carry, errors and static files included."""

from __future__ import annotations

import hmac
import ipaddress
import socket
from dataclasses import dataclass, field
from urllib.parse import parse_qs

from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

METHODS = ("GET", "HEAD")
LOOPBACK = ("127.0.0.1", "localhost", "::1")
EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104  (compared with, not bound to)
GUARDED = "/api/"  # what a token protects; the page itself holds nothing of a study
POLICY = "Content-Security-Policy"
HEADERS = {
    POLICY: "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


@dataclass(frozen=True)
class Access:
    """Under which names the page may be asked for, and with which token."""

    host: str = LOOPBACK[0]  # the address that is listened on
    token: str | None = field(default=None, repr=False)

    def allows_host(self, header: str) -> bool:
        """A foreign page may point a name of its own at this machine; that name then stands in the Host header."""
        name = _without_port(header)
        if name in LOOPBACK or name == self.host.lower():
            return True
        if self.host not in EVERYWHERE:
            return False
        return _is_address(name) or name in (socket.gethostname().lower(), socket.getfqdn().lower())

    def allows_token(self, given: str) -> bool:
        return self.token is None or hmac.compare_digest(given.encode(), self.token.encode())


class Guard:
    """Around the whole application, so that no route, no error and no file escapes it."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # no web sockets here

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    if name != POLICY or name not in headers:  # a page of ours may have a narrower one
                        headers[name] = value
                headers["Cache-Control"] = "no-store" if scope["path"].startswith(GUARDED) else "no-cache"
            await send(message)

        refusal = self._refusal(scope)
        await (refusal or self._app)(scope, receive, send_guarded)

    def _refusal(self, scope: Scope) -> PlainTextResponse | None:
        hosts = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
        if len(hosts) != 1 or not self._access.allows_host(hosts[0]):
            return PlainTextResponse("This page does not go by that name.", 421)
        if scope["method"] not in METHODS:
            return PlainTextResponse("This page can only be read.", 405, {"Allow": ", ".join(METHODS)})
        if scope["path"].startswith(GUARDED):
            query = parse_qs(scope["query_string"].decode("latin-1"))
            if not self._access.allows_token(query.get("token", [""])[0]):
                return PlainTextResponse("The token is missing or wrong.", 401)
        return None


def _without_port(header: str) -> str:
    """The name in ``name``, ``name:80`` or ``[::1]:80``."""
    name = header.strip().lower()
    if name.startswith("["):
        return name[1:].partition("]")[0]
    return name.partition(":")[0]


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True

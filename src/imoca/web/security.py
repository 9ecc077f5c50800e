"""What every request must satisfy and every response must carry, errors and static files included."""

from __future__ import annotations

import hmac
import ipaddress
import socket
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field

from starlette.datastructures import MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK = ("127.0.0.1", "localhost", "::1")
EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104  (compared with, not bound to)
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


class Rules(ABC):
    """In what applications differ."""

    methods: Sequence[str]

    @abstractmethod
    def is_guarded(self, path: str) -> bool:
        """Whether a request for it needs the token, and its answer is kept by nobody on the way."""

    @abstractmethod
    def token_in(self, scope: Scope) -> str:
        """What a request gives as token; empty if nothing."""

    @abstractmethod
    def refusal(self, words: str, status: int) -> Response:
        """What a request is told that is refused."""


class Guard:
    """Around the whole application, so that no route, no error and no file escapes it."""

    def __init__(self, app: ASGIApp, access: Access, rules: Rules) -> None:
        self._app = app
        self._access = access
        self._rules = rules

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
                headers["Cache-Control"] = "no-store" if self._rules.is_guarded(scope["path"]) else "no-cache"
            await send(message)

        refusal = self._refusal(scope)
        await (refusal or self._app)(scope, receive, send_guarded)

    def _refusal(self, scope: Scope) -> Response | None:
        rules = self._rules
        hosts = header_values(scope, b"host")
        if len(hosts) != 1 or not self._access.allows_host(hosts[0]):
            return rules.refusal("Nothing here goes by that name: the Host header is another.", 421)
        if scope["method"] not in rules.methods:
            refusal = rules.refusal(f"Only {', '.join(rules.methods)} can be done here.", 405)
            refusal.headers["Allow"] = ", ".join(rules.methods)
            return refusal
        if rules.is_guarded(scope["path"]) and not self._access.allows_token(rules.token_in(scope)):
            return rules.refusal("The token is missing or wrong.", 401)
        return None


def header_values(scope: Scope, wanted: bytes) -> list[str]:
    return [value.decode("latin-1") for name, value in scope["headers"] if name == wanted]


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

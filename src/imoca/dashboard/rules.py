"""What the page asks of requests."""

from __future__ import annotations

from typing import final
from urllib.parse import parse_qs

from starlette.responses import PlainTextResponse, Response
from starlette.types import Scope

from imoca.web.security import Rules

GUARDED = "/api/"  # the page itself holds nothing of a study


@final
class PageRules(Rules):
    """It can only be read. The token stands in the query: a browser's stream of events has no headers of ours."""

    methods = ("GET", "HEAD")

    def is_guarded(self, path: str) -> bool:
        return path.startswith(GUARDED)

    def token_in(self, scope: Scope) -> str:
        return parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]

    def refusal(self, words: str, status: int) -> Response:
        return PlainTextResponse(words, status)

"""What the server of a study asks of requests."""

from __future__ import annotations

from typing import final

from starlette.responses import Response
from starlette.types import Scope

from imoca.report.strict_json import to_json
from imoca.web.security import Rules, header_values

SCHEME = "bearer "


@final
class StudyRules(Rules):
    """Everything needs the token, reading included, in a header: addresses end up in logs and histories."""

    methods = ("GET", "HEAD", "POST")

    def is_guarded(self, path: str) -> bool:
        return True

    def token_in(self, scope: Scope) -> str:
        given = header_values(scope, b"authorization")
        is_bearer = len(given) == 1 and given[0].lower().startswith(SCHEME)
        return given[0][len(SCHEME) :].strip() if is_bearer else ""

    def refusal(self, words: str, status: int) -> Response:
        hint = "Send Authorization: Bearer TOKEN; imoca serve says where it is." if status == 401 else ""
        return error_response(words, hint, status)


def error_response(message: str, hint: str, status: int) -> Response:
    return json_response({"error": message, "hint": hint}, status)


def json_response(content: object, status: int = 200) -> Response:
    return Response(to_json(content), status, media_type="application/json")

"""``imoca serve``: ask and tell over HTTP, for programs in other languages."""

from __future__ import annotations

import typer

from imoca.cli.dashboard import Host, Port, check_installed
from imoca.cli.exits import INTERRUPTED
from imoca.cli.opening import StudyArgument, find_functions_beside, open_to_write
from imoca.cli.output import say
from imoca.cli.status import summary

DEFAULT_PORT = 8766
NEEDED = ("starlette", "uvicorn")


def serve(study: StudyArgument = None, port: Port = DEFAULT_PORT, host: Host = "127.0.0.1") -> None:
    """Let programs in any language ask and tell, over HTTP with JSON.

    Every request needs a token. It stands, with the address, in a file beside the study that only you can read.
    """
    check_installed("imoca serve", NEEDED)
    from imoca.serve.address import Address, token_for, write_address
    from imoca.serve.serve import serve as serve_study
    from imoca.web.listening import listen, url_of
    from imoca.web.security import LOOPBACK, Access

    with open_to_write(study) as opened:
        find_functions_beside(opened)
        listening = listen(host, port)
        address = Address(url_of(host, listening), token_for(opened.database))
        path = write_address(opened.database, address)
        say(f"{opened.name} is served at {address.url}; address and token are in {path}. Ctrl-C ends it.")
        if host not in LOOPBACK:
            say("Whoever is on the way can read what is sent, the token included: better tunnel it through ssh.")
        try:
            serve_study(opened.study, lambda: summary(opened), Access(host, address.token), listening)
        except KeyboardInterrupt:
            raise typer.Exit(INTERRUPTED) from None

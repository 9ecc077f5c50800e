"""The routes of the page. All are read-only; slow work is done in threads."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from imoca.dashboard.figures import Gallery, report_of, slices_of, titles
from imoca.dashboard.library import Library
from imoca.dashboard.logs import STREAMS
from imoca.dashboard.plotly_bundle import plotly_script, style_ids
from imoca.dashboard.rules import PageRules
from imoca.dashboard.view import Mark, StudyView
from imoca.errors import ImocaError
from imoca.report.page.page import page_scripts
from imoca.report.page.scripts import NAVIGATOR, page_policy
from imoca.report.strict_json import to_json
from imoca.web.security import POLICY, Access, Guard

POLL = 0.5  # seconds between two looks at a database
SILENCE = 15.0  # seconds after which a quiet stream says that it is alive
DESIGN = re.compile(r"F[0-9A-F]{1,16}", re.ASCII)  # ids of designs
STATIC = Path(__file__).parent / "static"
STYLE_PLACE = "<!-- plotly.js adds no style where these are -->"


def make_app(
    places: Sequence[Path],
    access: Access,
    is_closing: Callable[[], bool] = lambda: False,
    budgets: Mapping[Path, float | str] | None = None,  # as written, of the databases of which they are known
) -> Guard:
    """The application for the databases in these places, which are files or folders."""
    library = Library(places, budgets)
    page = Page(library, Gallery(), is_closing)

    @asynccontextmanager
    async def open_library(app: Starlette) -> AsyncIterator[None]:
        await run_in_threadpool(
            _look_at_all, library
        )  # the first look takes longest: before anybody waits for an answer
        yield
        await run_in_threadpool(library.close)

    study = "/api/studies/{study}"
    routes = [
        Route("/", page.index),
        Route("/static/plotly.min.js", page.plotly),
        Mount("/static/navigator", StaticFiles(directory=NAVIGATOR)),
        Mount("/static", StaticFiles(directory=STATIC)),
        Route("/api/studies", page.studies),
        Route("/api/comparison", page.comparison),
        Route(study, page.study),
        Route(f"{study}/events", page.events),
        Route(f"{study}/trials/{{number:int}}", page.trial),
        Route(f"{study}/trials/{{number:int}}/log", page.log),
        Route(f"{study}/figures/{{name}}", page.figure),
        Route(f"{study}/slices/{{design}}", page.slices),
        Route(f"{study}/report", page.report),
    ]
    return Guard(Starlette(routes=routes, lifespan=open_library), access, PageRules())


class Page:
    def __init__(self, library: Library, gallery: Gallery, is_closing: Callable[[], bool]) -> None:
        self._library = library
        self._gallery = gallery
        self._is_closing = is_closing
        marks = "".join(f'<meta id="{each}">' for each in style_ids())
        self._index = (STATIC / "index.html").read_text(encoding="utf-8").replace(STYLE_PLACE, marks)

    def index(self, request: Request) -> Response:
        return Response(self._index, media_type="text/html")

    def plotly(self, request: Request) -> Response:
        return FileResponse(plotly_script(), media_type="text/javascript")

    def studies(self, request: Request) -> Response:
        """All there are, found anew, with how they stand."""
        views = self._library.views()
        for view in views:
            view.refresh()
        return _json({"studies": [view.overview() for view in views]})

    def study(self, request: Request) -> Response:
        """The table of trials, or what is new in it since a mark; a large one in pieces, each with its mark."""
        view = self._view(request)
        view.refresh()
        return _json(self._news(view, Mark.read(request.query_params.get("since", ""))))

    async def events(self, request: Request) -> Response:
        """What is new, as it happens."""
        view = await run_in_threadpool(self._view, request)
        since = Mark.read(request.headers.get("last-event-id") or request.query_params.get("since", ""))
        body = _nothing() if request.method == "HEAD" else self._stream(view, since)
        return StreamingResponse(body, media_type="text/event-stream")

    def trial(self, request: Request) -> Response:
        view = self._view(request)
        view.refresh()
        content = view.trial(request.path_params["number"])
        if content is None:
            raise HTTPException(404, "There is no such trial.")
        return _json(content)

    def log(self, request: Request) -> Response:
        view = self._view(request)
        view.refresh()
        stream, run = request.query_params.get("stream"), request.query_params.get("run", "")
        known = next((each for each in STREAMS if each == stream), None)
        if known is None or not run.isascii() or not run.isdecimal() or len(run) > 9:
            raise HTTPException(400, f"Say run=0 or later, and stream={' or '.join(STREAMS)}.")
        text = view.log(request.path_params["number"], int(run), known)
        if text is None:
            raise HTTPException(404, "There is no such log.")
        return PlainTextResponse(text)

    def figure(self, request: Request) -> Response:
        """A figure as it was last made; 404 while there is none yet."""
        view = self._view(request)
        view.refresh()
        made = self._gallery.figure(view, request.path_params["name"])
        if made is None:
            raise HTTPException(404, "There is no such figure, or it is not made yet.")
        return Response(made, media_type="application/json")

    def slices(self, request: Request) -> Response:
        """The model through one design of the front, named by its id."""
        view = self._view(request)
        view.refresh()
        _, snapshot = view.moment()
        design = request.path_params["design"]
        if snapshot is None or not DESIGN.fullmatch(design):
            raise HTTPException(404, "There is no such design.")
        try:
            return Response(slices_of(snapshot, design), media_type="application/json")
        except ImocaError as error:
            raise HTTPException(404, f"{error.message} {error.hint}") from error

    def report(self, request: Request) -> Response:
        """The page that imoca report writes, under its own policy: only the scripts that stand in it are run."""
        view = self._view(request)
        view.refresh()
        _, snapshot = view.moment()
        if snapshot is None:
            raise HTTPException(404, "This study cannot be read.")
        try:
            text = report_of(view, snapshot)
        except ImocaError as error:
            raise HTTPException(404, f"{error.message} {error.hint}") from error
        policy = f"{page_policy(*page_scripts())}; frame-ancestors 'none'"
        return Response(text, media_type="text/html", headers={POLICY: policy})

    def comparison(self, request: Request) -> Response:
        """The hypervolumes of several studies against their cost."""
        wanted = request.query_params.getlist("study")
        views = [view for view in self._library.views() if view.id in wanted]
        for view in views:
            view.refresh()
        return Response(self._gallery.comparison(views), media_type="application/json")

    def _view(self, request: Request) -> StudyView:
        name = request.path_params["study"]
        view = self._library.view(name)
        if view is None:
            self._library.views()
            view = self._library.view(name)
        if view is None:
            raise HTTPException(404, "There is no such study.")
        return view

    def _news(self, view: StudyView, since: Mark) -> dict[str, Any]:
        return view.table(since) | {
            "moment": str(view.moment()[0]),
            "overview": view.overview(),
            "figures": self._gallery.stamps(view),
            "gallery": titles(),
        }

    async def _stream(self, view: StudyView, since: Mark) -> AsyncIterator[str]:
        standing, quiet = None, 0.0
        yield "retry: 1000\n\n"
        while not self._is_closing():
            await run_in_threadpool(view.refresh)
            news = await run_in_threadpool(self._news, view, since)
            now = (news["overview"], news["figures"])
            if news["rows"] or news["reset"] or now != standing:
                yield f"id: {news['mark']}\ndata: {await run_in_threadpool(to_json, news)}\n\n"
                since, standing, quiet = Mark.read(news["mark"]), now, 0.0
            elif quiet >= SILENCE:
                yield ": alive\n\n"
                quiet = 0.0
            if news["is_all"]:
                await asyncio.sleep(POLL)
                quiet += POLL


def _json(content: Any) -> Response:
    return Response(to_json(content), media_type="application/json")


def _look_at_all(library: Library) -> None:
    for view in library.views():
        view.refresh()


async def _nothing() -> AsyncIterator[str]:
    return
    yield

"""The routes: a study's questions, answers and front over HTTP, as JSON."""

from __future__ import annotations

import asyncio
import tomllib
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from imoca.content.records import front_record, trial_record
from imoca.errors import AnsweredError, CostError, ImocaError, StorageError, TrialError
from imoca.serve.bodies import RequestError, read_failed, read_told, read_worker
from imoca.serve.rules import StudyRules, error_response, json_response
from imoca.snapshot.snapshot import Snapshot
from imoca.study.study import Study
from imoca.studyfile.problem import storable_problem
from imoca.web.security import Access, Guard

MOST_BYTES = 1_000_000  # of a request
WATCH_SECONDS = 3.0  # between two looks whether the study is still there
HOW_IT_IS_STARTED = ("command", "function")  # of a simulator, which is no business of whoever runs it


def make_app(
    study: Study,
    status: Callable[[], Mapping[str, Any]],
    access: Access,
    on_loss: Callable[[StorageError], None],  # called when nothing can be stored any more
) -> Guard:
    service = Service(study, status, on_loss)
    routes = [
        Route("/study", service.study),
        Route("/status", service.status),
        Route("/front", service.front),
        Route("/ask", service.ask, methods=["POST"]),
        Route("/tell", service.tell, methods=["POST"]),
        Route("/fail", service.fail, methods=["POST"]),
    ]
    faults = {ImocaError: service.in_words, HTTPException: refused, Exception: unexpected}
    return Guard(Starlette(routes=routes, lifespan=service.watching, exception_handlers=faults), access, StudyRules())


class Service:
    """What is asked of one study. An answer is sent when what it says is on the disk."""

    def __init__(
        self, study: Study, status: Callable[[], Mapping[str, Any]], on_loss: Callable[[StorageError], None]
    ) -> None:
        self._study = study
        self._status = status
        self._on_loss = on_loss
        self._asking, self._looking = asyncio.Lock(), asyncio.Lock()  # who waits for its turn holds no thread
        self._last: Snapshot | None = None

    @asynccontextmanager
    async def watching(self, app: Starlette) -> AsyncIterator[None]:
        watch = asyncio.create_task(self._watch())
        yield
        watch.cancel()
        with suppress(asyncio.CancelledError):
            await watch

    async def ask(self, request: Request) -> Response:
        """The question that the worker has not answered yet, else a new one."""
        worker = read_worker(await _body(request))
        async with self._asking:
            trial = await run_in_threadpool(lambda: self._study.ask(worker=worker))
        return json_response(trial_record(trial))

    async def tell(self, request: Request) -> Response:
        told = read_told(await _body(request))

        def store() -> Response:
            self._check_known(told.number)
            stored = self._study.tell(told.number, told.values, told.cost, told.failures, told.errors)
            return json_response(trial_record(stored))

        return await run_in_threadpool(store)

    async def fail(self, request: Request) -> Response:
        failed = read_failed(await _body(request))

        def store() -> Response:
            self._check_known(failed.number)
            return json_response(trial_record(self._study.fail(failed.number, failed.reason, failed.cost)))

        return await run_in_threadpool(store)

    async def front(self, request: Request) -> Response:
        async with self._looking:
            return await run_in_threadpool(self._front)

    async def status(self, request: Request) -> Response:
        async with self._looking:
            return await run_in_threadpool(self._standing)

    def study(self, request: Request) -> Response:
        """What is optimised, in the tables of a study file."""
        tables = tomllib.loads(storable_problem(self._study.problem))
        for simulator in tables["simulators"].values():
            for key in HOW_IT_IS_STARTED:
                simulator.pop(key, None)
        return json_response({"method": self._study.method, "seed": self._study.seed} | tables)

    def in_words(self, request: Request, error: Exception) -> Response:
        if not isinstance(error, ImocaError):
            raise error
        if isinstance(error, StorageError):
            self._on_loss(error)
            return error_response(error.message, error.hint, 503)
        return error_response(error.message, error.hint, _status_of(error))

    def _front(self) -> Response:
        if self._last is None or self._last.table is not self._study.table():
            self._last = self._study.snapshot()
        return json_response(front_record(self._study.problem, self._last.front))

    def _standing(self) -> Response:
        waiting = [
            {"number": trial.number, "worker": trial.worker or None, "pending": trial.pending}
            for trial in self._study.trials
            if trial.pending and not trial.is_launched
        ]
        return json_response({**self._status(), "open": waiting})

    def _check_known(self, number: int) -> None:
        n_trials = len(self._study.trials)
        if not 0 <= number < n_trials:
            raise HTTPException(404, f"There is no trial {number}: the study holds {n_trials}, numbered from 0.")

    async def _watch(self) -> None:
        """A study that is gone is noticed also while nobody asks or tells."""
        while True:
            await asyncio.sleep(WATCH_SECONDS)
            try:
                await run_in_threadpool(self._study.check_kept)
            except StorageError as error:
                self._on_loss(error)
                return


async def _body(request: Request) -> bytes:
    body = bytearray()
    try:
        async for part in request.stream():
            body += part
            if len(body) > MOST_BYTES:
                raise HTTPException(413, f"A request may have up to {MOST_BYTES:,} bytes.")
    except ClientDisconnect:
        raise HTTPException(400, "The request ended before it was whole.") from None
    return bytes(body)


def _status_of(error: ImocaError) -> int:
    if isinstance(error, AnsweredError):
        return 409
    return 400 if isinstance(error, TrialError | CostError | RequestError) else 500


def refused(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    response = error_response(error.detail, "", error.status_code)
    response.headers.update(error.headers or {})
    return response


def unexpected(request: Request, error: Exception) -> Response:
    return error_response(
        "Something went wrong that was not expected.", "imoca serve shows what, on its terminal.", 500
    )

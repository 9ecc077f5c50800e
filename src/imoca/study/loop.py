"""The loop: ask, run, tell, as long as there are questions."""

from __future__ import annotations

import dataclasses
import logging
from collections import deque
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from imoca.errors import TrialError
from imoca.runners.base import Finished, Job, Runner
from imoca.runners.process_tree import end_processes
from imoca.storage.base import Storage
from imoca.storage.owner import Owner, this_process
from imoca.study.failing import stop_if_failing
from imoca.study.heartbeat import Heartbeat
from imoca.study.journal import (
    SHORTEST,
    after_driver_death,
    asked_simulators,
    is_settled,
    merged_answer,
    next_job,
)
from imoca.study.progress import Progress
from imoca.study.questions import Questions
from imoca.study.steady_clock import SteadyClock
from imoca.study.stop_signals import StopSignals
from imoca.trials.trial import Answer, Run, RunState, Trial, TrialState
from imoca.wording import printable

if TYPE_CHECKING:
    from imoca.study.study import Study

logger = logging.getLogger(__name__)

POLL_SECONDS = 0.2  # between two looks at signals and running simulators


class Loop:
    """Keeps the runner busy. Everything that must survive is in the storage before the next step."""

    def __init__(
        self,
        study: Study,
        storage: Storage,
        runner: Runner,
        questions: Questions,
        on_trial: Callable[[Trial], None] | None,
        display: Progress | None,
    ) -> None:
        self._study = study
        self._storage = storage
        self._runner = runner
        self._questions = questions
        self._on_trial = on_trial
        self._display = display
        self._queue: deque[Job] = deque()
        self._running: dict[tuple[int, str], Run] = {}
        self._open: dict[int, Trial] = {}
        self._journal: dict[int, list[Run]] = {}  # runs of the open trials
        self._outcomes: dict[str, list[str | None]] = {}  # per simulator, why its runs failed; None for an answer
        self._named: set[str] = set()  # simulators of which a failure was made known
        self._runs_folder: Path
        self._clock: SteadyClock

    def run(self) -> None:
        owner = this_process()
        previous = self._storage.claim(owner)
        self._clock = SteadyClock(owner.since)
        self._runs_folder = self._study.runs_folder
        try:
            with (
                StopSignals() as stop,
                Heartbeat(self._storage, owner, self._clock, stop.force) as heartbeat,
                self._display or nullcontext(),
            ):
                self._questions.begin()
                self._resume(previous)
                self._drive(stop)
                if stop.is_asked:
                    raise heartbeat.fault or KeyboardInterrupt
        finally:
            self._storage.release(owner)

    def _drive(self, stop: StopSignals) -> None:
        try:
            while True:
                self._launch(stop)
                if not self._running:
                    break
                with stop.raising(self._runner.runs_here):
                    finished = self._runner.collect(POLL_SECONDS)
                for each in finished:
                    self._settle(each)
                for name, reasons in self._outcomes.items():
                    stop_if_failing(name, reasons)
                if stop.is_forced:
                    break
        finally:
            if self._running:
                self._abandon()

    def _launch(self, stop: StopSignals) -> None:
        """Fill every free slot: first with what is queued, then with new questions."""
        while not stop.is_asked and (n_free := self._runner.n_slots() - len(self._running)) > 0:
            if not self._queue:
                trial = self._questions.next(n_free, is_idle=not self._running)
                if trial is None:
                    return
                self._enqueue(trial)
            job = self._queue.popleft()
            run = Run(job.trial, job.simulator.name, job.attempt, self._clock.now(), str(job.folder))
            self._storage.record(run)
            self._running[run.trial, run.simulator] = run
            self._runner.submit(job)
            if self._display:
                self._display.run_started(run)

    def _enqueue(self, trial: Trial) -> None:
        """Queue what is still to be run of a trial."""
        self._open[trial.number] = trial
        runs = self._journal.setdefault(trial.number, [])
        for simulator in asked_simulators(self._study.problem, trial):
            if not is_settled(simulator, runs):
                self._queue.append(self._job(trial, simulator.name))

    def _job(self, trial: Trial, name: str) -> Job:
        problem = self._study.problem
        runs = self._journal[trial.number]
        return next_job(problem, trial, problem.simulator(name), runs, self._study.folder, self._runs_folder)

    def _settle(self, finished: Finished) -> None:
        """Store what came of a run; try again, or finish its trial if it was the last one."""
        job = finished.job
        simulator = job.simulator
        started = self._running.pop((job.trial, simulator.name))
        run = dataclasses.replace(started, folder=str(job.folder), ended=self._clock.now(), answer=finished.answer)
        if simulator.is_cost_measured and simulator.name not in finished.answer.costs:
            costs = {simulator.name: max(run.elapsed, SHORTEST)}
            run = dataclasses.replace(run, answer=dataclasses.replace(finished.answer, costs=costs))
        self._storage.record(run)
        self._journal[job.trial].append(run)
        reason = finished.answer.failures.get(simulator.name)
        if reason is not None:
            self._make_known(run, reason)
        if self._display:
            self._display.run_ended(run)
        trial = self._open[job.trial]
        if is_settled(simulator, self._journal[job.trial]):
            self._outcomes.setdefault(simulator.name, []).append(reason)
            self._tell(trial)
        else:
            self._queue.appendleft(self._job(trial, simulator.name))

    def _make_known(self, run: Run, reason: str) -> None:
        """The first failure of a simulator is a warning, unless the display shows all of them."""
        is_shown = run.simulator in self._named or (self._display is not None and self._display.shows_failures)
        self._named.add(run.simulator)
        level = logging.INFO if is_shown else logging.WARNING
        logger.log(level, "Trial %d: simulator %r failed: %s", run.trial, run.simulator, printable(reason))

    def _tell(self, trial: Trial) -> None:
        """Tell the study what has settled of a trial, so that the next question knows it."""
        answer = merged_answer(self._study.problem, trial, self._journal[trial.number])
        if len(answer.pending) == len(trial.fidelities):
            return
        try:
            done = self._storage.finish(trial.number, answer)
        except TrialError as error:  # told by somebody else meanwhile
            logger.warning("Trial %d: %s", trial.number, error)
            done = self._study.trials[trial.number]
        if done.state is TrialState.RUNNING:
            return
        del self._open[trial.number], self._journal[trial.number]
        if self._display:
            self._display.trial_finished(done)
        if self._on_trial:
            self._on_trial(done)

    def _resume(self, previous: Owner | None) -> None:
        """Take up the trials that an earlier driver began; what it had running counts as lost, and is run again."""
        if previous is not None:
            end_processes(None, str(self._runs_folder))
        for run in self._storage.runs():
            if run.state is RunState.RUNNING:
                witnessed = run.started if previous is None else previous.since + previous.lasted
                earlier = self._journal.get(run.trial, [])
                simulator = self._study.problem.simulator(run.simulator)
                run = after_driver_death(simulator, run, earlier, max(run.started, witnessed))
                self._storage.record(run)
            self._journal.setdefault(run.trial, []).append(run)
        trials = [t for t in self._study.trials if t.is_launched and t.state is TrialState.RUNNING]
        self._journal = {trial.number: self._journal.get(trial.number, []) for trial in trials}
        for trial in trials:
            self._enqueue(trial)
            self._tell(trial)

    def _abandon(self) -> None:
        """End what runs. It counts as lost: its time is charged, and the next driver runs it again."""
        self._runner.cancel()
        now = self._clock.now()
        for run in self._running.values():
            self._storage.record(dataclasses.replace(run, ended=now, answer=Answer()))
        self._running.clear()

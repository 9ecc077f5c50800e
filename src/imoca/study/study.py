"""Study: ask, tell, optimise, recommend."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, overload

import imoca
from imoca.errors import MethodError, ProblemError, TrialError
from imoca.methods.calibration import FULL_RUNS
from imoca.methods.method import Method, SeveralMethod
from imoca.methods.registry import MethodName, check_suits, get_method
from imoca.methods.settings import Evaluate, InitialDesign, MethodSettings
from imoca.models.surrogates import ModelName
from imoca.problem.accuracy import FidelityValue
from imoca.problem.allowance import Allowance
from imoca.problem.names import is_integer
from imoca.problem.parameters import Value
from imoca.problem.problem import Problem
from imoca.runners.checks import check_runnable
from imoca.runners.registry import Where, make_runner
from imoca.snapshot.calibration import Calibration
from imoca.snapshot.designs import Design
from imoca.snapshot.verification import Verification, in_simulator_time
from imoca.storage.base import Storage
from imoca.storage.definition import Definition
from imoca.storage.memory import MemoryStorage
from imoca.storage.sqlite.file import check_there
from imoca.storage.sqlite.storage import SQLiteStorage
from imoca.study.calibrating import Calibrating
from imoca.study.kept import KeptStudy
from imoca.study.loop import Loop
from imoca.study.progress import progress_display
from imoca.study.questions import Limits, OnQuestion, Questions, Search, StopRule
from imoca.study.redefinition import check_answers_fit, check_same, stored_definition
from imoca.study.verifying import BestDesigns, GivenDesigns, designs_named
from imoca.trials.asking import checked_worker, failing, open_question
from imoca.trials.checks import checked_answer, checked_fidelities, number_of
from imoca.trials.declared import with_declared_costs
from imoca.trials.trial import Candidate, Trial
from imoca.wording import shown

if TYPE_CHECKING:
    pass


class Study(KeptStudy):
    """Finds the Pareto front of a problem at full accuracy for little cost.

    The same problem, method, seed and answers give the same questions, whether asked in one go or after a restart.
    (On one machine with one number of BLAS threads: sums in another order differ in their last bit.)
    Close it after use, best by ``with Study(...) as study:``.
    """

    def __init__(
        self,
        problem: Problem,
        *,
        method: MethodName | str = "imoca-p",
        seed: int = 0,
        storage: Storage | str | Path | None = None,
        n_fronts: int | None = None,
        initial_design: InitialDesign | None = None,
        fidelity_reduction: bool | None = None,
        model: ModelName | None = None,
        verify: float | None = None,
        evaluate: Evaluate | None = None,
    ) -> None:
        """A file name as storage is an SQLite database: made if missing, continued if it holds this very study.

        Without a storage the trials live in memory. What the study opens it also closes; a Storage object that was
        given is left open. None leaves a setting at the method's own default.
        """
        if not isinstance(problem, Problem):
            raise ProblemError(
                f"The problem of a study came as {shown(problem)}.",
                hint="Give a Problem; Study.load(path) opens the database of a study.",
            )
        if not is_integer(seed) or seed < 0:
            raise MethodError(f"The seed is {shown(seed)}.", hint="Give a whole number of at least 0.")
        settings = MethodSettings(n_fronts, initial_design, fidelity_reduction, model, verify, evaluate)
        check_suits(method, problem, settings)
        made = get_method(method, settings)
        opened = _opened(storage)
        definition = Definition(problem, method, int(seed), dict(settings.given), imoca.__version__)
        self._set_up(definition, settings, made, opened, opened is not storage)
        try:
            if not check_same(opened.define(definition), definition, opened.place):
                check_answers_fit(problem, opened.runs(), opened.trials(), opened.place)
                opened.redefine(definition)
        except BaseException:
            self.close()
            raise

    @classmethod
    def load(cls, path: str | Path, *, read_only: bool = False) -> Study:
        """The study in a database, as it is stored there.

        Viewing it, with ``read_only``, imports nothing that the database names and starts none of its simulators. What
        a run cost by a function is stored with its trial; where it is not, the cost is unknown. A study by a method
        that is not installed can be looked at, but not asked.
        """
        check_there(Path(path))
        storage = SQLiteStorage(path, read_only=read_only)
        try:
            definition, settings = stored_definition(storage, read_only)
            study = cls.__new__(cls)
            study._set_up(definition, settings, None, storage, closes_storage=True)
            if read_only:
                study.table()  # whoever looks shall not meet trials that are not those of the problem
        except BaseException:
            storage.close()
            raise
        return study

    @overload
    def ask(self, *, worker: str | None = None) -> Trial: ...

    @overload
    def ask(self, n: int) -> list[Trial]: ...

    def ask(self, n: int | None = None, *, worker: str | None = None) -> Trial | list[Trial]:
        """The next question, or the next ``n``; questions still unanswered are taken into account.

        A ``worker``, by any name of its own, is given its question again until all of it is answered: one that was
        killed goes on where it was, and one that did not hear the question asks once more.
        """
        if n is None:
            return self._ask(is_launched=False, worker="" if worker is None else checked_worker(worker))
        if not is_integer(n) or n < 1 or worker is not None:
            raise TrialError(
                f"ask was called with n = {shown(n)}, worker = {shown(worker)}.",
                hint="Ask for one or more trials; a worker has one at a time.",
            )
        return [self.ask() for _ in range(n)]

    def tell(
        self,
        trial: Trial | int,
        values: Mapping[str, float],
        cost: Mapping[str, float] | None = None,
        failures: Mapping[str, str] | None = None,
        errors: Mapping[str, float] | None = None,
    ) -> Trial:
        """Store the answer to a trial; nothing is fitted here.

        ``values`` holds one number per output, ``cost`` what the runs cost per simulator in its own units (needed where
        the cost is "measured"), ``failures`` the reason for every simulator that has no values, ``errors`` the standard
        error of values that scatter. A simulator of which nothing is said is still running: tell it later.
        """
        number, trials = number_of(trial), self.trials
        asked = trials[number].fidelities if 0 <= number < len(trials) else self._simulator_names()
        answer = checked_answer(self.problem, asked, values, cost or {}, failures or {}, errors or {})
        if len(answer.pending) == len(asked):
            raise TrialError(
                f"Trial {shown(number)}: the answer holds neither a value nor a failure.",
                hint=f"It asks the simulators {list(asked)}; tell what has answered, the rest later.",
            )
        return self._storage.finish(number, answer)

    def fail(self, trial: Trial | int, reason: str, cost: Mapping[str, float] | None = None) -> Trial:
        """Report that no simulator of the trial gave an answer, or none of those that have not answered yet.

        The same again changes nothing.
        """
        number, trials = number_of(trial), self.trials
        asked = failing(trials[number], reason) if 0 <= number < len(trials) else self._simulator_names()
        return self.tell(number, {}, cost, dict.fromkeys(asked, reason))

    def add(
        self,
        parameters: Mapping[str, Value],
        fidelities: Mapping[str, FidelityValue],
        values: Mapping[str, float],
        cost: Mapping[str, float] | None = None,
        failures: Mapping[str, str] | None = None,
        errors: Mapping[str, float] | None = None,
    ) -> Trial:
        """Store a result that was not asked for, such as old data.

        A simulator with neither values nor a failure was not run: it costs nothing.
        """
        checked = checked_fidelities(self.problem, fidelities, values, failures or {})
        answer = checked_answer(self.problem, checked, values, cost or {}, failures or {}, errors or {})
        candidate = with_declared_costs(self.problem, Candidate(self.problem.space.check(parameters), checked))
        return self._storage.add(candidate, answer)

    def optimize(
        self,
        budget: float | str | None = None,
        *,
        time: float | None = None,
        trials: int | None = None,
        stop: StopRule | None = None,
        workers: int | None = None,
        dask: str | None = None,
        slurm: str | None = None,
        on_question: OnQuestion | None = None,
        on_trial: Callable[[Trial], None] | None = None,
        progress: bool | None = None,
    ) -> None:
        """Ask, run the simulators, and tell, until the cost spent reaches ``budget`` full-fidelity runs.

        ``budget="40h"`` is of simulator time, where the cost of every simulator is "measured". What was spent before
        counts, so calling again with a larger budget continues; ``time`` limits the wall time of this call, in seconds,
        and ``trials`` the trials of the study. ``stop="settled"`` ends it when the front moves no more and a design of
        it has been run at full accuracy, which is asked for then if it was not.
        Simulators run in this process, or in ``workers`` processes, or on the Dask cluster whose scheduler has the
        address ``dask``, or as batch jobs of Slurm, ``workers`` at a time, with the options ``slurm`` of sbatch (``""``
        for none). ``on_question`` is called with every new question and the CPU seconds it took; if it answers
        False, no more are asked.
        ``on_trial`` is called after every trial. ``progress``: a live display on a terminal and plain lines elsewhere;
        by default the live display only.

        The first failure of every simulator is a warning. One that fails in all of its first 5 runs of this call, or in
        most of its last 20, ends it with a SimulatorError, whatever the others answer.

        Ctrl-C lets the running simulators finish and raises KeyboardInterrupt; a second one ends them. Nothing told
        is lost, and the same call continues.
        """
        limits = Limits(None if budget is None else Allowance.read(budget), time, trials, stop)
        search = Search(self, limits, on_question)
        self._drive(search, Where(workers, dask, slurm), on_trial, progress, limits.budget)

    def verify(
        self,
        designs: Design | Iterable[Design] | None = None,
        *,
        n: int | None = None,
        budget: float | str | None = None,
        again: bool = False,
        workers: int | None = None,
        dask: str | None = None,
        slurm: str | None = None,
        on_trial: Callable[[Trial], None] | None = None,
        progress: bool | None = None,
    ) -> Verification:
        """Run designs at full accuracy, to see whether what is predicted of them is true; print what comes back.

        ``designs`` are ids of the front (``"F3A0"``), its points, or parameters of any design. Instead, ``n`` chooses
        so many of the front that together are expected to add most hypervolume to what was verified, for their cost;
        the next one is chosen anew after every answer. ``budget`` chooses as many as that pays for, what was spent
        before included, as with ``optimize``: search first, then verify with the rest. Only simulators that did not
        run there at full accuracy are run, or, ``again``, all of them, once more: where values scatter, repeated runs
        are combined, and what comes back is the new one alone. What it costs counts in later budgets.
        Runners, Ctrl-C and restarts are as with ``optimize``, which takes up what was begun here.
        """
        if sum(each is not None for each in (designs, n, budget)) != 1:
            raise MethodError(
                "Which designs are to be verified?",
                hint="Give them, or their number, as verify(n=4), or what may be spent in all, as verify(budget=30).",
            )
        if again and designs is None:
            raise MethodError("Which designs are to be run again?", hint="Name them: verify(['F3A0'], again=True).")
        questions: BestDesigns | GivenDesigns
        if designs is None:
            questions = BestDesigns(self, n, budget)
        else:
            snapshot = self.snapshot()
            questions = GivenDesigns(self, snapshot, designs_named(snapshot, designs), again)
        allowance = None if budget is None else Allowance.read(budget)
        self._drive(questions, Where(workers, dask, slurm), on_trial, progress, allowance)
        found, told_in = questions.outcome(), self._allowance
        return found if told_in is None or not told_in.is_time else in_simulator_time(found, self.table())

    def calibrate(
        self,
        *,
        full_runs: float = FULL_RUNS,
        workers: int | None = None,
        dask: str | None = None,
        slurm: str | None = None,
        progress: bool | None = None,
    ) -> Calibration:
        """What does a knob buy? Run a few designs at several fidelities, and say what each costs and tells; print it.

        Of every simulator that has a fidelity, for at most ``full_runs`` full runs. The runs are trials of the study,
        so that its search knows them; what was run before is not run again.
        """
        questions = Calibrating(self, full_runs)
        self._drive(questions, Where(workers, dask, slurm), None, progress, None)
        return questions.outcome()

    def launch(self, question: Candidate | None = None) -> Trial:
        """Ask a question that the study itself will run, now or after a restart: the one given, or its method's."""
        if question is None:
            return self._ask(is_launched=True)
        with self._storage.asking():
            asked = with_declared_costs(self.problem, question)
            while (trial := self._storage.append(len(self.trials), asked, is_launched=True)) is None:
                pass  # somebody else asked meanwhile
            return trial

    def launch_several(self, n_waiting: int) -> tuple[Trial, tuple[Candidate, ...]]:
        """A question of the method that the study itself will run, and others that were chosen with it, to be launched.

        The first remembers how long choosing took so many runs that waited; if that is 0, nothing.
        """
        with self._storage.asking():
            while True:
                table, method, began = self.table(), self._made_method(), time.monotonic()
                if isinstance(method, SeveralMethod):
                    first, *others = method.suggest_several(table, self.seed)
                else:
                    first, others = method.suggest(table, self.seed), []
                waited = n_waiting * (time.monotonic() - began)
                asked = with_declared_costs(self.problem, replace(first, thinking=waited))
                trial = self._storage.append(len(table), asked, is_launched=True)
                if trial is not None:
                    return trial, tuple(others)  # else somebody else asked meanwhile

    def check_kept(self) -> None:
        """A StorageError if what is told from now on could not be kept: the file is gone, or may not be written."""
        self._storage.check()

    def _drive(
        self,
        questions: Questions,
        where: Where,
        on_trial: Callable[[Trial], None] | None,
        progress: bool | None,
        budget: Allowance | None,
    ) -> None:
        check_runnable(self.problem, self.folder, is_here=where.is_here)
        runner = make_runner(self.problem, where, self.runs_folder)
        self._is_driven = True
        self._allowance = budget or self._allowance
        try:
            display = progress_display(self, budget, progress)
            Loop(self, self._storage, runner, questions, on_trial, display).run()
        finally:
            self._is_driven = False
            runner.close()

    def _ask(self, is_launched: bool, worker: str = "") -> Trial:
        with self._storage.asking():
            while True:
                table = self.table()
                if worker and (own := open_question(table.trials, worker)) is not None:
                    return own
                candidate = with_declared_costs(self.problem, self._made_method().suggest(table, self.seed))
                trial = self._storage.append(len(table), replace(candidate, worker=worker), is_launched)
                if trial is not None:
                    return trial  # else somebody else asked meanwhile: this question might repeat theirs

    def _made_method(self) -> Method:
        if self._method is None:
            self._method = get_method(self.method, self._settings)
        return self._method

    def _simulator_names(self) -> list[str]:
        return [simulator.name for simulator in self.problem.simulators]


def _opened(storage: Storage | str | Path | None) -> Storage:
    if storage is None:
        return MemoryStorage()
    return SQLiteStorage(storage) if isinstance(storage, str | Path) else storage

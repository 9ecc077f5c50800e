"""Study: ask, tell, optimise, recommend."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, overload

import imoca
from imoca.answers import check_cost, check_values
from imoca.errors import MethodError, ProblemError, StorageError, TrialError
from imoca.methods.initial_design import InitialDesign
from imoca.methods.registry import MethodName, get_method
from imoca.problem.fidelity import FidelityValue
from imoca.problem.parameters import Value
from imoca.problem.problem import Problem
from imoca.runners.execution import check_runnable
from imoca.runners.registry import make_runner
from imoca.storage.base import Storage, closed_storage
from imoca.storage.definition import Definition
from imoca.storage.memory import MemoryStorage
from imoca.storage.owner import Owner
from imoca.storage.sqlite import SQLiteStorage
from imoca.study.accounting import NOT_RUN, bill
from imoca.study.definition import check_same
from imoca.study.loop import Limits, Loop
from imoca.study.progress import progress_display
from imoca.study.recommendation import ParetoPoint, recommend
from imoca.trials import Answer, Candidate, Run, Trial

if TYPE_CHECKING:
    import pandas as pd

    from imoca.report.plots import Plots


class Study:
    """Finds the Pareto front of a problem at full accuracy for little cost.

    The same problem, method, seed and answers give the same questions, whether asked in one go or after a restart.
    (On one machine with one number of BLAS threads: sums in another order differ in their last bit.)
    Close it after use, best by ``with Study(...) as study:``.
    """

    def __init__(
        self,
        problem: Problem,
        *,
        method: MethodName = "imoca-p",
        seed: int = 0,
        storage: Storage | str | Path | None = None,
        n_fronts: int | None = None,
        initial_design: InitialDesign | None = None,
        fidelity_reduction: bool | None = None,
    ) -> None:
        """A file name as storage is an SQLite database: made if missing, continued if it holds this very study.

        Without a storage the trials live in memory. What the study opens it also closes; a Storage object that was
        given is left open. None leaves a setting at the method's own default.
        """
        if problem.constraints:
            names = [constraint.name for constraint in problem.constraints]
            raise ProblemError(
                f"The problem declares constraint(s) {names}, which no method takes into account yet.",
                hint="Leave them out, or turn them into objectives.",
            )
        if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
            raise MethodError(f"The seed is {seed!r}.", hint="Give a whole number of at least 0.")
        settings: dict[str, Any] = {
            "n_fronts": n_fronts,
            "initial_design": initial_design,
            "fidelity_reduction": fidelity_reduction,
        }
        self.problem = problem
        self.method = method
        self.seed = seed
        self._method = get_method(method, **settings)
        self._opened_storage = _opened(storage)
        self._closes_storage = storage is not self._opened_storage
        self._is_closed = False
        given = {name: value for name, value in settings.items() if value is not None}
        try:
            self._define(Definition(problem, method, seed, given, imoca.__version__))
        except BaseException:
            self.close()
            raise

    @classmethod
    def load(cls, path: str | Path, *, read_only: bool = False) -> Study:
        """The study in a database, as it is stored there; viewing it imports and starts none of its simulators."""
        if not Path(path).exists():
            raise StorageError(f"There is no study at {path}.", hint="Start it with imoca run, or check the path.")
        storage = SQLiteStorage(path, read_only=read_only)
        try:
            stored = storage.definition()
            if stored is None:
                raise StorageError(f"{path} holds no study yet.", hint="Start it with imoca run, or from Python.")
            study = cls(stored.problem, method=stored.method, seed=stored.seed, storage=storage, **stored.settings)  # type: ignore[arg-type]
        except BaseException:
            storage.close()
            raise
        study._closes_storage = True
        return study

    def close(self) -> None:
        """Let go of the database; calling it again does nothing, and a closed study can be neither read nor used."""
        self._is_closed = True
        if self._closes_storage:
            self._opened_storage.close()

    def __enter__(self) -> Study:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def trials(self) -> tuple[Trial, ...]:
        return self._storage.trials()

    @property
    def runs(self) -> tuple[Run, ...]:
        """The journal: every attempt to run a simulator, in the order in which they started."""
        return self._storage.runs()

    @property
    def owner(self) -> Owner | None:
        """The process that runs the study at present."""
        owner = self._storage.owner()
        return owner if owner is not None and owner.is_alive() else None

    @property
    def folder(self) -> Path:
        """Where files that a simulator's command names are found: beside the database."""
        return self._storage.folder

    @property
    def runs_folder(self) -> Path:
        """Where programs work, each run in a folder of its own."""
        return self.folder / f"{self._storage.name}.runs"

    @property
    def cost_spent(self) -> float:
        """Cost so far, in full-fidelity runs, the unit of the budget."""
        return bill(self.problem, self.trials).total

    @overload
    def ask(self) -> Trial: ...

    @overload
    def ask(self, n: int) -> list[Trial]: ...

    def ask(self, n: int | None = None) -> Trial | list[Trial]:
        """The next question, or the next ``n``; questions still unanswered are taken into account."""
        if n is None:
            return self._ask(is_launched=False)
        if isinstance(n, bool) or not isinstance(n, int) or n < 1:
            raise TrialError(f"ask was called with n = {n!r}.", hint="Ask for one or more trials.")
        return [self.ask() for _ in range(n)]

    def tell(
        self,
        trial: Trial | int,
        values: Mapping[str, float],
        cost: Mapping[str, float] | None = None,
        failures: Mapping[str, str] | None = None,
    ) -> Trial:
        """Store the answer to a trial; nothing is fitted here.

        ``values`` holds one number per output, ``cost`` what the runs cost per simulator in its own units (needed where
        the cost is "measured"), ``failures`` the reason for every simulator that has no values.
        """
        return self._storage.finish(self._number(trial), self._checked(values, cost or {}, failures or {}))

    def fail(self, trial: Trial | int, reason: str, cost: Mapping[str, float] | None = None) -> Trial:
        """Report that no simulator of the trial gave an answer."""
        return self.tell(trial, {}, cost, {simulator.name: reason for simulator in self.problem.simulators})

    def add(
        self,
        parameters: Mapping[str, Value],
        fidelities: Mapping[str, FidelityValue],
        values: Mapping[str, float],
        cost: Mapping[str, float] | None = None,
    ) -> Trial:
        """Store a result that was not asked for, such as old data. A simulator without values was not run."""
        unknown = [name for name in fidelities if name not in self._simulator_names()]
        if unknown:
            raise TrialError(
                f"Fidelities came for unknown simulator(s) {unknown}.",
                hint=f"The simulators are {self._simulator_names()}.",
            )
        checked: dict[str, FidelityValue] = {}
        not_run: dict[str, str] = {}
        for simulator in self.problem.simulators:
            has_values = any(output.name in values for output in simulator.outputs)
            if not has_values:
                not_run[simulator.name] = NOT_RUN
            elif simulator.name not in fidelities and simulator.fidelity.kind != "none":
                raise TrialError(
                    f"The fidelity of simulator {simulator.name!r} is missing.",
                    hint=f"At full accuracy it is {simulator.fidelity.target!r}.",
                )
            value = fidelities.get(simulator.name, simulator.fidelity.target)
            checked[simulator.name] = simulator.fidelity.decode(simulator.fidelity.encode(value))
        answer = self._checked(values, cost or {}, not_run)
        return self._storage.add(Candidate(self.problem.space.check(parameters), checked), answer)

    def optimize(
        self,
        budget: float | None = None,
        *,
        time: float | None = None,
        workers: int | None = None,
        dask: str | None = None,
        on_trial: Callable[[Trial], None] | None = None,
        progress: bool | None = None,
    ) -> None:
        """Ask, run the simulators, and tell, until the cost spent reaches ``budget`` full-fidelity runs.

        What was spent before counts, so calling again with a larger budget continues; ``time`` limits the wall time
        of this call, in seconds. Simulators run in this process, or in ``workers`` processes, or on the Dask cluster
        whose scheduler has the address ``dask``. ``on_trial`` is called after every trial. ``progress``: a live
        display on a terminal and plain lines elsewhere; by default the live display only.

        Ctrl-C lets the running simulators finish and raises KeyboardInterrupt; a second one ends them. Nothing told
        is lost, and the same call continues.
        """
        limits = Limits(budget, time)
        if dask is None:
            check_runnable(self.problem, self.folder)
        runner = make_runner(self.problem, workers, dask)
        try:
            Loop(self, self._storage, runner, limits, on_trial, progress_display(self, budget, progress)).run()
        finally:
            runner.close()

    def launch(self) -> Trial:
        """Ask a question that the study itself will run, now or after a restart."""
        return self._ask(is_launched=True)

    def pareto_front(self) -> list[ParetoPoint]:
        """The front at full accuracy as the models see it, sorted by the first objective; verified designs marked."""
        return recommend(self.problem, self.trials, self.seed)

    @property
    def plot(self) -> Plots:
        """Figures: ``study.plot.front()`` and others; needs ``pip install imoca[report]``."""
        from imoca.report.plots import Plots

        return Plots(self)

    def to_dataframe(self) -> pd.DataFrame:
        """One row per trial; needs pandas, ``pip install imoca[frames]``."""
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    "number": trial.number,
                    "state": str(trial.state),
                    **trial.parameters,
                    **{f"fidelity.{name}": value for name, value in trial.fidelities.items()},
                    **{output.name: trial.values.get(output.name) for output in self.problem.outputs},
                    **{f"cost.{name}": trial.costs.get(name) for name in self._simulator_names()},
                }
                for trial in self.trials
            ]
        )

    @property
    def _storage(self) -> Storage:
        if self._is_closed:
            raise closed_storage(self._opened_storage.place)
        return self._opened_storage

    def _define(self, definition: Definition) -> None:
        if not check_same(self._storage.define(definition), definition, self._storage.place):
            self._storage.redefine(definition)

    def _ask(self, is_launched: bool) -> Trial:
        while True:
            trials = self.trials
            candidate = self._method.suggest(self.problem, trials, self.seed)
            trial = self._storage.append(len(trials), candidate, is_launched)
            if trial is not None:
                return trial  # else somebody else asked meanwhile: this question might repeat theirs

    def _simulator_names(self) -> list[str]:
        return [simulator.name for simulator in self.problem.simulators]

    def _number(self, trial: Trial | int) -> int:
        number = trial.number if isinstance(trial, Trial) else trial
        if isinstance(number, bool) or not isinstance(number, int):
            raise TrialError(f"{trial!r} is no trial.", hint="Give the trial that ask returned, or its number.")
        return number

    def _checked(self, values: Mapping[str, float], cost: Mapping[str, float], failures: Mapping[str, str]) -> Answer:
        """The answer, or an error that leaves everything as it was."""
        names = self._simulator_names()
        known_outputs = [output.name for output in self.problem.outputs]
        for what, given, allowed in (
            ("Values", values, known_outputs),
            ("Costs", cost, names),
            ("Failures", failures, names),
        ):
            if unknown := [name for name in given if name not in allowed]:
                raise TrialError(f"{what} came for unknown name(s) {unknown}.", hint=f"The names are {allowed}.")
        checked: dict[str, float] = {}
        for simulator in self.problem.simulators:
            own = {o.name: values[o.name] for o in simulator.outputs if o.name in values}
            if simulator.name not in failures:
                checked |= check_values(simulator, own)
            elif own:
                raise TrialError(
                    f"Simulator {simulator.name!r} has both values {sorted(own)} and a failure.",
                    hint="Give one or the other.",
                )
        costs = {name: check_cost(name, cost[name]) for name in cost}
        for simulator in self.problem.simulators:
            is_paid = simulator.name in costs or simulator.name in failures
            if simulator.is_cost_measured and not is_paid:
                raise TrialError(
                    f"Simulator {simulator.name!r} has cost 'measured', but no cost was told.",
                    hint=f"Tell it too: cost={{{simulator.name!r}: ...}}, in any unit you like.",
                )
        return Answer(checked, costs, {name: str(reason) for name, reason in failures.items()})


def _opened(storage: Storage | str | Path | None) -> Storage:
    if storage is None:
        return MemoryStorage()
    return SQLiteStorage(storage) if isinstance(storage, str | Path) else storage

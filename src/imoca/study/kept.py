"""A study as it is kept: opened, looked at and closed. Nothing here changes it."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from imoca.errors import MethodError, StorageError
from imoca.methods.method import Method
from imoca.methods.settings import MethodSettings
from imoca.models.surrogates import DEFAULT_MODEL, ModelName
from imoca.problem.allowance import Allowance
from imoca.problem.names import is_integer
from imoca.snapshot.accounting import bill
from imoca.snapshot.recommendation import ParetoPoint, chosen_few
from imoca.snapshot.snapshot import Snapshot
from imoca.storage.base import Storage, closed_storage
from imoca.storage.definition import Definition
from imoca.storage.owner import Owner
from imoca.study.inscription import inscription
from imoca.trials.columns import told_columns
from imoca.trials.table import TrialTable
from imoca.trials.trial import Run, Trial
from imoca.wording import shown

if TYPE_CHECKING:
    import pandas as pd

    from imoca.report.plots import Plots


class KeptStudy:
    """What is known of a study: its trials, runs and driver, its costs, its front. Never made by itself."""

    def _set_up(
        self,
        definition: Definition,
        settings: MethodSettings,
        method: Method | None,  # None: made when a question is asked
        storage: Storage,
        closes_storage: bool,
    ) -> None:
        self.problem = definition.problem
        self.method = definition.method
        self.seed = definition.seed
        self._settings = settings
        self._method = method
        self._table = TrialTable.encode(definition.problem, ())
        self._opened_storage = storage
        self._closes_storage = closes_storage
        self._is_closed = self._is_driven = False
        self._allowance: Allowance | None = None  # of the last call that was given one, in whose unit sums are told

    def close(self) -> None:
        """Let go of the database; calling it again does nothing, and a closed study can be neither read nor used."""
        if self._is_driven:
            raise StorageError(
                "The study is being run by this process and cannot be closed.", hint="Close it when optimize has ended."
            )
        self._is_closed = True
        if self._closes_storage:
            self._opened_storage.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        if self._is_closed:
            return f"Study in {self._opened_storage.place}, closed"
        return inscription(self, self._storage.place)

    def _repr_html_(self) -> str:
        """What a notebook shows: the same, and designs of the front."""
        from imoca.report.notebook import study_html

        return study_html(repr(self), None if self._is_closed else self.snapshot())

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
        """Cost so far, in full-fidelity runs, the unit of the budget.

        NaN if it is not known here: see `load`.
        """
        return bill(self.table(), self.runs).total

    def table(self) -> TrialTable:
        """The trials as arrays; only those that are new since the last call are encoded."""
        self._table = self._table.renewed(self._storage.trials())
        return self._table

    def snapshot(self) -> Snapshot:
        """The study as it is now: its trials, and what was spent, is believed and is recommended after them."""
        return Snapshot(self.method, self.seed, self.table(), self._storage.runs(), self.model)

    def pareto_front(self, n: int | None = None) -> list[ParetoPoint]:
        """The front at full accuracy: verified designs, then predicted ones, each sorted by the first objective.

        Designs that were recommended before and may well be as good come last (``is_earlier``). At most ``n``, if
        given: those that stand for the front, verified ones first, none that the model cannot vouch for
        (``is_doubtful``), none from before.
        """
        if n is not None and (not is_integer(n) or n < 1):
            raise MethodError(f"n is {shown(n)}.", hint="Give the number of designs, a whole number of at least 1.")
        front = self.snapshot().front
        return list(front) if n is None else chosen_few(self.problem, front, int(n))

    @property
    def model(self) -> ModelName:
        """What is believed of the simulators."""
        return self._settings.model or DEFAULT_MODEL

    @property
    def plot(self) -> Plots:
        """Figures: ``study.plot.front()`` and others; needs ``pip install imoca[report]``."""
        from imoca.report.plots import Plots

        return Plots(self.snapshot)

    def to_dataframe(self) -> pd.DataFrame:
        """One row per trial, the columns of ``imoca export``; needs pandas, ``pip install imoca[frames]``."""
        import pandas as pd

        trials = self.trials
        columns = told_columns(self.problem, trials)
        return pd.DataFrame([{column.title: column.cell(trial) for column in columns} for trial in trials])

    @property
    def _storage(self) -> Storage:
        if self._is_closed:
            raise closed_storage(self._opened_storage.place)
        return self._opened_storage

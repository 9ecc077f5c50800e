"""``study.plot``: every figure of a study, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, overload

from imoca.report.figure_names import Backend, FigureName
from imoca.report.figures import draw
from imoca.snapshot.designs import Design
from imoca.snapshot.snapshot import Snapshot

if TYPE_CHECKING:
    import plotly.graph_objects as go
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Plot:
    """One figure, drawn anew at every call."""

    take: Callable[[], Snapshot]
    name: FigureName

    @overload
    def __call__(self, backend: Literal["plotly"] = "plotly") -> go.Figure: ...

    @overload
    def __call__(self, backend: Literal["matplotlib"]) -> Figure: ...

    def __call__(self, backend: Backend = "plotly") -> Any:
        return draw(self.take(), self.name, backend)


@dataclass(frozen=True)
class SlicesPlot:
    """Slices through a design of one's choice: an id of the front, a point of it, or parameters."""

    take: Callable[[], Snapshot]

    @overload
    def __call__(self, design: Design | None = None, backend: Literal["plotly"] = "plotly") -> go.Figure: ...

    @overload
    def __call__(self, design: Design | None = None, *, backend: Literal["matplotlib"]) -> Figure: ...

    def __call__(self, design: Design | None = None, backend: Backend = "plotly") -> Any:
        return draw(self.take(), "slices", backend, design)


@dataclass(frozen=True)
class Plots:
    """Call one: ``study.plot.front()``, ``study.plot.front(backend="matplotlib")``."""

    take: Callable[[], Snapshot]  # the study as it is when a figure is drawn

    @property
    def front(self) -> Plot:
        """The Pareto front at full accuracy, predicted with its uncertainty, and what was verified."""
        return Plot(self.take, "front")

    @property
    def parallel(self) -> Plot:
        """The designs of the front: one line each across parameters and objectives."""
        return Plot(self.take, "parallel")

    @property
    def slices(self) -> SlicesPlot:
        """Why a design: every output along every parameter through it; the balanced design of the front by default."""
        return SlicesPlot(self.take)

    @property
    def importance(self) -> Plot:
        """Which parameters matter for which output: their shares of its variance at full accuracy."""
        return Plot(self.take, "importance")

    @property
    def convergence(self) -> Plot:
        """Hypervolume, and distance to the final front, against the cost spent."""
        return Plot(self.take, "convergence")

    @property
    def fidelities(self) -> Plot:
        """The fidelity chosen over time, per simulator."""
        return Plot(self.take, "fidelities")

    @property
    def cost(self) -> Plot:
        """Where the cost went, per simulator and fidelity."""
        return Plot(self.take, "cost")

    @property
    def trust(self) -> Plot:
        """Every observation against what the model says of it without having seen it."""
        return Plot(self.take, "trust")

    @property
    def correlation(self) -> Plot:
        """How each fidelity goes with full accuracy, against what it costs."""
        return Plot(self.take, "correlation")

    @property
    def error(self) -> Plot:
        """What a knob buys: the learned error of a cheap run in the user's units, and its cost."""
        return Plot(self.take, "error")

    @property
    def timeline(self) -> Plot:
        """When simulators ran, side by side, coloured by fidelity."""
        return Plot(self.take, "timeline")

    @property
    def replay(self) -> Plot:
        """The front and the runs behind it, step by step over the cost."""
        return Plot(self.take, "replay")

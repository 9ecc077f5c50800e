"""``study.plot``: every figure of a study, by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, overload

from imoca.report.figure_names import Backend, FigureName
from imoca.report.figures import draw
from imoca.study.study import Study

if TYPE_CHECKING:
    import plotly.graph_objects as go
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Plot:
    """One figure, drawn anew at every call."""

    study: Study
    name: FigureName

    @overload
    def __call__(self, backend: Literal["plotly"] = "plotly") -> go.Figure: ...

    @overload
    def __call__(self, backend: Literal["matplotlib"]) -> Figure: ...

    def __call__(self, backend: Backend = "plotly") -> Any:
        return draw(self.study, self.name, backend)


@dataclass(frozen=True)
class Plots:
    """Call one: ``study.plot.front()``, ``study.plot.front(backend="matplotlib")``."""

    study: Study

    @property
    def front(self) -> Plot:
        """The Pareto front at full accuracy, predicted with its uncertainty, and what was verified."""
        return Plot(self.study, "front")

    @property
    def parallel(self) -> Plot:
        """The designs of the front: one line each across parameters and objectives."""
        return Plot(self.study, "parallel")

    @property
    def convergence(self) -> Plot:
        """Hypervolume, and distance to the final front, against the cost spent."""
        return Plot(self.study, "convergence")

    @property
    def fidelities(self) -> Plot:
        """The fidelity chosen over time, per simulator."""
        return Plot(self.study, "fidelities")

    @property
    def cost(self) -> Plot:
        """Where the cost went, per simulator and fidelity."""
        return Plot(self.study, "cost")

    @property
    def trust(self) -> Plot:
        """Every observation against what the model says of it without having seen it."""
        return Plot(self.study, "trust")

    @property
    def correlation(self) -> Plot:
        """How each fidelity goes with full accuracy, against what it costs."""
        return Plot(self.study, "correlation")

"""From a study to a figure, and from a figure to a file; plotly and matplotlib are loaded when one is drawn."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from imoca.errors import FigureError, MissingPackageError
from imoca.report.figure_names import FIGURE_NAMES, Backend, FigureName
from imoca.report.records import (
    convergence_record,
    correlation_records,
    cost_records,
    error_records,
    fidelity_records,
    front_record,
    importance_records,
    parallel_record,
    replay_record,
    slices_record,
    timeline_record,
    trust_records,
)
from imoca.snapshot.designs import Design
from imoca.snapshot.snapshot import Snapshot

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RECORDS: Mapping[FigureName, Callable[[Snapshot], Any]] = {
    "front": front_record,
    "parallel": parallel_record,
    "slices": slices_record,
    "importance": importance_records,
    "convergence": convergence_record,
    "fidelities": fidelity_records,
    "cost": cost_records,
    "trust": trust_records,
    "correlation": correlation_records,
    "error": error_records,
    "timeline": timeline_record,
    "replay": replay_record,
}
PRINTED = (".png", ".pdf", ".svg")  # by matplotlib; a page is by plotly
NO_DATE = {".png": {}, ".pdf": {"CreationDate": None}, ".svg": {"Date": None}}  # same study, same file


def drawers(backend: Backend) -> Mapping[FigureName, Callable[[Any], Any]]:
    """What draws each figure from its record."""
    if backend not in get_args(Backend):
        raise FigureError(f"There is no backend {backend!r}.", hint=f"The backends are {list(get_args(Backend))}.")
    try:
        if backend == "plotly":
            from imoca.report.plotly.figures import PLOTLY_DRAWERS

            return PLOTLY_DRAWERS
        from imoca.report.matplotlib.figures import MATPLOTLIB_DRAWERS

        return MATPLOTLIB_DRAWERS
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] != backend:
            raise
        raise MissingPackageError(
            f"Drawing needs {backend}, which is not installed.", hint="Install it with: pip install 'imoca[report]'"
        ) from error


def draw(snapshot: Snapshot, name: FigureName, backend: Backend, design: Design | None = None) -> Any:
    """Slices are through a design of the user's choice; no other figure takes one."""
    check_figure_name(name, design)
    drawer = drawers(backend)[name]
    return drawer(RECORDS[name](snapshot) if design is None else slices_record(snapshot, design))


def check_figure_name(name: str, design: Design | None = None) -> FigureName:
    for known in FIGURE_NAMES:
        if known == name:
            if design is not None and known != "slices":
                raise FigureError(f"The figure {name!r} is of no single design.", hint="Only slices take a design.")
            return known
    raise FigureError(f"There is no figure {name!r}.", hint=f"The figures are {', '.join(FIGURE_NAMES)}.")


def backend_for(path: Path) -> Backend:
    """Who draws into a file of this name."""
    suffix = path.suffix.lower()
    if suffix == ".html":
        return "plotly"
    if suffix in PRINTED:
        return "matplotlib"
    raise FigureError(
        f"{path} ends in {suffix!r}, which no figure is written as.",
        hint="End it in .html for a page, or in .png, .pdf or .svg for a picture.",
    )


def figure_file(snapshot: Snapshot, name: FigureName, path: Path, design: Design | None = None) -> bytes:
    """The content of a file of this name: a page that needs no network, or a picture."""
    backend = backend_for(path)
    figure = draw(snapshot, name, backend, design)
    if backend == "plotly":
        return figure.to_html(include_plotlyjs=True, div_id="figure", config={"displaylogo": False}).encode("utf-8")
    return picture(figure, path.suffix.lower())


def picture(figure: Figure, suffix: str) -> bytes:
    import matplotlib as mpl

    content = BytesIO()
    # The same names in every file, and text stays text.
    with mpl.rc_context({"svg.hashsalt": "imoca", "pdf.fonttype": 42}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font", category=UserWarning)
        figure.savefig(content, format=suffix.removeprefix("."), metadata=NO_DATE[suffix])
    return content.getvalue()

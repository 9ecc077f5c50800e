"""What a knob buys, by plotly: the error of a run falls as its cost rises."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from imoca.report.figure_names import NOTHING, TITLES
from imoca.report.labels import plotly_text, short_label, shortened
from imoca.report.palette import BLUE, ORANGE, SKY
from imoca.report.plotly.theme import LEGEND_BELOW, adopt_theme, nothing_to_show, short
from imoca.report.records.errors import ErrorRecord
from imoca.wording import labelled, number, with_unit

N_COLUMNS = 2
PANEL = 240  # pixels


def error_figure(records: Sequence[ErrorRecord]) -> go.Figure:
    if not records:
        return nothing_to_show(TITLES["error"], NOTHING["error"])
    n_columns = min(N_COLUMNS, len(records))
    n_rows = ceil(len(records) / n_columns)
    height = PANEL * n_rows + 150
    made = make_subplots(
        rows=n_rows,
        cols=n_columns,
        specs=[[{"secondary_y": True}] * n_columns] * n_rows,
        horizontal_spacing=0.2,
        vertical_spacing=min(0.5 / n_rows, 90 / (height - 150)),
        subplot_titles=[plotly_text(short_label(record.output, record.unit, 24)) for record in records],
    )
    adopt_theme(made, "error", height, min_width=380 * n_columns)
    for i, record in enumerate(records):
        _add(made, record, i // n_columns + 1, i % n_columns + 1, is_first=i == 0)
    made.update_yaxes(title_text="error of a run", rangemode="tozero", secondary_y=False)
    cost = {"title_text": "cost of a run", "range": [0.0, 1.05], "tickvals": [0.0, 0.25, 0.5, 0.75, 1.0]}
    made.update_yaxes(**cost, tickformat=".0%", showgrid=False, color=ORANGE, secondary_y=True)
    made.update_layout(legend=LEGEND_BELOW, margin={"t": 90, "b": 110})
    return made


def _add(made: go.Figure, record: ErrorRecord, row: int, column: int, is_first: bool) -> None:
    settings = [plotly_text(with_unit(shortened(number(s), 20), record.setting_unit)) for s in record.settings]
    for name, values, look, is_cost in (
        ("typical error", record.typical, {"color": BLUE, "width": 2}, False),
        ("nine of ten errors are smaller", record.likely, {"color": SKY, "dash": "dash"}, False),
        ("cost", record.cost_ratios, {"color": ORANGE, "dash": "dot"}, True),
    ):
        told = "%{y:.3p} of the cost of a full run" if is_cost else f"{name}: %{{y:.4g}}"
        trace = go.Scatter(
            x=short(record.z),
            y=short(values),
            mode="lines+markers",
            name=name,
            legendgroup=name,
            line=look,
            marker={"size": 5},
            showlegend=is_first,
            hovertext=settings,
            hovertemplate=f"at %{{hovertext}}<br>{told}<extra></extra>",
        )
        made.add_trace(trace, row=row, col=column, secondary_y=is_cost)
    labels = [plotly_text(shortened(label, 12)) for label in record.tick_labels]
    made.update_xaxes(tickvals=record.tick_z, ticktext=labels, row=row, col=column)
    title = labelled(f"fidelity of {shortened(record.simulator, 20)}", record.setting_unit)
    made.update_xaxes(title_text=plotly_text(title), row=row, col=column)

"""Which fidelity each simulator was run at: every run of a few simulators, a map of many."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from imoca.report.figure_names import NOTHING, TITLES
from imoca.report.labels import plotly_text, short_share, shortened
from imoca.report.palette import BLUE, SHADES, VERMILION
from imoca.report.plotly.theme import LEGEND_BELOW, LIGHT, figure, nothing_to_show, panels
from imoca.report.records import MOST_PANELS, FidelityMap, FidelityRecord, fidelity_map
from imoca.wording import labelled, number, with_unit

MAP_ROW = 44  # pixels


def fidelities_figure(records: Sequence[FidelityRecord]) -> go.Figure:
    shown = [record for record in records if record.trials]
    if not shown:
        return nothing_to_show(TITLES["fidelities"], NOTHING["fidelities"])
    if len(shown) > MOST_PANELS:
        return _map(fidelity_map(shown))
    titles = [plotly_text(shortened(record.simulator)) for record in shown]
    made = panels(len(shown), "fidelities", height=140 + 180 * len(shown), titles=titles)
    for row, record in enumerate(shown, 1):
        for is_failed, name, look in (
            (False, "run", {"color": BLUE, "symbol": "circle", "size": 7}),
            (True, "failed", {"color": VERMILION, "symbol": "x", "size": 8}),
        ):
            kept = [i for i, failed in enumerate(record.is_failed) if failed == is_failed]
            if not kept:
                continue
            trace = go.Scatter(
                x=[record.trials[i] for i in kept],
                y=[record.z[i] for i in kept],
                mode="markers",
                name=name,
                marker=look,
                legendgroup=name,
                showlegend=is_failed,
                hovertext=[
                    f"trial {record.trials[i]}: "
                    f"{plotly_text(with_unit(shortened(number(record.settings[i])), record.unit))}"
                    for i in kept
                ],
                hoverinfo="text",
                customdata=[record.trials[i] for i in kept],
            )
            made.add_trace(trace, row=row, col=1)
        labels = [plotly_text(shortened(label, 16)) for label in record.tick_labels]
        made.update_yaxes(tickvals=record.tick_z, ticktext=labels, range=[-0.08, 1.08], row=row, col=1)
        made.update_yaxes(title_text=plotly_text(labelled("fidelity", record.unit)), row=row, col=1)
    made.update_xaxes(title_text="trial", row=len(shown), col=1)
    made.update_layout(legend=LEGEND_BELOW, margin={"t": 100, "b": 80})
    return made


def _map(record: FidelityMap) -> go.Figure:
    """Without a colour bar: the numbers stand in the cells."""
    columns = range(len(record.bands))
    texts = [
        [f"{n}<br>{plotly_text(short_share(part))}" if n else "" for n, part in zip(*row, strict=True)]
        for row in zip(record.n_runs, record.shares, strict=True)
    ]
    cells = go.Heatmap(
        x=list(columns),
        y=list(range(len(record.simulators))),
        z=record.shares,
        zmin=0.0,
        zmax=max(map(max, record.shares)) or 1.0,
        colorscale=[[0.0, SHADES[0]], [1.0, SHADES[1]]],
        showscale=False,
        text=texts,
        texttemplate="%{text}",
        textfont={"color": LIGHT["ink"]},
        hoverinfo="skip",
        xgap=2,
        ygap=2,
    )
    made = figure([cells], TITLES["fidelities"], height=170 + MAP_ROW * len(record.simulators), min_width=620)
    names = [plotly_text(shortened(name, 24)) for name in record.simulators]
    made.update_yaxes(
        tickvals=list(range(len(names))), ticktext=names, autorange="reversed", showgrid=False, zeroline=False
    )
    bands = [plotly_text(band) for band in record.bands]
    made.update_xaxes(tickvals=list(columns), ticktext=bands, showgrid=False, zeroline=False)
    made.update_xaxes(title_text="from the cheapest fidelity to full accuracy")
    made.update_layout(margin={"t": 80})
    return made

"""``imoca bench``: the benchmark problems."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

from imoca.benchmarks.registry import DESCRIPTIONS

app = typer.Typer(help="Benchmark problems and what their fidelities are worth.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="Which problem.")]
Variant = Annotated[str | None, typer.Option(help="A variant, such as paper.")]
Backend = Annotated[str | None, typer.Option(help="ngspice or pwl, for the circuit.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]


@app.command()
def problems(as_json: AsJson = False) -> None:
    """List the benchmark problems."""
    if as_json:
        print(json.dumps(DESCRIPTIONS, indent=1))
        return
    width = max(map(len, DESCRIPTIONS))
    for name, description in DESCRIPTIONS.items():
        print(f"{name:{width}}  {description}")


@app.command()
def problem(
    name: Name,
    designs: Annotated[int, typer.Option(help="Designs to run at every fidelity.")] = 16,
    z: Annotated[list[float] | None, typer.Option(help="A continuous fidelity to show; repeat for more.")] = None,
    setting: Annotated[str | None, typer.Option(help="coupled or per_objective.")] = None,
    cost: Annotated[str | None, typer.Option(help="work, nominal or wall.")] = None,
    variant: Variant = None,
    backend: Backend = None,
    as_json: AsJson = False,
) -> None:
    """Run a problem at its fidelities and show their cost, rank correlation and error against full fidelity."""
    from imoca.benchmarks.fidelity_table import CONTINUOUS, fidelity_table
    from imoca.benchmarks.registry import get

    benchmark = get(name, setting=setting, cost=cost, variant=variant, backend=backend)
    rows = fidelity_table(benchmark.problem, designs, z or CONTINUOUS)
    if as_json:
        print(json.dumps([asdict(row) for row in rows], indent=1))
        return
    print(f"{name}: {DESCRIPTIONS[name]}; hypervolume of its front {benchmark.hypervolume:.6g}")
    header = ("simulator", "output", "fidelity", "cost ratio", "rank corr.", "rel. error")
    cells = [
        (
            row.simulator,
            row.output,
            f"{row.fidelity:.4g}" if isinstance(row.fidelity, float) else str(row.fidelity),
            f"{row.cost_ratio:.4g}",
            f"{row.rank_correlation:.4f}",
            f"{row.relative_error:.3g}",
        )
        for row in rows
    ]
    widths = [max(len(line[i]) for line in [header, *cells]) for i in range(len(header))]
    for line in [header, *cells]:
        print(
            "  ".join(
                f"{cell:<{width}}" if i < 3 else f"{cell:>{width}}"
                for i, (cell, width) in enumerate(zip(line, widths, strict=True))
            )
        )


@app.command()
def random(
    name: Name,
    designs: Annotated[list[int] | None, typer.Option(help="How many designs; repeat for more numbers.")] = None,
    draws: Annotated[int, typer.Option(help="Sets of designs to average over.")] = 200,
    variant: Variant = None,
    backend: Backend = None,
    as_json: AsJson = False,
) -> None:
    """Show which share of a problem's hypervolume random designs reach at full fidelity."""
    from imoca.benchmarks.random_shares import random_shares
    from imoca.benchmarks.registry import get

    sizes = designs or [10, 20, 50, 100, 200]
    shares = random_shares(get(name, variant=variant, backend=backend), sizes, draws)
    if as_json:
        print(json.dumps(dict(zip(sizes, shares.tolist(), strict=True)), indent=1))
        return
    for size, share in zip(sizes, shares, strict=True):
        print(f"{size:5d} random designs: {share:6.1%}")

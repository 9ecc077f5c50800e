"""``imoca bench``: the benchmark problems, and methods compared on them."""

from __future__ import annotations

import json
import shlex
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from imoca.cli.exits import INTERRUPTED, SIMULATORS_FAIL
from imoca.cli.output import say
from imoca_lab.registry import DESCRIPTIONS

app = typer.Typer(
    help="Benchmark problems, what their fidelities are worth, and methods compared on them.", no_args_is_help=True
)

Name = Annotated[str, typer.Argument(help="Which problem.")]
Variant = Annotated[str | None, typer.Option(help="A variant, such as paper.")]
Backend = Annotated[str | None, typer.Option(help="ngspice or pwl, for the circuit.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]

Config = Annotated[Path, typer.Argument(help="A TOML file of problems, methods, seeds and budgets.")]
Results = Annotated[
    Path | None, typer.Option(help="Where results are kept: results/<name> beside the file.", show_default=False)
]
Runs = Annotated[Path | None, typer.Option(help="Where runs work: runs beside the file.", show_default=False)]
Processes = Annotated[int, typer.Option(min=1, help="Runs at the same time, one thread each.")]
ResultPaths = Annotated[list[Path], typer.Argument(help="Result files, or folders of them.")]
Output = Annotated[Path, typer.Option("--output", "-o", help="The folder to write to.")]
Reference = Annotated[str, typer.Option(help="The method against which the others are tested.")]


@app.command()
def run(config: Config, results: Results = None, runs: Runs = None, processes: Processes = 2) -> None:
    """Run the methods of a file on its problems, score them, and keep the results.

    The same command continues after an interruption or a kill. A run with a result is not run again.
    """
    from imoca_lab.harness.campaign import remaining, run_all
    from imoca_lab.harness.config import read_runs
    from imoca_lab.harness.display import make_display
    from imoca_lab.harness.results import ResultFolder

    specs = read_runs(config)
    folder = ResultFolder(results or config.parent / "results" / config.stem)
    runs_folder = runs or config.parent / "runs"
    waiting = remaining(specs, folder, runs_folder)
    say(f"{len(specs)} runs, {len(specs) - len(waiting)} with results in {folder.path}, {len(waiting)} to do.")
    command = f"imoca bench run {shlex.quote(str(config))}"
    try:
        with make_display(waiting, processes) as display:
            outcomes = run_all(waiting, folder, runs_folder, command, processes, display)
    except KeyboardInterrupt:
        say(f"Interrupted. Nothing finished is lost. Resume with: {command}")
        raise typer.Exit(INTERRUPTED) from None
    failed = [outcome for outcome in outcomes if outcome.failure is not None]
    for outcome in failed:
        say(f"Failed: {outcome.spec.id}: {outcome.failure}")
    if failed:
        say(f"{len(failed)} of {len(outcomes)} runs failed; the same command tries them again.")
        raise typer.Exit(SIMULATORS_FAIL)
    say(f"All {len(specs)} runs have results. Compare them with: imoca bench report {shlex.quote(str(folder.path))}")


@app.command()
def report(results: ResultPaths, output: Output = Path("report"), reference: Reference = "imoca-p") -> None:
    """Write tables (Markdown, HTML) and figures (PNG, SVG) of results; the same results give the same bytes."""
    from imoca_lab.harness.report import write_report
    from imoca_lab.harness.results import read_results

    for path in write_report(read_results(results), reference, output):
        print(path)


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
    from imoca_lab.fidelity_table import CONTINUOUS, fidelity_table
    from imoca_lab.registry import get

    benchmark = get(name, setting=setting, cost=cost, variant=variant, backend=backend)
    rows = fidelity_table(benchmark.problem, designs, z or CONTINUOUS)
    if as_json:
        print(json.dumps([asdict(row) for row in rows], indent=1))
        return
    print(f"{name}: {DESCRIPTIONS[name]}; hypervolume of its front {benchmark.hypervolume:.6g}")
    header = ("simulator", "output", "fidelity", "cost ratio", "rank corr.", "rel. error", "failed")
    cells = [
        (
            row.simulator,
            row.output,
            f"{row.fidelity:.4g}" if isinstance(row.fidelity, float) else str(row.fidelity),
            f"{row.cost_ratio:.4g}",
            f"{row.rank_correlation:.4f}",
            f"{row.relative_error:.3g}",
            f"{row.failed:.1%}",
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
    from imoca_lab.random_shares import random_shares
    from imoca_lab.registry import get

    sizes = designs or [10, 20, 50, 100, 200]
    shares = random_shares(get(name, variant=variant, backend=backend), sizes, draws)
    if as_json:
        print(json.dumps(dict(zip(sizes, shares.tolist(), strict=True)), indent=1))
        return
    for size, share in zip(sizes, shares, strict=True):
        print(f"{size:5d} random designs: {share:6.1%}")

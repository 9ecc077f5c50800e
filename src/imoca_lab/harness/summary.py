"""Tables over all problems of a comparison."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from imoca_lab.harness.curves import HYPERVOLUME_DIFFERENCE, Series, convergence_costs, curve_of
from imoca_lab.harness.results import RunResult
from imoca_lab.harness.tables import NOTHING, end_cost, suggestion_seconds
from imoca_lab.harness.text_table import TextTable

OURS = ("imoca-p", "imoca-e", "imoca-t")
PAPER_OURS = ("imoca-e", "imoca-t")  # the paper's own two; its table takes the worse
PAPER_REDUCTION = {  # Table 2 of [Belakaria2020], per cent
    "branin_currin": 85.0,
    "ackley_rosenbrock_sphere": 66.6,
    "circuit": 52.1,
    "rocket": 78.9,
}


def convergence_table(problems: Mapping[str, Sequence[Series]]) -> TextTable:
    """The paper's Table 2: cost to convergence of the best single-fidelity method and of iMOCA."""
    rows = []
    for problem, series in problems.items():
        costs = convergence_costs([curve_of(each, HYPERVOLUME_DIFFERENCE) for each in series])
        ends = {each.method: end_cost(each) for each in series}
        single = [each.method for each in series if each.is_single_fidelity and each.method not in OURS]
        multi = [each.method for each in series if not each.is_single_fidelity and each.method not in OURS]
        best, best_multi = _least(single, costs, ends), _least(multi, costs, ends)
        ours = [_cost_words(name, costs, ends) if name in costs else NOTHING for name in OURS]
        worse = max((name for name in PAPER_OURS if name in costs), key=lambda name: costs[name], default=None)
        reductions = [_reduction(best, name, costs, ends) for name in ("imoca-p", worse)]
        paper = PAPER_REDUCTION.get(series[0].runs[0].spec.problem.name)
        shown = [f"{name}: {_cost_words(name, costs, ends)}" if name else NOTHING for name in (best, best_multi)]
        seeds = _range([len(each.runs) for each in series])
        rows.append((problem, seeds, *shown, *ours, *reductions, NOTHING if paper is None else f"{paper:g} %"))
    return TextTable(
        "Cost to convergence",
        "A method has converged at the first cost after which its median hypervolume stays within 1 % of the best "
        "final median of any method on the problem; > where it had not when its budget ended. The reduction is what "
        "iMOCA saves of the cost of the best single-fidelity method; the worse of iMOCA-E and -T is what the paper "
        "reports [Belakaria2020, Table 2].",
        (
            *("problem", "seeds", "best single-fidelity", "best other multi-fidelity", *OURS),
            *("reduction by imoca-p", "by the worse of -e and -t", "in the paper"),
        ),
        tuple(rows),
    )


def every_convergence_table(problems: Mapping[str, Sequence[Series]]) -> TextTable:
    """The same cost of every method, methods by problems."""
    words: dict[tuple[str, str], str] = {}
    for problem, series in problems.items():
        costs = convergence_costs([curve_of(each, HYPERVOLUME_DIFFERENCE) for each in series])
        ends = {each.method: end_cost(each) for each in series}
        words |= {(name, problem): _cost_words(name, costs, ends) for name in costs}
    return TextTable(
        "Cost to convergence of every method",
        "As above: within 1 % of the best final median hypervolume of any method on the problem.",
        ("method", *problems),
        _by_method_and_problem(words, problems),
    )


def known_front_table(problems: Mapping[str, Sequence[Series]], within: float) -> TextTable:
    """Cost to the best known front, which a new best method does not move; methods by problems."""
    words: dict[tuple[str, str], str] = {}
    for problem, series in problems.items():
        costs = known_front_costs(series, within)
        ends = {each.method: end_cost(each) for each in series}
        words |= {(name, problem): _cost_words(name, costs, ends) for name in costs}
    return TextTable(
        f"Cost to within {100 * within:g} % of the best known front",
        f"The first cost after which the median hypervolume stays within {100 * within:g} % of what the stored front "
        "has when thinned to 200 designs; > where it had not when the budget ended.",
        ("method", *problems),
        _by_method_and_problem(words, problems),
    )


def known_front_costs(series: Sequence[Series], within: float) -> dict[str, float]:
    """Per method of one problem; infinite for one that does not get there."""
    limit = 1.0 - (1.0 - within) * (1.0 - series[0].runs[0].attainable_difference)
    return {each.method: curve_of(each, HYPERVOLUME_DIFFERENCE).as_steps.settled_within(limit) for each in series}


def seconds_table(problems: Mapping[str, Sequence[Series]]) -> TextTable:
    """CPU seconds per suggestion, methods by problems."""
    words = {
        (each.method, problem): _seconds_words(suggestion_seconds(each))
        for problem, series in problems.items()
        for each in series
    }
    return TextTable(
        "CPU seconds per suggestion",
        "Median over all suggestions after the initial design, one thread; everything from the stored trials to the "
        "next question.",
        ("method", *problems),
        _by_method_and_problem(words, problems),
    )


def _by_method_and_problem(
    words: Mapping[tuple[str, str], str], problems: Mapping[str, Sequence[Series]]
) -> tuple[tuple[str, ...], ...]:
    methods = sorted({method for method, _ in words})
    return tuple((method, *(words.get((method, problem), NOTHING) for problem in problems)) for method in methods)


def runs_table(problems: Mapping[str, Sequence[Series]]) -> TextTable:
    """How much was run, and how near to the true front so many designs can come."""
    rows = []
    for problem, series in problems.items():
        runs = [run for each in series for run in each.runs]
        rows.append(
            (
                problem,
                str(len(series)),
                _range([len(each.runs) for each in series]),
                _range([run.spec.budget for run in runs]),
                str(sum(len(run.costs) for run in runs)),
                str(sum(run.n_failed for run in runs)),
                f"{100 * runs[0].attainable_difference:.3g} %",
            )
        )
    return TextTable(
        "Runs",
        "The last column is the hypervolume difference of the stored true front thinned to 200 designs, as many as are "
        "recommended: no method can be expected to come much below it.",
        ("problem", "methods", "seeds", "budget", "trials", "of these failed", "least difference"),
        tuple(rows),
    )


def provenance(results: Sequence[RunResult]) -> str:
    """Commands and versions behind the results, each once."""
    commands = sorted({result.command for result in results})
    versions = sorted({", ".join(f"{name} {v}" for name, v in result.versions.items()) for result in results})
    return f"Made by {'; '.join(commands)} with {'; or '.join(versions)}."


def _least(names: Sequence[str], costs: Mapping[str, float], ends: Mapping[str, float]) -> str | None:
    """The first to converge; of those that did not, the one that was given most."""
    return min(names, key=lambda name: (costs[name], -ends[name], name), default=None)


def _cost_words(name: str, costs: Mapping[str, float], ends: Mapping[str, float]) -> str:
    return f"> {ends[name]:.3g}" if math.isinf(costs[name]) else f"{costs[name]:.3g}"


def _reduction(best: str | None, ours: str | None, costs: Mapping[str, float], ends: Mapping[str, float]) -> str:
    if best is None or ours is None or ours not in costs or math.isinf(costs[ours]):
        return NOTHING
    is_bound = math.isinf(costs[best])
    saved = 1.0 - costs[ours] / (ends[best] if is_bound else costs[best])
    return f"{'> ' if is_bound else ''}{100 * saved:.1f} %"


def _seconds_words(seconds: float) -> str:
    return NOTHING if math.isnan(seconds) else f"{seconds:.2g}"


def _range(values: Sequence[float]) -> str:
    low, high = min(values), max(values)
    return f"{low:g}" if low == high else f"{low:g}–{high:g}"

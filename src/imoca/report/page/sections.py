"""The sections of the report."""

from __future__ import annotations

from imoca.problem.names import is_number
from imoca.problem.parameters import Value
from imoca.report.figure_names import COST_UNIT, TITLES, FigureName
from imoca.report.page.contents import Contents
from imoca.report.page.order import short_title
from imoca.report.page.readings import (
    headline,
    known,
    saving,
    what_it_cost,
    what_was_found,
    what_was_optimised,
)
from imoca.report.page.text import Cell, code, pairs, paragraph, safe, table
from imoca.report.problem_words import cost_words, fidelity_words, output_words, parameter_words, run_words
from imoca.report.records.failures import MOST_REASONS
from imoca.snapshot.recommendation import ParetoPoint, is_feasibility_told
from imoca.wording import bound_words, joined, labelled, number, with_deviation, with_error


def contents_list(contents: Contents) -> str:
    """Links to the sections."""
    figures = [(str(name), short_title(name)) for name in contents.readings]
    failed = (("failures", "Failed"),) if contents.failures else ()
    ends = (("verification", "Verified"), *failed, ("problem", "Problem"), ("reproduce", "Reproduce"))
    places = (("decision", "Decide"), ("navigator", "Choose"), ("summary", "In short"), *figures, *ends)
    links = "\n".join(f'<a href="#{place}">{safe(words)}</a>' for place, words in places)
    return f'<nav aria-label="Contents">\n{links}\n</nav>'


def decision_section(contents: Contents) -> str:
    """The answer first; what stands in it is what a page without scripts shows."""
    verdict = contents.verdict
    answers = [(each.question, each.line) for each in (verdict.settled, verdict.trusted)]
    answers += [("What next?", verdict.next_step.line), ("Budget", contents.budget.words)]
    warnings = "".join(map(paragraph, verdict.warnings))
    return (
        f'<header>\n<h1>{safe(contents.introduction.title)}</h1>\n<p class="headline">'
        f'{safe(headline(contents.summary))}.</p>\n</header>\n<section id="decision" aria-label="The verdict">\n'
        f'<div id="first">\n{pairs(answers, "facts")}\n{warnings}\n{_highlight_table(contents)}\n</div>\n</section>'
    )


def navigator_section(contents: Contents) -> str:
    """Every design that is recommended; a page without scripts shows them as a table."""
    if not contents.front.points:
        return _section("navigator", "Choose a design", paragraph(what_was_found(contents.summary)))
    return _section("navigator", "Choose a design", f'<div id="rest">\n{_front_table(contents)}\n</div>')


def summary_section(contents: Contents) -> str:
    summary, introduction = contents.summary, contents.introduction
    ratio = saving(summary)
    numbers = [
        ("design on the front" if summary.n_front == 1 else "designs on the front", str(summary.n_front)),
        ("verified at full accuracy", str(summary.n_verified)),
        ("trials", str(summary.n_trials)),
        (f"cost, {COST_UNIT}", known(summary.cost_spent)),
        ("the same trials, all at full accuracy", number(summary.cost_at_full_accuracy)),
        ("cheaper by", "—" if ratio is None else f"{ratio:.3g} ×"),
    ]
    parts = [
        paragraph(introduction.about),
        paragraph(what_was_optimised(contents.front, len(contents.problem.parameters))),
        paragraph(what_was_found(summary)),
        paragraph(what_it_cost(summary)),
        pairs(numbers, "cards"),
    ]
    return _section("summary", "In short", "\n".join(part for part in parts if part))


def figure_sections(contents: Contents) -> str:
    return "\n".join(_figure(name, reading, name in contents.records) for name, reading in contents.readings.items())


def _front_table(contents: Contents) -> str:
    has_measured = bool(contents.summary.n_verified)
    rows = [
        [Cell(point.id), *_parameter_cells(point), *_outcome_cells(contents, point, has_measured), Cell(point.state)]
        for point in contents.front.points
    ]
    titles = ["design", *_titles(contents), "state"]
    note = "Predicted values; in two cases of three the truth is that near."
    return paragraph(note) + table(_all_designs(contents), titles, rows)


def _all_designs(contents: Contents) -> str:
    n, n_today = len(contents.front.points), contents.summary.n_front
    if n == n_today:
        return "The one design on the front" if n == 1 else f"All {n} designs on the front"
    return f"All {n} designs: {n_today} on the front, {n - n_today} recommended before"


def verification_section(contents: Contents) -> str:
    """What was predicted of the designs that were verified, and what came."""
    found = contents.verification
    note = "No design was run in order to verify it. imoca verify runs some at full accuracy and compares."
    if not found.designs:
        return _section("verification", "Predicted and measured", paragraph(note))
    rows = [
        [
            *(Cell(design.id, is_heading=True), Cell(str(design.trial), float(design.trial)), Cell(check.label)),
            *(_measured_cell(value) for value in (check.promise.value, check.promise.low, check.promise.high)),
            *(_measured_cell(check.measured, check.error), Cell(check.verdict)),
        ]
        for design in found.designs
        for check in design.checks
    ]
    titles = ["design", "trial", "output", "predicted", "from", "to", "measured", "90 % interval"]
    body = paragraph(f"{found.summary} Predictions are from before the design was run.")
    return _section("verification", "Predicted and measured", body + table("Verified designs", titles, rows))


def failures_section(contents: Contents) -> str:
    """Why runs failed; nothing where none did."""
    if not contents.failures:
        return ""
    shares = {
        each.simulator: f"{each.n_failed} of {each.n_ended} runs of {each.simulator}" for each in contents.failures
    }
    rows = [
        [
            *(Cell(each.simulator, is_heading=True), Cell(each.reason), Cell(str(each.n_trials), each.n_trials)),
            Cell(str(each.last_trial), each.last_trial),
        ]
        for each in contents.failures
    ]
    note = "A failure is no value: it tells where runs fail, and no more. imoca show TRIAL tells the whole reason."
    body = paragraph(f"{joined(list(shares.values()))} failed. {note}")
    titles = ["simulator", "reason, as given last", "trials", "the last one"]
    return _section(
        "failures", "Runs that failed", body + table(f"Reasons, at most {MOST_REASONS} of a simulator", titles, rows)
    )


def _measured_cell(value: float | None, error: float | None = None) -> Cell:
    return Cell("", float("nan")) if value is None else Cell(with_error(value, error), value)


def problem_section(contents: Contents) -> str:
    problem = contents.problem
    parameters = table(
        "Parameters",
        ["parameter", "kind", "range"],
        [[Cell(p.name, is_heading=True), *map(Cell, parameter_words(p))] for p in problem.parameters],
    )
    simulators = table(
        "Simulators",
        ["simulator", "outputs", "fidelity", "cost of a run", "a full run counts", "how it is run"],
        [
            [
                Cell(s.name, is_heading=True),
                Cell(", ".join(map(output_words, s.outputs))),
                Cell(fidelity_words(s.fidelity)),
                Cell(cost_words(s)),
                Cell(number(s.full_cost), s.full_cost),
                Cell(run_words(s)),
            ]
            for s in problem.simulators
        ],
    )
    texts = problem.parameter_constraints
    satisfied = paragraph(f"Every design satisfies {joined(list(texts))}.") if texts else ""
    return _section("problem", "The problem", parameters + satisfied + simulators)


def reproduce_section(contents: Contents) -> str:
    steps = "".join(f"<li>{safe(what)}{code(command)}</li>" for what, command in contents.introduction.commands)
    facts = [("method", contents.method), ("seed", str(contents.seed)), *contents.versions, *contents.times]
    text = (
        f"<details><summary>The problem as a study file</summary>{code(contents.problem_text)}</details>"
        if contents.problem_text
        else ""
    )
    note = "The same problem, method, seed and answers give the same questions, on one machine, also after a restart."
    return _section(
        "reproduce", "To reproduce or continue", paragraph(note) + f"<ul>{steps}</ul>" + pairs(facts, "facts") + text
    )


def _highlight_table(contents: Contents) -> str:
    if not contents.highlights:
        return ""
    outputs = _outputs(contents)
    rows = [
        [
            Cell(highlight.reason, is_heading=True),
            *_parameter_cells(highlight.point),
            *(_best_known(highlight.point, name) for name, _ in outputs),
            *_feasibility_cell(contents, highlight.point),
        ]
        for highlight in contents.highlights
    ]
    titles = [*(title for _, title in outputs), *_feasibility_title(contents)]
    return table("Designs to begin with", ["design", *_parameter_titles(contents), *titles], rows)


def _outputs(contents: Contents) -> list[tuple[str, str]]:
    """Names of the objectives and constraints, and what stands above their columns."""
    return [
        *((each.name, f"{labelled(each.name, each.unit)} ({each.goal})") for each in contents.front.objectives),
        *(
            (limit.name, f"{limit.name} ({bound_words(limit.lower, limit.upper, limit.unit)})")
            for limit in contents.front.constraints
        ),
    ]


def _feasibility_title(contents: Contents) -> list[str]:
    return ["feasible with probability"] if is_feasibility_told(contents.problem, contents.front.points) else []


def _feasibility_cell(contents: Contents, point: ParetoPoint) -> list[Cell]:
    is_told = is_feasibility_told(contents.problem, contents.front.points)
    return [Cell(f"{point.feasibility:.2f}", point.feasibility)] if is_told else []


def _best_known(point: ParetoPoint, name: str) -> Cell:
    """Measured if it was, else predicted."""
    if point.measured is not None:
        words = with_error(point.measured[name], point.errors.get(name))
        return Cell(f"{words} measured", point.measured[name])
    return Cell(with_deviation(point.predicted[name], point.uncertainty[name]), point.predicted[name])


def _figure(name: FigureName, reading: str, is_drawn: bool) -> str:
    if not is_drawn:
        return _section(name, safe(TITLES[name]), paragraph(reading))
    return (
        f'<section id="{name}" aria-labelledby="{name}-title">\n<h2 id="{name}-title">{safe(TITLES[name])}</h2>\n'
        f'<figure>\n<figcaption id="{name}-reading">{safe(reading)}</figcaption>\n<div class="scroll" tabindex="0">'
        f'<div class="plot" id="plot-{name}" role="img" aria-label="{safe(TITLES[name])}" '
        f'aria-describedby="{name}-reading"></div></div>\n</figure>\n</section>'
    )


def _section(name: str, title: str, body: str) -> str:
    return (
        f'<section id="{name}" aria-labelledby="{name}-title">\n<h2 id="{name}-title">{title}</h2>\n{body}\n</section>'
    )


def _titles(contents: Contents) -> list[str]:
    titles = _parameter_titles(contents)
    for name, title in _outputs(contents):
        titles.append(title)
        if contents.summary.n_verified:
            titles.append(f"{name}, measured")
    return [*titles, *_feasibility_title(contents)]


def _parameter_titles(contents: Contents) -> list[str]:
    return [labelled(parameter.name, parameter.unit) for parameter in contents.problem.parameters]


def _parameter_cells(point: ParetoPoint) -> list[Cell]:
    return [_value_cell(value) for value in point.parameters.values()]


def _value_cell(value: Value) -> Cell:
    return Cell(number(value), float(value) if is_number(value) else None)


def _outcome_cells(contents: Contents, point: ParetoPoint, with_measured: bool) -> list[Cell]:
    cells = []
    for name, _ in _outputs(contents):
        cells.append(Cell(with_deviation(point.predicted[name], point.uncertainty[name]), point.predicted[name]))
        if with_measured:
            measured = None if point.measured is None else point.measured[name]
            cells.append(_measured_cell(measured, point.errors.get(name)))
    return [*cells, *_feasibility_cell(contents, point)]

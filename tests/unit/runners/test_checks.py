"""What can be known of a simulator before it is run: its program, the names it is called with."""

import functools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from imoca.errors import ProblemError
from imoca.problem.fidelity import Fidelity
from imoca.problem.parameters import Real
from imoca.problem.problem import Problem
from imoca.problem.simulator import Command, FunctionReference, Objective, Runnable, Simulator
from imoca.runners.checks import check_runnable, check_simulators


def make_problem(run: Runnable, has_fidelity: bool = False) -> Problem:
    fidelity = Fidelity.continuous() if has_fidelity else Fidelity.none()
    simulator = Simulator("s", [Objective("f", "minimize")], run, fidelity=fidelity, cost="measured")
    return Problem([Real("angle", 0.0, 1.0), Real("chord", 0.0, 1.0)], [simulator])


@pytest.mark.parametrize(
    ("what", "culprit"),
    [
        (None, "nothing to run"),
        (FunctionReference("no_such_module:f"), "no_such_module"),
        (Command(["./no-such-program"]), "no-such-program"),
        (Command(["no-such-program-anywhere"]), "no-such-program-anywhere"),
    ],
)
def test_what_cannot_be_run_is_an_error_before_anything_is_asked(what: Any, culprit: str, tmp_path: Path) -> None:
    with pytest.raises(ProblemError, match=culprit):
        check_runnable(make_problem(what), tmp_path)


def test_programs_on_the_path_and_beside_the_study_can_be_run(tmp_path: Path) -> None:
    program = tmp_path / "solver.sh"
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    for name in ("sh", "./solver.sh", "solver.sh", "{python}"):
        check_runnable(make_problem(Command([name])), tmp_path)


def test_a_program_that_may_not_be_executed_is_told_from_one_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "solver.sh").write_text("#!/bin/sh\n", encoding="utf-8")
    with pytest.raises(ProblemError, match=r"may not be executed.*chmod \+x .*solver\.sh"):
        check_runnable(make_problem(Command(["./solver.sh"])), tmp_path)


def test_elsewhere_only_what_is_wrong_everywhere_is_an_error(tmp_path: Path) -> None:
    for run in (Command(["./no-such-program", "{angle}"]), FunctionReference("no_such_module:f")):
        check_runnable(make_problem(run), tmp_path, is_here=False)
    with pytest.raises(ProblemError, match="angel"):
        check_runnable(make_problem(Command(["./no-such-program", "{angel}"])), tmp_path, is_here=False)
    with pytest.raises(ProblemError, match="span"):
        check_runnable(make_problem(lambda angle, span: 1.0), tmp_path, is_here=False)


def test_a_simulator_whose_answers_are_told_needs_nothing_to_run(tmp_path: Path) -> None:
    check_simulators(make_problem(None), tmp_path)


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("{angel}", "has {angel}, which nothing fills in. Did you mean {angle}?"),
        ("--angle={angel}", "Did you mean {angle}?"),
        ("{Chord}", "Did you mean {chord}?"),
        ("{parms}", "Did you mean {params}?"),
        ("{z}", "Did you mean {fidelity}?"),
        ("{level}", "Did you mean {fidelity}?"),
        ("{angle}{speed}", "has {speed}, which nothing fills in. There are {angle}, {chord}, {python}, {params}, "),
    ],
)
def test_a_placeholder_that_nothing_fills_in_is_an_error(argument: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ProblemError, match=re.escape(message)):
        check_runnable(make_problem(Command(["sh", argument])), tmp_path)


@pytest.mark.parametrize(
    "argument",
    [
        "{angle}",
        "a={angle},c={chord},z={fidelity}",
        "{params}",
        "{workdir}/mesh",
        "{python}",
        "${HOME}",
        "{}",
        "a{3}",
        '{"f":1}',
        "{ print }",
        "echo '{speed}' > result.json",  # a script: its braces may mean anything
        "{angle",
    ],
)
def test_placeholders_that_are_filled_in_and_braces_that_are_none_pass(argument: str, tmp_path: Path) -> None:
    check_runnable(make_problem(Command(["sh", argument])), tmp_path)


def whole(angle: float, chord: float, z: float) -> float:
    return angle + chord + z


class Solver:
    def __call__(self, angle: float, *, chord: float, z: float = 1.0) -> float:
        return angle + chord + z

    def solve(self, angle: float, chord: float, **others: Any) -> float:
        return angle + chord


class Opaque:
    """Like some built-ins."""

    __signature__ = 0

    def __call__(self) -> float:
        return 1.0


@functools.wraps(whole)
def wrapper(*args: Any, **kwargs: Any) -> float:
    return 1.0


@functools.wraps(lambda speed: speed)
def adapter(angle: float, chord: float, z: float) -> float:
    return 1.0


@pytest.mark.parametrize(
    "function",
    [
        whole,
        Solver(),
        Solver().solve,
        wrapper,
        adapter,
        lambda **design: 1.0,
        functools.partial(whole, z=0.5),
        Opaque(),
    ],
)
def test_functions_that_take_what_they_are_given_pass(function: Callable[..., Any], tmp_path: Path) -> None:
    check_runnable(make_problem(function, has_fidelity=True), tmp_path)


def mismatched(angel: float, chord: float, z: float) -> float:
    return 1.0


def levelled(angle: float, chord: float, level: float) -> float:
    return 1.0


def longer(angle: float, chord: float, z: float, span: float, sweep: float = 0.0) -> float:
    return 1.0


def shorter(angle: float) -> float:
    return 1.0


def placed(angle: float, chord: float, z: float, /) -> float:
    return 1.0


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (
            levelled,
            "its function levelled(angle, chord, level) takes no 'z' and needs 'level', which nothing gives it. "
            "It is called as levelled(angle=..., chord=..., z=...). Rename 'level' to 'z'. z is the fidelity",
        ),
        (
            mismatched,
            "takes no 'angle' and needs 'angel', which nothing gives it. It is called as mismatched(angle=...",
        ),
        (mismatched, "Rename 'angel' to 'angle'."),
        (longer, "its function longer(angle, chord, z, span, sweep) needs 'span', which nothing gives it."),
        (shorter, "takes no 'chord', 'z'."),
        (placed, "its function placed(angle, chord, z) takes 'angle', 'chord', 'z' by position only"),
        (lambda angle, chord: 1.0, "takes no 'z'. It is called as <lambda>(angle=..., chord=..., z=...). z is the fid"),
        (lambda angle: 1.0, "takes no 'chord', 'z'"),
        (functools.partial(whole, 0.5), "its function partial(chord, z) takes no 'angle'."),
    ],
)
def test_functions_that_do_not_take_what_they_are_given_are_an_error(
    function: Callable[..., Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(ProblemError, match=re.escape(message)):
        check_runnable(make_problem(function, has_fidelity=True), tmp_path)


def test_a_function_that_needs_a_fidelity_where_none_is_declared_is_an_error(tmp_path: Path) -> None:
    message = (
        "needs 'z', which nothing gives it. It is called as whole(angle=..., chord=...). z is the fidelity: declare"
    )
    with pytest.raises(ProblemError, match=re.escape(message)):
        check_runnable(make_problem(whole), tmp_path)
    check_runnable(make_problem(Solver()), tmp_path)


def test_the_signature_of_a_function_that_is_named_is_checked_too(tmp_path: Path) -> None:
    with pytest.raises(
        ProblemError, match=re.escape("sqrt(x) takes no 'angle', 'chord' and takes 'x' by position only")
    ):
        check_runnable(make_problem(FunctionReference("math:sqrt")), tmp_path)

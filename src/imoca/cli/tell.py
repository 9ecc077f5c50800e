"""``imoca tell``: the answer to a question."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated

import typer

from imoca.cli.opening import open_to_write, split_study, trial_number
from imoca.cli.output import say
from imoca.cli.text import printable
from imoca.json_text import read_json

JSON_KEYS = ("values", "cost", "failures", "errors")
JSON_EXAMPLE = '{"values": {"drag": 0.021}, "cost": {"cfd": 310}, "failures": {"mass": "mesh exploded"}}'

Words = Annotated[
    list[str],
    typer.Argument(
        metavar="[STUDY] NUMBER [OUTPUT=VALUE]...", help="The trial, and one number per output.", show_default=False
    ),
]
Costs = Annotated[
    list[str] | None,
    typer.Option("--cost", metavar="SIMULATOR=VALUE", help="What a run cost, in its own units.", show_default=False),
]
Failed = Annotated[
    list[str] | None,
    typer.Option("--failed", metavar="SIMULATOR=REASON", help="A simulator without an answer.", show_default=False),
]
Errors = Annotated[
    list[str] | None,
    typer.Option("--error", metavar="OUTPUT=VALUE", help="The standard error of an output.", show_default=False),
]
Text = Annotated[
    str | None, typer.Option("--json", metavar="TEXT", help=f"The answer as JSON, - for stdin: {JSON_EXAMPLE}")
]


@dataclass(frozen=True)
class Told:
    """An answer as it was typed; the study checks it."""

    values: Mapping[str, float] = field(default_factory=dict)
    cost: Mapping[str, float] = field(default_factory=dict)
    failures: Mapping[str, str] = field(default_factory=dict)
    errors: Mapping[str, float] = field(default_factory=dict)


def tell(words: Words, cost: Costs = None, error: Errors = None, failed: Failed = None, as_json: Text = None) -> None:
    """Tell what the simulators answered to a trial.

    For example: imoca tell 3 drag=0.021 lift=0.8 --cost cfd=310
    """
    given, rest = split_study(words)
    number = trial_number(rest)
    from_json = None if as_json is None else _from_json(as_json)
    if from_json is not None and (rest[1:] or cost or error or failed):
        raise typer.BadParameter("Give the answer either as words or as --json, not both.")
    with open_to_write(given) as opened:
        outputs = [output.name for output in opened.study.problem.outputs]
        simulators = [simulator.name for simulator in opened.study.problem.simulators]
        told = from_json or Told(
            named_numbers(rest[1:], outputs, "output"),
            named_numbers(cost or [], simulators, "simulator"),
            named_texts(failed or [], simulators, "simulator"),
            named_numbers(error or [], outputs, "output"),
        )
        trial = opened.study.tell(number, told.values, told.cost, told.failures, told.errors)
        rest_words = f" Still to be told: {', '.join(map(printable, trial.pending))}." if trial.pending else ""
        say(f"Trial {number} is stored in {opened.database}.{rest_words}")


def named_numbers(words: Sequence[str], names: Sequence[str], what: str) -> dict[str, float]:
    """``drag=0.021`` by name; whether a number is finite is for the study to say."""
    numbers: dict[str, float] = {}
    for name, text in named_texts(words, names, what).items():
        try:
            numbers[name] = float(text)
        except ValueError:
            raise typer.BadParameter(
                f"{printable(text)!r} came for {what} {printable(name)!r}, but a number is needed."
            ) from None
    return numbers


def named_texts(words: Sequence[str], names: Sequence[str], what: str) -> dict[str, str]:
    texts: dict[str, str] = {}
    for word in words:
        matches = [name for name in names if word.startswith(f"{name}=")]  # a name may itself hold a =
        if not matches:
            known = ", ".join(printable(name) for name in names)
            raise typer.BadParameter(
                f"{printable(word)!r} is not of the form {what}=...; the {what}s are {known}.",
            )
        name = max(matches, key=len)
        if name in texts:
            raise typer.BadParameter(f"{what.capitalize()} {printable(name)!r} came twice; tell it once.")
        texts[name] = word[len(name) + 1 :]
    return texts


def _from_json(text: str) -> Told:
    try:
        content = read_json(sys.stdin.read() if text == "-" else text)
    except ValueError as error:
        raise typer.BadParameter(f"This is not JSON that can be used: {error}. Write such as {JSON_EXAMPLE}.") from None
    is_known = isinstance(content, dict) and set(content) <= set(JSON_KEYS)
    if not is_known or not all(isinstance(part, dict) for part in content.values()):
        raise typer.BadParameter(f"The JSON must hold tables under {', '.join(JSON_KEYS)}, such as {JSON_EXAMPLE}.")
    return Told(**content)

"""What a user may set of a method."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypedDict, get_args

from imoca.errors import MethodError
from imoca.models.surrogates import ModelName
from imoca.problem.names import is_integer, is_number, plain_scalar
from imoca.wording import shown

MOST_FRONTS = 1000  # a question takes time and memory in proportion, and ten serve as well
InitialDesign = Literal["cheap", "paper", "target"]
Evaluate = Literal["best", "all"]


class GivenSettings(TypedDict, total=False):
    """Settings that were given, as they are stored and written down."""

    n_fronts: int
    initial_design: InitialDesign
    fidelity_reduction: bool
    model: ModelName
    verify: float
    evaluate: Evaluate


@dataclass(frozen=True)
class MethodSettings:
    """None leaves a setting at the method's own default."""

    n_fronts: int | None = None  # sampled Pareto fronts per question
    initial_design: InitialDesign | None = None  # how the first questions are chosen
    fidelity_reduction: bool | None = None  # leave out fidelities that cannot be worth their cost
    model: ModelName | None = None  # what is believed of the simulators
    verify: float | None = None  # share of the cost for full runs where they improve the predicted front
    evaluate: Evaluate | None = None  # the simulators that are worth their price at a design, or all of them

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            object.__setattr__(self, field.name, plain_scalar(getattr(self, field.name)))
        if self.n_fronts is not None and (not is_integer(self.n_fronts) or not 1 <= self.n_fronts <= MOST_FRONTS):
            raise MethodError(
                f"n_fronts is {shown(self.n_fronts)}.",
                hint=f"Give the number of sampled fronts, a whole number from 1 to {MOST_FRONTS}.",
            )
        if self.initial_design is not None and self.initial_design not in get_args(InitialDesign):
            raise MethodError(
                f"Unknown initial design {shown(self.initial_design)}.",
                hint=f"Choose one of {', '.join(get_args(InitialDesign))}.",
            )
        if self.fidelity_reduction is not None and not isinstance(self.fidelity_reduction, bool):
            raise MethodError(f"fidelity_reduction is {shown(self.fidelity_reduction)}.", hint="Give True or False.")
        if self.model is not None and self.model not in get_args(ModelName):
            raise MethodError(
                f"Unknown model {shown(self.model)}.", hint=f"Choose one of {', '.join(get_args(ModelName))}."
            )

        if self.verify is not None and (not is_number(self.verify) or not 0.0 <= self.verify <= 1.0):
            raise MethodError(
                f"verify is {shown(self.verify)}.",
                hint="Give the share of the cost for runs at full accuracy on the predicted front, from 0 to 1.",
            )

        if self.evaluate is not None and self.evaluate not in get_args(Evaluate):
            raise MethodError(
                f"evaluate is {self.evaluate!r}.",
                hint="Give 'best' to run what is worth its price, or 'all' to run every simulator of a design.",
            )

    @property
    def given(self) -> GivenSettings:
        """Those that are not None."""
        every = dataclasses.asdict(self)
        return GivenSettings(**{name: value for name, value in every.items() if value is not None})  # type: ignore[typeddict-item]

    def check_used(self, method: str, used: Iterable[str]) -> None:
        """An error for a setting that the method would ignore."""
        known = sorted(used)
        if ignored := [name for name in self.given if name not in known]:
            raise MethodError(
                f"The method {method!r} makes no use of {', '.join(ignored)}.",
                hint=f"Its settings are {', '.join(known)}." if known else "It has no settings.",
            )

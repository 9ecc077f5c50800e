"""What every kind of fidelity answers."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

import numpy as np

from imoca.arrays import Array
from imoca.errors import FidelityError
from imoca.problem.names import is_number
from imoca.wording import shown

Level = str | int | float
FidelityValue = Level | Mapping[str, Level] | None  # of several knobs one level each; None where there is no knob

FIDELITY_NAME = "z"  # by which functions and expressions know a fidelity of one knob


class Accuracy(ABC):
    """A setting in the user's own units is z in [0, 1] to everybody else, with z = 1 at the target."""

    unit: str | None = None  # of its settings, to be shown
    is_ordered: bool = True  # whether a greater z is a more accurate setting

    @property
    @abstractmethod
    def has_knob(self) -> bool:
        """Whether there is more than one setting to choose from."""

    @property
    @abstractmethod
    def is_continuous(self) -> bool:
        """Whether there are settings as near to the target as one likes."""

    @property
    @abstractmethod
    def is_numeric(self) -> bool:
        """Whether a cost expression may use z: the settings are numbers."""

    @property
    def names(self) -> tuple[str, ...]:
        """By which a run is told its setting."""
        return (FIDELITY_NAME,) if self.has_knob else ()

    @property
    def knobs_apart(self) -> "tuple[tuple[str | None, Accuracy], ...]":
        """Itself, without a name; or its several knobs, each by name."""
        return ((None, self),)

    @property
    def numeric_names(self) -> tuple[str, ...]:
        """Those of them that expressions may use."""
        return self.names if self.is_numeric else ()

    def named(self, setting: FidelityValue) -> dict[str, Level]:
        """A setting by these names."""
        if isinstance(setting, Mapping):
            return dict(setting)
        return {} if setting is None else {FIDELITY_NAME: setting}

    def variables(self, z: Array) -> dict[str, Array]:
        """Many settings as numbers, by the names that expressions may use."""
        return {FIDELITY_NAME: self.numbers(z)} if self.is_numeric else {}

    def shortfalls(self, z: Array) -> Array:  # (m,) -> (m, p)
        """How far every knob is from full accuracy, 1 at its cheapest: the coordinates in which a cost is smooth."""
        return 1.0 - np.asarray(z)[:, None] if self.has_knob else np.empty((len(z), 0))

    @property
    def target(self) -> FidelityValue:
        return self.decode(1.0)

    @property
    def cheapest(self) -> FidelityValue:
        return self.decode(0.0)

    def encode(self, value: FidelityValue) -> float:
        """z of a setting in the user's own units."""
        return float(self.encode_all([value])[0])

    @abstractmethod
    def encode_all(self, values: Sequence[FidelityValue]) -> Array:  # (n,)
        """z of many settings at once; the first that is not one of ours is refused."""

    def decode(self, z: float) -> FidelityValue:
        """The setting at z in the user's own units: the nearest level, or a number inside the range."""
        if not is_number(z):
            raise FidelityError(
                f"Encoded fidelity {shown(z)} is not a number in [0, 1].",
                hint="Encoded fidelities come from encode.",
            )
        return self._setting(float(z))

    @abstractmethod
    def numbers(self, z: Array) -> Array:
        """Many settings at once as numbers, for cost expressions; any shape, only if `is_numeric`."""

    @abstractmethod
    def grid(self, n: int) -> Array:
        """z values that cover the knob: n equally spaced ones, or all levels, or the target alone."""

    @abstractmethod
    def _setting(self, z: float) -> FidelityValue:
        """The setting at z, which is a number."""

    @abstractmethod
    def _allowed(self) -> str:
        """What a setting may be, in words."""

    def _refusal(self, value: FidelityValue) -> FidelityError:
        return FidelityError(
            f"Fidelity {shown(value)} is not {self._allowed()}.",
            hint="Fidelities are given in the simulator's own units, as declared in the problem.",
        )

    def _not_numeric(self) -> FidelityError:
        return FidelityError(
            f"The fidelity is {self._allowed()}, which is not a number.",
            hint="Use numeric levels, or give the cost as one number per level.",
        )


def one_by_one(fidelities: Mapping[str, FidelityValue]) -> dict[str, Level | None]:
    """Settings by simulator with several knobs apart: ``{"wing.panels": 3, "wing.steps": 10}``."""
    apart: dict[str, Level | None] = {}
    for name, setting in fidelities.items():
        if isinstance(setting, Mapping):
            apart |= {f"{name}.{knob}": level for knob, level in setting.items()}
        else:
            apart[name] = setting
    return apart

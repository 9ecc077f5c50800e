"""A problem together with what is known about its solution."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

from imoca.arrays import Array, BoolArray
from imoca.errors import ProblemError
from imoca.pareto import finite_points, non_dominated
from imoca.problem import Problem
from imoca_lab.stored_front import load_front

Setting = Literal["coupled", "per_objective"]  # one simulator for all objectives, or one each as in the paper
CostMode = Literal["work", "nominal", "wall"]  # a deterministic count, the paper's minutes, or the clock


@dataclass(frozen=True)
class Benchmark:
    """A problem, its noiseless truth at full fidelity and its Pareto front; every value is maximised."""

    name: str
    problem: Problem
    reference_point: Array  # (K,)
    true_values: Callable[[Array], Array]  # (n, d) in the unit cube -> (n, K)
    reference_front: Array  # (m, K) non-dominated, a thinned picture of the true front
    hypervolume: float  # of a dense front, far above what the reference front or any few hundred points reach
    # (n, d) -> (n,): whether a design answers at full fidelity and holds all constraints; None: every design does
    is_feasible: Callable[[Array], BoolArray] | None = None

    def __post_init__(self) -> None:
        front = finite_points(self.reference_front, f"Reference front of {self.name!r}")
        if self.reference_point.shape != (front.shape[1],):
            raise ProblemError(
                f"Benchmark {self.name!r}: reference point of shape {self.reference_point.shape} "
                f"for {front.shape[1]} objectives.",
                hint="Give one reference value per objective, in maximised form.",
            )
        if not non_dominated(front).all():
            raise ProblemError(
                f"Benchmark {self.name!r}: its reference front holds dominated points.",
                hint="Make it again by the command in its first line.",
            )


def with_stored_front(
    name: str,
    problem: Problem,
    reference_point: Array,  # (K,)
    true_values: Callable[[Array], Array],  # (n, d) in the unit cube -> (n, K)
    front_name: str | None = None,
    is_feasible: Callable[[Array], BoolArray] | None = None,
) -> Benchmark:
    """The benchmark whose front is stored under its own name, or under another's."""
    front = load_front(front_name or name, problem.space.n_parameters)
    return Benchmark(name, problem, reference_point.copy(), true_values, front.values, front.hypervolume, is_feasible)


def check_option(benchmark: str, option: str, value: str, allowed: object) -> None:
    """Refuses a value that is not among those of a Literal type."""
    if value not in get_args(allowed):
        raise ProblemError(
            f"The benchmark {benchmark!r} knows no {option} {value!r}.",
            hint=f"Its values of {option} are {', '.join(get_args(allowed))}.",
        )

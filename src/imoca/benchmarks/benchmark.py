"""A problem together with what is known about its solution."""

from collections.abc import Callable
from dataclasses import dataclass

from imoca.arrays import Array
from imoca.errors import ProblemError
from imoca.pareto.dominance import finite_points, non_dominated
from imoca.problem.problem import Problem


@dataclass(frozen=True)
class Benchmark:
    """A problem, its noiseless truth at full fidelity and its Pareto front; every value is maximised."""

    name: str
    problem: Problem
    reference_point: Array  # (K,)
    true_values: Callable[[Array], Array]  # (n, d) in the unit cube -> (n, K)
    reference_front: Array  # (m, K) non-dominated, a thinned picture of the true front
    hypervolume: float  # of a dense front, far above what the reference front or any few hundred points reach

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
                hint="Make it again with `python -m imoca.benchmarks.make_fronts`.",
            )

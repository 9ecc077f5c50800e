"""Which gain for more than four objectives? ``python experiments/many_objectives.py [--workers 2] [--folder FOLDER]``.

Whole runs of iMOCA-P on DTLZ1 and DTLZ2 (six objectives) and the circuit (nine) with different regions in its gain,
and of iMOCA-E, which needs none; the hypervolume that the recommended front lacks as cost grows. Then the error of
every estimate of a gain against a dense one, and CPU seconds per suggestion, one after the other in one process.
Results go to experiments/results/many_objectives.json. About half an hour on two idle cores; runs are kept in
the folder, so that a further call goes on, and ``--finished`` tells of those there are.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from importlib.metadata import version
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import numpy as np
from scipy.special import ndtr, ndtri

from imoca import Study
from imoca.acquisition import regions as regions_module
from imoca.acquisition.front_gain import DominatedRegions
from imoca.acquisition.regions import dominated_regions, sampled_regions
from imoca.arrays import Array
from imoca.files import write_whole
from imoca.methods import MethodSettings, get_method, information
from imoca.methods import fronts as fronts_module
from imoca.pareto import non_dominated
from imoca.pareto.search import Front
from imoca.problem import Fidelity, Objective, Problem, Real, Simulator
from imoca.sobol import sobol_sequence
from imoca.trials import TrialTable
from imoca_lab.benchmark import Benchmark
from imoca_lab.harness.curves import HYPERVOLUME_DIFFERENCE, steps_of
from imoca_lab.harness.drive import Suggestions, drive, open_study
from imoca_lab.harness.results import RunResult, from_line, to_line
from imoca_lab.harness.run_spec import MethodChoice, ProblemChoice, RunSpec
from imoca_lab.harness.single_run import result_of

COMMAND = "python experiments/many_objectives.py"
RESULTS = Path(__file__).parent / "results" / "many_objectives.json"
CHECKPOINTS = 3
N_SCALARISATIONS = 20  # per sampled front
SQRT_2PI = float(np.sqrt(2.0 * np.pi))
NORMAL_MOMENTS = (1.0, 0.0, 1.0, 0.0, 3.0)
EDGE_LIMIT = 40.0


def counted_regions(
    fronts: Sequence[Array], n_draws: int, n_pseudo: float, rng: np.random.Generator
) -> DominatedRegions:
    draws = ndtri(np.clip(sobol_sequence(fronts[0].shape[1], rng).random(n_draws), 1e-9, 1.0 - 1e-9))
    padded = np.full((len(fronts), max(map(len, fronts)), draws.shape[1]), -np.inf)
    for s, front in enumerate(fronts):
        padded[s, : len(front)] = front
    ranks = np.argsort(np.argsort(draws, axis=0), axis=0)
    is_below = ranks.T[:, None, :] < np.arange(n_draws + 1)[:, None]
    return CountedRegions(padded, draws, np.packbits(is_below, axis=-1), n_pseudo)


@dataclass(frozen=True)
class CountedRegions:
    """Moments of the common draws inside, smoothed towards those of all draws by so many pseudo-counts."""

    fronts: Array  # (S, l, K)
    draws: Array  # (Q, K)
    below_rank: np.ndarray  # (K, Q + 1, Q / 8) bits of the r smallest draws of each objective
    n_pseudo: float

    def marginal_moments(self, mean: Array, std: Array) -> Array:
        weights = self._weights(mean, std)
        return np.stack([weights @ self.draws, weights @ self.draws**2])

    def pair_moments(self, mean: Array, std: Array) -> Array:
        powers = np.stack([np.ones_like(self.draws), self.draws, self.draws**2])
        return np.asarray(np.einsum("nsq,aqj,bqk->abnsjk", self._weights(mean, std), powers, powers, optimize=True))

    def _weights(self, mean: Array, std: Array) -> Array:  # (n, S, Q)
        edges = (self.fronts - mean[:, None, None, :]) / std[:, None, None, :]
        bits = np.uint8(255)
        for k, column in enumerate(np.sort(self.draws, axis=0).T):
            bits = bits & self.below_rank[k][np.searchsorted(column, edges[..., k], side="right")]
        joined = np.bitwise_or.reduce(bits, axis=2)
        inside = np.unpackbits(joined, axis=-1, count=len(self.draws)).astype(np.float64)
        count = inside.sum(axis=-1, keepdims=True) + self.n_pseudo
        weights = (inside + self.n_pseudo / len(self.draws)) / np.maximum(count, 1.0)
        return np.where(count > 0, weights, 1.0 / len(self.draws))


def scalarised_regions(fronts: Sequence[Array], rng: np.random.Generator) -> DominatedRegions:
    """For each front and each of some random weights: nothing exceeds the front's largest Chebyshev scalarisation."""
    corners = []
    for front in fronts:
        low, span = front.min(axis=0), np.maximum(np.ptp(front, axis=0), 1e-12)
        for weights in rng.dirichlet(np.ones(front.shape[1]), N_SCALARISATIONS):
            step = weights * span
            corners.append(low + step * ((front - low) / step).min(axis=1).max())
    return ScalarisedRegions(np.array(corners))


@dataclass(frozen=True)
class ScalarisedRegions:
    """All but an upper orthant each, in closed form: what the normal has there is taken from its moments."""

    corners: Array  # (S, K)

    def marginal_moments(self, mean: Array, std: Array) -> Array:
        pair = self.pair_moments(mean, std)
        return np.stack([np.einsum("nsjj->nsj", pair[a, 0]) for a in (1, 2)])

    def pair_moments(self, mean: Array, std: Array) -> Array:
        n_objectives = mean.shape[1]
        upper = self._upper(mean, std)  # (5, n, S, K)
        mass = upper[0].prod(axis=-1)  # (n, S)
        ratio = upper / np.maximum(upper[0], 1e-300)
        answer = np.empty((3, 3, *mass.shape, n_objectives, n_objectives))
        for a, b in np.ndindex(3, 3):
            inside = mass[..., None, None] * ratio[a][..., :, None] * ratio[b][..., None, :]
            answer[a, b] = NORMAL_MOMENTS[a] * NORMAL_MOMENTS[b] - inside
            for j in range(n_objectives):
                answer[a, b, ..., j, j] = NORMAL_MOMENTS[a + b] - mass * ratio[a + b][..., j]
        return answer / np.maximum(1.0 - mass, 1e-12)[..., None, None]

    def _upper(self, mean: Array, std: Array) -> Array:
        """Integrals of u^a phi(u) above each edge, a = 0..4."""
        t = np.clip((self.corners - mean[:, None, :]) / std[:, None, :], -EDGE_LIMIT, EDGE_LIMIT)
        pdf, tail = np.exp(-0.5 * t * t) / SQRT_2PI, ndtr(-t)
        return np.stack([tail, pdf, tail + t * pdf, (t * t + 2.0) * pdf, 3.0 * tail + (t * t + 3.0) * t * pdf])


@dataclass(frozen=True)
class Variant:
    method: str = "imoca-p"
    regions: Callable[[Sequence[Array], np.random.Generator], DominatedRegions] = dominated_regions
    share_below: float = 0.0  # of a draw's values below its lifted front; 0 leaves the front where it was found

    @contextmanager
    def in_force(self) -> Iterator[None]:
        with ExitStack() as stack:
            stack.enter_context(patch.object(information, "dominated_regions", self.regions))
            stack.enter_context(patch.object(fronts_module, "SHARE_BELOW", self.share_below))
            yield


def hard_counts(fronts: Sequence[Array], rng: np.random.Generator) -> DominatedRegions:
    return counted_regions(fronts, 128, 0.0, rng)


def smoothed_counts(fronts: Sequence[Array], rng: np.random.Generator) -> DominatedRegions:
    return counted_regions(fronts, 512, 8.0, rng)


VARIANTS = {
    "hard counts of 128 draws": Variant(regions=hard_counts),
    "smoothed counts of 512 draws": Variant(regions=smoothed_counts),
    "own draws": Variant(),
    "own draws, 90 % below": Variant(share_below=0.9),
    "own draws, 99 % below": Variant(share_below=0.99),
    "random scalarisations": Variant(regions=scalarised_regions),
    "maxima per objective (iMOCA-E)": Variant(method="imoca-e"),
}


@dataclass(frozen=True)
class Comparison:
    budget: float
    trials: int
    seeds: int
    variants: tuple[str, ...] = tuple(VARIANTS)


TAKEN = "own draws, 90 % below"  # what dominated_regions and lifted_fronts do
COMPARISONS = {
    "dtlz2": Comparison(budget=20.0, trials=45, seeds=2),
    "circuit": Comparison(budget=300.0, trials=55, seeds=2),
    "dtlz1": Comparison(budget=30.0, trials=40, seeds=2),
}


def dtlz2(n_objectives: int = 6, n_parameters: int = 7) -> Benchmark:
    """DTLZ2 minimised, by one simulator whose error shrinks with its fidelity and differs between objectives.

    Its front is the part of the unit sphere with non-negative coordinates, so that its hypervolume is known.
    """

    def values(x: Array) -> Array:  # (n, d) -> (n, K)
        angles = 0.5 * np.pi * x[:, : n_objectives - 1]
        radius = 1.0 + ((x[:, n_objectives - 1 :] - 0.5) ** 2).sum(axis=1)
        cosines = np.cumprod(np.column_stack([radius, np.cos(angles)]), axis=1)[:, ::-1]
        return np.asarray(cosines * np.column_stack([np.ones(len(x)), np.sin(angles)[:, ::-1]]))

    def run(*, z: float, **design: float) -> dict[str, float]:
        x = np.array([[design[f"x{i}"] for i in range(n_parameters)]])
        error = 0.1 * (1.0 - z) * np.cos(2.0 * x.sum() + np.arange(n_objectives))
        return {f"f{j}": float(value) for j, value in enumerate(values(x)[0] + error)}

    objectives = [Objective(f"f{j}", "minimize") for j in range(n_objectives)]
    problem = Problem(
        [Real(f"x{i}", 0.0, 1.0) for i in range(n_parameters)],
        [Simulator("dtlz2", objectives, run, fidelity=Fidelity.continuous(), cost="0.05 + 0.95 * z**2")],
    )
    x = np.random.default_rng(0).random((2000, n_parameters))
    x[:, n_objectives - 1 :] = 0.5
    front = -values(x)
    reference = np.full(n_objectives, -1.1)
    sphere = np.pi**3 / 6.0 / 2.0**6  # the unit ball of six dimensions, one of its 64 orthants
    hypervolume = 1.1**n_objectives - sphere
    return Benchmark("dtlz2", problem, reference, lambda x: -values(x), front[non_dominated(front)], hypervolume)


def benchmark_of(problem: str) -> tuple[ProblemChoice, Benchmark]:
    if problem == "dtlz2":
        return ProblemChoice("dtlz2"), dtlz2()
    choice = ProblemChoice("circuit", setting="per_objective", backend="pwl") if problem == "circuit" else None
    choice = choice or ProblemChoice(problem)
    return choice, choice.benchmark()


def run(job: tuple[str, str, int], folder: Path) -> RunResult:
    """Or what an earlier call left in the folder."""
    problem, variant, seed = job
    path = stored(job, folder)
    if path.exists():
        return from_line(path.read_text(encoding="utf-8"))
    choice, benchmark = benchmark_of(problem)
    limits = COMPARISONS[problem]
    method = MethodChoice(VARIANTS[variant].method)
    spec = RunSpec(choice, method, seed, limits.budget, trials=limits.trials, checkpoints=CHECKPOINTS)
    with TemporaryDirectory() as scratch, VARIANTS[variant].in_force():
        suggestions = Suggestions(Path(scratch) / "suggestions.jsonl")
        with open_study(spec, benchmark.problem, None) as study:
            trials = drive(spec, study, suggestions)
        result = result_of(spec, COMMAND, benchmark, trials, suggestions.seconds())
    write_whole(path, to_line(result) + "\n")
    return result


def stored(job: tuple[str, str, int], folder: Path) -> Path:
    problem, variant, seed = job
    return folder / f"{problem}, {variant}, {seed}.json"


def compared(runs: dict[tuple[str, int], RunResult]) -> dict[str, object]:
    """Per variant what its front lacks after so much cost, a list per seed, and CPU seconds per informed question."""
    rows: dict[str, object] = {}
    for variant in dict.fromkeys(name for name, _ in runs):
        own = [run for (name, _), run in runs.items() if name == variant]
        steps = [steps_of(run, HYPERVOLUME_DIFFERENCE) for run in own]
        seconds = np.concatenate([run.seconds[run.n_initial :] for run in own])
        rows[variant] = {
            "cost": [each.costs.round(2).tolist() for each in steps],
            "lacking": [each.values.round(4).tolist() for each in steps],
            "seconds per suggestion": round(float(np.median(seconds)), 2),
        }
        print(variant, "|", json.dumps(rows[variant]), flush=True)
    attainable = next(iter(runs.values())).attainable_difference
    return {"attainable": round(attainable, 4), "variants": rows}


def jobs() -> list[tuple[str, str, int]]:
    """The first seed of everything first."""
    every = [
        (problem, variant, seed)
        for problem, limits in COMPARISONS.items()
        for variant, seed in product(limits.variants, range(limits.seeds))
    ]
    return sorted(every, key=lambda job: job[2])


def errors_of_gains() -> dict[str, dict[str, str]]:
    """Root mean square error and bias of the gain in nats, by each estimate; the exact mean beside them.

    Means of designs are drawn between two heights; fronts have their middle about 0. Exact by boxes where there are
    four objectives, else by 8192 common draws and 2048 own ones.
    """
    rng = np.random.default_rng(0)
    heights = {"below": (-3.0, -1.0), "amid": (-1.0, 1.0), "above": (0.5, 1.5), "far above": (1.5, 3.0)}
    makers = {"hard counts": hard_counts, "smoothed counts": smoothed_counts, "own draws": sampled_regions}
    table = {}
    for n_objectives, (place, (low, high)) in product((4, 6, 9), heights.items()):
        drawn = 0.7 * rng.standard_normal((3, 400, n_objectives))
        fronts = [points[non_dominated(points)][:100] for points in drawn]
        shape = (12, n_objectives)
        mean, std = rng.uniform(low, high, shape), rng.uniform(0.3, 0.6 if low > 0.0 else 1.0, shape)
        if n_objectives <= regions_module.MAX_BOX_OBJECTIVES:
            exact = gains_by(dominated_regions(fronts, rng), mean, std)
        else:
            with patch.multiple(regions_module, N_DRAWS=8192, N_OWN_DRAWS=2048, N_ENOUGH=8192):
                exact = gains_by(sampled_regions(fronts, rng), mean, std)
        row = {"exact": f"{exact.mean():.3f}"}
        for name, make in makers.items():
            apart = np.array([gains_by(make(fronts, rng), mean, std) for _ in range(4)]) - exact
            row[name] = f"{np.sqrt((apart**2).mean()):.3f} ({apart.mean():+.3f})"
        table[f"{n_objectives} objectives, {place}"] = row
        print(n_objectives, place, row, flush=True)
    return table


def gains_by(regions: DominatedRegions, mean: Array, std: Array) -> Array:  # (n, S)
    """Summed over objectives, of nearly exact observations."""
    first, second = regions.marginal_moments(mean, std)
    return np.asarray(-0.5 * np.log1p(-0.999 * (1.0 - np.clip(second - first**2, 1e-8, 1.0))).sum(axis=-1))


def seconds_per_suggestion(repeats: int = 3) -> dict[str, dict[str, float]]:
    """Medians of CPU seconds, the fit included, of variants in turn on the same trials."""
    found: dict[str, dict[str, float]] = {}
    for problem, n_trials in (("dtlz1", 40), ("circuit", 60)):
        table = random_trials(benchmark_of(problem)[1].problem, n_trials)
        taken: dict[str, list[float]] = {name: [] for name in ("hard counts of 128 draws", TAKEN)}
        for seed, name in product(range(repeats + 1), taken):
            as_found = patch.object(information, "lifted_fronts", values_as_found) if name != TAKEN else nullcontext()
            with VARIANTS[name].in_force(), as_found:
                started = time.process_time()
                get_method("imoca-p", MethodSettings()).suggest(table, seed)
                taken[name].append(time.process_time() - started)
        found[problem] = {name: round(float(np.median(each[1:])), 2) for name, each in taken.items()}
        print(problem, found[problem], flush=True)
    return found


def values_as_found(_: object, __: object, fronts: Sequence[Front], ___: object) -> list[Array]:
    return [front.values for front in fronts]


def random_trials(problem: Problem, n: int) -> TrialTable:
    with Study(problem, method="random", seed=0) as study:
        study.optimize(trials=n, progress=False)
        return study.table()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--folder", type=Path, default=Path(__file__).parent / "runs" / "many_objectives")
    parser.add_argument("--finished", action="store_true", help="tell of the runs that are in the folder, make no more")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    wanted = [job for job in jobs() if not options.finished or stored(job, options.folder).exists()]
    with ProcessPoolExecutor(options.workers) as pool:
        runs = dict(zip(wanted, pool.map(run, wanted, [options.folder] * len(wanted)), strict=True))
    compared_runs = {
        problem: compared({job[1:]: result for job, result in runs.items() if job[0] == problem})
        for problem in dict.fromkeys(job[0] for job in wanted)
    }
    record = {
        "command": COMMAND + (" --finished" if options.finished else ""),
        "versions": {name: version(name) for name in ("imoca", "numpy", "scipy")},
        "runs": compared_runs,
        "error of the gain, nats (bias)": errors_of_gains(),
        "CPU seconds per suggestion": seconds_per_suggestion(),
    }
    RESULTS.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

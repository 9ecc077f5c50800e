"""One study, and what models made of its trials promise at three costs and after some designs were verified."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from experiments.calibration.accuracy import Moment, accuracies, in_user_signs
from experiments.calibration.models import MODELS, Model, settings_of
from experiments.calibration.problems import Case
from imoca.arrays import Array, BoolArray
from imoca.methods import candidate
from imoca.methods.initial_design import sobol_designs
from imoca.models.surrogates import DEFAULT_MODEL, ModelName
from imoca.pareto import representative_subset
from imoca.problem import Problem
from imoca.runners import Job, run_job
from imoca.snapshot import Snapshot
from imoca.trials import Answer, Trial, TrialTable
from imoca_lab.benchmark import Benchmark
from imoca_lab.harness.drive import Suggestions, drive, net_costs, open_study
from imoca_lab.harness.run_spec import MethodChoice, RunSpec

METHOD = "imoca-p"
N_RANDOM, RANDOM_SEED = 256, 1000  # the same random designs for every seed and model
N_TO_VERIFY = 4
COSTS = ("first cost", "second cost", "third cost")
VERIFIED = "verified"
MOMENTS = (*COSTS, VERIFIED)
RECOMMENDED, RANDOM, REMAINING = "recommended", "random", "remaining"  # designs; remaining: see judge_study


@dataclass(frozen=True)
class Sample:
    """Designs whose truth is known."""

    x: Array  # (n, d)
    truth: Array  # (n, K) in the user's units

    def rows(self, chosen: BoolArray) -> Sample:
        return Sample(self.x[chosen], self.truth[chosen])


@dataclass(frozen=True)
class Stage:
    """A study at one moment: its trials, and the designs at which models are judged."""

    name: str
    table: TrialTable
    n_recommended: int
    n_verified: int
    samples: dict[str, Sample]


def spec_of(case: Case, search: str, seed: int) -> RunSpec:
    method = MethodChoice(METHOD, settings_of(search))
    return RunSpec(case.problem, method, seed, case.costs[-1], trials=case.trials)


def trials_of_study(case: Case, search: str, seed: int, benchmark: Benchmark, folder: Path) -> TrialTable:
    """Run to the last cost, or as far as is still to be run."""
    spec = spec_of(case, search, seed)
    folder.mkdir(parents=True, exist_ok=True)
    with open_study(spec, benchmark.problem, folder / "study.db") as study:
        trials = drive(spec, study, Suggestions(folder / "suggestions.jsonl"))
    return TrialTable.encode(benchmark.problem, trials)


def judge_study(
    benchmark: Benchmark, table: TrialTable, costs: Sequence[float], seed: int, search: str, models: Sequence[str]
) -> dict[str, list[Moment]]:
    """The moments of every model, all at the same designs: those that the study recommends, and random ones.

    At the last cost up to four recommended designs, spread over the front as predicted, are run at full accuracy, and
    the models fitted again. ``remaining`` are the other designs of that front, before and after: one width against
    the other.
    """
    stages = stages_of(benchmark, table, costs, seed, settings_of(search).model or DEFAULT_MODEL)
    spreads = stages[0].samples[RANDOM].truth.std(axis=0)
    return {name: [_moment(stage, MODELS[name], spreads) for stage in stages] for name in models}


def stages_of(
    benchmark: Benchmark, table: TrialTable, costs: Sequence[float], seed: int, model: ModelName
) -> list[Stage]:
    problem = benchmark.problem
    designs = sobol_designs(problem, N_RANDOM, np.random.default_rng(RANDOM_SEED))
    random = Sample(designs, in_user_signs(problem, benchmark.true_values(designs)))
    stages = [
        _stage(benchmark, name, table.rows(slice(size)), random, seed, model)
        for name, size in zip(COSTS, _sizes(table, costs), strict=True)
    ]
    front = stages[-1].samples[RECOMMENDED]
    chosen = designs_to_verify(stages[-1].table, front.x, seed, model)
    remaining = front.rows(~chosen)
    stages[-1] = _with_sample(stages[-1], REMAINING, remaining)
    verified = with_full_runs(stages[-1].table, front.x[chosen])
    return [*stages, _with_sample(_stage(benchmark, VERIFIED, verified, random, seed, model), REMAINING, remaining)]


def designs_to_verify(table: TrialTable, x: Array, seed: int, model: ModelName) -> BoolArray:  # (n, d) -> (n,)
    """Four that stand for the front as it is predicted, the best of each objective first where there is room."""
    chosen = np.zeros(len(x), dtype=np.bool_)
    beliefs = Snapshot(METHOD, seed, table, model=model).beliefs
    if beliefs is not None and len(x):
        chosen[representative_subset(beliefs.means_at_target(x), N_TO_VERIFY)] = True
    return chosen


def with_full_runs(table: TrialTable, x: Array) -> TrialTable:  # (n, d)
    """The trials and one more per design, at full accuracy. Not stored: the study could not go on without them."""
    problem, trials = table.problem, list(table.trials)
    for row in x:
        question = candidate(problem, row, np.ones(len(problem.simulators)))
        trials.append(_answered(problem, Trial.asked(len(trials), question)))
    return table.renewed(trials)


def _answered(problem: Problem, trial: Trial) -> Trial:
    answer = Answer()
    with TemporaryDirectory() as folder:
        for simulator in problem.simulators:
            place, fidelity = Path(folder) / simulator.name, trial.fidelities[simulator.name]
            own = run_job(Job(trial.number, simulator, trial.parameters, fidelity, 1, Path(folder), place))
            answer = replace(
                answer,
                values={**answer.values, **own.values},
                costs={**answer.costs, **own.costs},
                failures={**answer.failures, **own.failures},
            )
    return trial.answered(answer)


def _sizes(table: TrialTable, costs: Sequence[float]) -> list[int]:
    """Numbers of trials up to the one that reached each cost; all of them where none did."""
    reached = net_costs(table).cumsum()
    return [min(int((reached < cost).sum()) + 1, len(table)) for cost in costs]


def _stage(benchmark: Benchmark, name: str, table: TrialTable, random: Sample, seed: int, model: ModelName) -> Stage:
    problem = benchmark.problem
    points = Snapshot(METHOD, seed, table, model=model).front
    x = problem.space.encode_all([problem.space.check(point.parameters) for point in points])
    is_verified = _are_among(x, table.x[table.is_verified])
    x = x[~is_verified]
    truth = benchmark.true_values(x) if len(x) else np.empty((0, len(problem.objectives)))
    recommended = Sample(x, in_user_signs(problem, truth))
    unknown = random.rows(~_are_among(random.x, table.x[table.is_verified]))
    samples = {RECOMMENDED: recommended, RANDOM: unknown}
    return Stage(name, table, len(points), int(is_verified.sum()), samples)


def _are_among(x: Array, others: Array) -> BoolArray:  # (n, d), (m, d) -> (n,)
    known = {row.tobytes() for row in others}
    return np.array([row.tobytes() in known for row in x], dtype=np.bool_)


def _with_sample(stage: Stage, name: str, sample: Sample) -> Stage:
    return replace(stage, samples={**stage.samples, name: sample})


def _moment(stage: Stage, model: Model, spreads: Array) -> Moment:
    problem, predictor = stage.table.problem, model.fit(stage.table)
    found = {}
    if predictor is not None:
        for kind, sample in stage.samples.items():
            found[kind] = accuracies(problem, predictor, sample.x, sample.truth, spreads)
    return Moment(
        name=stage.name,
        cost=float(net_costs(stage.table).sum()),
        n_trials=len(stage.table),
        n_recommended=stage.n_recommended,
        n_verified=stage.n_verified,
        n_full_runs=_full_runs(stage.table),
        accuracies=found,
    )


def _full_runs(table: TrialTable) -> dict[str, int]:
    """Of simulators that have a knob: others know nothing else."""
    problem = table.problem
    is_full = (table.z == 1.0)[:, problem.simulator_columns] & ~np.isnan(table.values[:, problem.objective_columns])
    counts = zip(problem.objectives, is_full.sum(axis=0).tolist(), strict=True)
    return {each.name: count for each, count in counts if problem.simulator_of(each.name).fidelity.has_knob}

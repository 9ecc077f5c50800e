"""What was believed when a question was asked, from the hyperparameters that its trial remembers: nothing is fitted."""

from __future__ import annotations

import numpy as np

from imoca.arrays import Array
from imoca.methods.beliefs import MOST_OBSERVATIONS, Beliefs, alone_key, beliefs_of, declared_log, full_runs_of
from imoca.models.cost import CostModel
from imoca.models.dataset import OutputData, errors_suit_logarithms, has_logarithms, output_data
from imoca.models.fitting import thinned
from imoca.models.form import Form
from imoca.models.gp import GaussianProcess
from imoca.models.kernel import Kernel
from imoca.models.surrogates import ModelName, form_of
from imoca.trials.table import TrialTable
from imoca.trials.trial import Trial


def recall(
    table: TrialTable,
    then: Trial,
    model: ModelName,
    costs: tuple[CostModel, ...],
    most: int = MOST_OBSERVATIONS,  # of an objective; of more those are taken that a fit would take
) -> Beliefs | None:
    """What was believed of these trials when a later one was asked for, whose hyperparameters it remembers: no fit.

    None where it remembers none, those of another model, or where they have no posterior.
    """
    problem = table.problem
    data, surrogates, misled = [], [], []
    for j, output in enumerate(problem.modelled):
        form = form_of(problem.simulator_of(output.name).fidelity, model)
        alone = then.fitted.get(alone_key(output.name))
        known, logs = (table, then.fitted.get(output.name, ())) if alone is None else (full_runs_of(table, j), alone)
        try:
            seen = _recalled_view(known, j, np.array(logs), form, model, most)
        except np.linalg.LinAlgError:
            return None
        if seen is None:
            return None
        data.append(seen[0])
        surrogates.append(seen[1])
        misled.append(alone is not None)
    return beliefs_of(problem, data, surrogates, costs, [()] * len(data), (None,) * len(problem.simulators), misled)


def _recalled_view(
    table: TrialTable, j: int, logs: Array, form: Form, model: ModelName, most: int
) -> tuple[OutputData, GaussianProcess] | None:
    """The answers to one output as they are, or as their logarithms if the hyperparameters suit these better."""
    declared, plain = declared_log(table.problem.modelled[j]), output_data(table, j)
    prior = form.prior(plain.x.shape[1])
    if not len(plain.values) or len(logs) != len(prior.mean):
        return None
    views = [plain]
    is_allowed = declared or (declared is None and errors_suit_logarithms(table, j))
    if has_logarithms(table, j) and model != "product" and is_allowed:
        views = [*([] if declared else views), output_data(table, j, is_log=True)]
    if len(plain.values) > most:
        views = [view.rows(thinned(view.z, most)) for view in views]
    kernel = form.kernel(logs, plain.x.shape[1])
    process = _conditioned(views[0], kernel)  # the same runs: one covariance for all views, but for errors told
    others = [
        _conditioned(view, kernel) if view.told_noise.any() else process.with_values(view.values) for view in views[1:]
    ]
    processes = [process, *others]
    costs = [view.log_jacobian + each.misfit for view, each in zip(views, processes, strict=True)]
    best = int(np.argmin(costs))
    return views[best], processes[best]


def _conditioned(data: OutputData, kernel: Kernel) -> GaussianProcess:
    return GaussianProcess.condition(data.x, data.z, data.values, kernel, data.told_noise)

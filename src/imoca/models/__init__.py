"""What we believe: surrogates of the objectives, what runs cost, and how likely they are to fail."""

from imoca.models.cost import CostModel, KnownCostModel, cost_models
from imoca.models.dataset import OutputData, output_data
from imoca.models.failure import FailureModel, failure_models

__all__ = ["CostModel", "FailureModel", "KnownCostModel", "OutputData", "cost_models", "failure_models", "output_data"]

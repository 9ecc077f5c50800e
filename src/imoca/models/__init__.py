"""What we believe: surrogates of the objectives, and what runs cost."""

from imoca.models.cost import CostModel, KnownCostModel, cost_models
from imoca.models.dataset import OutputData, output_data

__all__ = ["CostModel", "KnownCostModel", "OutputData", "cost_models", "output_data"]

"""How simulators are run."""

from imoca.runners.base import Finished, Job, Runner
from imoca.runners.execution import run_job

__all__ = ["Finished", "Job", "Runner", "run_job"]

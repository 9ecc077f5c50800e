"""What is known of a study at one moment: what was spent, what is believed, which designs to recommend."""

from imoca.snapshot.accounting import Bill, bill, is_cost_guessed
from imoca.snapshot.recommendation import MOST_RECOMMENDED, ParetoPoint, recommend
from imoca.snapshot.snapshot import Snapshot
from imoca.snapshot.verification import Check, CheckedDesign, Verification

__all__ = [
    "MOST_RECOMMENDED",
    "Bill",
    "Check",
    "CheckedDesign",
    "ParetoPoint",
    "Snapshot",
    "Verification",
    "bill",
    "is_cost_guessed",
    "recommend",
]

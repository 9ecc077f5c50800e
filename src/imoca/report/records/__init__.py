"""What happened in a study, as frozen records of plain numbers. Nothing is drawn here."""

from imoca.report.records.errors import ErrorRecord, error_records
from imoca.report.records.fidelities import (
    FULL,
    FULL_ACCURACY,
    MOST_PANELS,
    CostRecord,
    FidelityMap,
    FidelityRecord,
    cost_records,
    fidelity_map,
    fidelity_records,
)
from imoca.report.records.front import (
    FrontRecord,
    ObjectiveRecord,
    SummaryRecord,
    VerifiedRecord,
    front_record,
    summary_record,
)
from imoca.report.records.history import ConvergenceRecord, convergence_record
from imoca.report.records.importance import importance_records
from imoca.report.records.models import (
    CorrelationRecord,
    PromiseRecord,
    TrustRecord,
    correlation_records,
    trust_records,
)
from imoca.report.records.parallel import ParallelRecord, parallel_record
from imoca.report.records.replay import ReplayRecord, replay_record
from imoca.report.records.slices import SlicesRecord, slices_record
from imoca.report.records.timeline import TimelineRecord, timeline_record

__all__ = [
    "FULL",
    "FULL_ACCURACY",
    "MOST_PANELS",
    "ConvergenceRecord",
    "CorrelationRecord",
    "CostRecord",
    "ErrorRecord",
    "FidelityMap",
    "FidelityRecord",
    "FrontRecord",
    "ObjectiveRecord",
    "ParallelRecord",
    "PromiseRecord",
    "ReplayRecord",
    "SlicesRecord",
    "SummaryRecord",
    "TimelineRecord",
    "TrustRecord",
    "VerifiedRecord",
    "convergence_record",
    "correlation_records",
    "cost_records",
    "error_records",
    "fidelity_map",
    "fidelity_records",
    "front_record",
    "importance_records",
    "parallel_record",
    "replay_record",
    "slices_record",
    "summary_record",
    "timeline_record",
    "trust_records",
]

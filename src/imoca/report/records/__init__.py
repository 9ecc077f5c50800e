"""What happened in a study, as frozen records of plain numbers. Nothing is drawn here."""

from imoca.report.records.fidelities import FULL_ACCURACY, CostRecord, FidelityRecord, cost_records, fidelity_records
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
from imoca.report.records.models import CorrelationRecord, TrustRecord, correlation_records, trust_records
from imoca.report.records.parallel import ParallelRecord, parallel_record
from imoca.report.records.slices import SlicesRecord, slices_record

__all__ = [
    "FULL_ACCURACY",
    "ConvergenceRecord",
    "CorrelationRecord",
    "CostRecord",
    "FidelityRecord",
    "FrontRecord",
    "ObjectiveRecord",
    "ParallelRecord",
    "SlicesRecord",
    "SummaryRecord",
    "TrustRecord",
    "VerifiedRecord",
    "convergence_record",
    "correlation_records",
    "cost_records",
    "fidelity_records",
    "front_record",
    "importance_records",
    "parallel_record",
    "slices_record",
    "summary_record",
    "trust_records",
]

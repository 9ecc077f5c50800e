"""Which designs a reader is shown first."""

import dataclasses

from imoca.snapshot.designs import worth_offering
from imoca.snapshot.recommendation import ParetoPoint

SURE = ParetoPoint({"x": 0.1}, {"f": 1.0}, {}, None, feasibility=0.95)
ON_THE_EDGE = dataclasses.replace(SURE, parameters={"x": 0.2}, feasibility=0.6)
DOUBTFUL = dataclasses.replace(SURE, parameters={"x": 0.3}, is_doubtful=True)
EARLIER = dataclasses.replace(SURE, parameters={"x": 0.4}, is_earlier=True)


def test_first_are_designs_that_the_model_vouches_for_and_that_likely_hold_all_constraints() -> None:
    assert worth_offering([ON_THE_EDGE, SURE, DOUBTFUL, EARLIER]) == [SURE]


def test_where_none_is_likely_feasible_those_that_are_vouched_for_are_shown() -> None:
    assert worth_offering([ON_THE_EDGE, DOUBTFUL, EARLIER]) == [ON_THE_EDGE]


def test_where_none_is_vouched_for_all_of_today_are_shown() -> None:
    assert worth_offering([DOUBTFUL, EARLIER]) == [DOUBTFUL]

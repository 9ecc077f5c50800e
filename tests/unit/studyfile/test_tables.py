"""Outputs as tables: the faults of one in words; those of all other tables are met in test_problem.py."""

import pytest

from imoca.errors import StudyFileError
from imoca.studyfile.problem import problem_from_toml

PARAMETERS = """
[parameters]
x = { type = "real", low = 0, high = 1 }
"""


@pytest.mark.parametrize(
    ("simulator", "culprit"),
    [
        ("[simulators.b]\noutputs = {g = 3}", "simulators.b.outputs.g is 3, but must be 'minimize', 'maximize'"),
        ("[simulators.b]\noutputs = {g = ['minimize']}", "simulators.b.outputs.g is .*, but must be 'minimize'"),
        ("[simulators.b]\noutputs = 'minimize'", "simulators.b.outputs is 'minimize', but must be a table"),
        ("[simulators.b]\noutputs = {g = {low = 0}}", "simulators.b.outputs.g.goal is missing"),
        ("[simulators.b]\noutputs = {g = {goal = 'min'}}", "simulators.b.outputs.g.goal is 'min', but must be 'mini"),
        (
            "[simulators.b]\noutputs = {g = {goal = 'minimize', lwo = 0}}",
            r"simulators.b.outputs.g.lwo is not a known key; the known ones here are goal, low, high, log, unit\.",
        ),
        (
            "[simulators.b]\noutputs = {g = {goal = 'minimize', low = '0'}}",
            "simulators.b.outputs.g.low is '0', but must be a number",
        ),
        (
            "[simulators.b]\noutputs = {g = {goal = 'minimize', high = true}}",
            "simulators.b.outputs.g.high is True, but must be a number",
        ),
        (
            "[simulators.b]\noutputs = {g = {goal = 'minimize', log = 'auto'}}",
            "simulators.b.outputs.g.log is 'auto', but must be true or false",
        ),
        (
            "[simulators.b]\noutputs = {g = {goal = 'minimize', low = 2, high = 1}}",
            "simulators.b: Objective 'g': low = 2.0, high = 1.0, but .* low less than high",
        ),
        ("[simulators.b]\noutputs = {g = {goal = 'minimize', low = nan}}", "simulators.b: Objective 'g': low = nan"),
        (
            "[simulators.b]\noutputs = {g = {goal = 'minimize', low = -1, log = true}}",
            "simulators.b: Objective 'g': log is True with low = -1.0",
        ),
        (
            "[simulators.b]\noutputs = {g = {goal = 'constraint', high = 1}}\n"
            "[constraints]\ng = {simulator = 'b', upper = 1}",
            "simulators.b: Output 'g' is listed as a constraint, but has a low, high, log or unit",
        ),
    ],
)
def test_a_fault_of_an_output_names_its_key_and_remedy_without_jargon(simulator: str, culprit: str) -> None:
    with pytest.raises(StudyFileError, match=culprit) as caught:
        problem_from_toml(PARAMETERS + simulator)
    assert caught.value.hint
    for jargon in ("pydantic", "Input should", "union", "Table", ".table", "literal"):
        assert jargon not in str(caught.value)

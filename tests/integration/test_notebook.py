"""A notebook in a real kernel: a study is optimised with progress and shows itself and a figure."""

from typing import Any

import pytest

nbclient = pytest.importorskip("nbclient", reason="nbclient runs the notebook: pip install nbclient ipykernel")
pytest.importorskip("ipykernel", reason="the notebook needs a kernel: pip install nbclient ipykernel")
nbformat = pytest.importorskip("nbformat", reason="nbformat writes the notebook; nbclient brings it")

pytestmark = pytest.mark.slow

PATIENCE = 600  # seconds after which a cell counts as hanging
CELLS = (
    """
from imoca import Fidelity, Objective, Problem, Real, Simulator, Study

def low(x, z):
    return x**2 + 0.1 * (1 - z)

def high(x, z):
    return (x - 1) ** 2

problem = Problem(
    [Real("x", 0, 1)],
    [
        Simulator("<b>one</b>", [Objective("low", "minimize")], low, fidelity=Fidelity.continuous(), cost="0.1 + z"),
        Simulator("two", [Objective("high", "minimize")], high, fidelity=Fidelity.continuous(), cost="0.1 + z"),
    ],
)
study = Study(problem, method="random", seed=0)
study.optimize(budget=20, progress=True)
""",
    "study",
    "study.plot.front()",
    '%matplotlib inline\nstudy.plot.front(backend="matplotlib")',
    "print(len(study.trials))",
)


@pytest.fixture(scope="module")
def outputs() -> list[list[Any]]:
    """Of every cell."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in CELLS])
    nbclient.NotebookClient(notebook, timeout=PATIENCE, kernel_name="python3").execute()
    return [cell.outputs for cell in notebook.cells]


def test_no_cell_fails_and_nothing_is_said_on_the_side(outputs: list[list[Any]]) -> None:
    kinds = [[output.output_type for output in cell] for cell in outputs]
    assert kinds == [["display_data"], ["execute_result"], ["display_data"], ["execute_result"], ["stream"]]


def test_progress_is_one_output_that_tells_of_the_end(outputs: list[list[Any]]) -> None:
    n_trials = int(outputs[4][0].text)
    assert n_trials >= 10  # which would be as many lines
    (panel,) = outputs[0]
    assert f"iMOCA · {n_trials} trials" in panel.data["text/plain"]
    assert "&lt;b&gt;one&lt;/b&gt;" in panel.data["text/html"]  # a name is text
    assert "<b>one" not in panel.data["text/html"]


def test_a_study_and_its_figures_show_themselves(outputs: list[list[Any]]) -> None:
    (study,), (figure,), (picture,) = outputs[1:4]
    assert "designs of the front" in study.data["text/html"]
    assert "<table" in study.data["text/html"]
    front = figure.data["application/vnd.plotly.v1+json"]
    assert any(trace["name"].startswith("predicted front") for trace in front["data"])
    assert picture.data["image/png"]

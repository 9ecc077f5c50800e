"""What a user sees: real processes on terminals of 80 and 120 columns."""

from pathlib import Path

import pytest
from pseudo_terminal import Screen, on_a_terminal

from imoca import Constraint, Fidelity, Objective, Problem, Real, Simulator, Study
from imoca.problem import Output

RUN = """
[study]
method = "random"
budget = 2.0
[parameters]
x = { type = "real", low = 0.0, high = 1.0, unit = "mm" }
[simulators.a_simulator_with_a_very_long_name]
function = "toy:solve"
fidelity = { low = 0.1, high = 1.0 }
cost = "z"
[simulators.a_simulator_with_a_very_long_name.outputs]
"""
N_OUTPUTS = 9


def stored_study(path: Path, n_parameters: int, n_objectives: int, n_constraints: int) -> tuple[list[str], list[str]]:
    """Twelve designs, four of them at full accuracy; the labels of its parameters and of its outputs."""
    parameters = [Real(f"thickness_of_rib_{i}", 0, 1, unit="mm") for i in range(n_parameters)]
    outputs: list[Output] = [
        *(Objective(f"objective_{j}", "minimize", unit="kg") for j in range(n_objectives)),
        *(Constraint(f"stress_{j}", lower=-1, upper=240, unit="MPa") for j in range(n_constraints)),
    ]
    simulator = Simulator("solver", outputs, fidelity=Fidelity.continuous(1, 9, unit="cells"), cost="z")
    with Study(Problem(parameters, [simulator]), method="random", storage=path) as study:
        for i in range(12):
            design = {p.name: ((i + 1) * (j + 3) * 0.37) % 1.0 for j, p in enumerate(parameters)}
            values = {
                output.name: 12345.6 * sum((v - j / 9) ** 2 for v in design.values()) if j < n_objectives else 0.1 * i
                for j, output in enumerate(outputs)
            }
            study.add(design, {"solver": 9.0 if i % 3 == 0 else 2.0}, values)
    return [f"{each.name} [mm]" for each in parameters], [f"{each.name} [{each.unit}]" for each in (simulator.outputs)]


@pytest.mark.slow
@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize("size", [(2, 2, 0), (2, 2, 2), (7, 4, 1), (33, 9, 0)])
def test_a_front_drops_no_parameter_and_breaks_no_row(size: tuple[int, int, int], columns: int, tmp_path: Path) -> None:
    parameters, outputs = stored_study(tmp_path / "s.db", *size)
    screen = on_a_terminal("front", "s.db", "--top", "5", folder=tmp_path, columns=columns)
    assert screen.code == 0, screen.text
    assert screen.widest <= columns
    for label in [*parameters, *outputs]:
        assert label in screen.text
    table = "\n".join(line for line in screen.lines if "full accuracy" not in line)
    states = [word for word in table.split() if word in ("verified", "predicted", "doubtful", "earlier")]
    assert len(states) == 5
    assert states[0] == "verified"


@pytest.mark.slow
@pytest.mark.parametrize("columns", [80, 120])
def test_status_show_check_and_ask_are_whole_at_any_width(columns: int, tmp_path: Path) -> None:
    parameters, outputs = stored_study(tmp_path / "s.db", 33, 9, 2)
    for words in (["status", "s.db"], ["show", "s.db", "3"], ["check", "s.db"], ["ask", "s.db"]):
        screen = on_a_terminal(*words, folder=tmp_path, columns=columns)
        assert screen.code == 0, screen.text
        assert screen.widest <= columns, words
        if words[0] != "status":
            assert all(label.split(" [")[0] in screen.text for label in parameters), words
        if words[0] in ("show", "check"):
            assert all(label.split(" [")[0] in screen.text for label in outputs), words
    assert "no process is driving this study" in on_a_terminal(
        "status", "s.db", folder=tmp_path, columns=columns
    ).text.replace("\n", " ")


@pytest.fixture
def runnable(tmp_path: Path) -> Path:
    text = RUN + "".join(f'objective_{j} = {{ goal = "minimize", unit = "kg" }}\n' for j in range(N_OUTPUTS))
    (tmp_path / "study.toml").write_text(text, encoding="utf-8")
    solve = f"def solve(x, z):\n    return {{f'objective_{{j}}': (x - j / 9) ** 2 for j in range({N_OUTPUTS})}}\n"
    (tmp_path / "toy.py").write_text(solve, encoding="utf-8")
    return tmp_path


def last_panel(screen: Screen) -> list[str]:
    """The lines of the live display that stay."""
    lines = [line for line in screen.lines if line.strip()]
    start = max(i for i, line in enumerate(lines) if line.startswith("╭"))
    end = next(i for i in range(start, len(lines)) if lines[i].startswith("╰"))
    return lines[start : end + 1]


@pytest.mark.slow
@pytest.mark.parametrize("columns", [80, 120])
def test_the_panel_of_a_run_fits_and_its_last_picture_is_of_the_end(runnable: Path, columns: int) -> None:
    screen = on_a_terminal("run", folder=runnable, columns=columns)
    assert screen.code == 0, screen.text
    assert screen.widest <= columns
    panel = last_panel(screen)
    with Study.load(runnable / "study.db", read_only=True) as study:
        snapshot = study.snapshot()
        n_trials, n_front = len(study.trials), snapshot.n_on_front
        n_verified = sum(point.verified for point in snapshot.front)
    assert f"iMOCA · {n_trials} trials" in panel[0]
    shown = " ".join(line.strip("│ ") for line in panel)
    assert f"front: {n_front} designs, {n_verified} verified at full accuracy" in shown
    assert "of 2 full-fidelity runs" in shown
    assert f"trial {n_trials - 1}:" in shown
    for j in range(N_OUTPUTS):
        assert f"objective_{j}" in shown
    assert "running" not in shown
    assert " left" not in shown


@pytest.mark.slow
@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_without_colour_there_are_plain_lines_and_no_escape_codes(runnable: Path, environment: dict[str, str]) -> None:
    for words in (["run"], ["front", "--top", "4"], ["status"], ["show", "0"]):
        screen = on_a_terminal(*words, folder=runnable, columns=80, **environment)
        assert screen.code == 0, screen.text
        assert "\x1b" not in screen.raw, words
        assert not screen.has_colour
        assert screen.widest <= 80
    assert "objective_8 [kg]" in on_a_terminal("front", folder=runnable, columns=80, **environment).text

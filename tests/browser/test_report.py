"""The report in a real browser, offline: everything is drawn and nothing is complained about."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from imoca import Fidelity, Objective, Problem, Real, Simulator, Study
from imoca.report.figure_names import FIGURE_NAMES
from imoca.report.page.contents import Introduction
from imoca.report.page.page import report_page

CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)
HOSTILE = "f</script><b onclick='x'>$x$ %{x}"
HINTS = ("Canvas2D: Multiple readback", "GL Driver Message")  # on speed, where there is no graphics card

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="needs chromium: apt-get install chromium"),
]


def study_of(n_objectives: int) -> Study:
    simulators = [
        Simulator(f"s{j}", [Objective(f"{HOSTILE}{j}", "minimize")], fidelity=Fidelity.continuous(), cost="0.1 + z")
        for j in range(n_objectives)
    ]
    study = Study(Problem([Real("x", 0, 1), Real("y", 0, 1)], simulators), method="random")
    for i in range(6):
        x, y = i / 5, (i * i % 7) / 6
        values = {f"{HOSTILE}{j}": (x - j / 3) ** 2 + y * (j % 2) for j in range(n_objectives)}
        study.add({"x": x, "y": y}, {f"s{j}": 1.0 if i % 2 else 0.2 for j in range(n_objectives)}, values)
    return study


def browse(path: Path, profile: Path) -> tuple[str, str]:
    """The page as the browser has made it, and what it wrote on its console."""
    flags = [
        *(
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--enable-unsafe-swiftshader",
            "--disable-background-networking",
        ),
        *("--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={profile}", "--virtual-time-budget=20000"),
        *("--enable-logging=stderr", "--v=0", "--dump-dom"),
    ]
    assert CHROMIUM is not None
    run = subprocess.run([CHROMIUM, *flags, path.as_uri()], capture_output=True, text=True, check=True, timeout=120)
    said = [line for line in run.stderr.splitlines() if "CONSOLE" in line and not any(hint in line for hint in HINTS)]
    return run.stdout, "\n".join(said)


@pytest.mark.parametrize("n_objectives", [2, 3, 5])
def test_every_figure_is_drawn_without_a_word_on_the_console(tmp_path: Path, n_objectives: int) -> None:
    path = tmp_path / "report.html"
    study = study_of(n_objectives)
    path.write_text(report_page(study.snapshot(), Introduction("Study")), encoding="utf-8")
    page, console = browse(path, tmp_path / "profile")
    assert console == ""
    drawn = page.split('id="decision-data"')[0]
    assert len(re.findall(r'class="plot js-plotly-plot"', drawn)) == len(FIGURE_NAMES)
    assert len(re.findall(r"<tr[^>]*data-design", drawn)) == len(study.pareto_front())
    assert "<b onclick" not in drawn
    assert "&lt;b onclick" in drawn  # shown, as text


def test_a_console_error_would_be_noticed(tmp_path: Path) -> None:
    path = tmp_path / "bad.html"
    path.write_text("<!doctype html><script>throw new Error('heard')</script>", encoding="utf-8")
    assert "heard" in browse(path, tmp_path / "profile")[1]

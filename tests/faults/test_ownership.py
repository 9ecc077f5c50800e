"""F12: a study is run twice at the same time."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

IMOCA = Path(sys.executable).with_name("imoca")
STUDY = """
[study]
method = "random"
budget = 3.0
[parameters]
x = { type = "real", low = 0.0, high = 1.0 }
[simulators.cfd]
command = ["sh", "-c", "sleep {wait}; echo '{\\"drag\\": 1}' > result.json"]
outputs = { drag = "minimize" }
"""


def write_study(folder: Path, wait: str) -> None:
    (folder / "study.toml").write_text(STUDY.replace("{wait}", wait), encoding="utf-8")


@pytest.mark.slow
def test_the_second_run_is_refused_and_names_the_first_and_a_dead_one_is_replaced(tmp_path: Path) -> None:
    write_study(tmp_path, wait="60")
    first = subprocess.Popen([IMOCA, "run"], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 120.0
    while not list(tmp_path.glob("study.runs/*/*/*/params.json")):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    second = subprocess.run([IMOCA, "run"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert second.returncode == 5
    assert f"process {first.pid} on" in second.stderr
    assert "since" in second.stderr

    first.send_signal(signal.SIGKILL)
    first.wait()
    write_study(tmp_path, wait="0")
    third = subprocess.run([IMOCA, "run"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert third.returncode == 0, third.stderr

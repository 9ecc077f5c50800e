"""The package as a user gets it: built, installed elsewhere, and used in an empty folder."""

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with nothing but the installed wheel; its dependencies come from this environment."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", str(folder), str(PROJECT)], check=True)
    (wheel,) = folder.glob("imoca-*.whl")
    subprocess.run([*pip, "install", "--no-deps", "--target", str(folder / "site"), str(wheel)], check=True)
    return folder / "site"


@pytest.mark.slow
def test_a_study_from_init_to_export_in_an_empty_folder(site: Path, tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(site), "OMP_NUM_THREADS": "1"}

    def imoca(*arguments: str, folder: Path = tmp_path / "demo") -> str:
        code = "import imoca.cli; imoca.cli.main()"
        command = [sys.executable, "-c", code, *arguments]
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True).stdout

    origin = [sys.executable, "-c", "import imoca; print(imoca.__file__)"]
    where = subprocess.run(origin, env=environment, capture_output=True, text=True, check=True)
    assert where.stdout.startswith(str(site))
    imoca("init", "demo", folder=tmp_path)
    imoca("run", "study.toml", "--budget", "0.5")
    assert (tmp_path / "demo" / "study.db").exists()

    status = json.loads(imoca("status", "--json"))
    trials = json.loads(imoca("export", "--json"))
    rows = list(csv.DictReader(io.StringIO(imoca("export", "--csv"))))
    front = json.loads(imoca("front", "--json"))
    assert status["trials"]["total"] == len(trials) == len(rows) > 10
    assert status["cost_spent"] >= 0.5
    assert [float(row["heat"]) for row in rows] == [trial["values"]["heat"] for trial in trials]
    assert front
    assert "rocket" in imoca("bench", "problems")

"""Imports point one way, nothing dangerous is imported, the front door opens quickly, make installs what it needs."""

import ast
import re
import subprocess
import sys
import tomllib
from importlib.metadata import distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "imoca"

# A room may import the rooms to its right; rooms that share a place may not import each other.
MAY_IMPORT = {
    "errors": set(),
    "arrays": set(),
    "sobol": set(),
    "files": {"errors"},
    "problem": {"errors", "arrays"},
    "trials": {"problem", "errors"},
    "answers": {"problem", "errors"},
    "models": {"problem", "trials", "errors", "arrays"},
    "pareto": {"problem", "errors", "arrays"},
    "acquisition": {"models", "pareto", "problem", "errors", "arrays", "sobol"},
    "methods": {"sobol", "acquisition", "models", "pareto", "problem", "trials", "errors", "arrays"},
    "storage": {"trials", "problem", "errors"},
    "runners": {"answers", "trials", "problem", "errors"},
    "study": {
        *("methods", "models", "pareto", "problem", "trials", "answers", "errors", "arrays", "storage", "runners"),
    },
    "benchmarks": {
        *("report", "files", "study", "storage", "runners", "methods"),
        *("pareto", "problem", "trials", "errors", "arrays"),
    },
    "report": {"study", "methods", "models", "pareto", "problem", "trials", "errors", "arrays"},
    "dashboard": {"report", "study", "problem", "trials", "errors"},
    "cli": {"files", "dashboard", "report", "study", "benchmarks", "pareto", "problem", "trials", "errors", "arrays"},
    "testing": {"storage", "runners", "problem", "trials", "errors"},
    "__init__": {"study", "problem", "trials", "errors"},
}
# The one arrow that points up: `study.plot` is where a user looks for figures. It is followed only when used.
EXCEPTIONS = {"study/study.py": {"report"}}
FORBIDDEN = {"pickle", "dill", "cloudpickle", "shelve", "marshal", "yaml"}
FORBIDDEN_CALLS = {"eval", "exec", "compile", "__import__"}


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported_modules(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return names


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_down_the_layers(path: Path) -> None:
    room = room_of(path)
    used = {name.split(".")[1] for name in imported_modules(path) if name.startswith("imoca.")}
    excepted = EXCEPTIONS.get(path.relative_to(SOURCE).as_posix(), set())
    assert used <= MAY_IMPORT[room] | {room} | excepted


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCE)))
def test_nobody_asks_which_storage_it_has_and_only_the_contracts_need_pytest(path: Path) -> None:
    assert not re.findall(r"isinstance\([^)]*Storage\b", path.read_text(encoding="utf-8"))
    assert "pytest" not in imported_modules(path) or room_of(path) == "testing"


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_file_evaluates_or_unpickles_text(path: Path) -> None:
    assert not {name.split(".")[0] for name in imported_modules(path)} & FORBIDDEN
    calls = {
        node.func.id
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert not calls & FORBIDDEN_CALLS


def cpu_seconds(code: str) -> float:
    """The smallest of five: what the code costs, not what the machine adds."""
    timed = (
        f"import resource, sys\n{code}\nu = resource.getrusage(resource.RUSAGE_SELF)\nprint(u.ru_utime + u.ru_stime)"
    )
    runs = [subprocess.run([sys.executable, "-c", timed], capture_output=True, text=True, check=True) for _ in range(5)]
    return min(float(run.stdout) for run in runs)


@pytest.mark.slow
def test_importing_imoca_adds_little_to_numpy_and_scipy() -> None:
    libraries = "import numpy, scipy.stats, scipy.optimize, scipy.interpolate, scipy.linalg, moocore, rich.live"
    assert cpu_seconds("import imoca") - cpu_seconds(libraries) < 0.3


@pytest.mark.slow
def test_the_command_line_help_loads_neither_scipy_nor_plotly() -> None:
    code = (
        "import sys\nfrom imoca.cli import main\nsys.argv = ['imoca', '--help']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print([name for name in ('scipy', 'plotly', 'torch') if name in sys.modules], file=sys.stderr)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "imoca" in run.stdout
    assert run.stderr.strip() == "[]"


def test_no_cuda_package_is_installed() -> None:
    names = [distribution.metadata["Name"] or "" for distribution in distributions()]
    assert not [name for name in names if name.lower().startswith("nvidia-")]


@pytest.mark.parametrize("target", ["bench", "results"])
def test_make_targets_that_draw_install_matplotlib(target: str) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (stamp,) = re.findall(rf"^{target}: (\S+)", makefile, re.MULTILINE)
    (extras,) = re.findall(rf"^{re.escape(stamp)}:.*\n.*\n.*-e '\.\[(.*)\]'", makefile, re.MULTILINE)
    known = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert [package for extra in extras.split(",") for package in known[extra] if package.startswith("matplotlib")]

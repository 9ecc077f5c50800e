"""What a newcomer tries first: the names in the package, its version, the command by either name."""

from __future__ import annotations

import subprocess
import sys

import imoca
from imoca.cli import main


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, check=True)


def test_dir_lists_the_public_names_and_each_can_be_had() -> None:
    assert {"Study", "Problem", "Fidelity", "__version__"} <= set(dir(imoca))
    assert set(imoca.__all__) <= set(dir(imoca))
    assert all(getattr(imoca, name) is not None for name in dir(imoca))


def test_dir_of_a_package_just_imported_knows_names_not_yet_loaded() -> None:
    code = "import sys, imoca; print('Study' in dir(imoca), 'imoca.study' in sys.modules)"
    assert run("-c", code).stdout.split() == ["True", "False"]


def test_python_m_imoca_is_the_command() -> None:
    assert run("-m", "imoca", "--version").stdout == f"imoca {imoca.__version__}\n"
    assert "Usage: imoca" in run("-m", "imoca", "--help").stdout


def test_the_version_is_told_without_numpy_or_scipy() -> None:
    code = (
        f"import sys\nfrom {main.__module__} import main\n"
        "try:\n    main(['--version'])\nexcept SystemExit as end:\n    assert end.code == 0\n"
        "print([name for name in ('numpy', 'scipy', 'plotly', 'torch') if name in sys.modules])"
    )
    assert run("-c", code).stdout.splitlines() == [f"imoca {imoca.__version__}", "[]"]

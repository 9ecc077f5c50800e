"""F4: the disk is full, or a file may not grow: a clear error, nothing acknowledged lost, and it goes on afterwards."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from imoca import Command, Fidelity, Objective, Problem, Real, Simulator, Study
from imoca.errors import StorageError
from imoca.trials.trial import TrialState

LIMIT = 70_000  # bytes; a new study takes 45,000, and its write-ahead log for a moment some 10,000 a trial
STUDY_FILE = """
[study]
method = "random"
budget = {budget}

[parameters]
a = {{ type = "real", low = 0.0, high = 1.0 }}

[simulators.square]
function = "fault_simulators:square"
outputs = {{ f = "minimize" }}
fidelity = {{ low = 1.0, high = 10.0 }}
cost = "z"

[simulators.cube]
function = "fault_simulators:cube"
outputs = {{ g = "maximize" }}
fidelity = {{ low = 1.0, high = 10.0 }}
cost = "z"
"""
SIMULATORS = """
def square(a, z):
    return a**2 * z

def cube(a, z):
    return a**3 * z
"""
RUN = """
import resource, sys
limit = int(sys.argv[1])
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
from imoca.cli import main
main(["run", *sys.argv[2:]])
"""
TELL = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
from imoca import Study
from imoca.errors import StorageError
study = Study.load(sys.argv[1])
try:
    for i in range(1000):
        trial = study.tell(study.ask(), {"f": i / 7})
        print(trial.number, trial.values["f"], flush=True)  # acknowledged
except StorageError as error:
    print(error, file=sys.stderr)
    sys.exit(5)
"""


def run_study(study_file: Path, limit: int = 0) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", RUN, str(limit), str(study_file)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def write_study(folder: Path, budget: float) -> Path:
    (folder / "fault_simulators.py").write_text(SIMULATORS, encoding="utf-8")
    path = folder / "study.toml"
    path.write_text(STUDY_FILE.format(budget=budget), encoding="utf-8")
    return path


def check_stopped(run: subprocess.CompletedProcess[str], study_file: Path) -> dict[int, float]:
    """The command stopped for want of room; the answers that it had shown as stored."""
    assert run.returncode == 5, run.stderr
    database = study_file.with_name("study.db")
    (error,) = re.findall(r"^Error: (.*)\n  (.*)$", run.stderr, re.MULTILINE)
    assert error[0].startswith(f"{database} cannot be written: ")
    assert "Free some space and run the same command again" in error[1]
    assert "Traceback" not in run.stderr
    shown = {int(n): float(f) for n, f in re.findall(r"^trial (\d+) complete: f ([-\d.e]+)", run.stderr, re.MULTILINE)}
    assert shown
    return shown


def check_kept(study_file: Path, shown: dict[int, float]) -> None:
    with Study.load(study_file.with_name("study.db")) as study:
        trials = study.trials
    for number, f in shown.items():
        assert trials[number].state is TrialState.COMPLETE
        assert f"{trials[number].values['f']:.4g}" == f"{f:.4g}"


def check_continued(run: subprocess.CompletedProcess[str], study_file: Path, shown: dict[int, float]) -> None:
    assert run.returncode == 0, run.stderr
    check_kept(study_file, shown)
    with Study.load(study_file.with_name("study.db")) as study, Study(study.problem, method="random") as whole:
        assert len(study.trials) > len(shown)
        assert all(trial.values.keys() == {"f", "g"} for trial in study.trials)
        assert study.owner is None
        assert [whole.ask().parameters for _ in study.trials] == [trial.parameters for trial in study.trials]


@pytest.mark.slow
def test_a_run_whose_files_may_not_grow_stops_with_5_and_continues_when_they_may(tmp_path: Path) -> None:
    study_file = write_study(tmp_path, budget=120.0)
    shown = check_stopped(run_study(study_file, LIMIT), study_file)
    check_kept(study_file, shown)
    check_continued(run_study(study_file), study_file, shown)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    if (
        mount is None
        or subprocess.run(
            [mount, "-t", "tmpfs", "-o", "size=600k", "tmpfs", folder], capture_output=True, check=False
        ).returncode
    ):
        pytest.skip("a small disk cannot be mounted here")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)  # connections to the database may still be open


@pytest.mark.slow
def test_a_run_on_a_full_disk_stops_with_5_and_continues_when_there_is_room(small_disk: Path) -> None:
    study_file = write_study(small_disk, budget=120.0)
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(440_000))
    shown = check_stopped(run_study(study_file), study_file)
    check_kept(study_file, shown)
    ballast.unlink()
    check_continued(run_study(study_file), study_file, shown)


@pytest.mark.slow
def test_every_tell_that_returned_is_there_after_the_one_that_found_no_room(
    tmp_path: Path, until_the_end: ExitStack
) -> None:
    path = tmp_path / "study.db"
    simulator = Simulator("s", [Objective("f", "minimize")], fidelity=Fidelity.continuous(1, 10), cost="z")
    Study(Problem([Real("a", 0.0, 1.0)], [simulator]), method="random", storage=path).close()
    child = subprocess.run(
        [sys.executable, "-c", TELL, path, str(LIMIT)], capture_output=True, text=True, timeout=120, check=False
    )
    assert child.returncode == 5, child.stderr
    assert str(path) in child.stderr
    acknowledged = {int(number): float(f) for number, f in map(str.split, child.stdout.splitlines())}
    assert len(acknowledged) > 3
    study = until_the_end.enter_context(Study.load(path))
    assert {trial.number: trial.values["f"] for trial in study.trials if trial.values} == acknowledged
    open_trials = [trial for trial in study.trials if not trial.values]
    for trial in open_trials:
        study.tell(trial, {"f": 1.0})
    assert study.tell(study.ask(), {"f": 2.0}).values == {"f": 2.0}


@pytest.mark.slow
def test_a_study_that_cannot_be_begun_for_want_of_room_leaves_nothing_behind(tmp_path: Path) -> None:
    study_file = write_study(tmp_path, budget=120.0)
    before = sorted(tmp_path.iterdir())
    run = run_study(study_file, limit=10_000)
    assert run.returncode == 5, run.stderr
    assert f"{study_file.with_name('study.db')} cannot be written" in run.stderr
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.slow
@pytest.mark.parametrize("workers", [None, 1], ids=["here", "worker"])
def test_a_run_folder_that_cannot_be_written_stops_the_study_and_spends_no_design(
    tmp_path: Path, workers: int | None, until_the_end: ExitStack
) -> None:
    simulator = Simulator("s", [Objective("f", "minimize")], Command(["sh", "-c", "echo '{\"f\": 1}' > result.json"]))
    study = until_the_end.enter_context(
        Study(Problem([Real("a", 0, 1)], [simulator]), method="random", storage=tmp_path / "study.db")
    )
    in_the_way = tmp_path / "study.runs"
    in_the_way.write_text("a file, not a folder", encoding="utf-8")
    with pytest.raises(StorageError, match=r"study\.runs.* cannot be written"):
        study.optimize(3.0, workers=workers)
    assert [trial.state for trial in study.trials] == [TrialState.RUNNING]
    in_the_way.unlink()
    study.optimize(3.0, workers=workers)
    assert study.trials[0].state is TrialState.COMPLETE
    assert not any(trial.failures for trial in study.trials)

"""F18: a Dask worker is killed; the Dask scheduler is lost. F21: it is killed while it runs a program."""

import logging
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from imoca import Objective, Problem, Real, Resources, Simulator, Study
from imoca.errors import RunnerError
from imoca.problem.simulator import Command
from imoca.runners.dask import DaskRunner
from imoca.testing.runner import is_running
from imoca.trials.trial import RunState, TrialState

pytest.importorskip("distributed", reason="Dask is not installed: pip install imoca[dask]")

CLUSTER = """
import sys, time
from distributed import LocalCluster
if __name__ == "__main__":
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0")
    print(cluster.scheduler_address, flush=True)
    time.sleep(600)
"""


@pytest.fixture
def cluster(tmp_path: Path) -> "Iterator[subprocess.Popen[str]]":
    script = tmp_path / "cluster.py"
    script.write_text(CLUSTER, encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    yield process
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def address_of(cluster: "subprocess.Popen[str]") -> str:
    assert cluster.stdout is not None
    return cluster.stdout.readline().strip()


def make_study(folder: Path, run: Callable[..., float] | Command) -> Study:
    problem = Problem([Real("x", 0.0, 1.0)], [Simulator("s", [Objective("f", "minimize")], run)])
    return Study(problem, method="random", storage=folder / "study.db")


@pytest.mark.slow
def test_what_a_killed_dask_worker_had_is_run_elsewhere(
    tmp_path: Path, cluster: "subprocess.Popen[str]", until_the_end: ExitStack
) -> None:
    mark = str(tmp_path / "killed")

    def fatal_once(x: float) -> float:
        import os
        import signal

        if not os.path.exists(mark):  # noqa: PTH110
            open(mark, "w").close()  # noqa: PTH123
            os.kill(os.getpid(), signal.SIGKILL)
        return x

    study = until_the_end.enter_context(make_study(tmp_path, fatal_once))
    study.optimize(6.0, dask=address_of(cluster))
    assert Path(mark).exists()
    assert [trial.state for trial in study.trials] == [TrialState.COMPLETE] * 6
    assert not any(trial.failures for trial in study.trials)


ONCE_FATAL = """
import json, os, pathlib, signal, sys, time
try:
    pathlib.Path(sys.argv[1]).touch(exist_ok=False)  # of several at once one is the first
except FileExistsError:
    pass
else:
    pathlib.Path("pid").write_text(str(os.getpid()))
    os.kill(os.getppid(), signal.SIGKILL)  # the worker
    time.sleep(600)
x = json.load(open("params.json"))["parameters"]["x"]
json.dump({"f": x}, open("result.json", "w"))
"""


@pytest.mark.slow
def test_what_a_killed_dask_worker_had_as_a_program_is_run_elsewhere_in_a_folder_of_its_own(
    tmp_path: Path, cluster: "subprocess.Popen[str]", until_the_end: ExitStack
) -> None:
    (tmp_path / "solver.py").write_text(ONCE_FATAL, encoding="utf-8")
    command = Command(["{python}", "-S", "solver.py", str(tmp_path / "mark")])
    study = until_the_end.enter_context(make_study(tmp_path, command))
    study.optimize(4.0, dask=address_of(cluster))
    assert [trial.state for trial in study.trials] == [TrialState.COMPLETE] * 4
    folders = [Path(run.folder or "") for run in study.runs]
    assert len(study.runs) == len(set(folders)) == 4
    assert all((folder / "result.json").exists() for folder in folders)
    (left,) = [path.parent for path in tmp_path.rglob("pid")]
    assert left not in folders  # the dead worker's program had it to itself
    (rerun,) = [folder for folder in folders if folder.parent == left.parent]
    assert rerun.name.startswith(left.name)
    assert not is_running(int((left / "pid").read_text(encoding="utf-8")))


@pytest.mark.slow
def test_a_lost_scheduler_is_a_clear_error_and_the_same_study_continues(
    tmp_path: Path, cluster: "subprocess.Popen[str]", until_the_end: ExitStack
) -> None:
    def slow(x: float) -> float:
        import time

        time.sleep(0.3)
        return x

    study = until_the_end.enter_context(make_study(tmp_path, slow))
    address = address_of(cluster)

    def kill_after_three(trial: object) -> None:
        if sum(t.state is TrialState.COMPLETE for t in study.trials) == 3:
            os.killpg(cluster.pid, signal.SIGKILL)

    with pytest.raises(RunnerError, match=f"scheduler at {address} cannot be reached"):
        study.optimize(20.0, dask=address, on_trial=kill_after_three)
    assert sum(trial.state is TrialState.COMPLETE for trial in study.trials) >= 3
    study.optimize(8.0)
    assert all(trial.state is TrialState.COMPLETE for trial in study.trials)
    n_lost = sum(run.state is RunState.LOST for run in study.runs)
    assert study.cost_spent == len(study.trials) + n_lost == 8.0  # what was lost is charged


@pytest.mark.parametrize("fault", [RuntimeError("Cannot change state of expiring Timeout"), OSError("gone")])
def test_a_client_that_cannot_be_closed_does_not_hide_why_the_study_ended(
    fault: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    class Stumbling:
        def close(self) -> None:
            raise fault

    runner = object.__new__(DaskRunner)
    vars(runner).update(_client=Stumbling(), _address="tcp://127.0.0.1:1", _study_folders=set())
    with caplog.at_level(logging.WARNING):
        runner.close()
    assert str(fault) in caplog.text


@pytest.mark.slow
def test_a_dask_worker_is_asked_for_what_a_run_takes(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    distributed = pytest.importorskip("distributed")
    at_once = tmp_path / "at-once"
    at_once.mkdir()

    def counting(x: float) -> float:
        """How many run at the same time, itself included."""
        import os
        import time
        from pathlib import Path

        mark = Path(at_once, f"{x!r}-{os.getpid()}")
        mark.touch()
        time.sleep(0.3)
        n = len(list(at_once.iterdir()))
        mark.unlink()
        return float(n)

    def largest(cores: int, offered: dict[str, int]) -> float:
        simulator = Simulator("s", [Objective("f", "minimize")], counting, resources=Resources(cores=cores))
        with (
            distributed.LocalCluster(
                n_workers=1,
                threads_per_worker=4,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",
                resources=offered,
            ) as cluster,
            Study(Problem([Real("x", 0.0, 1.0)], [simulator]), method="random") as study,
        ):
            study.optimize(8.0, dask=cluster.scheduler_address)
            return max(trial.values["f"] for trial in study.trials)

    assert largest(2, {"cores": 4}) == 2.0  # of four threads
    assert largest(2, {}) > 2.0
    assert "No Dask worker declares cores" in caplog.text

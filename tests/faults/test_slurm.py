"""Slurm for real, one machine as controller and node: wall time, scancel, a node drained or lost, a dead driver."""

import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from slurm_cluster import PATIENCE, Slurm, slurm_cluster, wait_until

from imoca import Command, Fidelity, Objective, Resources, Simulator, Study
from imoca.errors import ProblemError, RunnerError
from imoca.runners.base import Job
from imoca.runners.slurm import SlurmRunner
from imoca.testing.runner import collect_all, is_running
from imoca.trials.trial import RunState, TrialState

IMOCA = Path(sys.executable).with_name("imoca")
# Runs until the file "go" lies beside the study.
PATIENT = """
import json, os, pathlib, sys, time
pathlib.Path("pid.part").write_text(str(os.getpid()))
os.rename("pid.part", "pid")
while not pathlib.Path(sys.argv[1], "go").exists():
    time.sleep(0.05)
x = json.load(open("params.json"))["parameters"]["x"]
json.dump({"f": x}, open("result.json", "w"))
"""
STUDY = """
[study]
name = "patient"
method = "random"
budget = 4.0

[parameters]
x = {{ type = "real", low = 0.0, high = 1.0 }}

[simulators.s]
command = ["{{python}}", "-S", "patient.py", "{folder}"]
outputs = {{ f = "minimize" }}
retries = 1
"""


@pytest.fixture(scope="module")
def slurm() -> Iterator[Slurm]:
    with slurm_cluster() as cluster:
        yield cluster


@pytest.fixture
def study_folder(slurm: Slurm, tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "patient.py").write_text(PATIENT, encoding="utf-8")
    (tmp_path / "study.toml").write_text(STUDY.format(folder=tmp_path), encoding="utf-8")
    yield tmp_path
    slurm.ask("scancel", *slurm.jobs())  # what a test that failed left


CLUSTER = """
import sys, time
from dask_jobqueue import SLURMCluster
if __name__ == "__main__":
    cluster = SLURMCluster(
        queue="compute", cores=1, processes=1, memory="1GB", walltime=sys.argv[2], interface="lo",
        scheduler_options={"dashboard_address": "127.0.0.1:0"},
        worker_extra_args=["--dashboard-address", "127.0.0.1:0"],
    )
    cluster.adapt(minimum_jobs=int(sys.argv[1]), maximum_jobs=int(sys.argv[1]))
    print(cluster.scheduler_address, flush=True)
    time.sleep(600)
"""


@pytest.fixture
def dask_workers(slurm: Slurm, tmp_path: Path) -> "Iterator[Callable[..., str]]":
    """Start so many workers as jobs of Slurm; the address of their scheduler."""
    pytest.importorskip("dask_jobqueue", reason="dask-jobqueue is not installed: pip install imoca[dask]")
    started: list[subprocess.Popen[str]] = []

    def start(n: int, walltime: str) -> str:
        started.append(
            subprocess.Popen(
                [sys.executable, "-c", CLUSTER, str(n), walltime],
                cwd=tmp_path,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        )
        assert started[-1].stdout is not None
        return started[-1].stdout.readline().strip()

    yield start
    for process in started:
        process.kill()
        process.communicate()
    slurm.ask("scancel", *slurm.jobs())


def check_complete(folder: Path, n_runs: int) -> None:
    with Study.load(folder / "patient.db", read_only=True) as study:
        assert [trial.state for trial in study.trials] == [TrialState.COMPLETE] * 4
        assert len(study.runs) == n_runs


class Driver:
    """``imoca run`` on Slurm; one that a test leaves behind is killed."""

    def __init__(self, folder: Path, *options: str) -> None:
        self._folder = folder
        self._process = subprocess.Popen(
            [IMOCA, "run", *(options or ("--slurm", "", "--workers", "2"))],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def __enter__(self) -> "Driver":
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def finish(self) -> None:
        """Let everything run to its end."""
        (self._folder / "go").touch()
        output, _ = self._process.communicate(timeout=PATIENCE)
        assert self._process.returncode == 0, output


def programs(folder: Path, n: int) -> list[int]:
    """The numbers of all that were started, once they are so many."""
    wait_until(lambda: len(list(folder.rglob("pid"))) >= n)
    return [int(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("pid"))]


def patient_job(folder: Path, trial: int, setting: float, needs: Resources) -> Job:
    command = Command(["{python}", "-S", "patient.py", str(folder)])
    simulator = Simulator(
        "s", [Objective("f", "minimize")], command, fidelity=Fidelity.continuous(), cost="z + 1", resources=needs
    )
    return Job(trial, simulator, {"x": 0.5}, setting, 1, folder, folder / f"run-{trial}")


@pytest.mark.slow
def test_a_job_is_given_the_cores_memory_and_wall_time_of_its_fidelity(slurm: Slurm, study_folder: Path) -> None:
    needs = Resources(cores="1 + 3*z", memory="1GiB + 2GiB*z", walltime="10m + 2h*z")
    with closing(SlurmRunner("--comment=ours", 2, [], study_folder)) as runner:
        for trial, setting in enumerate((0.0, 1.0)):
            runner.submit(patient_job(study_folder, trial, setting, needs))
        texts = [slurm.ask("scontrol", "show", "job", number) for number in slurm.jobs()]
        told = [dict(pair.split("=", 1) for pair in text.split() if "=" in pair) for text in texts]
        assert sorted((each["NumCPUs"], each["TimeLimit"], each["MinMemoryNode"]) for each in told) == [
            ("1", "00:10:00", "1G"),
            ("4", "02:10:00", "3G"),
        ]
        assert {each["Comment"] for each in told} == {"ours"}
        (study_folder / "go").touch()
        assert [each.answer.values for each in collect_all(runner, 2)] == [{"f": 0.5}] * 2


@pytest.mark.slow
def test_at_its_wall_time_a_job_has_failed_and_what_a_dask_worker_ran_is_run_by_the_next(
    slurm: Slurm, study_folder: Path, dask_workers: Callable[..., str]
) -> None:
    """Slurm counts in minutes, so this takes one, for both at once."""
    address = dask_workers(n=1, walltime="00:01:00")
    with Driver(study_folder, "--dask", address) as driver, closing(SlurmRunner("", 1, [], study_folder)) as runner:
        (of_dask,) = programs(study_folder / "patient.runs", 1)
        runner.submit(patient_job(study_folder, 0, 1.0, Resources(walltime="5s")))
        (of_job,) = programs(study_folder / "run-0", 1)
        (finished,) = collect_all(runner, 1)
        assert "TimeoutError: Slurm ended it at its wall time" in finished.answer.failures["s"]
        programs(study_folder / "patient.runs", 2)
        wait_until(lambda: not is_running(of_job) and not is_running(of_dask))
        driver.finish()
    check_complete(study_folder, n_runs=4)


@pytest.mark.slow
def test_a_dask_worker_that_was_cancelled_on_a_drained_node_is_replaced_when_the_node_is_back(
    slurm: Slurm, study_folder: Path, dask_workers: Callable[..., str]
) -> None:
    address = dask_workers(n=1, walltime="01:00:00")
    with Driver(study_folder, "--dask", address) as driver:
        programs(study_folder, 1)
        slurm.set_node("drain")
        slurm.ask("scancel", *slurm.jobs())
        wait_until(lambda: bool(slurm.jobs("PENDING")) and not slurm.jobs("RUNNING"))  # its successor waits
        slurm.set_node("resume")
        programs(study_folder, 2)
        driver.finish()
    check_complete(study_folder, n_runs=4)


@pytest.mark.slow
def test_a_run_whose_job_was_cancelled_is_tried_again_as_often_as_a_failed_one(
    slurm: Slurm, study_folder: Path
) -> None:
    with Driver(study_folder) as driver:
        started = programs(study_folder, 2)
        slurm.ask("scancel", slurm.jobs()[0])
        programs(study_folder, 3)
        driver.finish()
    with Study.load(study_folder / "patient.db", read_only=True) as study:
        assert [trial.state for trial in study.trials] == [TrialState.COMPLETE] * len(study.trials)
        (failed,) = [run for run in study.runs if run.state is RunState.FAILED]
        assert failed.answer is not None
        assert "it was cancelled" in failed.answer.failures["s"]
        assert study.cost_spent == len(study.runs) == len(study.trials) + 1
    assert not any(map(is_running, started))


@pytest.mark.slow
def test_a_drained_node_ends_its_jobs_and_the_study_waits_until_it_is_back(slurm: Slurm, study_folder: Path) -> None:
    with Driver(study_folder) as driver:
        programs(study_folder, 2)
        slurm.set_node("drain")
        (study_folder / "go").touch()  # the two end, the next two wait
        wait_until(lambda: len(slurm.jobs("PENDING")) == 2 and not slurm.jobs("RUNNING"))
        slurm.set_node("resume")
        driver.finish()
    with Study.load(study_folder / "patient.db", read_only=True) as study:
        assert [trial.state for trial in study.trials] == [TrialState.COMPLETE] * 4
        assert {run.state for run in study.runs} == {RunState.ANSWERED}


@pytest.mark.slow
def test_what_a_lost_node_had_is_run_again_in_folders_of_their_own(slurm: Slurm, study_folder: Path) -> None:
    with Driver(study_folder) as driver:
        programs(study_folder, 2)
        n_before = slurm.n_done_away_with()
        slurm.set_node("down")
        wait_until(lambda: len(slurm.jobs("PENDING")) == 2 and not slurm.jobs("RUNNING,COMPLETING"))
        wait_until(lambda: slurm.n_done_away_with() == n_before + 2)
        slurm.set_node("resume")
        for number in slurm.jobs():  # Slurm would wait two minutes
            slurm.ask("scontrol", "update", f"jobid={number}", "starttime=now")
        programs(study_folder, 4)
        driver.finish()
    with Study.load(study_folder / "patient.db", read_only=True) as study:
        assert [trial.state for trial in study.trials] == [TrialState.COMPLETE] * 4
        again = [Path(run.folder or "").name for run in study.runs if "rerun" in (run.folder or "")]
        assert again == ["attempt-1-rerun-2"] * 2


@pytest.mark.slow
def test_jobs_of_a_killed_driver_are_ended_by_the_next_which_runs_them_again(slurm: Slurm, study_folder: Path) -> None:
    with Driver(study_folder) as driver:
        started = programs(study_folder, 2)
        driver.kill()
    assert all(map(is_running, started))
    with Driver(study_folder) as driver:
        wait_until(lambda: not any(map(is_running, started)))
        driver.finish()
    with Study.load(study_folder / "patient.db", read_only=True) as study:
        assert [trial.state for trial in study.trials] == [TrialState.COMPLETE] * len(study.trials)
        assert sum(run.state is RunState.LOST for run in study.runs) == 2
        assert study.cost_spent == len(study.runs)


@pytest.mark.slow
def test_a_controller_that_is_away_for_a_while_is_waited_for(
    slurm: Slurm, study_folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(SlurmRunner("", 1, [], study_folder)) as runner:
        runner.submit(patient_job(study_folder, 0, 1.0, Resources()))
        programs(study_folder, 1)
        slurm.kill("slurmctld")
        with caplog.at_level(logging.WARNING):
            assert runner.collect(1.0) == []
        assert "squeue" in caplog.text
        (study_folder / "go").touch()
        (finished,) = collect_all(runner, 1)
        assert finished.answer.values == {"f": 0.5}
    slurm.start_anew()


@pytest.mark.slow
def test_what_slurm_refuses_is_said_in_its_words(slurm: Slurm, study_folder: Path) -> None:
    with (
        closing(SlurmRunner("--partition=nowhere", 1, [], study_folder)) as runner,
        pytest.raises(RunnerError, match=r"sbatch failed: .*partition"),
    ):
        runner.submit(patient_job(study_folder, 0, 1.0, Resources()))


def test_without_slurm_or_a_number_of_jobs_the_error_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(RunnerError, match="How many batch jobs"):
        SlurmRunner("", None, [], tmp_path)
    local = Simulator("s", [Objective("f", "minimize")], lambda x: x)
    with pytest.raises(ProblemError, match="cannot be imported on another node"):
        SlurmRunner("", 1, [local], tmp_path)
    monkeypatch.setitem(os.environ, "PATH", str(tmp_path))
    with pytest.raises(RunnerError, match="scancel is not there"):
        SlurmRunner("", 1, [], tmp_path).submit(patient_job(tmp_path, 0, 1.0, Resources()))

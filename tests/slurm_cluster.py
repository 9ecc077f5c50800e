"""A Slurm of one's own: controller and one node on this machine, within loopback, in a folder that goes with it."""

import getpass
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

NEEDED = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "scancel")
FOLDERS = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"  # where daemons are
PATIENCE = 300.0  # seconds after which something counts as hanging; Slurm looks after its nodes every hundred
GOING = 10.0  # seconds in which a daemon that is asked to end does
PARTITION = "compute"
CONFIGURATION = """
ClusterName=imoca
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
AuthInfo=socket={folder}/munge.socket
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
ReturnToService=2
KillWait=2
SlurmdDebug=debug
DefMemPerCPU=500
SchedulerParameters=bf_interval=1
NodeName=localhost NodeAddr=127.0.0.1 CPUs=64 RealMemory=200000 State=UNKNOWN
PartitionName={partition} Nodes=localhost Default=YES MaxTime=INFINITE State=UP
"""


@dataclass
class Slurm:
    folder: Path
    daemons: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)

    def start(self, name: str, *options: str) -> None:
        log = (self.folder / f"{name}.log").open("ab")
        with log:
            self.daemons[name] = subprocess.Popen(
                [program(name), *options], stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )

    def start_anew(self) -> None:
        """Controller and node, with no memory of jobs or of what the node was before."""
        for name in ("slurmctld", "slurmd"):
            if name in self.daemons:
                self.kill(name)
        self.start("slurmctld", "-D", "-c", "-f", str(self.configuration))
        self.start("slurmd", "-D", "-f", str(self.configuration), "-N", "localhost")
        wait_until(lambda: self.ask("sinfo", "--noheader", "--format=%T") == "idle")

    def kill(self, name: str) -> None:
        self.daemons[name].kill()
        self.daemons[name].wait()

    @property
    def configuration(self) -> Path:
        return self.folder / "slurm.conf"

    def ask(self, *command: str) -> str:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
        return done.stdout.strip() if done.returncode == 0 else ""

    def jobs(self, states: str = "PENDING,RUNNING") -> list[str]:
        """The numbers of those in these states."""
        return self.ask("squeue", "--noheader", f"--states={states}", "--format=%i").split()

    def set_node(self, state: str) -> None:
        self.ask("scontrol", "update", "nodename=localhost", f"state={state}", "reason=test")

    def n_done_away_with(self) -> int:
        """Jobs of which the node keeps nothing any more: until then it refuses to start one of them again."""
        return (self.folder / "slurmd.log").read_text(encoding="utf-8", errors="replace").count("completed epilog")

    def close(self) -> None:
        self.ask("scancel", f"--user={getpass.getuser()}")
        with suppress(AssertionError):
            wait_until(lambda: not self.jobs("PENDING,RUNNING,COMPLETING"))
        for daemon in self.daemons.values():
            with suppress(ProcessLookupError):
                os.killpg(daemon.pid, signal.SIGTERM)
        for daemon in self.daemons.values():  # a node may wait for ever for a step that nobody asks after any more
            try:
                daemon.wait(GOING)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def program(name: str) -> str:
    return shutil.which(name, path=FOLDERS) or name


def what_slurm_lacks() -> str:
    """Why there can be no Slurm here; empty if there can."""
    if missing := [name for name in NEEDED if shutil.which(name, path=FOLDERS) is None]:
        return f"Slurm is not installed ({missing[0]} is missing): apt-get install slurm-wlm"
    return "Slurm's node starts jobs as their users, which only root may do" if os.getuid() != 0 else ""


@contextmanager
def slurm_cluster() -> Iterator[Slurm]:
    """While it is there, Slurm's commands talk to it."""
    if reason := what_slurm_lacks():
        pytest.skip(reason)
    slurm = Slurm(Path(tempfile.mkdtemp(prefix="slurm-")))
    folder = slurm.folder
    folder.chmod(0o755)  # the node's users look into it
    for name in ("state", "spool"):
        (folder / name).mkdir()
    (folder / "munge.key").write_bytes(os.urandom(1024))
    (folder / "munge.key").chmod(0o400)
    ports = free_ports()
    slurm.configuration.write_text(
        CONFIGURATION.format(
            folder=folder,
            user=getpass.getuser(),
            controller_port=ports[0],
            node_port=ports[1],
            partition=PARTITION,
        ),
        encoding="utf-8",
    )
    before = os.environ.get("SLURM_CONF")
    os.environ["SLURM_CONF"] = str(slurm.configuration)
    try:
        options = {
            "socket": "munge.socket",
            "key-file": "munge.key",
            "pid-file": "munge.pid",
            "seed-file": "munge.seed",
        }
        named = [f"--{option}={folder / name}" for option, name in options.items()]
        slurm.start("munged", "--foreground", "--force", f"--log-file={folder / 'munge.log'}", *named)
        wait_until((folder / "munge.socket").exists)
        slurm.start_anew()
        yield slurm
    finally:
        slurm.close()
        if before is None:
            del os.environ["SLURM_CONF"]
        else:
            os.environ["SLURM_CONF"] = before


def free_ports() -> tuple[int, int]:
    with socket.socket() as one, socket.socket() as other:
        one.bind(("127.0.0.1", 0))
        other.bind(("127.0.0.1", 0))
        return one.getsockname()[1], other.getsockname()[1]


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline, "it takes too long"
        time.sleep(0.1)

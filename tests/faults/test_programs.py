"""F8: programs that fail or answer badly. F9: programs that hang and multiply. F10: programs that print without end."""

import os
import resource
import signal
import subprocess
import sys
import textwrap
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from imoca import Fidelity, Objective, Simulator
from imoca.problem.simulator import Command
from imoca.runners import process_tree, program
from imoca.runners.base import Job
from imoca.runners.execution import run_job
from imoca.trials.trial import Answer


def make_job(script: str, folder: Path, timeout: float | None = None) -> Job:
    (folder / "solver.py").write_text(textwrap.dedent(script), encoding="utf-8")
    simulator = Simulator(
        "s",
        [Objective("f", "minimize"), Objective("g", "minimize")],
        Command(["{python}", "-S", "solver.py"]),
        fidelity=Fidelity.continuous(1, 5),
        cost="z",
        timeout=timeout,
    )
    return Job(0, simulator, {"a": 2.0}, 3.0, 1, folder, folder / "study.runs" / "attempt-1")


def failure(answer: Answer) -> str:
    assert not answer.values
    return answer.failures["s"]


GOOD = "open('result.json', 'w').write('{\"f\": 1, \"g\": 2}')\n"


def test_a_program_that_does_as_it_should_is_no_failure(tmp_path: Path) -> None:
    assert run_job(make_job(GOOD, tmp_path)).values == {"f": 1.0, "g": 2.0}


def test_a_program_that_exits_with_an_error_fails_with_its_code_and_the_end_of_its_stderr(tmp_path: Path) -> None:
    script = GOOD + "import sys\nsys.stderr.write('noise ' * 5000 + '\\nmesh exploded at x=3')\nsys.exit(7)\n"
    job = make_job(script, tmp_path)
    reason = failure(run_job(job))
    assert "exit code 7" in reason
    assert "mesh exploded at x=3" in reason
    assert len(reason) < program.TAIL + 500
    assert str(job.folder) in reason
    assert (job.folder / "stderr.txt").read_text(encoding="utf-8").endswith("mesh exploded at x=3")
    assert (job.folder / "params.json").exists()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV])
def test_a_program_that_is_killed_fails_with_the_signal(number: signal.Signals, tmp_path: Path) -> None:
    job = make_job(GOOD + f"import os\nos.kill(os.getpid(), {int(number)})\n", tmp_path)
    assert f"signal {int(number)}" in failure(run_job(job))


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("pass", "wrote no result.json"),
        ("open('result.json', 'w')", "not valid JSON"),
        ("open('result.json', 'wb').write(bytes(range(256)))", "not valid JSON"),
        ("open('result.json', 'w').write('{\"f\": 1.0, \"g\": 2')", "not valid JSON"),
        ("open('result.json', 'w').write('[' * 10**6)", "not valid JSON"),
        ("open('result.json', 'w').write('[1, 2]')", "not an object"),
        ("open('result.json', 'w').write('{\"f\": 1}')", "missing ['g']"),
        ("open('result.json', 'w').write('{\"f\": 1, \"h\": 2}')", "unknown ['h'], missing ['g']"),
        ("open('result.json', 'w').write('{\"f\": [1, -2], \"g\": 2}')", "error of output 'f' came as -2"),
        ("open('result.json', 'w').write('{\"f\": [1, null], \"g\": 2}')", "error of output 'f' came as None"),
        ("open('result.json', 'w').write('{\"f\": 1, \"g\": 2' + ' ' * 10**8 + '}')", "not valid JSON"),
        ("import os; os.mkdir('result.json')", "wrote no result.json"),
        ("import os; os.mkfifo('result.json')", "wrote no result.json"),
        ("import os; os.symlink('/dev/zero', 'result.json')", "wrote no result.json"),
        ("import os; os.symlink('nowhere', 'result.json')", "wrote no result.json"),
    ],
)
def test_a_bad_result_file_is_a_failure_in_words(script: str, words: str, tmp_path: Path) -> None:
    job = make_job(script + "\nimport sys\nsys.stderr.write('a last word')\n", tmp_path)
    reason = failure(run_job(job))
    assert words in reason
    is_about_outputs = "output" in reason
    assert is_about_outputs or "a last word" in reason
    assert (job.folder / "stderr.txt").read_text(encoding="utf-8") == "a last word"


def test_what_a_result_file_holds_beside_the_outputs_is_no_failure(tmp_path: Path) -> None:
    job = make_job('open(\'result.json\', \'w\').write(\'{"f": 1, "g": 2, "G": [3], "cost": 5}\')', tmp_path)
    assert run_job(job) == Answer({"f": 1.0, "g": 2.0}, {job.simulator.name: 5.0})


def test_a_result_file_may_hold_a_standard_error_beside_a_value(tmp_path: Path) -> None:
    job = make_job("open('result.json', 'w').write('{\"f\": [12.3, 0.4], \"g\": 2, \"cost\": 5}')", tmp_path)
    assert run_job(job) == Answer({"f": 12.3, "g": 2.0}, {job.simulator.name: 5.0}, errors={"f": 0.4})


def test_a_program_that_cannot_be_started_is_a_failure(tmp_path: Path) -> None:
    job = make_job(GOOD, tmp_path)
    (tmp_path / "solver.sh").write_text("#!/no/such/interpreter\n", encoding="utf-8")
    (tmp_path / "solver.sh").chmod(0o755)
    simulator = Simulator("s", job.simulator.outputs, Command(["./solver.sh"]))
    job = Job(0, simulator, {"a": 2.0}, None, 1, tmp_path, tmp_path / "run")
    assert "cannot be started" in failure(run_job(job))


def test_a_program_that_removes_its_own_folder_is_a_failure(tmp_path: Path) -> None:
    job = make_job("import os, shutil\nshutil.rmtree(os.getcwd())\n", tmp_path)
    assert "wrote no result.json" in failure(run_job(job))


# --- F9 ---------------------------------------------------------------------------------------------------------------

IGNORE_SIGTERM = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
SLEEP = "import time; time.sleep(600)\n"
CHILD = "open('a-child-was-here', 'w').close()\n" + SLEEP
SPAWN = """
import subprocess, sys
def spawn(code, **options):
    return subprocess.Popen([sys.executable, '-S', '-c', code, 'IMOCA TEST TOKEN'], **options)
"""
DAEMON = SPAWN + f"spawn({CHILD!r}, start_new_session=True)"
ORPHAN = SPAWN + f"spawn({CHILD!r}, env={{}})"
HIDDEN = SPAWN + f"spawn({CHILD!r}, env={{}}, start_new_session=True)"
FORK_WHEN_ASKED_TO_END = f"""
import signal, time
signal.signal(signal.SIGTERM, lambda *_: spawn({IGNORE_SIGTERM + SLEEP!r}))
open('ready', 'w').close()
while True: time.sleep(1)
"""
READY = "open('ready', 'w').close()\n"

LONELY = {
    "that merely hangs": READY + SLEEP,
    "that ignores SIGTERM": IGNORE_SIGTERM + READY + SLEEP,
    "that forks when asked to end": SPAWN + FORK_WHEN_ASKED_TO_END,
}
PARENTS = {
    "whose child leaves the session": SPAWN + f"spawn({CHILD!r}, start_new_session=True)\n" + SLEEP,
    "whose child ignores SIGTERM": SPAWN + f"spawn({IGNORE_SIGTERM + CHILD!r}, process_group=0)\n" + SLEEP,
    "whose child has no environment": SPAWN + f"spawn({CHILD!r}, env={{}}, start_new_session=True)\n" + SLEEP,
    "that starts a daemon": SPAWN + f"spawn({DAEMON!r}, start_new_session=True).wait()\n" + SLEEP,
    "whose orphan has no environment": SPAWN + f"spawn({ORPHAN!r}).wait()\n" + SLEEP,
}


def processes_with(token: str) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and token.encode() in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120.0
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.fixture
def token(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A word that stands in the command line of everything that a test starts; what is left over is ended."""
    monkeypatch.setattr(process_tree, "GRACE", 0.3)
    word = f"imoca-test-{uuid.uuid4().hex}"
    yield word
    for pid in processes_with(word):
        os.kill(pid, signal.SIGKILL)


def with_token(script: str, token: str, folder: Path, timeout: float | None) -> Job:
    job = make_job(script.replace("IMOCA TEST TOKEN", token), folder, timeout)
    named = Command([*job.simulator.run.arguments, token])  # type: ignore[union-attr]
    simulator = Simulator("s", job.simulator.outputs, named, fidelity=job.simulator.fidelity, cost="z", timeout=timeout)
    return Job(0, simulator, job.parameters, job.fidelity, 1, folder, job.folder)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="descendants are found in /proc")
@pytest.mark.parametrize("kind", [*LONELY, *PARENTS])
def test_nothing_is_left_at_the_timeout_of_a_program(
    kind: str, token: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = with_token((LONELY | PARENTS)[kind], token, tmp_path, timeout=0.1)
    is_ready = (job.folder / ("a-child-was-here" if kind in PARENTS else "ready")).exists

    class TimedWhenReady(subprocess.Popen[bytes]):
        """Its time begins when all that is to be ended was started, however slow the machine."""

        def wait(self, timeout: float | None = None) -> int:
            if timeout is not None:
                wait_until(is_ready)
            return super().wait(timeout)

    monkeypatch.setattr(subprocess, "Popen", TimedWhenReady)
    reason = failure(run_job(job))
    assert processes_with(token) == []
    assert "timeout of 0.1 s" in reason
    assert str(job.folder) in reason
    assert (job.folder / "a-child-was-here").exists() == (kind in PARENTS)


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="descendants are found in /proc")
def test_what_a_program_leaves_running_is_ended_when_it_has_answered(token: str, tmp_path: Path) -> None:
    script = SPAWN + f"spawn({IGNORE_SIGTERM + SLEEP!r}, start_new_session=True)\n" + GOOD
    job = with_token(script, token, tmp_path, timeout=300.0)
    assert run_job(job).values == {"f": 1.0, "g": 2.0}
    assert processes_with(token) == []


@pytest.mark.slow
def test_a_daemon_that_hides_from_everyone_holds_nobody_up(
    token: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Own session, no environment, its parent dead: it cannot be found, but its open pipes do no harm."""
    monkeypatch.setattr(program, "LAST_WORDS", 0.3)
    script = SPAWN + f"spawn({HIDDEN!r}).wait()\n" + GOOD
    assert run_job(with_token(script, token, tmp_path, timeout=300.0)).values == {"f": 1.0, "g": 2.0}
    assert processes_with(token)  # it did get away, and has the pipes open still


# --- F10 --------------------------------------------------------------------------------------------------------------

FLOOD = """
import os, sys
os.set_blocking(1, True)
chunk = bytes(range(256)) * 4096  # 1 MiB, every byte there is
for i in range(300):
    os.write(1, chunk)
    os.write(2, chunk[::-1])
os.write(2, b"the last word")
open('stdin.txt', 'w').write(repr(sys.stdin.read()))
"""
MEASURE = """
import sys
from pathlib import Path
def peak():  # of this process alone: getrusage counts that of whoever started it too
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1])
from imoca import Objective, Simulator
from imoca.problem.simulator import Command
from imoca.runners.base import Job
from imoca.runners.execution import run_job
simulator = Simulator("s", [Objective("f", "minimize")], Command(["{python}", "-S", "solver.py"]))
folder = Path(sys.argv[1])
before = peak()
answer = run_job(Job(0, simulator, {"a": 1.0}, None, 1, folder, folder / "run"))
print(answer.failures["s"][:60])
print(peak() - before)
"""


@pytest.mark.slow
def test_a_flood_of_binary_output_is_capped_and_takes_no_memory(tmp_path: Path) -> None:
    (tmp_path / "solver.py").write_text(FLOOD, encoding="utf-8")
    child = subprocess.run(
        [sys.executable, "-c", MEASURE, tmp_path], capture_output=True, text=True, timeout=120, check=True
    )
    reason, growth = child.stdout.splitlines()
    assert "wrote no result.json" in reason
    assert int(growth) < 20 * 1024  # KiB, where 600 MiB were printed
    for name, first in (("stdout.txt", bytes(range(256))), ("stderr.txt", bytes(range(255, -1, -1)))):
        kept = (tmp_path / "run" / name).read_bytes()
        assert kept.startswith(first * 100)
        assert program.MAX_OUTPUT < len(kept) < program.MAX_OUTPUT + 100
        assert kept.endswith(b"[cut off here by imoca]\n")
    assert (tmp_path / "run" / "stdin.txt").read_text(encoding="utf-8") == "''"  # nothing to wait for


def test_binary_last_words_are_shown_as_text(tmp_path: Path) -> None:
    script = "import os, sys\nos.write(2, bytes(range(256)) + b'mesh exploded')\nsys.exit(3)\n"
    reason = failure(run_job(make_job(script, tmp_path)))
    assert "mesh exploded" in reason
    reason.encode("utf-8")  # no lone surrogates: it can be stored


def test_a_program_whose_output_finds_no_room_still_answers(tmp_path: Path) -> None:
    job = make_job("import os\nfor i in range(100): os.write(1, b'x' * 65536)\n" + GOOD, tmp_path)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        answer = run_job(job)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert answer.values == {"f": 1.0, "g": 2.0}
    assert (job.folder / "stdout.txt").stat().st_size == 100_000

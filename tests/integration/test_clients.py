"""The clients in other languages against a real server."""

import json
import shutil
import signal
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from serving import served

from imoca import Study

CLIENTS = Path(__file__).parents[2] / "clients"
PATIENCE = 300.0  # seconds after which a program counts as hanging
N_TRIALS = 3

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Language:
    """How the example is started, and under which name it asks."""

    worker: str
    command: Callable[[Path, Path, int], list[str]]  # of a folder to work in, the address file and a number of trials


def octave_command(folder: Path, address: Path, n: int) -> list[str]:
    return ["octave-cli", "--path", str(CLIENTS / "octave"), "--eval", f"example ('{address}', {n})"]


def cpp_command(folder: Path, address: Path, n: int) -> list[str]:
    compiled(folder, CLIENTS / "cpp" / "example.cpp")
    return [str(folder / "program"), str(address), str(n)]


def compiled(folder: Path, source: Path) -> Path:
    options = ["-std=c++17", "-O1", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-I", str(CLIENTS / "cpp")]
    subprocess.run(["g++", *options, "-o", str(folder / "program"), str(source)], check=True, timeout=PATIENCE)
    return folder / "program"


def needs(*programs: str) -> pytest.MarkDecorator:
    missing = [program for program in programs if shutil.which(program) is None]
    return pytest.mark.skipif(bool(missing), reason=f"{', '.join(missing)} is not installed")


LANGUAGES = [
    pytest.param(Language("octave-1", octave_command), marks=needs("octave-cli", "curl", "sed"), id="octave"),
    pytest.param(Language("cpp-1", cpp_command), marks=needs("g++"), id="cpp"),
]


def deflection(root: float, taper: float, cells: float) -> float:
    """In mm, by a route of its own: the integral of the moment over E I, cell by cell."""
    n, total = round(cells), 0.0
    for i in range(n):
        share = (i + 0.5) / n
        inertia = 0.05 * (root * (1 - (1 - taper) * share)) ** 3 / 12
        total += 2000.0 * (2.0 * (1 - share)) ** 2 / (210e9 * inertia) * (2.0 / n)
    return 1000.0 * total


def test_the_beam_of_the_examples_is_the_one_of_textbooks() -> None:
    """Of constant height: F L^3 / (3 E I)."""
    expected = 1000.0 * 2000.0 * 2.0**3 / (3 * 210e9 * 0.05 * 0.1**3 / 12)
    assert deflection(0.1, 1.0, 200) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_example_goes_on_after_its_server_was_killed_and_tells_every_trial_once(
    language: Language, tmp_path: Path
) -> None:
    shutil.copy(CLIENTS / "study.toml", tmp_path)
    address = tmp_path / "beam.serve.json"
    with served(tmp_path) as server:
        server.send_signal(signal.SIGKILL)
    command = language.command(tmp_path, address, N_TRIALS)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as client:
        try:
            with served(tmp_path):  # elsewhere, and it may have begun to ask while nobody was there
                out, err = client.communicate(timeout=PATIENCE)
        finally:
            client.kill()
    assert client.returncode == 0, err
    with Study.load(tmp_path / "beam.db", read_only=True) as study:
        trials, n_front = study.trials, len(study.snapshot().front)
    lines = out.splitlines()
    assert len(trials) == N_TRIALS
    assert lines[-1] == f"{n_front} designs on the front"
    assert len(lines) == N_TRIALS + 1
    for trial, line in zip(trials, lines, strict=False):
        root, taper, cells = *trial.parameters.values(), trial.fidelities["beam"]
        assert isinstance(root, float)
        assert isinstance(taper, float)
        assert isinstance(cells, float)
        assert line.startswith(f"trial {trial.number} with {round(cells)} cells: ")
        assert trial.worker == language.worker
        assert trial.values["deflection"] == pytest.approx(deflection(root, taper, cells), rel=1e-9)
        assert trial.values["mass"] == pytest.approx(7850 * 0.05 * 2.0 * root * (1 + taper) / 2, rel=1e-9)
        assert trial.costs["beam"] == pytest.approx(20 + cells)


@needs("octave-cli", "curl", "sed")
def test_in_octave_a_refusal_is_an_error_with_the_words_of_the_server(tmp_path: Path) -> None:
    shutil.copy(CLIENTS / "study.toml", tmp_path)
    code = (
        "a = 'beam.serve.json'; q = imoca_request (a, 'ask', struct ('worker', \"it's <b>\\n$x\"));"
        " v = struct ('deflection', NaN, 'mass', 1);"
        " try; imoca_request (a, 'tell', struct ('number', q.number, 'values', v)); catch e; disp (e.message); end;"
        " f = struct ('number', q.number, 'reason', 'it''s broken'); imoca_request (a, 'fail', f);"
        " imoca_request (a, 'fail', f);"
        " f.reason = 'other'; try; imoca_request (a, 'fail', f); catch e; disp (e.message); end;"
        " s = imoca_request (a, 'status'); disp (s.trials.failed)"
    )
    with served(tmp_path):
        command = ["octave-cli", "--path", str(CLIENTS / "octave"), "--eval", code]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=True)
    not_a_number, other, n_failed = done.stdout.strip().splitlines()
    assert not_a_number.startswith("400: Output 'deflection' came as None.")  # that is how JSON says NaN
    assert other.startswith("409: Trial 0 already has another answer of beam")
    assert n_failed.strip() == "1"
    with Study.load(tmp_path / "beam.db", read_only=True) as study:
        assert [trial.worker for trial in study.trials] == ["it's <b>\n$x"]
        assert dict(study.trials[0].failures) == {"beam": "it's broken"}


PRINTER = """
#include <iostream>
#include <iterator>
#include "imoca_client.hpp"
void print(const imoca::Json& json) {
  std::cout << "[" << imoca::exact(json.number) << "," << imoca::quoted(json.text) << ",[";
  for (std::size_t i = 0; i < json.items.size(); ++i) { if (i) std::cout << ","; print(json.items[i]); }
  std::cout << "],{";
  bool is_first = true;
  for (const auto& [name, value] : json.entries) {
    std::cout << (is_first ? "" : ",") << imoca::quoted(name) << ":";
    print(value);
    is_first = false;
  }
  std::cout << "}]";
}
int main() {
  const std::string text(std::istreambuf_iterator<char>(std::cin), {});
  try { print(imoca::Reader::read(text)); } catch (const std::exception&) { return 3; }
}
"""


def as_cpp_holds_it(content: Any) -> list[Any]:
    number, text, items, entries = 0.0, "", [], {}
    if isinstance(content, bool | int | float):
        number = float(content)
    elif isinstance(content, str):
        text = content
    elif isinstance(content, list):
        items = [as_cpp_holds_it(each) for each in content]
    elif isinstance(content, dict):
        entries = {name: as_cpp_holds_it(value) for name, value in content.items()}
    return [number, text, items, entries]


@needs("g++")
def test_in_cpp_json_is_read_as_python_reads_it_and_what_is_cut_short_is_refused(tmp_path: Path) -> None:
    (tmp_path / "printer.cpp").write_text(PRINTER, encoding="utf-8")
    program = compiled(tmp_path, tmp_path / "printer.cpp")
    content = {
        "": [], "a\"\\/\b\f\n\r\t": {}, "é€𝄞\u202e\x7f": [[], [{}], [1, [2, {"x": None}]]],
        "numbers": [0, -1, 1e300, 5e-324, 0.1 + 0.2, -1.5e-7, 10**15], "words": [True, False, None, "true", ""],
    }  # fmt: skip
    for text in (json.dumps(content), json.dumps(content, indent=2, ensure_ascii=False), "[]", " 3 ", '"a"'):
        done = subprocess.run([program], input=text, capture_output=True, text=True, check=True, timeout=PATIENCE)
        assert json.loads(done.stdout) == as_cpp_holds_it(json.loads(text))
    whole = json.dumps({"a": [1.0, {"b": "\u00e9"}], "c": "d"})
    for n in range(len(whole)):
        done = subprocess.run([program], input=whole[:n], capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert done.returncode == 3, whole[:n]

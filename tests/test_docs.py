"""Every snippet of the front page, the tutorial and the how-to pages runs as it stands, and shows what the page shows.

The blocks of a page are taken in order, in one fresh folder per page:

- a block with ``title="NAME"`` is a file of that name;
- ``bash`` and ``python`` blocks are run, and must end with exit code 0;
- a ``text`` block is the output of the block before it: ``...`` stands for anything, numbers agree to six digits,
  for they come out of a few sums and logarithms, whose last bits are another processor's own;
- in a ``text varies`` block the numbers may be others: they depend on timing, or a model was fitted before;
- pages of problems whose snippets take minutes are run with fewer designs;
- a ``needs=slurm`` block is run where Slurm is installed, in a cluster of its own; elsewhere only its syntax is
  checked. A line in italics before it says so.
"""

import ast
import importlib
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from slurm_cluster import slurm_cluster, what_slurm_lacks

DOCS = Path(__file__).parent.parent / "docs"
PAGES = sorted(
    [
        DOCS / "index.md",
        *(DOCS / "tutorial").glob("*.md"),
        *(DOCS / "how-to").glob("*.md"),
        *(DOCS / "benchmarks" / f"{name}.md" for name in ("adversarial", "network_on_chip")),
    ]
)
# Pages of a few snippets, which take minutes as they stand: with fewer designs, those take seconds.
SHORTENED = {
    DOCS / "benchmarks" / "circuit.md": {"random(40)": "random(3)"},
    DOCS / "benchmarks" / "panel.md": {"random(100)": "random(3)"},
}
DOCTOR = DOCS / "reliability.md"  # begins where there is a study
NEEDING_SLURM = {"clusters.md": 4}  # blocks
BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:)([^)#]+)[^)]*\)")
NUMBER = r"[-+]?(?<![\w.])\d+(?:\.\d+)?(?:e[-+]?\d+)?"
TOLERANCE = 1e-6  # of a number, relative
PATIENCE = 600.0  # seconds after which a block counts as hanging


@dataclass(frozen=True)
class Block:
    language: str
    information: str  # the rest of the line that opens it
    text: str
    line_before: str

    @property
    def file_name(self) -> str | None:
        found = re.search(r'title="([^"]+)"', self.information)
        return found[1] if found else None

    @property
    def needs_slurm(self) -> bool:
        return "needs=slurm" in self.information.split()

    @property
    def has_varying_numbers(self) -> bool:
        return "varies" in self.information.split()


def blocks_of(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [
        Block(found[1], found[2].strip(), found[3], (text[: found.start()].strip().splitlines() or [""])[-1])
        for found in BLOCK.finditer(text)
    ]


def run(block: Block, folder: Path) -> str:
    """What a reader sees on the terminal; standard output and standard error as they come."""
    commands = {"bash": ["bash", "-e", "-o", "pipefail", "-c"], "python": [sys.executable, "-c"]}
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PYTHONUNBUFFERED": "1",
        "OMP_NUM_THREADS": "1",
        "NO_COLOR": "1",
    }
    process = subprocess.Popen(
        [*commands[block.language], block.text],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=PATIENCE)
    finally:  # whatever the block left in the background
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    assert process.returncode == 0, f"{block.text}\nended with exit code {process.returncode}:\n{output}"
    return output


def check_syntax(block: Block) -> None:
    if block.language == "python":
        compile(block.text, "block", "exec")
    elif block.language == "bash":
        subprocess.run(["bash", "-n", "-c", block.text], check=True)
    elif block.language == "toml":
        tomllib.loads(block.text)


def check_shown(block: Block, output: str) -> None:
    found = re.fullmatch(pattern(block), "".join(f"{line.rstrip()}\n" for line in output.splitlines()))
    assert found, f"The page shows:\n{block.text}\nbut the output is:\n{output}"
    if not block.has_varying_numbers:
        shown = re.findall(NUMBER, block.text)
        for one, other in zip(shown, found.groups(), strict=True):
            assert math.isclose(float(one), float(other), rel_tol=TOLERANCE), f"{one} is shown, {other} came"


def pattern(block: Block) -> str:
    """A regular expression with one group per number."""
    lines = []
    for line in block.text.splitlines():
        if line.strip() == "...":
            lines.append(r"(?:.*\n)*?")
            continue
        parts = re.split(rf"({NUMBER})", line)
        escaped = [f"({NUMBER})" if i % 2 else words(part) for i, part in enumerate(parts)]
        whole = "".join(escaped)
        lines.append((either_way(whole) if block.has_varying_numbers else whole) + r"\n")
    return "".join(lines)


def either_way(line: str) -> str:
    """Where numbers vary, one in ten of those that were measured lies outside its interval."""
    return re.sub(r"\bTrue$", "(?:True|False)", re.sub(r"\bwithin$", "(?:within|outside)", line))


def words(text: str) -> str:
    """Columns are as wide as their numbers."""
    return r"\ +".join(re.escape(word).replace(r"\.\.\.", ".*") for word in re.split(" +", text))


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_does_what_it_says(page: Path, tmp_path: Path, until_the_end: ExitStack) -> None:
    output = ""
    blocks = blocks_of(page)
    has_slurm = not what_slurm_lacks()
    if has_slurm and any(block.needs_slurm for block in blocks):
        until_the_end.enter_context(slurm_cluster())
    for block in blocks:
        check_syntax(block)
        if block.needs_slurm and block.language == "bash":
            assert re.match(r"\*Needs .*\*$", block.line_before), f"The page does not say what is needed:\n{block.text}"
        if block.needs_slurm and not has_slurm:
            continue
        if block.language == "text":
            check_shown(block, output)
        elif block.file_name is not None:
            (tmp_path / block.file_name).write_text(block.text, encoding="utf-8")
        elif block.language in ("bash", "python"):
            output = run(block, tmp_path)
        else:
            pytest.fail(f"A block of {block.language!r} is neither run nor written to a file:\n{block.text}")


@pytest.mark.slow
@pytest.mark.parametrize("page", SHORTENED, ids=lambda page: page.stem)
def test_the_snippets_of_a_problem_run(page: Path, tmp_path: Path) -> None:
    if page.stem == "circuit" and shutil.which("ngspice") is None:
        pytest.skip("the program ngspice is not installed")
    text = "\n".join(block.text for block in blocks_of(page))
    assert {block.language for block in blocks_of(page)} == {"python"}
    for long, short in SHORTENED[page].items():
        assert long in text
        text = text.replace(long, short)
    assert run(Block("python", "", text, ""), tmp_path)


def test_the_doctor_is_called_as_the_page_says(tmp_path: Path) -> None:
    (block,) = blocks_of(DOCTOR)
    run(Block("bash", "", "imoca init && imoca run --budget 1", ""), tmp_path)
    assert run(block, tmp_path).count("study.db is sound.") == 2  # tests/faults damages some and has them mended


def test_no_other_page_holds_a_snippet() -> None:
    others = {page for page in DOCS.rglob("*.md") if page not in PAGES and blocks_of(page)}
    assert others == {*SHORTENED, DOCTOR}


def test_only_what_needs_slurm_may_not_be_run() -> None:
    counts = {page.name: sum(block.needs_slurm for block in blocks_of(page)) for page in PAGES}
    assert {name: count for name, count in counts.items() if count} == NEEDING_SLURM
    assert not any("needs=" in b.information and not b.needs_slurm for page in PAGES for b in blocks_of(page))


def test_every_fence_belongs_to_a_block_and_every_link_leads_somewhere() -> None:
    assert PAGES
    for page in (*PAGES, *(DOCS / "gallery").glob("*.md"), DOCS / "reliability.md"):
        text = page.read_text(encoding="utf-8")
        assert text.count("```") == 2 * len(blocks_of(page)), page.name
        prose = BLOCK.sub("", text)
        missing = [link for link in LINK.findall(prose) if not (page.parent / link).exists()]
        assert not missing, f"{page.name}: {missing}"


def test_pages_and_readme_import_public_names_only() -> None:
    for page in (*PAGES, *SHORTENED, DOCS.parent / "README.md"):
        for block in blocks_of(page):
            if block.language != "python":
                continue
            for node in ast.walk(ast.parse(block.text)):
                if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "imoca":
                    public = importlib.import_module(node.module).__all__
                    assert {alias.name for alias in node.names} <= set(public), page.name


def test_a_shown_number_or_word_that_is_wrong_is_found() -> None:
    shown = Block("text", "", "trial 3: cost 0.25\n...\nin folder ...\n", "")
    check_shown(shown, "trial 3: cost 0.25\nmore\nand more\nin folder /tmp/x\n")
    with pytest.raises(AssertionError, match="is shown"):
        check_shown(shown, "trial 3: cost 0.26\nin folder /tmp/x\n")
    with pytest.raises(AssertionError, match="but the output is"):
        check_shown(shown, "trial 3: price 0.25\nin folder /tmp/x\n")
    check_shown(Block("text", "varies", "cost 0.25\n", ""), "cost  17\n")

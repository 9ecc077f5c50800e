"""What is said of this version is said of it everywhere, and what the draft of the paper says is in the results."""

import re
import tomllib
from pathlib import Path

import yaml

import imoca

ROOT = Path(__file__).parent.parent
PAPER = (ROOT / "paper" / "paper.md").read_text(encoding="utf-8")


def entries(path: Path) -> dict[str, str]:
    """Entries of a bibliography by their keys, without the blanks around them."""
    text = path.read_text(encoding="utf-8")
    parts = (part.strip() for part in re.split(r"^(?=@)", text, flags=re.MULTILINE) if part.startswith("@"))
    return {re.split("[{,]", part)[1]: part for part in parts}


def test_the_citation_has_what_its_format_requires_and_names_this_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["cff-version"] == "1.2.0"
    assert citation["message"]
    assert citation["title"] == "iMOCA"
    assert all(author.get("name") or author.get("family-names") for author in citation["authors"])
    assert citation["version"] == imoca.__version__
    assert citation["license"] == tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["license"]


def test_the_changelog_begins_with_this_version_and_links_what_it_changes_for_users() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (\S+)", text, flags=re.MULTILINE)[0] == imoca.__version__
    notes = f"docs/release-notes-{imoca.__version__}.md"
    assert f"]({notes})" in text
    assert (ROOT / notes).exists()


def test_every_work_that_the_paper_cites_is_in_its_bibliography_and_no_other() -> None:
    cited = set(re.findall(r"@([A-Z]\w+\d{4})", PAPER))
    bibliography, ours = entries(ROOT / "paper" / "paper.bib"), entries(ROOT / "docs" / "references.bib")
    assert bibliography.keys() == cited
    assert {key: entry for key, entry in bibliography.items() if entry != ours.get(key, entry)} == {}


def test_numbers_in_the_paper_are_those_of_its_tables() -> None:
    results = PAPER.split("# Results")[1].split("# Acknowledgements")[0]
    prose = "\n".join(line for line in results.splitlines() if not line.startswith("|"))
    header, _, *rows = [
        [cell.strip() for cell in line.split("|")] for line in results.splitlines() if line.startswith("|")
    ]
    shares = [row[header.index("reduction by imoca-p")] for row in rows if len(row) == len(header)]
    saved = [float(share.removesuffix(" %")) for share in shares if share.endswith("%")]
    assert [float(number) for number in re.findall(r"(?<!\w)\d+(?:\.\d+)?", prose)] == [min(saved), max(saved)]


def test_the_paper_counts_problems_and_methods_as_the_report_does() -> None:
    report = (ROOT / "docs" / "results" / "paper" / "report.md").read_text(encoding="utf-8")
    table = report.split("### Cost to convergence of every method")[1].split("###")[0]
    header, _, *methods = [line for line in table.splitlines() if line.startswith("|")]
    assert (len(methods), header.count("|") - 2) == (13, 8)
    assert "thirteen methods on eight problems" in PAPER


def test_the_description_of_the_package_has_neither_pictures_nor_links_that_lead_nowhere() -> None:
    """As hatch-fancy-pypi-readme makes it of the README; `make dist` lets twine look at the result."""
    hooks = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["metadata"]["hooks"]
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for substitution in hooks["fancy-pypi-readme"]["substitutions"]:
        text = re.sub(substitution["pattern"], substitution["replacement"], text)
    assert [link for link in re.findall(r"\]\(([^)]*)\)", text) if not link.startswith("http")] == []
    assert "picture.py" not in text  # how a picture is made, without the picture
    assert "Your simulator in ten minutes goes through it" in text  # words of links stay

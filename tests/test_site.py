"""``make docs`` refuses a site with dead links, foreign resources or missing names: each is found where it is wrong."""

import re
import tomllib
from pathlib import Path

import pytest

from website.check import clicks, dead_links, far_away, foreign_resources, missing_names, read_site
from website.menu import menu_of
from website.pages import as_the_site_shows_it
from website.public import PublicName, homes, public_names, shown_once

ROOT = Path(__file__).parent.parent


def write(folder: Path, name: str, body: str) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(f"<!doctype html><html><body>{body}</body></html>", encoding="utf-8")


def test_a_link_to_no_file_or_to_no_place_is_found(tmp_path: Path) -> None:
    write(
        tmp_path,
        "docs/a.html",
        '<h1 id="here">A</h1><a href="b.html#there">b</a><a href="#here">h</a><a href="../c.html">c</a>',
    )
    write(
        tmp_path,
        "docs/b.html",
        '<a href="a.html#gone">a</a><a href="https://example.org/x">x</a><a href="a%20b.html">d</a>',
    )
    assert sorted(dead_links(tmp_path, read_site(tmp_path))) == [
        "docs/a.html: ../c.html leads to no file",
        "docs/a.html: b.html#there leads to no such place in docs/b.html",
        "docs/b.html: a%20b.html leads to no file",
        "docs/b.html: a.html#gone leads to no such place in docs/a.html",
    ]


@pytest.mark.parametrize(
    "element",
    [
        '<script src="https://example.org/a.js"></script>',
        '<img src="//example.org/a.png">',
        '<link rel="stylesheet" href="http://example.org/a.css">',
        '<link rel="preconnect" href="https://example.org">',
        '<p style="background: url(https://example.org/a.png)">',
        "<style>@import 'https://example.org/a.css';</style>",
        '<img srcset="HTTPS://example.org/a.png 2x">',
    ],
)
def test_what_a_browser_would_load_from_elsewhere_is_found(element: str, tmp_path: Path) -> None:
    write(tmp_path, "a.html", element)
    assert len(list(foreign_resources(tmp_path, read_site(tmp_path)))) == 1


def test_links_to_follow_and_resources_of_the_site_are_not_foreign(tmp_path: Path) -> None:
    own = '<a href="https://example.org">x</a><img src="a.png"><link rel="canonical" href="https://example.org/a">'
    write(tmp_path, "a.html", own + '<img src="data:image/png;base64,AA">')
    (tmp_path / "a.css").write_text("body { background: url('a.png') }", encoding="utf-8")
    assert list(foreign_resources(tmp_path, read_site(tmp_path))) == []
    (tmp_path / "a.css").write_text("@font-face { src: url(https://example.org/a.woff2) }", encoding="utf-8")
    assert list(foreign_resources(tmp_path, read_site(tmp_path))) == ["a.css loads https://example.org/a.woff2"]


def test_clicks_are_counted_along_the_text_and_not_the_menu(tmp_path: Path) -> None:
    menu = '<nav><a href="how-to/constraints.html">c</a></nav>'
    write(tmp_path, "docs/index.html", f'{menu}<article><a href="one.html">1</a></article>')
    write(tmp_path, "docs/one.html", f'{menu}<article><a href="two.html">2</a></article>')
    write(tmp_path, "docs/two.html", '<article><a href="how-to/constraints.html">c</a></article>')
    write(tmp_path, "docs/how-to/constraints.html", "<article></article>")
    pages = read_site(tmp_path)
    assert clicks(pages) == {
        "docs/index.html": 0,
        "docs/one.html": 1,
        "docs/two.html": 2,
        "docs/how-to/constraints.html": 3,
    }
    assert "constraints: docs/how-to/constraints.html is not within 2 clicks of the front page" in far_away(pages)
    write(tmp_path, "docs/one.html", '<article><a href="how-to/constraints.html">c</a></article>')
    assert not any(fault.startswith("constraints") for fault in far_away(read_site(tmp_path)))


def test_a_public_name_without_an_entry_is_found(tmp_path: Path) -> None:
    write(tmp_path, "docs/api/imoca.html", '<dt id="imoca.Study"></dt>')
    write(tmp_path, "docs/index.html", '<p id="imoca.Trial"></p>')
    assert list(missing_names(["imoca.Study", "imoca.Trial"], read_site(tmp_path))) == [
        "imoca.Trial is public, and on no page of the API reference"
    ]


def test_public_names_are_those_that_modules_list() -> None:
    names = public_names(ROOT / "src" / "imoca")
    assert names[0] == PublicName("imoca", "Choice")
    assert PublicName("imoca.trials", "TrialTable") in names
    assert homes([PublicName("imoca.problem", "Real"), PublicName("imoca", "Real")]) == {
        "imoca.problem.parameters.Real": "imoca.Real"
    }


def test_a_name_that_is_public_in_two_rooms_is_shown_in_one_and_linked_from_the_other() -> None:
    names = [
        PublicName("imoca", "Real"),
        *(PublicName("imoca.problem", name) for name in ("Goal", "Real", "SearchSpace")),
    ]
    assert shown_once(".. automodule:: imoca.problem", names, homes(names)).splitlines() == [
        ".. automodule:: imoca.problem",
        "   :exclude-members: Goal, Real",
        "",
        ".. py:data:: Goal",
        "   :module: imoca.problem",
        "   :value: typing.Literal['minimize', 'maximize']",
        "",
        "Public here too:",
        "",
        "* :obj:`Real <imoca.Real>`",
    ]
    assert shown_once(".. automodule:: imoca", names, homes(names)) == ".. automodule:: imoca\n"


def test_a_link_to_a_file_becomes_its_path_and_a_link_to_a_page_stays() -> None:
    page = Path("docs/reliability.md")
    pages = "[rooms](../ARCHITECTURE.md), [c](how-to/clusters.md#x)"
    text = f"[test_slurm](../tests/faults/test_slurm.py), [the suite](../tests), {pages}"
    assert as_the_site_shows_it(text, page, ROOT) == f"`tests/faults/test_slurm.py`, the suite (`tests`), {pages}"
    kept = "[gone](../tests/gone.py) ![picture](images/navigator.png) [far](https://example.org)\n```text\n[a](../tests)\n```\n"
    assert as_the_site_shows_it(kept, page, ROOT) == kept


def test_blocks_are_shown_under_their_names_and_without_words_for_tests() -> None:
    text = '```python title="beam.py"\nx = 1\n```\n```text varies needs=slurm\n1\n```\n```csv title="old.csv"\na\n```\n'
    assert as_the_site_shows_it(text, Path("docs/a.md"), ROOT) == (
        "```{code-block} python\n:caption: beam.py\n\nx = 1\n```\n```text\n1\n```\n"
        "```{code-block} text\n:caption: old.csv\n\na\n```\n"
    )


def test_the_menu_stands_below_its_page_only() -> None:
    assert ":caption: Begin" in menu_of("docs/index")
    assert "/docs/how-to/install" in menu_of("docs/index")
    assert "\nResults </docs/results>\n" in menu_of("docs/index")
    assert menu_of("docs/reliability") == ""


@pytest.mark.parametrize("section", sorted((ROOT / "docs").glob("*/index.md")), ids=lambda path: path.parent.name)
def test_the_index_of_a_section_lists_every_page_of_it(section: Path) -> None:
    linked = set(re.findall(r"\]\((?:\./)?([\w-]+\.md)\)", section.read_text(encoding="utf-8")))
    assert linked >= {page.name for page in section.parent.glob("*.md")} - {"index.md"}


def test_the_page_on_installing_names_every_extra() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    rows = re.findall(
        r"^\| `(\w+)` \|", (ROOT / "docs/how-to/install.md").read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    assert sorted(rows) == sorted(extras)

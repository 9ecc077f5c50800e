"""Sphinx builds the documentation from the repository as it stands: ``make docs``."""

import re
import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

import imoca

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from website.menu import menu_of  # noqa: E402
from website.pages import as_the_site_shows_it  # noqa: E402
from website.public import homes, public_names, shown_once  # noqa: E402

PUBLIC = public_names(ROOT / "src" / "imoca")
HOME_OF = homes(PUBLIC)
ARRAY = re.compile(r"~?numpy\.ndarray\[~?tuple\[~?typing\.Any, \.\.\.\], ~?numpy\.dtype\[~?numpy\.(\w+)\]\]")
ARRAYS = {"float64": "Array", "bool": "BoolArray", "bool_": "BoolArray", "int64": "IntArray"}

project = "iMOCA"
copyright = "the authors of iMOCA; MIT licence"
version = release = imoca.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.viewcode"]
root_doc = "docs/index"
include_patterns = ["docs/**", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md"]
source_suffix = {".md": "markdown"}
myst_heading_anchors = 4
highlight_language = "none"

autodoc_default_options = {"members": True, "undoc-members": True}
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
add_module_names = False
python_maximum_signature_line_length = 90
maximum_signature_line_length = 90
viewcode_line_numbers = True

html_theme = "furo"
html_title = f"iMOCA {version}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
pygments_style = "friendly"
pygments_dark_style = "github-dark"


def read(app: Sphinx, page: str, source: list[str]) -> None:
    shown = as_the_site_shows_it(source[0], Path(f"{page}.md"), ROOT) + menu_of(page)
    source[0] = shown_once(shown, PUBLIC, HOME_OF)


def find_by_public_name(
    app: Sphinx, environment: BuildEnvironment, reference: pending_xref, content: nodes.Element
) -> nodes.Element | None:
    """Annotations name the module where a class is written; the reference shows it where users import it."""
    public = HOME_OF.get(reference.get("reftarget", ""))
    if reference.get("refdomain") != "py" or public is None:
        return None
    python = environment.domains["py"]
    return python.resolve_xref(environment, reference["refdoc"], app.builder, "obj", public, reference, content)


def name_arrays(
    app: Sphinx, kind: str, name: str, thing: object, options: object, signature: str | None, returns: str | None
) -> tuple[str | None, str | None]:
    """Array for ndarray[tuple[Any, ...], dtype[float64]], as it is written."""
    told = (words and ARRAY.sub(lambda found: ARRAYS[found[1]], words) for words in (signature, returns))
    return next(told), next(told)


def drop_ways_back(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: nodes.document | None) -> None:
    """Pages of source lead back to names by where they are written; the reference knows them by their public names."""
    if page.startswith("_modules/"):
        context["body"] = re.sub(r'<a class="viewcode-back"[^>]*>[^<]*</a>', "", context["body"])


def write_front_door(app: Sphinx, error: Exception | None) -> None:
    """The folder of the site opens at its front page."""
    if error is None:
        (app.outdir / "index.html").write_text(
            '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>iMOCA</title>'
            '<meta http-equiv="refresh" content="0; url=docs/index.html"></head>'
            '<body><a href="docs/index.html">iMOCA</a></body></html>\n',
            encoding="utf-8",
        )


def setup(app: Sphinx) -> None:
    app.connect("source-read", read)
    app.connect("missing-reference", find_by_public_name)
    app.connect("autodoc-process-signature", name_arrays)
    app.connect("html-page-context", drop_ways_back)
    app.connect("build-finished", write_front_door)

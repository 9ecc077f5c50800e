"""A page as the site shows it; in the repository it is plain Markdown that any reader of Markdown shows well.

- A link to a file that is no page (a test, a configuration) becomes the path of that file: the site holds pages only.
- A block with ``title="NAME"`` is shown under its name; words for tests (``varies``, ``needs=slurm``) are dropped.
"""

import os
import re
from pathlib import Path

FENCE = re.compile(r"^(?P<fence>```+)(?P<language>\w+)(?P<rest>[^\n]*)$", flags=re.MULTILINE)
BLOCK = re.compile(r"(^```.*?^```+$)", flags=re.DOTALL | re.MULTILINE)
TITLE = re.compile(r'title="([^"]+)"')
LINK = re.compile(r"(?<!!)\[(?P<label>[^\]]*)\]\((?!https?:|#)(?P<target>[^)#]+)\)")
UNKNOWN_TO_PYGMENTS = {"csv": "text"}
PAGES_AT_THE_ROOT = {"ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md"}


def as_the_site_shows_it(text: str, page: Path, root: Path) -> str:
    """``page`` is relative to ``root``, the repository."""
    parts = BLOCK.split(text)  # every other part is a block of code
    return "".join(titled(part) if i % 2 else without_links_to_files(part, page, root) for i, part in enumerate(parts))


def titled(block: str) -> str:
    def opened(found: re.Match[str]) -> str:
        language = UNKNOWN_TO_PYGMENTS.get(found["language"], found["language"])
        title = TITLE.search(found["rest"])
        if title is None:
            return f"{found['fence']}{language}"
        return f"{found['fence']}{{code-block}} {language}\n:caption: {title[1]}\n"

    return FENCE.sub(opened, block, count=1)


def without_links_to_files(prose: str, page: Path, root: Path) -> str:
    def shown(found: re.Match[str]) -> str:
        target = Path(os.path.normpath(page.parent / found["target"]))
        is_page = target.suffix == ".md" and (target.parts[0] == "docs" or str(target) in PAGES_AT_THE_ROOT)
        if is_page or not (root / target).exists():  # what is missing is left to Sphinx, which refuses it
            return found[0]
        path = f"`{target.as_posix()}`"
        label = found["label"]
        return path if label.strip("`") in target.as_posix() else f"{label} ({path})"

    return LINK.sub(shown, prose)

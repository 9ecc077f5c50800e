"""What a built site must be like: no dead link, nothing loaded from elsewhere, every public name, nothing far away."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

FRONT_PAGE = "docs/index.html"
NEAR_BY = {  # what a newcomer looks for
    "install": "docs/how-to/install.html",
    "my simulator": "docs/tutorial/your-simulator-in-ten-minutes.html",
    "constraints": "docs/how-to/constraints.html",
    "parallel": "docs/how-to/parallel.html",
    "API": "docs/api/imoca.html",
}
MOST_CLICKS = 2
FOREIGN = re.compile(r"^\s*(https?:|//)", flags=re.IGNORECASE)
FOREIGN_IN_STYLE = re.compile(r"""(?:url\(|@import)\s*["']?\s*((?:https?:)?//[^"')\s]+)""", flags=re.IGNORECASE)
LOADED = {"src", "srcset", "poster", "data"}  # attributes whose address a browser loads without being asked
LOADING_LINKS = {"stylesheet", "icon", "preload", "prefetch", "modulepreload", "preconnect", "dns-prefetch", "manifest"}


@dataclass(frozen=True)
class Page:
    anchors: frozenset[str]
    links: tuple[str, ...]
    links_of_text: tuple[str, ...]  # within the article: without menu, header and footer
    loaded: tuple[str, ...]


class PageReader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.links_of_text: list[str] = []
        self.loaded: list[str] = []
        self.depth_in_article = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value for name, value in attrs if value is not None}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        self.loaded += [value for name, value in given.items() if name in LOADED]
        self.loaded += FOREIGN_IN_STYLE.findall(given.get("style", ""))
        if tag == "article":
            self.depth_in_article += 1
        if tag == "link" and LOADING_LINKS & set(given.get("rel", "").lower().split()):
            self.loaded.append(given.get("href", ""))
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
            if self.depth_in_article:
                self.links_of_text.append(given["href"])

    def handle_endtag(self, tag: str) -> None:
        if tag == "article":
            self.depth_in_article -= 1

    def handle_data(self, data: str) -> None:  # also what stands in <style>
        if self.cdata_elem == "style":
            self.loaded += FOREIGN_IN_STYLE.findall(data)


def read_page(path: Path) -> Page:
    reader = PageReader()
    reader.feed(path.read_text(encoding="utf-8"))
    found = tuple(reader.links), tuple(reader.links_of_text), tuple(reader.loaded)
    return Page(frozenset(reader.anchors), *found)


def read_site(folder: Path) -> dict[str, Page]:
    return {path.relative_to(folder).as_posix(): read_page(path) for path in sorted(folder.rglob("*.html"))}


def is_elsewhere(link: str) -> bool:
    return bool(urlsplit(link).scheme or urlsplit(link).netloc)


def target_of(name: str, link: str) -> tuple[str, str]:
    """The file in the site that a link on page ``name`` leads to, and the anchor in it."""
    parts = urlsplit(link)
    path = os.path.normpath(Path(name).parent / unquote(parts.path)) if parts.path else name
    return Path(path).as_posix(), unquote(parts.fragment)


def dead_links(folder: Path, pages: dict[str, Page]) -> Iterator[str]:
    for name, page in pages.items():
        for link in dict.fromkeys(page.links):
            if is_elsewhere(link):
                continue
            path, anchor = target_of(name, link)
            if not (folder / path).exists():
                yield f"{name}: {link} leads to no file"
            elif anchor and path in pages and anchor not in pages[path].anchors:
                yield f"{name}: {link} leads to no such place in {path}"


def foreign_resources(folder: Path, pages: dict[str, Page]) -> Iterator[str]:
    for name, page in pages.items():
        yield from (f"{name} loads {address}" for address in page.loaded if FOREIGN.match(address))
    for path in sorted(folder.rglob("*.css")):
        for address in FOREIGN_IN_STYLE.findall(path.read_text(encoding="utf-8")):
            yield f"{path.relative_to(folder)} loads {address}"


def clicks(pages: dict[str, Page]) -> dict[str, int]:
    """How many links of the text lead from the front page to each page that they lead to."""
    found, waiting = {FRONT_PAGE: 0}, [FRONT_PAGE]
    for name in waiting:
        for link in pages[name].links_of_text:
            path = target_of(name, link)[0]
            if not is_elsewhere(link) and path in pages and path not in found:
                found[path] = found[name] + 1
                waiting.append(path)
    return found


def far_away(pages: dict[str, Page]) -> Iterator[str]:
    counted = clicks(pages)
    for what, name in NEAR_BY.items():
        if counted.get(name, MOST_CLICKS + 1) > MOST_CLICKS:
            yield f"{what}: {name} is not within {MOST_CLICKS} clicks of the front page"


def missing_names(public: list[str], pages: dict[str, Page]) -> Iterator[str]:
    shown = {anchor for name, page in pages.items() if name.startswith("docs/api/") for anchor in page.anchors}
    yield from (f"{name} is public, and on no page of the API reference" for name in public if name not in shown)


def faults(folder: Path, public: list[str]) -> list[str]:
    pages = read_site(folder)
    return [
        *dead_links(folder, pages),
        *foreign_resources(folder, pages),
        *far_away(pages),
        *missing_names(public, pages),
    ]

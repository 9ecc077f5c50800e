"""Real Chromium for tests: a tab that notes all that goes wrong in it, and the dashboard as a user starts it."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, CDPSession, Page, ViewportSize

NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next((path for name in NAMES if (path := shutil.which(name))), None)
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine: apt-get install chromium")

Scheme = Literal["light", "dark"]

HOSTILE = "<img src=x onerror=alert(1)><script>alert(1)</script>\"'&amp;\n\x1b[31m../../etc/passwd $x$ {{y}} \u202e"
PATIENCE = 120_000  # milliseconds after which the page counts as hanging
ARGUMENTS = [
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking"),
    "--enable-unsafe-swiftshader",  # draws in space where there is no graphics card
]
WATCH = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) => {
  window.violations.push(event.violatedDirective + " " + event.blockedURI);
});
window.alert = () => window.violations.push("alert");
new MutationObserver((_, observer) => {
  if (!document.querySelector("#table tbody tr")) return;
  window.firstRow = { hadPlotly: Boolean(window.Plotly) };
  observer.disconnect();
}).observe(document, { childList: true, subtree: true });
"""


@dataclass
class Watched:
    """A tab of the browser, with all that went wrong in it."""

    page: "Page"
    problems: list[str] = field(default_factory=list)

    def check(self, address: str) -> None:
        assert self.problems == []
        assert self.page.evaluate("window.violations") == []
        loaded = self.page.evaluate("performance.getEntriesByType('resource').map((each) => each.name)")
        assert [each for each in loaded if not each.startswith((address, "data:", "blob:"))] == []


@contextmanager
def server(*places: Path, cwd: Path) -> Iterator[str]:
    """The dashboard as a user starts it; its address."""
    code = "from imoca.cli import main; main()"
    command = [sys.executable, "-c", code, "dashboard", "--port", "0", *map(str, places)]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    with subprocess.Popen(command, cwd=cwd, stderr=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stderr is not None
        try:
            yield process.stderr.readline().split()[1]
        finally:
            process.terminate()
            process.wait(PATIENCE / 1000)


@contextmanager
def tab(
    browser: "Browser",
    address: str,
    width: int = 1280,
    scheme: Scheme = "light",
    height: int = 900,
    has_touch: bool = False,
) -> Iterator[Watched]:
    viewport: ViewportSize = {"width": width, "height": height}
    context = browser.new_context(viewport=viewport, color_scheme=scheme, has_touch=has_touch)
    context.set_default_timeout(PATIENCE)
    watched = Watched(context.new_page())
    problems = watched.problems
    own = (address, "data:", "blob:")
    watched.page.add_init_script(WATCH)
    watched.page.on("console", lambda m: problems.append(m.text) if m.type == "error" else None)
    watched.page.on("pageerror", lambda error: problems.append(str(error)))
    watched.page.on("request", lambda r: None if r.url.startswith(own) else problems.append(r.url))
    watched.page.goto(address)
    try:
        yield watched
        watched.check(address)
    finally:
        context.close()


@dataclass(frozen=True)
class Finger:
    """Touches as a screen reports them, so that the browser itself decides whether they scroll."""

    session: "CDPSession"

    def drag(self, x: float, start: float, end: float, n_steps: int = 6) -> None:
        self._report("touchStart", [{"x": x, "y": start}])
        for i in range(1, n_steps + 1):
            self._report("touchMove", [{"x": x, "y": start + i / n_steps * (end - start)}])
        self._report("touchEnd", [])

    def tap(self, x: float, y: float) -> None:
        self._report("touchStart", [{"x": x, "y": y}])
        self._report("touchEnd", [])

    def _report(self, kind: str, points: list[dict[str, float]]) -> None:
        self.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def wait_until(page: "Page", expression: str, seconds: float = 120.0) -> None:
    """Asked from outside: the page's policy forbids the evaluation that waiting inside it would need."""
    deadline = time.monotonic() + seconds
    while not page.evaluate(expression):
        assert time.monotonic() < deadline, expression
        time.sleep(0.02)

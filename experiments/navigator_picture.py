"""The README's second picture: ``python experiments/navigator_picture.py`` (needs the ``dev`` extra and Chromium).

iMOCA-P on the rocket, seed 0, budget 0.3, four designs verified; its report in a browser, with a limit on the tilt.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from imoca import Study
from imoca.report import Introduction, report_page
from imoca_lab.problems.rocket.problem import rocket

BUDGET, SEED, N_VERIFIED = 0.3, 0, 4
LIMIT = 5  # presses of a key by which the tilt is limited
WIDTH, HEIGHT = 1180, 860  # pixels
PICTURE = Path(__file__).parent.parent / "docs" / "images" / "navigator.png"


def main() -> None:
    with Study(rocket().problem, method="imoca-p", seed=SEED) as study, tempfile.TemporaryDirectory() as folder:
        study.optimize(BUDGET, progress=False)
        study.verify(n=N_VERIFIED, progress=False)
        page = Path(folder) / "report.html"
        introduction = Introduction("A rocket that flies long, lands far and points steeply")
        page.write_text(report_page(study.snapshot(), introduction), encoding="utf-8")
        photograph(page)
    print(f"{PICTURE}: {PICTURE.stat().st_size / 1000:.0f} kB")


def photograph(path: Path) -> None:
    from playwright.sync_api import ViewportSize, sync_playwright

    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport=ViewportSize(width=WIDTH, height=HEIGHT))
        page.goto(path.as_uri())
        page.get_by_label("tilt, highest").focus()
        for _ in range(LIMIT):
            page.keyboard.press("PageDown")
        page.locator(".front-chart").focus()
        page.keyboard.press("End")  # the longest flight within the limit
        page.evaluate("document.activeElement.blur()")
        page.screenshot(path=PICTURE)
        browser.close()


if __name__ == "__main__":
    main()

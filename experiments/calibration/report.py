"""Tables and a figure of the calibration: ``python experiments/calibration/report.py``.

From the raw results in experiments/results/calibration to docs/results/calibration; the same results, the same bytes.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # so that it can be started as a file

from experiments.calibration.drawing import draw
from experiments.calibration.results import read_calibrations
from experiments.calibration.tables import FIGURE, TITLE, groups_of, report_sections
from imoca_lab.harness.text_table import html_page, markdown_page

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "experiments" / "results" / "calibration"
PAGES = ROOT / "docs" / "results" / "calibration"


def main() -> None:
    calibrations = read_calibrations(RESULTS)
    if not calibrations:
        raise SystemExit(f"There are no results in {RESULTS}: experiments/calibration/run.py makes them.")
    sections, groups = report_sections(calibrations), groups_of(calibrations)
    files = {f"{FIGURE}.{kind}": draw(groups, kind) for kind in ("png", "svg")}
    files["report.md"] = markdown_page(TITLE, sections).encode()
    files["report.html"] = html_page(TITLE, sections).encode()
    PAGES.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (PAGES / name).write_bytes(content)
    print(f"{len(calibrations)} calibrations: {PAGES / 'report.md'}")


if __name__ == "__main__":
    main()

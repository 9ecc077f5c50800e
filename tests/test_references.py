"""Every citation has its entry."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
KEY = re.compile(r"\[([A-Z][A-Za-z]+(?:19|20)\d\d)\]")


def test_every_key_cited_in_code_or_docs_is_in_the_bibliography() -> None:
    entries = set(re.findall(r"@\w+\{(\w+),", (ROOT / "docs" / "references.bib").read_text(encoding="utf-8")))
    texts = [*(ROOT / "src").rglob("*.py"), *(ROOT / "docs").rglob("*.md")]
    cited = {key for path in texts for key in KEY.findall(path.read_text(encoding="utf-8"))}
    assert cited
    assert not cited - entries

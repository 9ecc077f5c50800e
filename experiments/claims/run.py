"""Numbers in prose, each computed from what was measured: ``python experiments/claims/run.py``.

Tables of docs/results come from raw results to the byte. The sentences around them are tied here: a claim is a sentence
as it stands on its page, with a ``{}`` for every number that is computed. The command prints the claims that do not
stand there, as they should read; tests/test_prose_numbers.py fails on them, and on a number of a tied section that is
neither computed, nor in a table beside it, nor named in said.py as none that was measured for it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # so that it can be started as a file

from experiments.claims.claim import Claim
from experiments.claims.said import SAID
from experiments.claims.sentences import CLAIMS

DOCS = Path(__file__).parents[2] / "docs"
NUMBER = re.compile(r"(?<![\w.\-/#])\d+(?:,\d{3})*(?:\.\d+)?(?!\w)")


def collapsed(text: str) -> str:
    return " ".join(text.split())


def sections_of() -> dict[str, str]:
    """Of docs/results.md, and every page of docs/gallery as a whole."""
    parts = re.split(r"^## (.*)$", (DOCS / "results.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    pages = {f"gallery/{page.name}": page.read_text(encoding="utf-8") for page in (DOCS / "gallery").glob("*.md")}
    return {**dict(zip(parts[1::2], parts[2::2], strict=True)), **pages}


def prose_of(section: str) -> str:
    """Without tables, code, pictures, the targets of links and the numbers of decisions."""
    lines, is_code = [], False
    for line in section.splitlines():
        is_code ^= line.startswith("```")
        if not is_code and not line.startswith(("|", "```", "<!--", "![")):
            lines.append(line)
    text = re.sub(r"`[^`]*`", " ", "\n".join(lines))
    return re.sub(r"\[decision \d+\]", "[decision]", collapsed(re.sub(r"\]\([^)]*\)", "]", text)))


def stands(claim: Claim) -> bool:
    """Whether the page makes the claim, in its prose or in a table."""
    text = sections_of()[claim.section]
    return collapsed(claim.text) in prose_of(text) + collapsed(text)


def untied(title: str) -> list[str]:
    """Numbers of a section that come from nowhere."""
    known = (*(claim.text for claim in CLAIMS if claim.section == title), *SAID.get(title, ()))
    return untied_numbers(sections_of()[title], known)


def untied_numbers(section: str, known: Sequence[str]) -> list[str]:
    """In its prose, beside what is known and the numbers of its tables."""
    prose = prose_of(section)
    for each in known:
        prose = prose.replace(collapsed(each), " ")
    in_tables = {number for line in section.splitlines() if line.startswith("|") for number in NUMBER.findall(line)}
    return [number for number in NUMBER.findall(prose) if number not in in_tables]


def main() -> None:
    for claim in (each for each in CLAIMS if not stands(each)):
        print(f"{claim.section}: {claim.text}")
    for title in SAID:
        print(f"{title}: {' '.join(untied(title)) or 'all tied'}")


if __name__ == "__main__":
    main()

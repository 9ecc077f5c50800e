"""Numbers in the prose of docs/results.md and docs/gallery are those that were measured: experiments/claims."""

import pytest

from experiments.claims import readings
from experiments.claims.claim import Claim
from experiments.claims.run import collapsed, prose_of, sections_of, stands, untied, untied_numbers
from experiments.claims.said import SAID
from experiments.claims.sentences import CLAIMS


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: f"{claim.section}: {claim.sentence[:40]}")
def test_what_a_sentence_claims_was_measured(claim: Claim) -> None:
    assert stands(claim), f"{claim.section} should say: {claim.text}"


@pytest.mark.parametrize("title", SAID)
def test_every_number_of_a_tied_section_comes_from_somewhere(title: str) -> None:
    """It is claimed, stands in a table of the section, or is named as an aim, a setting or an old reading."""
    assert untied(title) == []
    prose = prose_of(sections_of()[title])
    assert [words for words in SAID[title] if collapsed(words) not in prose] == []


def test_a_number_that_nothing_gives_is_found() -> None:
    text = "Of 7 runs 3 [failed](a/9.md), see `x = 8`.\n\n| n | 3 |\n|---|---|\n"
    assert prose_of(text) == "Of 7 runs 3 [failed], see ."
    assert untied_numbers(text, ()) == ["7"]
    assert untied_numbers(text, ("Of 7 runs",)) == []


def test_numbers_are_rounded_as_a_reader_would() -> None:
    assert readings.places(1, 1.65, 2.44) == ["1.7", "2.4"]
    assert readings.digits(2, 0.4044, 26.4, 1234.0) == ["0.4", "26", "1200"]
    assert readings.in_words(0, 7) == ["none", "seven"]
    assert readings.first_number("**2.53 % [2.48, 2.84]**") == 2.53

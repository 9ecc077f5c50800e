from pathlib import Path

import pytest
from command_line import CommandLine


@pytest.mark.parametrize(("suffix", "start"), [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml")])
def test_a_picture_is_written_in_the_form_of_its_name(
    imoca: CommandLine, toy_with_results: Path, suffix: str, start: bytes
) -> None:
    answer = imoca("plot", "cost", "-o", f"cost.{suffix}")
    assert (answer.code, answer.out) == (0, "")
    assert f"cost.{suffix}" in answer.err
    assert (toy_with_results / f"cost.{suffix}").read_bytes().startswith(start)


def test_a_page_needs_no_network_and_is_named_after_the_study(imoca: CommandLine, toy_with_results: Path) -> None:
    assert imoca("plot", "fidelities", "toy.db").code == 0
    text = (toy_with_results / "toy-fidelities.html").read_text(encoding="utf-8")
    assert "<script src" not in text
    assert len(text) > 1_000_000
    assert not [path for path in toy_with_results.iterdir() if path.name.startswith(".")]


def test_every_figure_is_drawn_of_a_study_that_was_not_started(imoca: CommandLine, toy: Path) -> None:
    for name in ("front", "parallel", "convergence", "fidelities", "cost", "trust", "correlation"):
        assert imoca("plot", name, "-o", f"{name}.svg").code == 0


def test_what_cannot_be_drawn_is_refused_before_anything_is_computed(
    imoca: CommandLine, toy_with_results: Path
) -> None:
    unknown = imoca("plot", "spider")
    assert unknown.code == 2
    assert "convergence" in unknown.err
    ending = imoca("plot", "front", "-o", "front.bmp")
    assert ending.code == 2
    assert ".svg" in ending.err
    place = imoca("plot", "cost", "-o", "no/such/cost.svg")
    assert place.code == 5
    assert "no/such/cost.svg" in place.err

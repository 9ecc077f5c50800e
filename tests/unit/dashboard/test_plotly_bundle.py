"""The plotly.js that is served."""

import importlib.util
import re

import pytest

from imoca.dashboard.plotly_bundle import plotly_script, style_ids
from imoca.errors import MissingPackageError


def test_the_script_is_that_of_the_installed_package() -> None:
    assert "plotly.js v" in plotly_script().read_text(encoding="utf-8")[:200]


def test_style_elements_are_kept_out_by_plain_identifiers() -> None:
    assert all(re.fullmatch("[0-9a-f]{32,}", each) for each in style_ids())


def test_without_plotly_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr("imoca.dashboard.plotly_bundle.find_spec", lambda name: None)
    with pytest.raises(MissingPackageError, match=r"imoca\[dashboard\]"):
        plotly_script()

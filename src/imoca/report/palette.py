"""Colours that the colour-blind tell apart; markers and dashes beside them, so that print does too."""

from __future__ import annotations

__all__ = [
    "BLUE",
    "COLOURS",
    "GREEN",
    "GREY",
    "MATPLOTLIB_DASHES",
    "MATPLOTLIB_MARKERS",
    "ORANGE",
    "PLOTLY_DASHES",
    "PLOTLY_MARKERS",
    "PURPLE",
    "SCALE",
    "SHADES",
    "SKY",
    "VERMILION",
    "fidelity_colour",
    "on_scale",
]

# Okabe and Ito's palette without black and yellow, which vanish on dark and on white paper.
BLUE = "#0072B2"
ORANGE = "#E69F00"
GREEN = "#009E73"
VERMILION = "#D55E00"
SKY = "#56B4E9"
PURPLE = "#CC79A7"
GREY = "#888888"

COLOURS = (BLUE, ORANGE, GREEN, VERMILION, PURPLE, SKY, GREY)
PLOTLY_MARKERS = ("circle", "diamond", "square", "triangle-up", "x", "star", "triangle-down", "cross", "pentagon")
MATPLOTLIB_MARKERS = ("o", "D", "s", "^", "X", "*", "v", "P", "p")
PLOTLY_DASHES = ("solid", "dash", "dot", "dashdot", "longdash")
MATPLOTLIB_DASHES = ("-", "--", ":", "-.", (0, (8, 3)))
SHADES = ("#E3EEF5", SKY)  # from nothing to much, behind dark letters, on light and on dark paper
SCALE = (BLUE, "#8F99A3", ORANGE)  # from the worst to the best, both ends visible on light and on dark


def on_scale(share: float) -> str:
    """From the scale's first colour at 0 through the middle one to its last at 1."""
    place = share * (len(SCALE) - 1)
    i = min(int(place), len(SCALE) - 2)
    low, high = (_channels(colour) for colour in SCALE[i : i + 2])
    mixed = [round(a + (place - i) * (b - a)) for a, b in zip(low, high, strict=True)]
    return f"#{mixed[0]:02x}{mixed[1]:02x}{mixed[2]:02x}"


def fidelity_colour(z: float) -> str:
    """Orange for the cheapest fidelity, blue for full accuracy, wherever fidelities are told apart."""
    return on_scale(1.0 - z)


def _channels(colour: str) -> list[int]:
    return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]

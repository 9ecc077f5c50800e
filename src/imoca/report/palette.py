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
    "SKY",
    "VERMILION",
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
SCALE = (BLUE, "#8F99A3", ORANGE)  # from the worst to the best, both ends visible on light and on dark

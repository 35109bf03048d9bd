"""Draws figures as SVG for a page: in the page's colours and font, with names that no other figure has.

Importing it loads matplotlib; only `plots` does so.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from html import escape
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

INK, MUTED, FAINT, PAPER = "#010101", "#010102", "#010103", "#010104"
"""Placeholders for the page's text, secondary text, lines and background: matplotlib takes only real colours."""
SERIES = tuple(f"#0102{number:02x}" for number in range(6))
"""Placeholders for the page's colours of regimes and runs."""
ACCENT = "#010301"
"""Placeholder for the page's colour of limits."""
MARKERS = "osD^vP"

_PAGE_COLOURS = {
    INK: "var(--ink)",
    MUTED: "var(--muted)",
    FAINT: "var(--line)",
    PAPER: "var(--paper)",
    ACCENT: "var(--fail)",
    **{colour: f"var(--series-{number})" for number, colour in enumerate(SERIES)},
}
_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "",
    "font.size": 7.5,
    "axes.titlesize": 8,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.linewidth": 0.6,
    "grid.linewidth": 0.4,
    "lines.linewidth": 1.0,
    "lines.markersize": 3.5,
    "legend.frameon": False,
    "legend.fontsize": 7.5,
    "text.color": INK,
    "axes.labelcolor": MUTED,
    "axes.edgecolor": FAINT,
    "axes.titlecolor": INK,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "xtick.labelcolor": MUTED,
    "ytick.labelcolor": MUTED,
    "grid.color": FAINT,
    "hatch.color": FAINT,
    "text.parse_math": False,
}
_NUMBER = re.compile(r"-?\d+\.\d{2,}")
_POSITION = re.compile(r' (?:d|x|y)="[^"]*"')
_NOT_FOR_A_PAGE = re.compile(
    r'\s*<metadata>.*?</metadata>|<style[^>]*>.*?</style>| font-family: [^;"]*;| transform="rotate\(-?0 [^"]*"',
    re.DOTALL,
)
_REFERENCE = re.compile(r'(?:url\(|xlink:href=")#([^")]+)')
_NAMED = re.compile(r' id="([^"]*)"')


def draw(width_inches: float, height_inches: float, name: str, title: str, paint: Callable[[Figure], None]) -> str:
    """An `<svg>` element on which `paint` has drawn; equal drawings give equal characters.

    `name` is unique for the figure in its page; `title` describes the figure to readers who cannot see it.
    """
    content = io.StringIO()
    with mpl.rc_context(_SETTINGS):
        figure = Figure(figsize=(width_inches, height_inches), layout="constrained")
        paint(figure)
        figure.savefig(content, format="svg", transparent=True, metadata={"Date": None})
    return _for_page(content.getvalue(), name, title)


def _for_page(drawn: str, name: str, title: str) -> str:
    element = _NOT_FOR_A_PAGE.sub("", drawn[drawn.index("<svg") :])
    element = _POSITION.sub(_shortened, element)
    element = _with_own_names(" ".join(element.split()).replace("> <", "><"), name)
    for colour, variable in _PAGE_COLOURS.items():
        element = element.replace(colour, variable)
    return element.replace("<svg", f'<svg role="img" aria-label="{escape(title)}"', 1)


def _shortened(attribute: re.Match[str]) -> str:
    """Round coordinates to a tenth of a point, which is finer than a screen shows."""
    return _NUMBER.sub(lambda number: f"{float(number[0]):.1f}".removesuffix(".0"), attribute[0])


def _with_own_names(element: str, name: str) -> str:
    """Rename everything that is referred to with `name` as a prefix, and drop all other names."""
    needed = set(_REFERENCE.findall(element))
    element = _NAMED.sub(lambda match: f' id="{name}-{match[1]}"' if match[1] in needed else "", element)
    return _REFERENCE.sub(lambda match: match[0].replace("#", f"#{name}-"), element)

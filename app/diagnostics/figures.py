"""Names and values in two columns, in small type, which can be selected and copied."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QWidget

from app.diagnostics.colors import ColorTone, FollowsTheme, tone_color

Links = tuple[tuple[str, str], ...]
"""Pairs of a link's target and its text."""


class FiguresView(FollowsTheme, QScrollArea):
    """A table below a sentence in the color of a tone, if any; `link_chosen` carries the target of a link."""

    link_chosen = Signal(str)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: tuple[str, ColorTone, Sequence[tuple[str, str | Links]]] = ("", ColorTone.PLAIN, ())
        self.label = QLabel(self)
        self.label.setObjectName("figures")
        self.label.setAccessibleName(name)
        self.label.setTextFormat(Qt.TextFormat.RichText)
        self.label.setWordWrap(True)
        self.label.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
        self.label.linkActivated.connect(self.link_chosen)
        self.setObjectName("figuresArea")
        self.setAccessibleName(name)
        self.setWidget(self.label)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)

    def show_figures(self, sentence: str, tone: ColorTone, figures: Sequence[tuple[str, str | Links]]) -> None:
        """Show a sentence, and names with their values, which are text or links."""
        self._shown = sentence, tone, figures
        self.restyle()

    def restyle(self) -> None:
        """Write everything in the colors of the theme."""
        sentence, tone, figures = self._shown
        faint = tone_color(ColorTone.FAINT)
        lines = "".join(
            f"<tr><td style='color:{faint}; padding-right:8px'>{escape(name)}</td><td>{_cell(value)}</td></tr>"
            for name, value in figures
        )
        top = f"<div style='color:{tone_color(tone)}'>{_breakable(sentence)}</div>" if sentence else ""
        self.label.setText(f"{top}<table>{lines}</table>" if figures else top)
        accessible_text = [f"{name} {value}" for name, value in figures if isinstance(value, str)]
        self.setAccessibleDescription("; ".join(filter(None, (sentence, *accessible_text))))


def _cell(value: str | Links) -> str:
    if isinstance(value, str):
        return _breakable(value)
    style = f"color:{tone_color(ColorTone.ACCENT)}"
    return ", ".join(f"<a href='{escape(to)}' style='{style}'>{_breakable(words)}</a>" for to, words in value)


def _breakable(words: str) -> str:
    """Return text as HTML that can wrap inside long names."""
    return escape(words).replace(".", ".&#8203;").replace("_", "_&#8203;")

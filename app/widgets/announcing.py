"""Telling those who use a screen reader what those who see find without looking for it."""

from __future__ import annotations

from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget


def announce(widget: QWidget, words: str, *, urgent: bool = False) -> None:
    """Let a screen reader say these words, at once or when it has said what it is saying."""
    event = QAccessibleAnnouncementEvent(widget, words)
    politeness = QAccessible.AnnouncementPoliteness
    event.setPoliteness(politeness.Assertive if urgent else politeness.Polite)
    QAccessible.updateAccessibility(event)

"""Drags in the timeline: each turns the pointer's position into an edit, which is shown before it is applied."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QMouseEvent

from app.editor.preview import SentencePreview
from app.editor.shaping import with_energy_scaled, with_pitch_drawn, with_total_frames
from app.editor.timeline_painter import Scene
from engine.network.ops.harmonic_source import VOICED_ABOVE_HZ
from engine.runtime.edits import MAX_PITCH_HZ, MIN_PITCH_HZ
from engine.speech import Samples, UtteranceEdit

ENERGY_DOUBLES_PIXELS = 80.0


class Tool(Enum):
    """A tool for the pitch, by its title."""

    PENCIL = "Pencil"
    LINE = "Line"
    ERASER = "Eraser"


class Gesture(Protocol):
    """A drag in progress; `title` names its command."""

    title: str

    def move(self, scene: Scene, at: QPointF) -> UtteranceEdit:
        """Return the edit for this position of the pointer."""

    def label(self, now: SentencePreview) -> str:
        """Return the text beside the pointer for the sentence as it would be; empty for none."""


@dataclass
class BorderDrag:
    """Moves the border after phonemes `first` to `end`, which share the change in proportion to their durations."""

    edit: UtteranceEdit
    start: SentencePreview
    first: int
    end: int
    from_x: float
    title: str = "Change Duration"

    def move(self, scene: Scene, at: QPointF) -> UtteranceEdit:
        """Set the durations."""
        by = round((at.x() - self.from_x) / scene.pixels_per_second * self.start.frames_per_second)
        old = self.start.frames[self.first : self.end]
        return with_total_frames(self.edit, self.first, int(old.sum()) + by, old, self.start.frames_per_second)

    def label(self, now: SentencePreview) -> str:
        """Describe the duration and its difference from the model's own."""
        part = slice(self.first, self.end)
        return duration_text(int(now.frames[part].sum()), int(now.model_frames[part].sum()), now.frames_per_second)


@dataclass
class EnergyDrag:
    """Scales the energy of phonemes with the height of the pointer."""

    edit: UtteranceEdit
    first: int
    end: int
    from_y: float
    title: str = "Change Energy"
    factor: float = 1.0

    def move(self, scene: Scene, at: QPointF) -> UtteranceEdit:
        """Scale the energy."""
        self.factor = float(2 ** ((self.from_y - at.y()) / ENERGY_DOUBLES_PIXELS))
        return with_energy_scaled(self.edit, dict.fromkeys(range(self.first, self.end), self.factor))

    def label(self, now: SentencePreview) -> str:
        """Describe the factor."""
        return f"Energy × {self.factor:.2f}"


@dataclass
class PitchDrag:
    """Draws pitch freely, or, if `straight`, a line from the first point to the last one."""

    edit: UtteranceEdit
    start: SentencePreview
    origin: tuple[float, float]
    straight: bool = False
    title: str = "Draw Pitch"
    drawn: Samples = field(init=False)
    hz: float = 0.0

    def __post_init__(self) -> None:
        self.drawn = self.start.pitch.copy()
        self._last = self.origin
        self._touched: set[int] = set()

    def move(self, scene: Scene, at: QPointF) -> UtteranceEdit:
        """Draw up to a point."""
        self.hz = min(max(scene.hz(at.y()), MIN_PITCH_HZ), MAX_PITCH_HZ)
        point = scene.seconds(at.x()), self.hz
        if self.straight:
            self.drawn, self._touched = self.start.pitch.copy(), set()
        self._draw(self.origin if self.straight else self._last, point)
        self._last = point
        return with_pitch_drawn(self.edit, {index: self._values(index) for index in sorted(self._touched)})

    def label(self, now: SentencePreview) -> str:
        """Describe the pitch."""
        return f"{self.hz:.0f} Hz"

    def _draw(self, one: tuple[float, float], other: tuple[float, float]) -> None:
        (start, low), (end, high) = sorted((one, other))
        rate = self.start.values_per_second
        first, last = (int(np.clip(each * rate, 0, len(self.drawn) - 1)) for each in (start, end))
        self.drawn[first : last + 1] = np.linspace(low, high, last + 1 - first)
        self._touched |= {self.start.phoneme_at((place + 0.5) / rate) for place in range(first, last + 1)}

    def _values(self, index: int) -> tuple[float, ...]:
        """Return the drawn values of a phoneme, with those between voiced ones filled in."""
        values = self.drawn[self.start.values_of(index)]
        voiced = np.flatnonzero(values > VOICED_ABOVE_HZ)
        if not len(voiced):
            return ()
        filled = np.interp(np.arange(len(values)), voiced, values[voiced])
        return tuple(round(float(each), 2) for each in np.clip(filled, MIN_PITCH_HZ, MAX_PITCH_HZ))


@dataclass
class Erasing:
    """Returns the model's own pitch to every phoneme that the pointer crosses."""

    edit: UtteranceEdit
    start: SentencePreview
    title: str = "Erase Pitch"
    _erased: set[int] = field(default_factory=set)

    def move(self, scene: Scene, at: QPointF) -> UtteranceEdit:
        """Erase at a point."""
        self._erased.add(self.start.phoneme_at(scene.seconds(at.x())))
        return with_pitch_drawn(self.edit, dict.fromkeys(self._erased, ()))

    def label(self, now: SentencePreview) -> str:
        """Return nothing."""
        return ""


def duration_text(frames: int, model_frames: int, frames_per_second: float) -> str:
    """Describe a duration and its difference from the model's own."""
    now, by = (round(1000 * count / frames_per_second) for count in (frames, frames - model_frames))
    return f"{now} ms ({by:+d} ms)".replace("-", "−") if by else f"{now} ms"


def gesture_at(
    scene: Scene, edit: UtteranceEdit, tool: Tool, press: QMouseEvent, selection: tuple[int, int]
) -> Gesture | None:
    """Return the drag that a press begins; None if it only selects."""
    at, preview, modifiers = press.position(), scene.preview, press.modifiers()
    if at.y() < scene.lanes.wave[0]:
        if tool is Tool.ERASER:
            return Erasing(edit, preview)
        return PitchDrag(edit, preview, (scene.seconds(at.x()), scene.hz(at.y())), straight=tool is Tool.LINE)
    border = scene.border_at(at, whole_word=bool(modifiers & Qt.KeyboardModifier.AltModifier))
    if border is not None:
        return BorderDrag(edit, preview, *border, at.x())
    top, height = scene.lanes.phonemes
    if modifiers & Qt.KeyboardModifier.ShiftModifier and top <= at.y() < top + height:
        index = preview.phoneme_at(scene.seconds(at.x()))
        first, end = selection
        return EnergyDrag(edit, *((first, end) if first <= index < end else (index, index + 1)), at.y())
    return None


def description(preview: SentencePreview, first: int, end: int) -> str:
    """Describe selected phonemes for screen readers."""
    if first == end:
        return ""
    frames, own = (int(each[first:end].sum()) for each in (preview.frames, preview.model_frames))
    return f"{preview.phonemes[first:end]}, {duration_text(frames, own, preview.frames_per_second)}"

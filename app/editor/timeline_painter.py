"""Paints the timeline: pitch and energy, waveform, phonemes and words."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen, QPolygonF

from app.editor.preview import SentencePreview
from app.theme import colors
from engine.network.ops.harmonic_source import VOICED_ABOVE_HZ
from engine.runtime.presets import PhonemeKind, kind_of
from engine.speech import Samples

LOW_HZ, HIGH_HZ = 60.0, 420.0
"""The pitches at the bottom and top of the lane, unless the sentence exceeds them."""
GRID_HZ = (80, 100, 150, 200, 300, 400, 600, 800)
BORDER_ZONE_PIXELS = 4
DOT_PIXELS = 5
GAP_PIXELS = 4
SPREAD_PIXELS = 6
"""The width by which a short word may exceed its box on each side."""
SELECTION_ALPHA = 130
FILL_ALPHA = 70
ENERGY_ALPHA = 45
LABEL_ALPHA = 130


@dataclass(frozen=True)
class ShownWord:
    """A word in the timeline, and its phonemes."""

    text: str
    first: int
    end: int


@dataclass(frozen=True)
class Lanes:
    """The lanes of a timeline from top to bottom, each with its top and its height in pixels."""

    pitch: tuple[float, float]
    wave: tuple[float, float]
    phonemes: tuple[float, float]
    words: tuple[float, float]


def lanes_in(height: float, line: float) -> Lanes:
    """Divide a height for lines of text of this height; pitch gets most of it."""
    phonemes, words = 1.9 * line, 1.5 * line
    rest = max(60.0, height - phonemes - words - 3 * GAP_PIXELS)
    pitch = 0.68 * rest
    wave = rest - pitch
    tops = np.cumsum([0, pitch + GAP_PIXELS, wave + GAP_PIXELS, phonemes + GAP_PIXELS])
    heights = pitch, wave, phonemes, words
    return Lanes(*((float(top), size) for top, size in zip(tops, heights, strict=True)))


@dataclass(frozen=True)
class Scene:
    """The contents of a timeline: a sentence, and how it is shown.

    `scroll` is the x coordinate, in pixels of the whole sentence, of the left border.
    """

    preview: SentencePreview
    words: tuple[ShownWord, ...]
    samples: Samples = field(repr=False)
    sample_rate_hz: int
    audio_start: float
    lanes: Lanes
    width: int
    pixels_per_second: float
    scroll: float
    selection: tuple[int, int]
    edited: frozenset[int]
    playhead: float | None = None
    label: str = ""
    label_at: QPointF = field(default_factory=QPointF)
    focused: bool = False

    def x(self, seconds: float) -> float:
        """Return the x coordinate of a time."""
        return seconds * self.pixels_per_second - self.scroll

    def seconds(self, x: float) -> float:
        """Return the time at an x coordinate."""
        return (x + self.scroll) / self.pixels_per_second

    @property
    def middle(self) -> float:
        """The x coordinate in the middle of the selection, or of the view if that is not visible."""
        first, end = self.selection
        selected = (self.x(self.preview.edges[first]) + self.x(self.preview.edges[end])) / 2
        return selected if first < end and 0 <= selected <= self.width else self.width / 2

    @property
    def hz_range(self) -> tuple[float, float]:
        """The pitches at the bottom and top of the lane."""
        voiced = self.preview.pitch[self.preview.pitch > VOICED_ABOVE_HZ]
        own = self.preview.model_pitch[self.preview.model_pitch > VOICED_ABOVE_HZ]
        every = np.concatenate([voiced, own, [LOW_HZ / 0.95, HIGH_HZ / 1.05]])
        return float(every.min() * 0.95), float(every.max() * 1.05)

    def y(self, hz: float) -> float:
        """Return the y coordinate of a pitch."""
        low, high = self.hz_range
        top, height = self.lanes.pitch
        return top + height * (1 - log(max(hz, low) / low) / log(high / low))

    def border_at(self, at: QPointF, *, whole_word: bool) -> tuple[int, int] | None:
        """Return the phonemes before a border near a point: one, or, in the row of words, those of a word."""
        top, height = self.lanes.phonemes
        edges = self.preview.edges[1:]
        near = [place for place, edge in enumerate(edges) if abs(self.x(edge) - at.x()) <= BORDER_ZONE_PIXELS]
        if not near or at.y() < top:
            return None
        if whole_word or at.y() >= self.lanes.words[0]:
            return next(((word.first, word.end) for word in self.words if word.end - 1 in near), None)
        return (near[0], near[0] + 1) if at.y() < top + height else None

    def hz(self, y: float) -> float:
        """Return the pitch at a y coordinate."""
        low, high = self.hz_range
        top, height = self.lanes.pitch
        return float(low * (high / low) ** (1 - (y - top) / height))


def paint(painter: QPainter, scene: Scene) -> None:
    """Paint a scene."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _paint_grid(painter, scene)
    _paint_selection(painter, scene)
    _paint_energy(painter, scene)
    _paint_curve(painter, scene, scene.preview.model_pitch, QPen(QColor(colors().faint), 1.2, Qt.PenStyle.DashLine))
    _paint_curve(painter, scene, scene.preview.pitch, QPen(QColor(colors().accent), 2.4))
    _paint_grid_labels(painter, scene)
    _paint_wave(painter, scene)
    _paint_phonemes(painter, scene)
    _paint_words(painter, scene)
    if scene.playhead is not None:
        painter.setPen(QPen(QColor(colors().error), 1.5))
        x = scene.x(scene.playhead)
        painter.drawLine(QPointF(x, 0), QPointF(x, scene.lanes.words[0]))
    if scene.label:
        _paint_label(painter, scene)


def color_of(kind: PhonemeKind) -> QColor:
    """Return the color of phonemes of a kind."""
    names = {
        PhonemeKind.VOWEL: "accent",
        PhonemeKind.CONSONANT: "good",
        PhonemeKind.MARK: "warning",
        PhonemeKind.PAUSE: "faint",
    }
    return QColor(getattr(colors(), names[kind]))


def _paint_grid(painter: QPainter, scene: Scene) -> None:
    top, height = scene.lanes.pitch
    painter.fillRect(QRectF(0, top, scene.width, height), QColor(colors().surface))
    painter.setPen(QColor(colors().line))
    for _, y in _grid(scene):
        painter.drawLine(QPointF(0, y), QPointF(scene.width, y))


def _paint_grid_labels(painter: QPainter, scene: Scene) -> None:
    """Label the lines of the grid, above the curves, which show through."""
    metrics = QFontMetrics(painter.font())
    top, height = scene.lanes.pitch
    free = top + height  # the lowest place for the next label
    ground = QColor(colors().surface)
    ground.setAlpha(LABEL_ALPHA)
    painter.setPen(QColor(colors().faint))
    for hz, y in _grid(scene):
        label = f"{hz} Hz"
        if top < y - metrics.ascent() and y <= free:
            area = QRectF(2, y - 1 - metrics.ascent(), metrics.horizontalAdvance(label) + 4, metrics.ascent())
            painter.fillRect(area, ground)
            painter.drawText(QPointF(4, y - 2), label)
            free = y - metrics.ascent()


def _grid(scene: Scene) -> list[tuple[int, float]]:
    """Return the pitches that are marked, in Hz, and their y coordinates."""
    low, high = scene.hz_range
    return [(hz, scene.y(hz)) for hz in GRID_HZ if low < hz < high]


def _paint_selection(painter: QPainter, scene: Scene) -> None:
    first, end = scene.selection
    if first < end:
        edges = scene.preview.edges
        left, right = scene.x(edges[first]), scene.x(edges[end])
        bottom = scene.lanes.phonemes[0]
        fill = QColor(colors().highlight)
        fill.setAlpha(SELECTION_ALPHA)
        painter.fillRect(QRectF(left, 0, right - left, bottom), fill)


def _paint_energy(painter: QPainter, scene: Scene) -> None:
    energy = scene.preview.energy
    largest = max(float(energy.max(initial=1.0)), 1e-6)
    top, height = scene.lanes.pitch
    rate = scene.preview.values_per_second
    points = [QPointF(scene.x(0), top + height)]
    points += [
        QPointF(scene.x((place + 0.5) / rate), top + height - 0.45 * height * max(0.0, float(value)) / largest)
        for place, value in enumerate(energy)
    ]
    points.append(QPointF(scene.x(scene.preview.seconds), top + height))
    fill = QColor(colors().note)
    fill.setAlpha(ENERGY_ALPHA)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(fill)
    painter.drawPolygon(QPolygonF(points))


def _paint_curve(painter: QPainter, scene: Scene, pitch: Samples, pen: QPen) -> None:
    """Draw a pitch curve, interrupted where it is unvoiced."""
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    rate, run = scene.preview.values_per_second, list[QPointF]()
    for place, hz in enumerate((*pitch, 0.0)):
        if hz > VOICED_ABOVE_HZ:
            run.append(QPointF(scene.x((place + 0.5) / rate), scene.y(float(hz))))
        elif run:
            painter.drawPolyline(QPolygonF(run))
            run = []


def _paint_wave(painter: QPainter, scene: Scene) -> None:
    top, height = scene.lanes.wave
    middle, rate = top + height / 2, scene.sample_rate_hz
    painter.setPen(QPen(QColor(colors().wave), 1))
    largest = max(float(np.abs(scene.samples).max(initial=0.0)), 0.05)
    for x in range(scene.width):
        start, end = (round((scene.seconds(each) - scene.audio_start) * rate) for each in (x, x + 1))
        part = scene.samples[max(start, 0) : max(end, start + 1, 0)]
        if len(part):
            up, down = (float(each) / largest * height / 2 for each in (part.max(), part.min()))
            painter.drawLine(QPointF(x + 0.5, middle - up), QPointF(x + 0.5, middle - min(down, up - 1)))


def _paint_phonemes(painter: QPainter, scene: Scene) -> None:
    top, height = scene.lanes.phonemes
    edges, (first, end) = scene.preview.edges, scene.selection
    for index, symbol in enumerate(scene.preview.phonemes):
        left, right = scene.x(edges[index]), scene.x(edges[index + 1])
        if right < 0 or left > scene.width:
            continue
        color = color_of(kind_of(symbol))
        selected = first <= index < end
        fill = QColor(color)
        fill.setAlpha(FILL_ALPHA * 2 if selected else FILL_ALPHA)
        area = QRectF(left + 0.5, top, max(1.0, right - left - 1), height)
        painter.fillRect(area, fill)
        if selected and scene.focused:
            painter.setPen(QPen(QColor(colors().text), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(area.adjusted(0.75, 0.75, -0.75, -0.75))
        painter.setPen(QColor(colors().text))
        if right - left > 6:
            painter.drawText(area, Qt.AlignmentFlag.AlignCenter, "␣" if symbol == " " else symbol)
        if index in scene.edited:
            _paint_dot(painter, area.center().x(), top + DOT_PIXELS)


def _paint_words(painter: QPainter, scene: Scene) -> None:
    top, height = scene.lanes.words
    edges, metrics = scene.preview.edges, QFontMetrics(painter.font())
    for word in scene.words:
        left, right = scene.x(edges[word.first]), scene.x(edges[word.end])
        if right < 0 or left > scene.width:
            continue
        area = QRectF(left + 0.5, top, max(1.0, right - left - 1), height)
        painter.setPen(QColor(colors().line))
        painter.setBrush(QColor(colors().control))
        painter.drawRoundedRect(area, 4, 4)
        painter.setPen(QColor(colors().text))
        seen = area.intersected(QRectF(0, top, scene.width, height)).adjusted(-SPREAD_PIXELS, 0, SPREAD_PIXELS, 0)
        shown = metrics.elidedText(word.text, Qt.TextElideMode.ElideRight, round(seen.width()))
        painter.drawText(seen, Qt.AlignmentFlag.AlignCenter, shown)
        if any(word.first <= index < word.end for index in scene.edited):
            _paint_dot(painter, area.right() - DOT_PIXELS, top + DOT_PIXELS)


def _paint_dot(painter: QPainter, x: float, y: float) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colors().error))
    painter.drawEllipse(QPointF(x, y), DOT_PIXELS / 2, DOT_PIXELS / 2)


def _paint_label(painter: QPainter, scene: Scene) -> None:
    metrics = QFontMetrics(painter.font())
    width, height = metrics.horizontalAdvance(scene.label) + 14, metrics.height() + 8
    left = min(max(0.0, scene.label_at.x() - width / 2), max(0.0, scene.width - width))
    top = max(0.0, scene.label_at.y() - height - 10)
    area = QRectF(left, top, width, height)
    painter.setPen(QColor(colors().line))
    painter.setBrush(QColor(colors().surface))
    painter.drawRoundedRect(area, 5, 5)
    painter.setPen(QColor(colors().text))
    painter.drawText(area, Qt.AlignmentFlag.AlignCenter, scene.label)

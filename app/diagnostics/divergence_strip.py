"""Where along an utterance each stage diverges, between the waveform above and the words below."""

from __future__ import annotations

import numpy as np
import pyqtgraph
from PySide6.QtCore import QPointF, Qt, Signal, Slot
from PySide6.QtGui import QFontMetrics, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QWidget

from app.diagnostics.metric_words import number_words
from app.diagnostics.plain_plot import PlainPlot
from app.diagnostics.run import DiagnosticsRun, Shown
from app.diagnostics.signals import Envelope, envelope
from app.diagnostics.strip_content import StripContent, audio_envelope, content_of, errors_of, words_instead
from app.diagnostics.strip_items import CellRow, CellsItem, WaveItem, WordsItem
from app.diagnostics.utterance_clock import Word
from app.theme import LIGHT, Colours
from engine.stages import STAGE_NAMES, STAGES

WAVE_ROWS = 2.4
WORD_ROWS = 1.2
CELLS_TOP = WAVE_ROWS
WORDS_TOP = CELLS_TOP + len(STAGES)
BOTTOM = WORDS_TOP + WORD_ROWS
AXIS_MARGIN_PIXELS = 14
CURSOR_PIXELS = 1.5
STEPS_ACROSS = 50
ZOOM = 0.8
NO_AUDIO = envelope(np.zeros(0, np.float32), 0, 0, 1)


class DivergenceStrip(PlainPlot):
    """`cell_chosen` carries a stage and seconds, `stage_activated` a stage to show in the drill-down."""

    cell_chosen = Signal(str, float)
    stage_activated = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._content: StripContent | None = None
        self._run: DiagnosticsRun | None = None
        self._spoken: tuple[Word, ...] = ()
        self._has_audio = False
        self._stage: str | None = None
        self._wave = WaveItem(0, WAVE_ROWS)
        self._cells = CellsItem(CELLS_TOP, len(STAGES))
        self._words = WordsItem(WORDS_TOP, WORD_ROWS)
        self._cursor = pyqtgraph.InfiniteLine(0, movable=False)
        self._build()
        self.set_colours(LIGHT)
        self.scene().sigMouseMoved.connect(self._on_hover)
        self.scene().sigMouseClicked.connect(self._on_click)

    @property
    def content(self) -> StripContent | None:
        """What is shown now."""
        return self._content

    @property
    def seconds(self) -> float:
        """The time of the cursor."""
        return float(self._cursor.value())

    def show_run(self, run: DiagnosticsRun | None, shown: Shown, stage: str | None) -> None:
        """Show this part of a run, with a stage marked; cheap if little has changed."""
        self._stage = stage
        self._cells.mark(-1 if stage is None else STAGE_NAMES.index(stage))
        content = content_of(run, shown, stage) if run is not None else None
        before, self._content = self._content, content
        anew = run is not self._run or _origin(before) != _origin(content)
        self._run = run
        if content is None:
            self._clear()
            return
        if anew:
            self._fit(content)
        self._show_rows(content, before if not anew else None)
        if anew or not self._has_audio:
            self._show_audio(content, shown.regime)
        self._describe()

    def show_moment(self, seconds: float) -> None:
        """Move the cursor to this time."""
        self._cursor.show()
        self._cursor.setValue(min(max(seconds, 0.0), self._length))
        self._describe()

    def set_colours(self, colours: Colours) -> None:
        """Take the theme's colours."""
        super().set_colours(colours)
        for item in (self._wave, self._cells, self._words):
            item.set_colours(colours)
        self._cursor.setPen(pyqtgraph.mkPen(colours.accent, width=CURSOR_PIXELS, style=Qt.PenStyle.DashLine))
        self.left.setTextPen(pyqtgraph.mkPen(colours.text))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Up and down select a stage, left and right a time; plus and minus zoom; return opens the stage."""
        key = Qt.Key(event.key())
        low, high = self.seconds_in_view()
        step = (high - low) / STEPS_ACROSS
        moments = {
            Qt.Key.Key_Left: self.seconds - step,
            Qt.Key.Key_Right: self.seconds + step,
            Qt.Key.Key_Home: 0.0,
            Qt.Key.Key_End: self._length,
        }
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._go_to_stage(1 if key is Qt.Key.Key_Down else -1)
        elif key in moments:
            self.show_moment(moments[key])
            self._choose(self._stage)
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal, Qt.Key.Key_Minus):
            self._zoom(ZOOM if key is not Qt.Key.Key_Minus else 1 / ZOOM)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._stage is not None:
            self.stage_activated.emit(self._stage)
        else:
            event.ignore()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Show the whole utterance again."""
        super().mouseDoubleClickEvent(event)
        if self._content is not None:
            self.show_seconds(self._length)

    @property
    def _length(self) -> float:
        return self._content.clock.seconds if self._content is not None else 0.0

    def _fit(self, content: StripContent) -> None:
        seconds = content.clock.seconds
        self.show_seconds(seconds)
        for item in (self._wave, self._cells, self._words):
            item.set_seconds(seconds)
        utterance = content.utterance
        self._spoken = content.clock.words(utterance) if utterance is not None else ()
        self._words.show_words(self._spoken)
        self._has_audio = False
        self._cursor.hide()

    def _show_rows(self, content: StripContent, before: StripContent | None) -> None:
        kept = self._cells.rows
        known = before.rows if before is not None else (None,) * len(STAGES)
        self._cells.show_rows(
            [
                kept[number] if before is not None and row is known[number] else _cell_row(content, number)
                for number, row in enumerate(content.rows)
            ]
        )
        if before is None or before.titles != content.titles:
            ticks = [(CELLS_TOP + number + 0.5, title) for number, title in enumerate(content.titles)]
            self.left.setTicks([ticks])

    def _show_audio(self, content: StripContent, regime: str) -> None:
        shape = audio_envelope(self._run, content.index, regime) if self._run is not None else None
        self._has_audio = shape is not None
        self._draw_wave(shape or NO_AUDIO)

    def _draw_wave(self, shape: Envelope) -> None:
        rate = self._run.config.sample_rate_hz if self._run is not None else 1
        self._wave.show_envelope(shape, rate)

    def _clear(self) -> None:
        self._has_audio = False
        self._cells.show_rows([None] * len(STAGES))
        self._words.show_words(())
        self._draw_wave(NO_AUDIO)

    def _build(self) -> None:
        self.setObjectName("strip")
        self.setAccessibleName("Divergence along time")
        self.view.invertY(True)
        self.view.setYRange(0, BOTTOM, padding=0)
        self._prepare_titles()
        for item in (self._wave, self._cells, self._words, self._cursor):
            self.add(item)
        self._cursor.hide()

    def _prepare_titles(self) -> None:
        metrics = QFontMetrics(self.small_font())
        widest = max(metrics.horizontalAdvance(f"✗ {stage.title}") for stage in STAGES)
        self.left.setWidth(widest + AXIS_MARGIN_PIXELS)
        self.left.setTicks([[(CELLS_TOP + number + 0.5, stage.title) for number, stage in enumerate(STAGES)]])

    def _go_to_stage(self, step: int) -> None:
        number = STAGE_NAMES.index(self._stage) + step if self._stage is not None else 0
        self._choose(STAGE_NAMES[min(max(number, 0), len(STAGES) - 1)])

    def _choose(self, stage: str | None) -> None:
        if stage is not None:
            self.cell_chosen.emit(stage, self.seconds)

    def _zoom(self, factor: float) -> None:
        self.view.scaleBy((factor, 1), center=QPointF(self.seconds, 0))

    @Slot(object)
    def _on_click(self, event: object) -> None:
        left = event.button() is Qt.MouseButton.LeftButton  # type: ignore[attr-defined]
        if not left or event.double() or self._content is None:  # type: ignore[attr-defined]
            return
        point = self.plot_position(event.scenePos())  # type: ignore[attr-defined]
        self.show_moment(point.x())
        self._choose(_stage_at(point.y()) or self._stage)

    @Slot(object)
    def _on_hover(self, position: QPointF) -> None:
        point = self.plot_position(position)
        self.setToolTip(self._words_at(point.x(), point.y()))

    def _words_at(self, seconds: float, row: float) -> str:
        content = self._content
        if content is None or not 0 <= seconds <= self._length:
            return ""
        word = next((each.text for each in self._spoken if each.start_seconds <= seconds < each.end_seconds), "")
        moment = f"{seconds:.2f} s" + (f" “{word}”" if word else "")
        stage = _stage_at(row)
        if stage is None:
            return moment
        number = STAGE_NAMES.index(stage)
        cells = self._cells.rows[number]
        if cells is None:
            return f"{STAGES[number].title}, {moment}"
        error = cells.error_at(seconds)
        found = cells.words if error is None else f"error {number_words(error)} of the rms"
        return f"{STAGES[number].title}, {moment}: {found}"

    def _describe(self) -> None:
        if self._stage is None:
            return
        words = self._words_at(self.seconds, CELLS_TOP + STAGE_NAMES.index(self._stage) + 0.5)
        if words != self.accessibleDescription():
            self.setAccessibleDescription(words)


def _stage_at(row: float) -> str | None:
    number = int(np.floor(row - CELLS_TOP))
    return STAGE_NAMES[number] if 0 <= number < len(STAGES) else None


def _origin(content: StripContent | None) -> tuple[int, object, object] | None:
    return (content.index, content.utterance, content.clock) if content is not None else None


def _cell_row(content: StripContent, number: int) -> CellRow | None:
    row = content.rows[number]
    if row is None:
        return None
    errors = errors_of(row.profile)
    edges = content.clock.edges(row.profile.axis if row.profile is not None else "", max(len(errors), 1))
    return CellRow(edges, errors, words_instead(row))

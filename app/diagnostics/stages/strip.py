"""What the strips of all stages show: cells, words and waveform of one utterance over the same time, and its lines."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject, Signal, Slot

from app.diagnostics.metric_words import number_words
from app.diagnostics.outputs.signals import Envelope, envelope
from app.diagnostics.runs.run import DiagnosticsRun, Shown
from app.diagnostics.stages.cell_row import CellRow, cell_row
from app.diagnostics.stages.strip_content import StripContent, audio_envelope, content_of
from app.diagnostics.stages.time_scale import TimeScale
from app.diagnostics.stages.utterance_clock import Word
from engine.stages import STAGE_NAMES, STAGES

NO_AUDIO = envelope(np.zeros(0, np.float32), 0, 0, 1)
NO_ROWS: tuple[CellRow | None, ...] = (None,) * len(STAGES)


class Strip(QObject):
    """`changed` asks for everything to be drawn again, `line_moved` only where the cursor or the playhead was and is.

    `cursor` is the time that the user looks at, `playhead` that which is heard, in seconds of the utterance, or None.
    """

    changed = Signal()
    line_moved = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.scale = TimeScale(self)
        self.content: StripContent | None = None
        self.rows = NO_ROWS
        self.words: tuple[Word, ...] = ()
        self.wave = NO_AUDIO
        self.wave_rate_hz = 1.0
        self.cursor: float | None = None
        self.playhead: float | None = None
        self._run: DiagnosticsRun | None = None
        self.scale.changed.connect(self.changed)

    def show_run(self, run: DiagnosticsRun | None, shown: Shown, stage: str | None) -> None:
        """Show this part of a run, of the utterance where this stage is worst; cheap if little has changed."""
        content = content_of(run, shown, stage) if run is not None else None
        before, self.content = self.content, content
        anew = run is not self._run or _origin(before) != _origin(content)
        self._run = run
        if content is None:
            self._clear()
            return
        if anew:
            self._fit(content)
        self._show_rows(content, before if not anew else None)
        if not len(self.wave.highest):
            self._show_audio(content, shown.regime)
        self.changed.emit()

    @Slot(object)
    def show_moment(self, seconds: float | None) -> None:
        """Move the cursor to this time; None hides it."""
        before, self.cursor = self.cursor, self._within(seconds)
        self.line_moved.emit(before, self.cursor)

    @Slot(object)
    def show_playhead(self, seconds: float | None) -> None:
        """Move the playhead to this time; None hides it."""
        before, self.playhead = self.playhead, self._within(seconds)
        self.line_moved.emit(before, self.playhead)

    def words_at_cursor(self, stage: str | None) -> str:
        """What is spoken at the cursor, and how far a stage is off there; empty without a cursor."""
        return "" if self.cursor is None else self.words_at(stage, self.cursor)

    def words_at(self, stage: str | None, seconds: float) -> str:
        """What is spoken at a time, and how far a stage is off there."""
        word = next((each.text for each in self.words if each.start_seconds <= seconds < each.end_seconds), "")
        moment = f"{seconds:.2f} s" + (f" “{word}”" if word else "")
        if self.content is None or stage is None:
            return moment if self.content is not None else ""
        number = STAGE_NAMES.index(stage)
        cells = self.rows[number]
        if cells is None:
            return f"{STAGES[number].title}, {moment}"
        error = cells.error_at(seconds)
        found = cells.words if error is None else f"error {number_words(error)} of the rms"
        return f"{STAGES[number].title}, {moment}: {found}"

    def _within(self, seconds: float | None) -> float | None:
        return None if seconds is None else min(max(seconds, 0.0), self.scale.length_seconds)

    def _fit(self, content: StripContent) -> None:
        utterance = content.utterance
        self.words = content.clock.words(utterance) if utterance is not None else ()
        self.wave = NO_AUDIO
        self.cursor = self.playhead = None
        self.scale.show_length(content.clock.seconds)

    def _show_rows(self, content: StripContent, before: StripContent | None) -> None:
        known = before.rows if before is not None else (None,) * len(STAGES)
        self.rows = tuple(
            self.rows[number] if before is not None and row is known[number] else cell_row(content, number)
            for number, row in enumerate(content.rows)
        )

    def _show_audio(self, content: StripContent, regime: str) -> None:
        assert self._run is not None
        found: Envelope | None = audio_envelope(self._run, content.index, regime)
        if found is not None:
            self.wave, self.wave_rate_hz = found, float(self._run.config.sample_rate_hz)

    def _clear(self) -> None:
        self.rows, self.words, self.wave = NO_ROWS, (), NO_AUDIO
        self.cursor = self.playhead = None
        self.changed.emit()


def _origin(content: StripContent | None) -> tuple[int, object, object] | None:
    return (content.index, content.utterance, content.clock) if content is not None else None

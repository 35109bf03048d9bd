"""The content of all strips: cells, words and waveform of one utterance over the same time, and cursor lines."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QRectF, Signal, Slot
from PySide6.QtGui import QImage

from app.diagnostics.colors import Scale, colored, error_positions, steps_of
from app.diagnostics.outputs.pictures import Envelope, envelope
from app.diagnostics.runs.run import DiagnosticsRun, Shown
from app.diagnostics.stages.utterance_clock import UtteranceClock, Word, clock_of
from engine.errors import EngineError
from engine.speech import Utterance
from engine.stages import STAGE_NAMES, STAGES
from engine.validator.data.results import InputSource, Profile, Regime, Row, Verdict
from engine.validator.data.wording import magnitude

MIN_SECONDS = 0.01
"""The shortest range that zooming can show."""
AUDIO = STAGES[-1].outputs[0].name
WAVE_COLUMNS = 1500
WORDS_INSTEAD = {
    Verdict.CRASHED: "crashed",
    Verdict.INCOMPARABLE: "different durations",
}
COLUMNS = 2048
NO_AUDIO = envelope(np.zeros(0, np.float32), 0, 0, 1)
NO_ROWS: tuple[CellRow | None, ...] = (None,) * len(STAGES)


class TimeScale(QObject):
    """The visible time range, always within 0 to `length_seconds`; `changed` is emitted when either changes."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.length_seconds = 1.0
        self.in_view = (0.0, 1.0)
        """The start and end of the visible range in seconds."""

    def show_length(self, seconds: float) -> None:
        """Set the length, greater than 0, and show all of it."""
        self.length_seconds = seconds
        self._look_at(0.0, seconds)

    def show_all(self) -> None:
        """Show the whole length again."""
        self._look_at(0.0, self.length_seconds)

    def zoom(self, factor: float, seconds: float) -> None:
        """Scale the range by `factor`, leaving these seconds in place."""
        start, end = self.in_view
        min_length = min(MIN_SECONDS, self.length_seconds)
        width = min(max((end - start) * factor, min_length), self.length_seconds)
        before = (seconds - start) / (end - start) * width
        self._look_at(seconds - before, width)

    def move(self, seconds: float) -> None:
        """Move the visible range by this many seconds, within the length."""
        start, end = self.in_view
        self._look_at(start + seconds, end - start)

    def x_of(self, seconds: float, area: QRectF) -> float:
        """Return the x coordinate of these seconds in an area, possibly outside it."""
        start, end = self.in_view
        return area.left() + (seconds - start) / (end - start) * area.width()

    def seconds_at(self, x: float, area: QRectF) -> float:
        """Return the seconds at an x coordinate of an area, within the length."""
        start, end = self.in_view
        seconds = start + (x - area.left()) / max(area.width(), 1.0) * (end - start)
        return min(max(seconds, 0.0), self.length_seconds)

    def _look_at(self, start: float, width: float) -> None:
        start = min(max(start, 0.0), self.length_seconds - width)
        if (start, start + width) != self.in_view:
            self.in_view = (start, start + width)
        self.changed.emit()


@dataclass(frozen=True)
class StripContent:
    """An utterance and its results; `rows` are in the order of the stages, None while unknown."""

    index: int
    utterance: Utterance | None
    clock: UtteranceClock
    rows: tuple[Row | None, ...]


def content_of(run: DiagnosticsRun, shown: Shown, stage: str | None) -> StripContent:
    """Return the content for the selected utterance, or for the one where the selected stage is worst."""
    index = run.utterance_to_show(shown, stage)
    utterance = run.utterance_at(index)
    clock = clock_of(utterance, run.alignment(index), run.config)
    one = replace(shown, utterance=index)
    rows = tuple(run.stage_summary(one, each.name) for each in STAGES)
    return StripContent(index, utterance, clock, rows)


def audio_envelope(run: DiagnosticsRun, utterance: int, regime: str) -> Envelope | None:
    """Return the raw audio: compiled, else of the displayed configuration, else of the reference; None if unknown."""
    arrays = run.arrays
    if arrays is None:
        return None
    for name in (Regime.COMPILED, regime, run.reference):
        if arrays.holds(utterance, name, InputSource.END_TO_END, AUDIO):
            try:
                samples = np.ravel(arrays.load(utterance, name, InputSource.END_TO_END, AUDIO)).astype(
                    np.float32, copy=False
                )
            except EngineError:
                return None
            return envelope(samples, 0, len(samples), WAVE_COLUMNS)
    return None


def text_without_cells(row: Row) -> str:
    """Return the text shown for a stage without cells."""
    return WORDS_INSTEAD.get(row.verdict, "no profile") if row.profile is None else ""


def errors_of(profile: Profile | None) -> np.ndarray:
    """Return the errors of a profile [cells]; empty if there is no profile."""
    return np.array(profile.errors if profile is not None else (), np.float64)


@dataclass(frozen=True, eq=False)
class CellRow:
    """The error of one stage over time: `errors` [n] between `edges` [n + 1] seconds, or words instead."""

    edges: NDArray[np.float64]
    errors: NDArray[np.float64]
    words: str = ""

    def error_at(self, seconds: float) -> float | None:
        """Return the error of the cell at this time."""
        if not len(self.errors):
            return None
        index = int(np.searchsorted(self.edges, seconds, side="right")) - 1
        return float(self.errors[min(max(index, 0), len(self.errors) - 1)])

    def image(self) -> QImage:
        """Return the cells as one line of `COLUMNS` pixels over the whole length."""
        moments = (np.arange(COLUMNS) + 0.5) / COLUMNS * self.edges[-1]
        cells = np.clip(np.searchsorted(self.edges, moments, side="right") - 1, 0, len(self.errors) - 1)
        line = np.ascontiguousarray(colored(steps_of(error_positions(self.errors)), Scale.ERRORS)[cells])
        return QImage(line.data, COLUMNS, 1, COLUMNS * 4, QImage.Format.Format_RGBA8888).copy()


def cell_row(content: StripContent, number: int) -> CellRow | None:
    """Return the cells of a stage by its number; None while unknown."""
    row = content.rows[number]
    if row is None:
        return None
    errors = errors_of(row.profile)
    edges = content.clock.edges(row.profile.axis if row.profile is not None else "", max(len(errors), 1))
    return CellRow(edges, errors, text_without_cells(row))


class Strip(QObject):
    """The strip's data and lines.

    `changed` asks to redraw everything, `line_moved` only the old and new position of the cursor or the playhead.
    `cursor` is the time that the user looks at, `playhead` that of playback, in seconds of the utterance, or None.
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

    def describe_cursor(self, stage: str | None) -> str:
        """Describe the speech at the cursor, and the error of a stage there; empty without a cursor."""
        return "" if self.cursor is None else self.words_at(stage, self.cursor)

    def words_at(self, stage: str | None, seconds: float) -> str:
        """Describe the speech at a time, and the error of a stage there."""
        word = next((each.text for each in self.words if each.start_seconds <= seconds < each.end_seconds), "")
        moment = f"{seconds:.2f} s" + (f" “{word}”" if word else "")
        if self.content is None or stage is None:
            return moment if self.content is not None else ""
        number = STAGE_NAMES.index(stage)
        cells = self.rows[number]
        if cells is None:
            return f"{STAGES[number].title}, {moment}"
        error = cells.error_at(seconds)
        found = cells.words if error is None else f"error {magnitude(error)} of the rms"
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

"""One stage in detail: its outputs and inner values, ours drawn over the reference, and all metrics."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from app.diagnostics.figures_view import FiguresView
from app.diagnostics.heat_view import HeatView
from app.diagnostics.listening import Part, has_audio, heard
from app.diagnostics.listening_bar import ListeningBar
from app.diagnostics.metric_words import regime_title
from app.diagnostics.output_list import OutputList, output_title
from app.diagnostics.picture_loader import PictureLoader
from app.diagnostics.pictures import HeatPicture, NoPicture, Picture, PictureRequest, ProfilePicture, SignalPicture
from app.diagnostics.run import DiagnosticsRun, Shown
from app.diagnostics.signal_view import ProfileView, SignalView
from app.diagnostics.stage_pages import StagePage
from app.diagnostics.time_pane import PaneStack
from app.diagnostics.utterance_clock import UtteranceClock, clock_of
from app.theme import Colours
from app.widgets.elided_text import ElidedLabel
from engine.stages import stage_named
from engine.validator.results import Row

SPACE_PIXELS = 4
TOP_PIXELS = 26
"""As high as the buttons, so that nothing shifts when they appear and disappear."""
SHARES = (220, 400)
NEAR_SHARES = (120, 140)
SETTLED_AFTER_MS = 60
"""No picture is made while the view is being moved or resized."""
CHOOSE_A_STAGE = "Choose a stage to look into it."
NOT_YET = "Nothing is known of this stage yet."


@dataclass(frozen=True)
class _Subject:
    """What is shown: a row of a run and its times."""

    run: DiagnosticsRun
    row: Row
    clock: UtteranceClock


class DrillDown(StagePage):
    """`playback_wanted` carries samples [n] float32 and their rate in Hz."""

    playback_wanted = Signal(object, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._subject: _Subject | None = None
        self._stage: str | None = None
        self._output: str | None = None
        self.title = ElidedLabel(self)
        self.outputs = OutputList(self)
        self.figures = FiguresView(self)
        self.listening = ListeningBar(self)
        self.signals = SignalView(self)
        self.heat_maps = HeatView(self)
        self.profile = ProfileView(self)
        self.words = QLabel(CHOOSE_A_STAGE, self)
        self.stack = QStackedWidget(self)
        self._loader = PictureLoader(self)
        self._timer = QTimer(self, singleShot=True, interval=SETTLED_AFTER_MS)
        self._lay_out()
        self._connect()

    def show_stage(self, run: DiagnosticsRun | None, shown: Shown, stage: str | None) -> None:
        """Show a stage; cheap if nothing has changed."""
        if stage != self._stage:
            self._stage, self._output = stage, None
        worst = run.stage_summary(shown, stage) if run is not None and stage is not None else None
        if run is None or worst is None:
            self._show_nothing(CHOOSE_A_STAGE if stage is None else NOT_YET)
            return
        rows = run.rows_of(worst.utterance, shown.regime, shown.reading, worst.stage) or (worst,)
        row = next((each for each in rows if each.output == self._output), worst)
        self.outputs.show_rows(rows, row.output)
        clock = clock_of(run.utterance_at(row.utterance), run.alignment(row.utterance), run.config)
        subject = _Subject(run, row, clock)
        if self._subject is None or subject != self._subject:
            self._subject = subject
            self._show_subject(subject)

    def choose(self, output: str) -> None:
        """Show this output or inner value of the stage."""
        self._output = output
        if self._subject is not None:
            run, row = self._subject.run, self._subject.row
            shown = Shown(row.regime, row.reading, row.utterance)
            self.show_stage(run, shown, row.stage)

    def show_moment(self, seconds: float | None) -> None:
        """Draw the cursor at this time."""
        for view in self._views:
            view.show_moment(seconds)

    def set_colours(self, colours: Colours) -> None:
        """Take the theme's colours."""
        for part in (self.outputs, self.figures, self.listening):
            part.set_colours(colours)
        for view in self._views:
            view.set_colours(colours)

    @property
    def _views(self) -> tuple[PaneStack, ...]:
        return self.signals, self.heat_maps, self.profile

    def _show_subject(self, subject: _Subject) -> None:
        row = subject.row
        ours, reference = regime_title(row.regime), regime_title(row.reference)
        stage = stage_named(row.stage).title
        self.title.say(f"{stage}: {output_title(row)} · {ours} against {reference} · utterance {row.utterance + 1}")
        self.figures.show_row(row)
        self.listening.setVisible(has_audio(subject.run.arrays, row))
        self.listening.name_sides(ours, reference)
        self.listening.offer_difference(row.metrics is not None and row.metrics.sqnr_db is not None)
        for view in self._views:
            view.show_length(subject.clock.seconds)
        self._load()

    def _show_nothing(self, words: str) -> None:
        self._subject = None
        self._loader.forget()
        self.outputs.show_rows((), "")
        self.figures.show_row(None)
        self.listening.hide()
        self.title.say("")
        self._say(words)

    def _say(self, words: str) -> None:
        self.words.setText(words)
        self.stack.setCurrentWidget(self.words)

    @Slot()
    def _load(self) -> None:
        if self._subject is None:
            return
        current = self.stack.currentWidget()
        view = current if isinstance(current, PaneStack) else self.signals
        start, end = view.seconds_in_view
        subject = self._subject
        spectrogram = self.listening.spectrogram_button.isChecked()
        self._loader.load(
            PictureRequest(subject.run.arrays, subject.row, subject.clock, start, end, view.columns, spectrogram)
        )

    @Slot(object, object)
    def _on_picture(self, request: PictureRequest, picture: Picture) -> None:
        title = output_title(request.row)
        match picture:
            case SignalPicture():
                ours, reference = regime_title(request.row.regime), regime_title(request.row.reference)
                unit = f", {picture.unit}" if picture.unit else ""
                self.signals.show_picture(picture, f"{ours} over {reference}{unit}")
                self.stack.setCurrentWidget(self.signals)
            case HeatPicture():
                self.heat_maps.show_picture(picture)
                self.stack.setCurrentWidget(self.heat_maps)
            case ProfilePicture():
                self.profile.show_picture(picture, title)
                self.stack.setCurrentWidget(self.profile)
            case NoPicture():
                self._say(picture.words)

    @Slot(object)
    def _on_listen(self, part: Part) -> None:
        if self._subject is None or self._subject.run.arrays is None:
            return
        found = heard(self._subject.run.arrays, self._subject.row, part)
        if found is not None:
            self.playback_wanted.emit(found.samples, self._subject.run.config.sample_rate_hz)

    @Slot(float, float)
    def _on_range(self, start: float, end: float) -> None:
        self._timer.start()

    def _connect(self) -> None:
        self.outputs.output_chosen.connect(self.choose)
        self.listening.wanted.connect(self._on_listen)
        self.listening.spectrogram_wanted.connect(self._load)
        self._loader.loaded.connect(self._on_picture)
        self._timer.timeout.connect(self._load)
        for view in self._views:
            view.range_chosen.connect(self._on_range)

    def _lay_out(self) -> None:
        self.setObjectName("drillDown")
        self.title.setObjectName("faint")
        self.title.setAccessibleName("Looked at")
        self.words.setObjectName("faint")
        self.words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.words.setWordWrap(True)
        for page in (self.words, *self._views):
            self.stack.addWidget(page)
        split = QSplitter(Qt.Orientation.Horizontal, self)
        near = QSplitter(Qt.Orientation.Vertical, split)  # its parent set now, so that the tab key comes here first
        for part in (self.outputs, self.figures):
            near.addWidget(part)
        near.setSizes(NEAR_SHARES)
        split.addWidget(self.stack)
        split.setSizes(SHARES)
        split.setStretchFactor(1, 1)
        top, layout = QHBoxLayout(), QVBoxLayout(self)
        top.addWidget(self.title, 1)
        top.addWidget(self.listening)
        top.addStrut(TOP_PIXELS)
        for each in (top, layout):
            each.setContentsMargins(0, 0, 0, 0)
            each.setSpacing(SPACE_PIXELS)
        layout.addLayout(top)
        layout.addWidget(split, 1)
        self.listening.hide()

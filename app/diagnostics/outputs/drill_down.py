"""One stage in detail: its outputs and activations, compiled over reference, and all metrics."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLabel,
    QSplitter,
    QStackedWidget,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.diagnostics.colors import ColorTone, FollowsTheme, PlainSelection, tone_color, verdict_tone
from app.diagnostics.figures import FiguresView
from app.diagnostics.metric_text import VERDICT_SIGNS, VERDICT_TITLES, describe_verdict, figures_of, regime_title
from app.diagnostics.outputs.listening import ListeningBar, has_audio
from app.diagnostics.outputs.pictures import (
    HeatPicture,
    NoPicture,
    Picture,
    PictureLoader,
    PictureRequest,
    ProfilePicture,
    SignalPicture,
    describe_not_finite,
    readout_of,
)
from app.diagnostics.outputs.signal_view import HeatView, ProfileView, SignalView
from app.diagnostics.outputs.time_pane import PaneStack
from app.diagnostics.runs.run import DiagnosticsRun, Shown
from app.diagnostics.stages.stage_pages import StagePage
from app.diagnostics.stages.utterance_clock import UtteranceClock, clock_of
from app.widgets.elided_text import ElidedLabel
from engine.speech import Utterance
from engine.stages import STAGE_NAMES, stage_named
from engine.validator.data.results import InputSource, Row
from engine.validator.data.wording import row_correlation
from engine.validator.runs.arrays import Arrays

SPACE_PIXELS = 4
SHARES = (220, 400)
NEAR_SHARES = (120, 140)
SETTLED_AFTER_MS = 60
"""No image is drawn while the view is being moved or resized."""
CHOOSE_A_STAGE = "Choose a stage to inspect it."
HOW_TO_READ = "Point at a picture, or use its arrow keys, to read both values and their difference."
DRAWING = "Drawing…"
NOT_YET = "No results for this stage yet."


@dataclass(frozen=True)
class _Selection:
    """The row on display, with its run and clock."""

    run: DiagnosticsRun
    row: Row
    clock: UtteranceClock
    sound: Row | None
    """The row of the audio of the same utterance and configuration, for playback."""

    @property
    def names(self) -> tuple[object, ...]:
        """The identity of the row, regardless of its measurements."""
        row = self.row
        return self.run, row.utterance, row.regime, row.reading, row.stage, row.output

    @property
    def utterance(self) -> Utterance | None:
        """The utterance of the row."""
        return self.run.utterance_at(self.row.utterance)


class DrillDown(StagePage):
    """The details of a stage.

    `sound_changed` is emitted when the utterance, configuration or run to play has changed, or there is none any more.
    """

    sound_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._selection: _Selection | None = None
        self._stage: str | None = None
        self._output: str | None = None
        self.title = ElidedLabel(self)
        self.outputs = OutputList(self)
        self.figures = FiguresView("Numbers", self)
        self.listening = ListeningBar(self)
        self.signals = SignalView(self)
        self.heat_maps = HeatView(self)
        self.profile = ProfileView(self)
        self.words = QLabel(CHOOSE_A_STAGE, self)
        self.broken = ElidedLabel(self)
        self.readout = ElidedLabel(self)
        self._pictured: tuple[PictureRequest, Picture] | None = None
        self.stack = QStackedWidget(self)
        self._near = QSplitter(Qt.Orientation.Vertical, self)
        self._loader = PictureLoader(self)
        self._timer = QTimer(self, singleShot=True, interval=SETTLED_AFTER_MS)
        self._lay_out()
        self.outputs.output_chosen.connect(self.choose)
        self.listening.spectrogram_requested.connect(self._load)
        self.listening.end_to_end_toggled.connect(self._on_extent)
        self._loader.loaded.connect(self._on_picture)
        self._timer.timeout.connect(self._load)
        for view in self._views:
            view.range_chosen.connect(self._on_range)
            view.pointed.connect(self._on_pointed)

    @property
    def drawing(self) -> bool:
        """True if an image is being drawn, or is about to be."""
        return self._timer.isActive() or self._loader.busy

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
        selection = _Selection(run, row, clock, self._sound_of(run, row, self.listening.end_to_end))
        if self._selection is None or selection != self._selection:
            before, self._selection = self._selection, selection
            if before is None or before.names != selection.names:
                self._pictured = None  # the image on display until a new one is drawn
                self.show_message("")
            if before is None or (before.run, _speech(before.sound)) != (run, _speech(selection.sound)):
                self.sound_changed.emit()
            self._show_selection(selection)

    def choose(self, output: str) -> None:
        """Show this output or activation of the stage."""
        self._output = output
        if self._selection is not None:
            run, row = self._selection.run, self._selection.row
            shown = Shown(row.regime, row.reading, row.utterance)
            self.show_stage(run, shown, row.stage)

    def show_moment(self, seconds: float | None) -> None:
        """Draw the cursor at this time."""
        for view in self._views:
            view.show_moment(seconds)

    def show_message(self, words: str) -> None:
        """Show a message on playback, or the values at the cursor; empty `words` show how to get these."""
        self.readout.set_text(words or HOW_TO_READ)

    @property
    def sound(self) -> Row | None:
        """The row of the audio to play, of the selected utterance and configuration, end to end or last stage only."""
        return self._selection.sound if self._selection is not None else None

    @property
    def arrays(self) -> Arrays | None:
        """The arrays of the displayed run."""
        return self._selection.run.arrays if self._selection is not None else None

    @property
    def sample_rate_hz(self) -> int:
        """The sample rate of the audio; 1 while no stage is displayed."""
        return self._selection.run.config.sample_rate_hz if self._selection is not None else 1

    @property
    def view(self) -> PaneStack:
        """The visible plots, or the signal plot."""
        current = self.stack.currentWidget()
        return current if isinstance(current, PaneStack) else self.signals

    @property
    def _views(self) -> tuple[PaneStack, ...]:
        return self.signals, self.heat_maps, self.profile

    def _show_selection(self, selection: _Selection) -> None:
        row = selection.row
        ours, reference = regime_title(row.regime), regime_title(row.reference)
        stage = stage_named(row.stage).title
        self.title.set_text(
            f"{stage}: {output_title(row)} · {ours} against {reference} · utterance {row.utterance + 1}"
        )
        description = f"{VERDICT_TITLES[row.verdict]}. {describe_verdict(row)}"
        self.figures.show_figures(description, verdict_tone(row.verdict), figures_of(row))
        self._near.show()
        self.readout.show()
        broken = row.not_finite
        self.broken.set_text(
            describe_not_finite(broken, selection.clock, selection.utterance) if broken is not None else ""
        )
        self.broken.setVisible(broken is not None)
        self.listening.name_sides(ours, reference)
        self._offer_sound(selection)
        for view in self._views:
            view.show_length(selection.clock.seconds)
        self.words.setText(DRAWING)
        self._load()

    def _offer_sound(self, selection: _Selection) -> None:
        metrics = selection.sound.metrics if selection.sound is not None else None
        extents = (True, False)
        self.listening.offer_views(has_audio(selection.run.arrays, selection.row))
        self.listening.setVisible(any(self._sound_of(selection.run, selection.row, extent) for extent in extents))
        self.listening.offer_sound(selection.sound is not None)
        self.listening.offer_difference(metrics is not None and metrics.sqnr_db is not None)

    def _sound_of(self, run: DiagnosticsRun, row: Row, end_to_end: bool) -> Row | None:
        reading = InputSource.END_TO_END if end_to_end else InputSource.ISOLATED
        rows = run.rows_of(row.utterance, row.regime, reading, STAGE_NAMES[-1])
        return next((each for each in rows if has_audio(run.arrays, each)), None)

    @Slot(bool)
    def _on_extent(self, end_to_end: bool) -> None:
        selection = self._selection
        if selection is not None:
            self._selection = replace(selection, sound=self._sound_of(selection.run, selection.row, end_to_end))
            self._offer_sound(self._selection)

    def _show_nothing(self, words: str) -> None:
        self._near.hide()
        if self._selection is not None:
            self._selection = None
            self.sound_changed.emit()
        self.readout.hide()
        self._loader.forget()
        self._pictured = None
        self.broken.hide()
        self.show_message("")
        self.outputs.show_rows((), "")
        self.figures.show_figures("", ColorTone.PLAIN, ())
        self.listening.hide()
        self.title.set_text("")
        self._show_in_views(words)

    def _show_in_views(self, words: str) -> None:
        self.words.setText(words)
        self.stack.setCurrentWidget(self.words)

    @Slot()
    def _load(self) -> None:
        if self._selection is None:
            return
        view = self.view
        start, end = view.seconds_in_view
        selection = self._selection
        spectrogram = self.listening.spectrogram_button.isChecked()
        self._loader.load(
            PictureRequest(selection.run.arrays, selection.row, selection.clock, start, end, view.columns, spectrogram)
        )

    @Slot(object, object)
    def _on_picture(self, request: PictureRequest, picture: Picture) -> None:
        title = output_title(request.row)
        self._pictured = (request, picture)
        match picture:
            case SignalPicture():
                ours, reference = regime_title(request.row.regime), regime_title(request.row.reference)
                unit = f", {picture.unit}" if picture.unit else ""
                note = f" · {picture.note}" if picture.note else ""
                self.signals.show_picture(picture, f"{ours} over {reference}{unit}{note}")
                self.stack.setCurrentWidget(self.signals)
            case HeatPicture():
                self.heat_maps.show_picture(picture)
                self.stack.setCurrentWidget(self.heat_maps)
            case ProfilePicture():
                self.profile.show_picture(picture, title)
                self.stack.setCurrentWidget(self.profile)
            case NoPicture():
                self._show_in_views(picture.words)

    @Slot(float, float)
    def _on_pointed(self, seconds: float, height: float) -> None:
        if self._selection is not None and self._pictured is not None:
            reading = readout_of(*self._pictured, self._selection.utterance, seconds, height)
            self.show_message(reading)
            self.view.describe(reading)

    @Slot(float, float)
    def _on_range(self, start: float, end: float) -> None:
        for view in self._views:
            view.show_range(start, end)
        self._timer.start()

    def _lay_out(self) -> None:
        self.setObjectName("drillDown")
        self.title.setObjectName("faint")
        self.title.setAccessibleName("Inspected")
        self.broken.setObjectName("faint")
        self.broken.setProperty("tone", "error")
        self.broken.setAccessibleName("Non-finite values")
        self.readout.setObjectName("faint")
        self.readout.setAccessibleName("Values at the cursor")
        self.words.setObjectName("faint")
        self.words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.words.setWordWrap(True)
        for page in (self.words, *self._views):
            self.stack.addWidget(page)
        split = QSplitter(Qt.Orientation.Horizontal, self)
        self._near.setParent(split)  # now, so that Tab reaches this part first
        for part in (self.outputs, self.figures):
            self._near.addWidget(part)
        self._near.setSizes(NEAR_SHARES)
        self._near.hide()
        split.addWidget(self.stack)
        split.setSizes(SHARES)
        split.setStretchFactor(1, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACE_PIXELS)
        for line in (self.title, self.broken, self.listening):
            layout.addWidget(line)
        layout.addWidget(split, 1)
        layout.addWidget(self.readout)
        for line in (self.broken, self.listening, self.readout):
            line.hide()


def _speech(sound: Row | None) -> tuple[int, str] | None:
    """Return the utterance and configuration of a row of audio, end to end or not."""
    return None if sound is None else (sound.utterance, sound.regime)


OUTPUT_ROLE = int(Qt.ItemDataRole.UserRole)
TITLE, AGREEMENT, VERDICT = range(3)
HEADINGS = "Output", "Correlation", "Verdict"
"""Column headings, for screen readers."""
MIN_HEIGHT_PIXELS = 38


class OutputList(FollowsTheme, QTreeWidget):
    """The outputs of a stage; `output_chosen` carries the name of an output or the path of an activation."""

    output_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[Row, ...] = ()
        self.setObjectName("outputs")
        self.setAccessibleName("Outputs and intermediate activations")
        self.setHeaderLabels([""] * len(HEADINGS))  # hidden, but columns are as wide as their content
        for column, heading in enumerate(HEADINGS):
            self.headerItem().setData(column, Qt.ItemDataRole.AccessibleTextRole, heading)
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setTabKeyNavigation(False)
        self.setItemDelegateForColumn(VERDICT, PlainSelection(self))
        self.setMinimumHeight(MIN_HEIGHT_PIXELS)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.header().setStretchLastSection(False)
        self.header().setSectionResizeMode(TITLE, QHeaderView.ResizeMode.Stretch)
        for column in (AGREEMENT, VERDICT):
            self.header().setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        self.itemSelectionChanged.connect(self._on_selection)

    @property
    def output(self) -> str | None:
        """The selected output."""
        chosen = self.selectedItems()
        return str(chosen[0].data(TITLE, OUTPUT_ROLE)) if chosen else None

    def show_rows(self, rows: tuple[Row, ...], chosen: str) -> None:
        """List these rows, with one selected; emits no signal."""
        blocked = self.blockSignals(True)
        if rows != self._rows:
            self._rows = rows
            self.clear()
            self.addTopLevelItems([self._item(row) for row in rows])
        for number, row in enumerate(rows):
            item = self.topLevelItem(number)
            if item is not None and row.output == chosen and self.output != chosen:
                self.setCurrentItem(item)
        self.blockSignals(blocked)

    def restyle(self) -> None:
        """Apply the colors of the theme."""
        rows, chosen, self._rows = self._rows, self.output, ()
        self.show_rows(rows, chosen or "")

    def _item(self, row: Row) -> QTreeWidgetItem:
        item = QTreeWidgetItem([output_title(row), row_correlation(row), VERDICT_SIGNS[row.verdict]])
        item.setData(TITLE, OUTPUT_ROLE, row.output)
        item.setTextAlignment(AGREEMENT, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        item.setToolTip(TITLE, f"{output_title(row)} ({row.output})")
        item.setToolTip(VERDICT, VERDICT_TITLES[row.verdict])
        item.setData(VERDICT, int(Qt.ItemDataRole.AccessibleTextRole), VERDICT_TITLES[row.verdict])
        item.setForeground(VERDICT, QColor(tone_color(verdict_tone(row.verdict))))
        if row.probe:
            item.setForeground(TITLE, QColor(tone_color(ColorTone.FAINT)))
        return item

    @Slot()
    def _on_selection(self) -> None:
        if self.output is not None:
            self.output_chosen.emit(self.output)


def output_title(row: Row) -> str:
    """Return an output's name as text; for an activation, its title and, if ambiguous, the last part of its path."""
    if not row.probe:
        return row.output.replace("_", " ")
    probe = next((each for each in stage_named(row.stage).probes if each.matches(row.output)), None)
    if probe is None:
        return row.output
    starred = "*" in probe.module
    return f"{probe.title} {row.output.rsplit('.', 1)[-1]}" if starred else probe.title

"""The diagnostics in the main window, and the display that follows playback."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QElapsedTimer, QObject, Qt, Slot

from app.audio.output import AudioOutput
from app.audio.player import Playback
from app.audio.sound_player import SoundPlayer
from app.audio.track import Segment
from app.diagnostics.cases import CaseActions
from app.diagnostics.configurations import ConfigurationsPage
from app.diagnostics.kernels.kernel_page import InspectionFeature
from app.diagnostics.outputs.listening_control import ListeningControl
from app.diagnostics.panel import DiagnosticsPanel
from app.diagnostics.reference_process import ReferenceProcess, Serve
from app.diagnostics.run_queue import RunQueue
from app.diagnostics.runs.run import DiagnosticsOptions, DiagnosticsRun
from app.diagnostics.runs.run_folders import RunFolders
from app.diagnostics.runs.run_keeping import RunFileActions
from app.diagnostics.runs.run_status import RunChip
from app.diagnostics.runs.run_text import describe_request
from app.diagnostics.stages.utterance_clock import UtteranceClock, clock_of
from app.diagnostics.window import DiagnosticsWindow
from app.main_window import MainWindow
from app.messages import Message, MessageAction, MessageTopic, Severity, message_for
from app.settings import Settings
from app.speech.activity import Activity, Readiness
from app.speech.controller import SpeechController
from app.speech.voice_choice import prosody_of
from app.tasks import Tasks, ignore
from engine.errors import Canceled, InvalidRequest
from engine.models.packages import add_reference
from engine.speech import Prosody, SpeechRequest, SpokenWord, Utterance
from engine.validator.data.results import Regime
from engine.validator.service.service import serve

SHORTCUT = "Ctrl+Shift+I"
ADDING = Message(
    "Installing PyTorch… This takes a few minutes. You can keep using Kokoro Desk.",
    Severity.NOTE,
    topic=MessageTopic.DIAGNOSTICS,
)
ADDED = Message(
    "PyTorch is installed. Click Diagnose to compare with it.", Severity.NOTE, topic=MessageTopic.DIAGNOSTICS
)


class DiagnosticsFeature(QObject):
    """The diagnostics of the app: on request, or of all speech while the panel is open.

    Closing the panel releases the reference process.
    """

    def __init__(
        self,
        window: MainWindow,
        speech: SpeechController,
        output: AudioOutput,
        settings: Settings,
        validate: Serve = serve,
    ) -> None:
        super().__init__(window)
        self._main = window
        self._voices = window.page.header.voices
        self._speech = speech
        self._settings = settings
        self._prosody = Prosody.LSTM
        self._timed: DiagnosticsRun | None = None
        self.panel = DiagnosticsPanel()
        self.window = DiagnosticsWindow(window, self.panel)
        self.chip = RunChip(window.page.status)
        self.process = ReferenceProcess(validate, self)
        folders = RunFolders()
        self.queue = RunQueue(self.process, folders, self)
        self.configurations = ConfigurationsPage()
        self.panel.add_page("Configurations", self.configurations, "Every stage in every configuration")
        self._adding = Tasks("packages", self)
        self._stop_adding = threading.Event()
        self.sounds = SoundPlayer(speech.player, output, self)
        self.listening = ListeningControl(self.panel.drill_down, self.sounds, self)
        self.keeping = RunFileActions(self.panel, folders, self)
        self.cases = CaseActions(self.panel, parent=self)
        self.kernels = InspectionFeature(self.panel, self.queue)
        window.menu.add_view(self.window.toggle, SHORTCUT)
        menu = window.menu
        of_speech = [menu.play, menu.stop, menu.back, menu.forward]
        self.window.addActions([*of_speech, menu.close_window, menu.quit])
        window.page.status.add(self.chip)
        self._connect_panel()
        self._connect_queue()
        self.following = PlaybackFollower(speech, self.queue, self.panel, self)
        self.window.restore(settings.diagnostics_place)
        if settings.diagnostics_shown:
            self.window.reopen()

    @property
    def busy(self) -> bool:
        """True if a diagnosis or an export is in progress."""
        return self.queue.active or self.keeping.active

    @property
    def drawing(self) -> bool:
        """True if an image of a signal is being drawn."""
        return self.panel.drill_down.drawing

    @Slot()
    def open(self) -> None:
        """Show the panel."""
        self.window.open()

    def shut_down(self, timeout_ms: int) -> None:
        """End every process and delete temporary files."""
        self.sounds.stop()
        self._stop_adding.set()
        self._adding.shut_down(timeout_ms)
        self.cases.shut_down(timeout_ms)
        self.keeping.shut_down(timeout_ms)
        self.queue.shut_down(timeout_ms)

    def _connect_panel(self) -> None:
        panel = self.panel
        panel.diagnose_requested.connect(self._on_diagnose)
        panel.to_run.while_speaking.clicked.connect(self._on_while_speaking)
        self.configurations.compare_requested.connect(self._on_compare_all)
        self.configurations.padding_chosen.connect(panel.to_run.set_padding)
        panel.stop_requested.connect(self.queue.stop)
        panel.status.start_again_requested.connect(self.queue.start_again)
        self.listening.moved.connect(panel.strip.show_playhead)
        panel.refreshed.connect(self._on_refreshed)
        self.chip.clicked.connect(self.open)
        self.window.shown_changed.connect(self._on_shown)
        self.window.activated.connect(self._show_selection)
        self._main.closed.connect(self._on_window_closed)

    def _connect_queue(self) -> None:
        queue, panel = self.queue, self.panel
        queue.run_started.connect(panel.show_run)
        queue.run_started.connect(self._show_chip)
        queue.changed.connect(panel.refresh_soon)
        for banner in (panel.banner, self._main.page.banner):
            banner.action_chosen.connect(self._on_message_action)
        for source in (self.keeping, self.cases):
            source.message_sent.connect(self._on_message)
        for part in (queue, self.sounds, self.keeping, self.cases):
            part.failed.connect(self._on_failure)
        later = Qt.ConnectionType.QueuedConnection  # queued, because starting to speak takes long enough
        self._speech.track_changed.connect(self._on_speech, later)
        self._speech.activity_changed.connect(self._on_activity)
        for changed in (self._voices.listed, self._voices.model_changed):
            changed.connect(self.follow_model)
        self.follow_model()
        self._settings.changed.connect(self._on_setting)
        self._on_setting(Settings.diagnose_while_speaking)
        self._on_activity(self._speech.activity)

    def _source(self) -> tuple[SpeechRequest | None, str]:
        """Return the text that Diagnose would use now, and the model in use."""
        request: SpeechRequest | None = self._main.request
        if request is None or not request.text.strip() or not request.voice:
            request = self._speech.request
        return request, self._voices.speaking_model

    @Slot(object)
    def _on_diagnose(self, options: DiagnosticsOptions) -> None:
        request, model = self._source()
        if request is None:
            self._on_failure(InvalidRequest("There’s nothing to diagnose yet.", "Type or paste some text."))
        else:
            self.queue.diagnose(request, options, model)

    @Slot(object)
    def _on_compare_all(self, cross: tuple[tuple[str, Regime], ...]) -> None:
        """Run the text in every configuration, and once more with mixed stages."""
        to_run = self.panel.to_run
        regimes = tuple(regime for regime in to_run.regimes if regime is not to_run.options.reference)
        self._on_diagnose(replace(to_run.options, regimes=regimes, cross=cross))

    @Slot()
    def follow_model(self) -> None:
        """Offer the configurations of the model in use; if its prosody predictor has changed, select the right one."""
        model, models = self._voices.speaking_model, self._voices.models
        has_students = prosody_of(model, models, Prosody.TRANSFORMER) is Prosody.TRANSFORMER
        to_run, prosody = self.panel.to_run, prosody_of(model, models, self._settings.prosody)
        to_run.offer_students(has_students)
        self.configurations.editor.offer_students(has_students)
        if prosody is not self._prosody:
            self._prosody = prosody
            to_run.regime.choose(Regime.DISTILLED if prosody is Prosody.TRANSFORMER else Regime.COMPILED)
            to_run.regime_chosen.emit()

    @Slot(object)
    def _on_setting(self, setting: object) -> None:
        if setting is Settings.diagnose_while_speaking:  # the Settings window can change it as well
            self.panel.to_run.while_speaking.setChecked(self._settings.diagnose_while_speaking)

    @Slot(object)
    def _on_speech(self, track: object) -> None:
        self._show_chip()
        if track is self._speech.track:  # otherwise, a newer track has started since
            self._diagnose_speech()

    @Slot()
    def _show_chip(self) -> None:
        """Show the state of the latest run while this window is open, if the run is of the text being spoken."""
        run, spoken = self.panel.live_run, self._speech.request
        known = self.window.shown and run is not None and spoken is not None and run.request.speech.text == spoken.text
        self.chip.show_run(run if known else None)
        self.chip.refresh(self.panel.shown.regime)

    def _diagnose_speech(self) -> None:
        request = self._speech.request
        if request is not None and self.window.shown and self._settings.diagnose_while_speaking:
            self.panel.to_show.show_heard()
            self.queue.diagnose(request, self.panel.to_run.options, self._voices.speaking_model)

    @Slot(bool)
    def _on_while_speaking(self, wanted: bool) -> None:
        self._settings.diagnose_while_speaking = wanted
        if self._speech.player.playback is not Playback.STOPPED:
            self._diagnose_speech()

    @Slot()
    def _on_refreshed(self) -> None:
        self.chip.refresh(self.panel.shown.regime)
        run = self.panel.live_run
        if run is not None and not run.active and run is not self._timed:
            self._timed = run
            self._show_selection()

    @Slot()
    def _show_selection(self) -> None:
        """Show the text that Diagnose would use, and the expected duration based on the latest run of the same kind."""
        (speech, model), run, to_run = self._source(), self._timed, self.panel.to_run
        same = run is not None and (run.request.model, run.request.regimes) == (model, to_run.options.regimes)
        rate = run.progress.seconds_per_phoneme if run is not None and same else None
        to_run.request_summary.set_text(describe_request(speech.part if speech is not None else "", rate))

    @Slot(object)
    def _on_activity(self, activity: Activity) -> None:
        self.queue.hold_back(activity.readiness is Readiness.PREPARING)
        if self.window.shown and activity.idle:  # before the first time, there is no voice and thus nothing to diagnose
            self._show_selection()

    @Slot(bool)
    def _on_shown(self, shown: bool) -> None:
        self._show_chip()
        if shown:
            self._show_selection()
        else:
            self.sounds.stop()
            self.queue.release()

    @Slot(str)
    def _on_message(self, words: str) -> None:
        self._show(Message(f"{words.rstrip('.')}.", Severity.NOTE))

    @Slot(object)
    def _on_failure(self, error: Exception) -> None:
        """Show a failure, without the button that most failures have, which concerns speech."""
        if isinstance(error, Canceled):
            return
        message = message_for(error)
        ours = message.action is MessageAction.ADD_REFERENCE
        self._show(message if ours else replace(message, action=None))

    def _show(self, message: Message) -> None:
        """Show a message in the window that the user looks at; a success message replaces a failure."""
        banner = self.panel.banner if self.window.shown else self._main.page.banner
        if message.tone is Severity.NOTE:
            banner.withdraw(MessageTopic.DIAGNOSTICS)
        banner.show_message(replace(message, topic=MessageTopic.DIAGNOSTICS))

    @Slot(object)
    def _on_message_action(self, message: Message) -> None:
        if message.action is MessageAction.ADD_REFERENCE:
            if not self._adding.busy:
                stop = self._stop_adding
                self._adding.run(add_reference, ignore, stop, done=self._on_added, failed=self._on_failure, cancel=stop)
            self._show(ADDING)

    def _on_added(self, result: object) -> None:
        self._show(ADDED)

    @Slot()
    def _on_window_closed(self) -> None:
        self._settings.diagnostics_place = self.window.place
        self._settings.diagnostics_shown = self.window.shown
        self.window.close()


LOOK_EVERY_MS = 33


class PlaybackFollower(QObject):
    """The link from playback to the panel; idle while the diagnosed text differs from the one being played."""

    def __init__(
        self,
        speech: SpeechController,
        queue: RunQueue,
        panel: DiagnosticsPanel,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._speech = speech
        self._queue = queue
        self._panel = panel
        self._sent: tuple[DiagnosticsRun, Segment] | None = None
        self._looked = QElapsedTimer()
        self._looked.start()
        speech.player.position_changed.connect(self._on_position)
        speech.player.playback_changed.connect(self._look)
        queue.run_started.connect(self._look)

    @Slot(int)
    def _on_position(self, position: int) -> None:
        if self._panel.isVisible() and self._looked.hasExpired(LOOK_EVERY_MS):
            self._look()

    @Slot()
    def _look(self) -> None:
        self._looked.restart()
        run, segment = self._panel.live_run, self._segment()
        if run is None or run.request.speech != self._speech.request:
            segment = None
        utterance = utterance_heard(segment, run.utterances) if run is not None else None
        if run is not None and segment is not None and self._sent != (run, segment):
            self._sent = (run, segment)
            self._queue.hear(segment.utterance.start)
        to_show = self._panel.to_show
        to_show.show_current_utterance(utterance.index if utterance is not None and self._panel.run is run else None)
        self._mark(run, segment, utterance)

    def _segment(self) -> Segment | None:
        player = self._speech.player
        heard = player.playback is not Playback.STOPPED
        return self._speech.track.segment_at(player.position) if heard else None

    def _mark(self, run: DiagnosticsRun | None, segment: Segment | None, utterance: Utterance | None) -> None:
        strip = self._panel.strip
        shown = strip.content.index if strip.content is not None and self._panel.run is run else None
        if run is None or segment is None or utterance is None or utterance.index != shown:
            strip.show_playhead(None)
            return
        track, position = self._speech.track, self._speech.player.position
        clock = clock_of(utterance, run.alignment(utterance.index), run.config)
        words = track.words.around(position)
        strip.show_playhead(moment_heard(segment, words, position, track.sample_rate_hz, utterance, clock))


def utterance_heard(segment: Segment | None, utterances: Sequence[Utterance]) -> Utterance | None:
    """Return the utterance of a run that contains the beginning of the segment being played; None if none does."""
    if segment is None:
        return None
    character = segment.utterance.start
    return next((each for each in utterances if each.start <= character < each.end), None)


def moment_heard(
    segment: Segment,
    spoken: Sequence[SpokenWord],
    position: int,
    sample_rate_hz: int,
    utterance: Utterance,
    clock: UtteranceClock,
) -> float:
    """Return the position in the raw audio, in seconds, at a sample of the track.

    It is exact at both ends of every word, and linear in between. `spoken` are the words of the segment in samples of
    the track. Before the first and after the last word, both run at the same pace.
    """
    times = {word.start: clock.edges_of(word) for word in utterance.words}
    placed = [(word, edges) for word in spoken if (edges := times.get(word.start)) is not None]
    heard = [sample for word, _ in placed for sample in (word.start_sample, word.end_sample)] or [segment.start]
    raw = [moment for _, edges in placed for moment in edges] or [0.0]
    outside = position - float(np.clip(position, heard[0], heard[-1]))
    moment = float(np.interp(position, heard, raw)) + outside / sample_rate_hz
    return min(max(moment, 0.0), clock.seconds)

"""Follows the listener: what is heard is compared next, shown if that is wanted, and marked in the strip."""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer, QObject, Slot

from app.audio.player import Playback
from app.audio.track import Segment
from app.diagnostics.panel import DiagnosticsPanel
from app.diagnostics.process.controller import DiagnosticsController
from app.diagnostics.runs.run import DiagnosticsRun
from app.diagnostics.stages.playhead import moment_heard, utterance_heard
from app.diagnostics.stages.utterance_clock import clock_of
from app.speech.controller import SpeechController
from engine.speech import Utterance

LOOK_EVERY_MS = 33


class Following(QObject):
    """Between the speech and the panel; it does nothing while another text is diagnosed than is heard."""

    def __init__(
        self,
        speech: SpeechController,
        controller: DiagnosticsController,
        panel: DiagnosticsPanel,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._speech = speech
        self._controller = controller
        self._panel = panel
        self._told: tuple[DiagnosticsRun, Segment] | None = None
        self._looked = QElapsedTimer()
        self._looked.start()
        speech.player.position_changed.connect(self._on_position)
        speech.player.playback_changed.connect(self._on_playback)
        controller.run_started.connect(self._on_run)

    @Slot(int)
    def _on_position(self, position: int) -> None:
        if self._panel.isVisible() and self._looked.hasExpired(LOOK_EVERY_MS):
            self._look()

    @Slot(object)
    def _on_playback(self, playback: Playback) -> None:
        self._look()

    @Slot(object)
    def _on_run(self, run: DiagnosticsRun) -> None:
        self._look()

    def _look(self) -> None:
        self._looked.restart()
        run, segment = self._panel.live_run, self._segment()
        if run is None or run.request.speech != self._speech.request:
            segment = None
        utterance = utterance_heard(segment, run.utterances) if run is not None else None
        if run is not None and segment is not None:
            self._tell(run, segment)
        to_show = self._panel.controls.to_show
        to_show.follow(utterance.index if utterance is not None and self._panel.run is run else None)
        self._mark(run, segment, utterance)

    def _segment(self) -> Segment | None:
        player = self._speech.player
        heard = player.playback is not Playback.STOPPED
        return self._speech.track.segment_at(player.position) if heard else None

    def _tell(self, run: DiagnosticsRun, segment: Segment) -> None:
        if self._told != (run, segment):
            self._told = (run, segment)
            self._controller.hear(segment.utterance.start)

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

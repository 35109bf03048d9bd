"""Follows the listener: what is heard is compared next, shown if that is wanted, and marked in the strip."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QElapsedTimer, QObject, Slot

from app.audio.player import Playback
from app.audio.track import Segment
from app.diagnostics.panel import DiagnosticsPanel
from app.diagnostics.run_queue import RunQueue
from app.diagnostics.runs.run import DiagnosticsRun
from app.diagnostics.stages.utterance_clock import UtteranceClock, clock_of
from app.speech.controller import SpeechController
from engine.speech import SpokenWord, Utterance

LOOK_EVERY_MS = 33


class Following(QObject):
    """Between the speech and the panel; it does nothing while another text is diagnosed than is heard."""

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
        self._told: tuple[DiagnosticsRun, Segment] | None = None
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
        if run is not None and segment is not None and self._told != (run, segment):
            self._told = (run, segment)
            self._queue.hear(segment.utterance.start)
        to_show = self._panel.to_show
        to_show.follow(utterance.index if utterance is not None and self._panel.run is run else None)
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
    """The utterance of a run that has the beginning of what is heard; None if none has."""
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
    """Seconds into the raw audio at a sample of the track: exact at both ends of every word, straight in between.

    `spoken` are the words of the segment in samples of the track. Before the first and after the last word, time goes
    on at its own pace.
    """
    times = {word.start: clock.edges_of(word) for word in utterance.words}
    placed = [(word, edges) for word in spoken if (edges := times.get(word.start)) is not None]
    heard = [sample for word, _ in placed for sample in (word.start_sample, word.end_sample)] or [segment.start]
    raw = [moment for _, edges in placed for moment in edges] or [0.0]
    outside = position - float(np.clip(position, heard[0], heard[-1]))
    moment = float(np.interp(position, heard, raw)) + outside / sample_rate_hz
    return min(max(moment, 0.0), clock.seconds)

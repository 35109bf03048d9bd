"""From a request to audible speech: the current speech, its track and its player; the engine runs in its own thread."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from app.audio.output import AudioOutput
from app.audio.player import AudioPlayer, Playback
from app.audio.track import AudioTrack
from app.speech.activity import Activity
from app.speech.engine_worker import Ended, Engine, EngineFactory, EngineTask, Report, VoiceLister, voices_here
from app.speech.heard_speech import HeardSpeech
from app.speech.saving import Saving
from app.speech.voice_preview import VoicePreview
from engine.errors import Canceled
from engine.export.export_job import ExportJob, order_of_text
from engine.speech import AudioChunk, PlanEvent, SpeechRequest, Utterance
from engine.text.sentences import sentence_at

NEAR_SECONDS = 2.0
"""The longest stretch of a gap to generate ahead of a requested position in it; beyond it, start at that position."""


class SpeechController(QObject):
    """Plays one text at a time, and generates and writes files while no speech has to be generated.

    A new request stops the previous one immediately, though the engine may notice a moment later. `track_changed` is
    also emitted when the rest of the same track will be generated again.
    """

    activity_changed = Signal(object)
    voices_listed = Signal(object)
    planned = Signal(object)
    track_changed = Signal(object)
    track_grew = Signal()  # or will not grow any further
    utterance_changed = Signal(object)
    failed = Signal(object)
    speech_failed = Signal(object)  # the latest speech, not its device; `failed` is emitted as well
    saved = Signal(object)
    previewed = Signal()

    def __init__(
        self,
        make_engine: EngineFactory,
        output: AudioOutput,
        parent: QObject | None = None,
        list_voices: VoiceLister = voices_here,
    ) -> None:
        super().__init__(parent)
        self.player = AudioPlayer(output, parent=self)
        self.speech = self._before = HeardSpeech()
        self._utterance: Utterance | None = None
        self._activity = Activity()
        self.engine = Engine(make_engine, list_voices, self)
        self.engine.changed.connect(self._update)
        self.engine.voices_listed.connect(self.voices_listed)
        self.engine.failed.connect(self.failed)
        self.engine.worker.reported.connect(self._on_report)
        self.saving = Saving(self.engine.worker, self)
        self.saving.changed.connect(self._update)
        self.saving.saved.connect(self.saved)
        self.saving.failed.connect(self.failed)
        self._preview = VoicePreview(self.player, output, self.engine.worker, self)
        self._preview.changed.connect(self._update)
        self._preview.heard.connect(self.previewed)
        self._preview.failed.connect(self.failed)
        self.player.playback_changed.connect(self._on_playback)
        self.player.position_changed.connect(self._on_position)
        self.player.failed.connect(self.failed)

    @property
    def activity(self) -> Activity:
        """The current activity."""
        return self._activity

    @property
    def track(self) -> AudioTrack:
        """The audio of the latest speech."""
        return self.speech.track

    @property
    def request(self) -> SpeechRequest | None:
        """The request of the latest speech."""
        return self.speech.request

    @property
    def source(self) -> object:
        """The origin of the latest text, as passed to `speak`; None if there was none."""
        return self.speech.source

    @property
    def text(self) -> str:
        """The text of the latest speech."""
        return self.speech.text

    @property
    def playback(self) -> Playback:
        """The playback state of the latest speech."""
        return self.player.playback

    @property
    def heard_to_the_end(self) -> bool:
        """True if all of the latest speech was played, to its end, instead of being stopped."""
        at_end = self.track.whole and self.player.position >= self.track.length
        return at_end and self.player.playback is Playback.STOPPED and not self.speech.left

    @property
    def as_requested(self) -> bool:
        """True if the latest speech is generated entirely with the requested voice, by the present engine."""
        return self.speech.as_asked and not self.speech.superseded

    @Slot()
    def list_voices(self) -> None:
        """List the voices of all models in the background; `voices_listed` carries them."""
        self.engine.list_voices()

    @Slot()
    def prepare(self) -> None:
        """Prepare the engine in the background."""
        self.engine.prepare()

    def change_engine(self, make_engine: EngineFactory) -> None:
        """Switch to a different engine and prepare it in the background; the old one finishes speech in progress."""
        self.speech.superseded = True
        self.engine.change(make_engine)

    def speak(self, request: SpeechRequest, source: object = None) -> None:
        """Generate speech and play it; if it is already being generated, play that.

        `source` is the origin of the text, such as a document, and is stored with the speech.
        """
        self._preview.stop()
        speech = self.speech
        asked_before = (speech.request, speech.source) == (request, source) and not speech.superseded
        if speech.task is None or not asked_before or self.player.playback is Playback.PLAYING:
            self.engine.forget_fallback()
            self._replace_speech(HeardSpeech(request, source))
            self._make_rest()
        self.player.set_speed(request.speed)
        self.player.play()

    def speak_from(self, character: int) -> None:
        """Speak the text of the latest speech from this character on, with its voice, speed and pauses.

        If the character lies ahead of the generated audio, this leaves a gap in the track, which is filled on demand.
        """
        speech, speech_settings = self.speech, self.speech.speech_settings
        if speech_settings is None:
            return
        inside = self.track.lies_ahead(character) and (speech_settings.end is None or character < speech_settings.end)
        if inside and not speech.superseded and not self.saving.holds(speech):
            self._preview.stop()
            self._skip_to(character)
            self.player.play()
        else:
            self.speak(replace(speech_settings, start=character), self.source)

    def hear_from(self, character: int) -> bool:
        """Play from the word at this character of the latest text; if it is not generated, do nothing and return False.

        Generation that was stopped or failed before its end also resumes.
        """
        sample = self.track.sample_of(character)
        if sample is None or self.request is None or character < self.request.start:
            return False
        self.player.seek(sample)
        self.go_on()
        return True

    def adapt(self, voice: str, speed: float, pause_scale: float) -> None:
        """Change the voice, speed and pauses of the current speech, from the next generated sentence on.

        The playback speed changes immediately. A new voice starts with the next sentence to be played. Speech that is
        written to a file stays unchanged.
        """
        self.player.set_speed(speed)
        speech, speech_settings = self.speech, self.speech.speech_settings
        if speech_settings is None or self.saving.holds(speech):
            return
        speech.speech_settings = replace(speech_settings, voice=voice, speed=speed, pause_scale=pause_scale)
        if voice != speech_settings.voice and self.player.playback is not Playback.STOPPED:
            self._cut(self.player.settled)
            self._make_rest()
        elif speech.task is not None and speech.speech_settings != speech_settings:
            self._make_rest()

    def plan_again(self) -> None:
        """Plan the missing part of the speech again, if it is being generated, because pronunciations have changed."""
        if self.speech.task is not None:
            self._make_rest()

    def drop(self, outdated: Collection[Utterance]) -> None:
        """Drop these utterances and those after them; if playback has reached them, its sentence begins again.

        Unless playback is stopped, the dropped part is generated again, with the cached audio of unchanged sentences.
        """
        starts = {utterance.start for utterance in outdated}
        first = min((each.start for each in self.track.segments if each.utterance.start in starts), default=None)
        if first is None or self.speech.speech_settings is None:
            return
        self.speech.cancel()
        playback, here = self.player.playback, self.track.segment_at(self.player.settled)
        self._cut(first)
        if playback is Playback.STOPPED:
            return
        if here is None or here.start < first:
            self._make_rest()
        elif self.track.lies_ahead(here.utterance.start):
            self._skip_to(here.utterance.start)
        else:  # nothing is left
            self._replace_speech(
                HeardSpeech(replace(self.speech.speech_settings, start=here.utterance.start), self.source)
            )
            self._make_rest()
            if playback is Playback.PLAYING:
                self.player.play()

    @Slot()
    def go_on(self) -> None:
        """Resume playback, and the generation of speech that was stopped or failed before its end."""
        if self.speech.task is None and self.track.partial:
            self._make_rest(self.player.position)
        self.player.play()

    def hear_again(self, request: SpeechRequest, track: AudioTrack, source: object = None) -> None:
        """Play speech that was generated before, replacing the latest."""
        self._preview.stop()
        self._replace_speech(HeardSpeech(request, source, track))
        self._update()
        self.player.play()

    def preview(self, request: SpeechRequest, visitor: EngineFactory | None = None) -> None:
        """Play a preview; the speech pauses in the meantime and can be resumed.

        The engine of a `visitor` generates it, if given, else the present one; `previewed` is emitted at its end.
        """
        self._preview.hear(request, visitor or self.engine.worker.present)

    @Slot()
    def pause(self) -> None:
        """Pause immediately."""
        self.player.pause()

    @Slot()
    def stop(self) -> None:
        """Stop generating and playing speech; the generated part can still be played."""
        self._preview.stop()
        self._leave()
        self.track_grew.emit()
        self._update()

    @Slot()
    def clear(self) -> None:
        """Stop and discard the latest speech, because its text was removed."""
        self._preview.stop()
        self._leave()
        self._before = HeardSpeech()
        self._load(self._before)
        self.track_grew.emit()
        self._update()

    def save(self, path: Path, request: SpeechRequest) -> None:
        """Write the speech of this request to a file, generating it first if necessary."""
        self.export(order_of_text(path, request))

    def export(self, order: ExportJob) -> None:
        """Queue an export with the present engine; speech that is already generated is reused."""
        speech = self.speech if self.speech.is_of(order.only_request) else None
        self.saving.add(order, self.engine.worker.present, speech)

    def shut_down(self, timeout_ms: int) -> bool:
        """Stop everything; return whether the engine's thread ended in time."""
        self.saving.cancel_all()
        self._leave()
        self._preview.stop()
        self.player.close()
        return self.engine.shut_down(timeout_ms)

    def _make_rest(self, position: int | None = None) -> None:
        """Generate the rest of the speech with the current settings: at a position, or where the track grew last."""
        task = self.speech.make_rest(self.engine.worker.present, position)
        if task is not None:
            self.engine.worker.start_task(task)
            self._update()

    def _skip_to(self, character: int) -> None:
        """Start generating at a character ahead of the generated audio, and seek to it."""
        self.speech.cancel()
        sample = self.track.skip_to(character)
        self._make_rest()
        self._tell_track()
        self.player.seek(sample)

    def _cut(self, position: int) -> None:
        """Drop the utterances that begin at this sample or later."""
        self.track.cut(position)
        self.player.play_anew()
        self._tell_track()
        self.player.position_changed.emit(self.player.position)

    def _leave(self) -> None:
        """Stop generating and playing the speech, which does not count as its end, even if all of it was played."""
        self.speech.cancel()
        self.speech.left = True
        self.player.stop()

    def _replace_speech(self, speech: HeardSpeech) -> None:
        """Replace the current speech; the one before comes back if the new one yields no audio."""
        self._leave()
        self.speech.position = self.player.position
        if self.track.length:
            self._before = self.speech
        self._load(speech)

    def _load(self, speech: HeardSpeech) -> None:
        self.speech = speech
        self.player.load(speech.track)
        self._tell_track()

    def _tell_track(self) -> None:
        self.track_changed.emit(self.track)
        if self.track.planned.utterances:
            self.planned.emit(self.track.planned)

    @Slot(object, object)
    def _on_report(self, task: EngineTask, report: Report) -> None:
        if task is self.speech.task:
            self._on_speech(report)
            self._update()

    def _on_speech(self, report: Report) -> None:
        gap_count = len(self.track.gaps)
        self.speech.handle_report(report)
        moves = self.track.take_moves()
        for position, by in moves:
            self.player.move(position, by)
        if moves:
            self._tell_track()
        match report:
            case PlanEvent():
                self.planned.emit(self.track.planned)
            case AudioChunk():
                self._before = self.speech  # releases the speech before, which would stay in memory
                self._on_growth()
            case Ended() if len(self.track.gaps) < gap_count:
                self._make_rest()  # the end may not be generated yet
                self._on_growth()
            case Ended(error):
                self._on_failure(error)
                self._on_growth()
        if moves:
            self.player.position_changed.emit(self.player.position)  # a changed track is shown at its start

    def _on_failure(self, error: Exception | None) -> None:
        if error is None or isinstance(error, Canceled):
            return
        if self.player.waiting:  # in a gap, which would be generated again and again
            self.player.pause()
        if not self.track.length:
            self._load(self._before)
            self.player.seek(self.speech.position)
        self.failed.emit(error)
        self.speech_failed.emit(error)

    def _on_growth(self) -> None:
        self.player.tick()
        self._on_position(self.player.position)
        self.track_grew.emit()

    @Slot(object)
    def _on_playback(self, playback: Playback) -> None:
        if playback is Playback.PLAYING:
            self.speech.left = False
        self._on_position(self.player.position)

    @Slot(int)
    def _on_position(self, position: int) -> None:
        segment = self.track.segment_at(position)
        heard = segment is not None and self.player.playback is not Playback.STOPPED
        utterance = segment.utterance if segment is not None and heard else None
        if utterance is not self._utterance:
            self._utterance = utterance
            self.utterance_changed.emit(utterance)
        if self.player.waiting and not (self.speech.task is not None and self.track.grows_at(position)):
            self._fill_gap(position)
        self._update()

    def _fill_gap(self, position: int) -> None:
        """Generate the gap at a position; far from its start, only from the sentence that is expected there."""
        starts = [start for start, end in self.track.gaps if start <= position < end]
        if starts and position - starts[0] > NEAR_SECONDS * self.track.sample_rate_hz:
            character = sentence_at(self.text, self.track.character_expected_at(position))
            if self.track.lies_ahead(character):
                self._skip_to(character)
                return
        self._make_rest(position)

    @Slot()
    def _update(self) -> None:
        activity = replace(
            self.engine.state,
            making=self.speech.task is not None,
            save=self.saving.progress,
            playback=self.player.playback,
            waiting=self.player.waiting,
            previewing=self._preview.active,
            partial=self.track.partial,
            utterance_number=self._utterance_number(),
            utterance_count=self.track.utterance_count,
            made_count=self.track.segment_count,
        )
        if activity != self._activity:
            self._activity = activity
            self.activity_changed.emit(activity)

    def _utterance_number(self) -> int:
        """Return the number of the utterance that is being played, or else generated."""
        if self._utterance is not None and not self.player.waiting:
            return self._utterance.index + 1
        return min(self.track.segment_count + 1, self.track.utterance_count)

"""From a request to audible speech: what is heard, its track and its player; the engine has a thread of its own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from app.audio.output import AudioOutput
from app.audio.player import AudioPlayer, Playback
from app.audio.track import AudioTrack
from app.speech.activity import Activity, Readiness
from app.speech.engine_worker import (
    Ended,
    EngineFactory,
    EngineWorker,
    Report,
    Task,
    Urgency,
    VoiceLister,
    VoicesListed,
    preparing,
    renewing,
    voices_here,
)
from app.speech.heard_speech import HeardSpeech
from app.speech.saving import Saving
from app.speech.voice_preview import VoicePreview
from engine.errors import Cancelled
from engine.export.order import Order, order_of_text
from engine.speech import (
    AudioChunk,
    DeviceEvent,
    FallbackEvent,
    PlanEvent,
    PreparationEvent,
    SpeechRequest,
    Utterance,
)


class SpeechController(QObject):
    """One speech at a time, and files beside it, which are made and written whenever no speech is to be made.

    A new request stops the previous one at once, though the engine may notice a moment later.
    `track_changed` also tells that what comes after some utterance of the same track will be made anew.
    """

    activity_changed = Signal(object)
    voices_listed = Signal(object)
    planned = Signal(object)
    track_changed = Signal(object)
    track_grew = Signal()  # or will not grow any more
    utterance_changed = Signal(object)
    failed = Signal(object)
    speech_failed = Signal(object)  # the latest speech, and nothing else; `failed` tells of that as well
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
        self._engine = self._activity = Activity()  # the one with what is told of the engine alone
        self._list_voices = list_voices
        self._listing: Task | None = None
        self._preparing: Task | None = None
        self._worker = EngineWorker(make_engine, self)
        self._worker.reported.connect(self._on_report)
        self.saving = Saving(self._worker, self)
        self.saving.changed.connect(self._update)
        self.saving.saved.connect(self.saved)
        self.saving.failed.connect(self.failed)
        self._preview = VoicePreview(self.player, output, self._worker, self)
        self._preview.changed.connect(self._update)
        self._preview.heard.connect(self.previewed)
        self._preview.failed.connect(self.failed)
        self.player.playback_changed.connect(self._on_playback)
        self.player.position_changed.connect(self._on_position)
        self.player.failed.connect(self.failed)
        self.player.failed.connect(self.speech_failed)

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
        """What the text of the latest speech was taken from, as it was given; None if nothing was."""
        return self.speech.source

    @property
    def text(self) -> str:
        """The text of the latest speech."""
        return self.request.text if self.request is not None else ""

    @property
    def playback(self) -> Playback:
        """Whether the latest speech is playing."""
        return self.player.playback

    @property
    def heard_to_the_end(self) -> bool:
        """Whether the latest speech has ended by itself, all of it heard, instead of being stopped."""
        at_end = self.track.whole and self.player.position >= self.track.length
        return at_end and self.player.playback is Playback.STOPPED and not self.speech.left

    @Slot()
    def list_voices(self) -> None:
        """List the voices of all models in the background; they come with `voices_listed`."""
        self._listing = self._worker.begin(Task(lambda _: [self._list_voices()], Urgency.AT_ONCE))

    @Slot()
    def prepare(self) -> None:
        """Prepare the engine in the background."""
        self._preparing = self._worker.begin(Task(preparing, Urgency.AT_ONCE, self._worker.present))
        self._engine = replace(self._engine, readiness=Readiness.PREPARING)
        self._update()

    def change_engine(self, make_engine: EngineFactory) -> None:
        """Switch to another engine, which is prepared in the background; speech in progress is made by the old one."""
        if self._preparing is not None:
            self._preparing.cancel.set()
        self.speech.superseded = True
        self._worker.present = make_engine
        self.prepare()

    @Slot()
    def renew_engine(self) -> None:
        """Have the engine take the best modules there are, after all else; a failure shows when it is next needed."""
        self._worker.begin(Task(renewing, Urgency.LAST, self._worker.present))

    def speak(self, request: SpeechRequest, source: object = None) -> None:
        """Make speech and play it; if it is already being made, play that.

        `source` is what the text is taken from, such as a document, and is kept with the speech.
        """
        self._preview.stop()
        speech = self.speech
        asked_before = (speech.request, speech.source) == (request, source) and not speech.superseded
        if speech.task is None or not asked_before or self.player.playback is Playback.PLAYING:
            self._engine = replace(self._engine, fallback="")
            self._replace_speech(HeardSpeech(request, source))
            self._make_rest()
        self.player.set_speed(request.speed)
        self.player.play()

    def speak_from(self, character: int) -> None:
        """Speak the text of the latest speech from this character on, with its voice, speed and pauses."""
        if self.speech.manner is not None:
            self.speak(replace(self.speech.manner, start=character), self.source)

    def hear_from(self, character: int) -> bool:
        """Play from the word at this character of the latest speech's text on; False, and nothing, if it is not made.

        What was stopped or failed before its end is made on, too.
        """
        sample = self.track.words.sample_of(character)
        if sample is None or self.request is None or character < self.request.start:
            return False
        self.player.seek(sample)
        self.go_on()
        return True

    def adapt(self, voice: str, speed: float, pause_scale: float) -> None:
        """Let the speech go on like this: the speed at once, all of it in what is made from the next sentence on.

        With another voice, this is the next sentence that is heard. Speech that is written to a file stays as it is.
        """
        self.player.set_speed(speed)
        speech, manner = self.speech, self.speech.manner
        if manner is None or self.saving.holds(speech):
            return
        speech.manner = replace(manner, voice=voice, speed=speed, pause_scale=pause_scale)
        if voice != manner.voice and self.player.playback is not Playback.STOPPED:
            self._cut()
            self._make_rest()
        elif speech.task is not None and speech.manner != manner:
            self._make_rest()

    @Slot()
    def go_on(self) -> None:
        """Play on; what was stopped or failed before its end is made on, too."""
        if self.speech.task is None and self.track.partial:
            self._make_rest()
        self.player.play()

    def hear_again(self, request: SpeechRequest, track: AudioTrack, source: object = None) -> None:
        """Play speech that was made before, in place of the latest."""
        self._preview.stop()
        self._replace_speech(HeardSpeech(request, source, track))
        self._update()
        self.player.play()

    def preview(self, request: SpeechRequest, visitor: EngineFactory | None = None) -> None:
        """Let this be heard in between; the speech halts meanwhile, and can be played on.

        The engine of a `visitor` makes it, if there is one, else the present one; `previewed` follows at its end.
        """
        self._preview.hear(request, visitor or self._worker.present)

    @Slot()
    def pause(self) -> None:
        """Pause at once."""
        self.player.pause()

    @Slot()
    def toggle_playback(self) -> None:
        """Pause, or resume playing."""
        if self.player.playback is Playback.PLAYING:
            self.player.pause()
        else:
            self.go_on()

    @Slot()
    def stop(self) -> None:
        """Stop playing speech, and making it; what has been made can still be played."""
        self._preview.stop()
        self._leave()
        self.track_grew.emit()
        self._update()

    @Slot()
    def clear(self) -> None:
        """Stop, and forget the latest speech: its text is no longer there."""
        self._preview.stop()
        self._leave()
        self._before = HeardSpeech()
        self._load(self._before)
        self.track_grew.emit()
        self._update()

    def save(self, path: Path, request: SpeechRequest) -> None:
        """Write the speech of this request to a file, making it first if necessary."""
        self.export(order_of_text(path, request))

    def export(self, order: Order) -> None:
        """Carry out an order once those before it are, with the engine there is now; what is made already is used."""
        speech = self.speech if self.speech.is_of(order.only_request) else None
        self.saving.add(order, self._worker.present, speech)

    def shut_down(self, timeout_ms: int) -> bool:
        """Stop everything; return whether the engine's thread ended in time."""
        self.saving.cancel_all()
        self._leave()
        self._preview.stop()
        self.player.close()
        if self._preparing is not None:
            self._preparing.cancel.set()
        return self._worker.shut_down(timeout_ms)

    def _make_rest(self) -> None:
        """Make what is left of the speech in the manner that is wanted by now."""
        task = self.speech.make_rest(self._worker.present)
        if task is not None:
            self._worker.begin(task)
            self._update()

    def _cut(self) -> None:
        """Drop the utterances after the one that is heard."""
        self.track.cut(self.player.settled)
        self.player.play_anew()
        self._tell_track()
        self.player.position_changed.emit(self.player.position)

    def _leave(self) -> None:
        """Make and play no more of the speech, which is not its end, even if nothing of it is left to be heard."""
        self.speech.cancel()
        self.speech.left = True
        self.player.stop()

    def _replace_speech(self, speech: HeardSpeech) -> None:
        """Let another speech be what is heard; the one before comes back if nothing comes of it."""
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
    def _on_report(self, task: Task, report: Report) -> None:
        if task.make_engine is self._worker.present:
            self._on_engine(task, report)
        if task is self.speech.task:
            self._on_speech(report)
        elif task is self._listing or task is self._preparing:
            self._on_setup(task, report)
        self._update()

    def _on_engine(self, task: Task, report: Report) -> None:
        """Note what the present engine tells about itself; what it speaks tells that it is ready."""
        engine = self._engine
        match report:
            case PreparationEvent():
                self._engine = replace(engine, readiness=Readiness.PREPARING, preparation=report)
            case DeviceEvent():
                self._engine = replace(engine, device=report)
            case Ended(error) if error is not None:
                prepares_still = self._preparing is not None and task is not self._preparing
                if engine.readiness is Readiness.PREPARING and not prepares_still:
                    self._engine = replace(engine, readiness=Readiness.FAILED, preparation=None)
            case _:
                given_up = task.cancel.is_set()  # by now it is another speech that is the latest
                fallback = report.message if isinstance(report, FallbackEvent) and not given_up else engine.fallback
                self._engine = replace(engine, readiness=Readiness.READY, preparation=None, fallback=fallback)

    def _on_setup(self, task: Task, report: Report) -> None:
        match report:
            case VoicesListed():
                self.voices_listed.emit(report)
            case Ended(error):
                if task is self._preparing:
                    self._preparing = None
                if error is not None and not task.cancel.is_set():
                    self._engine = replace(self._engine, readiness=Readiness.FAILED, preparation=None)
                    self.failed.emit(error)

    def _on_speech(self, report: Report) -> None:
        self.speech.take(report)
        match report:
            case PlanEvent():
                self.planned.emit(self.track.planned)
            case AudioChunk():
                self._before = self.speech  # what was before need not be kept in memory
                self._on_growth()
            case Ended(error):
                self._on_speech_ended(error)

    def _on_speech_ended(self, error: Exception | None) -> None:
        if error is not None and not isinstance(error, Cancelled):
            if not self.track.length:
                self._load(self._before)
                self.player.seek(self.speech.position)
            self.failed.emit(error)
            self.speech_failed.emit(error)
        self._on_growth()

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
        self._update()

    @Slot()
    def _update(self) -> None:
        activity = replace(
            self._engine,
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
        """The number of the utterance that is heard, or else of the one being made."""
        if self._utterance is not None and not self.player.waiting:
            return self._utterance.index + 1
        return min(self.track.segment_count + 1, self.track.utterance_count)

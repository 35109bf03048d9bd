"""From a request to audible speech: the job in progress, its track and its player; the engine has its own thread."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from app.audio.output import AudioOutput
from app.audio.player import AudioPlayer, Playback
from app.audio.track import AudioTrack
from app.speech.activity import Activity, Readiness
from app.speech.engine_state import EngineState
from app.speech.engine_thread import EngineThread
from app.speech.engine_worker import EngineFactory, VoiceLister, voices_here
from app.speech.heard_speech import HeardSpeech
from app.speech.jobs import (
    JobEvent,
    Prepared,
    VoicesListed,
)
from app.speech.making import Making
from app.speech.saving import Saving
from app.speech.voice_preview import VoicePreview
from engine.export.order import PART_CHARACTERS, Order, order_of_text
from engine.speech import SpeechRequest, Utterance


class SpeechController(QObject):
    """One speech and one file at a time; other files wait for their turn.

    A new request stops the previous one at once, though the engine may notice a moment later. What is made for a file
    goes on, whatever is heard or stopped meanwhile; if it is asked for, it is heard as well, and not made again.
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
        self._engine = EngineState(make_engine=make_engine)
        self._utterance: Utterance | None = None
        self._activity = Activity()
        self._thread = EngineThread(make_engine, list_voices, self)
        self._thread.worker.reported.connect(self._on_event)
        self.saving = Saving(self._thread.worker, self)
        self._making = Making(self._thread, self.saving, self.player, self)
        self._connect_making()
        self.saving.changed.connect(self._update)
        self.saving.ended.connect(self.track_grew)  # speech that was only made for a file grows no more
        self.saving.saved.connect(self.saved)
        self.saving.failed.connect(self.failed)
        self._preview = VoicePreview(self.player, output, self._thread.worker, self)
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
    def speech(self) -> HeardSpeech:
        """The latest speech."""
        return self._making.speech

    @property
    def track(self) -> AudioTrack:
        """The audio of the latest speech."""
        return self._making.speech.track

    @property
    def request(self) -> SpeechRequest | None:
        """The request of the latest speech."""
        return self._making.speech.request

    @property
    def text(self) -> str:
        """The text of the latest speech."""
        return self._making.speech.text

    @property
    def source(self) -> object:
        """What the text of the latest speech was taken from, as it was given; None if nothing was."""
        return self._making.speech.source

    @property
    def playback(self) -> Playback:
        """Whether the latest speech is playing."""
        return self.player.playback

    @property
    def heard_to_the_end(self) -> bool:
        """Whether the latest speech has ended by itself, all of it heard, instead of being stopped."""
        speech, player = self._making.speech, self.player
        at_end = speech.track.whole and player.position >= speech.track.length
        return at_end and player.playback is Playback.STOPPED and not speech.left

    @Slot()
    def list_voices(self) -> None:
        """List the voices of all models in the background; they come with `voices_listed`."""
        self._thread.list_voices()

    @Slot()
    def prepare(self) -> None:
        """Prepare the engine in the background."""
        self._engine = replace(self._engine, readiness=Readiness.PREPARING)
        self._thread.prepare()
        self._update()

    def change_engine(self, make_engine: EngineFactory) -> None:
        """Switch to another engine, which is prepared in the background; speech in progress is made by the old one."""
        self._engine = replace(self._engine, readiness=Readiness.PREPARING, make_engine=make_engine)
        self._making.speech.superseded = True
        self._thread.change(make_engine)
        self._update()

    @Slot()
    def renew_engine(self) -> None:
        """Have the engine take the best modules there are, after the job in progress."""
        self._thread.renew()

    def speak(self, request: SpeechRequest, source: object = None) -> None:
        """Make speech and play it; if it is already being made, play that.

        `source` is what the text is taken from, such as a document, and is kept with the speech.
        """
        self._preview.stop()
        being_made = self._making.is_made_now and (self.request, self.source) == (request, source)
        if not being_made or self.player.playback is Playback.PLAYING:
            self._engine = replace(self._engine, fallback="")
            self._making.begin(request, source)
        self.player.set_speed(request.speed)
        self.player.play()

    def speak_from(self, character: int) -> None:
        """Speak the text of the latest speech from this character on, with its voice, speed and pauses."""
        if self._making.speech.manner is not None:
            self.speak(replace(self._making.speech.manner, start=character), self.source)

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

        With another voice, this is the next sentence that is heard. Speech that is being saved goes on as it is.
        """
        self.player.set_speed(speed)
        speech, manner = self._making.speech, self._making.speech.manner
        if manner is None or self._making.for_file:
            return
        speech.manner = replace(manner, voice=voice, speed=speed, pause_scale=pause_scale)
        if voice != manner.voice and self.player.playback is not Playback.STOPPED:
            self._making.cut()
        elif self._making.job is None or speech.manner == manner:
            return
        self._making.make_rest()

    @Slot()
    def go_on(self) -> None:
        """Play on; what was stopped or failed before its end is made on, too."""
        if self._making.job is None and self.track.partial:
            self._making.make_rest()
        self.player.play()

    def hear_again(self, request: SpeechRequest, track: AudioTrack, source: object = None) -> None:
        """Play speech that was made before, in place of the latest."""
        self._preview.stop()
        self._making.show_made(request, track, source)
        self._update()
        self.player.play()

    def preview(self, request: SpeechRequest, visitor: EngineFactory | None = None) -> None:
        """Let this be heard in between; the speech halts meanwhile, and can be played on.

        The engine of a `visitor` makes it, if there is one, else the present one; `previewed` follows at its end.
        """
        self._preview.hear(request, visitor or self._thread.make_engine, visits=visitor is not None)

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
        """Stop playing speech, and making it unless it is being saved; what has been made can still be played."""
        self._preview.stop()
        self._making.cancel()
        self._making.leave()
        self.track_grew.emit()
        self._update()

    @Slot()
    def clear(self) -> None:
        """Stop, and forget the latest speech: its text is no longer there. What is made for a file is made on."""
        self._preview.stop()
        self._making.clear()
        self.track_grew.emit()
        self._update()

    def save(self, path: Path, request: SpeechRequest) -> None:
        """Write the speech of this request to a file, making it first if necessary."""
        self.export(order_of_text(path, request))

    def export(self, order: Order) -> None:
        """Carry out an order once those before it are, with the engine there is now; what is made already is used."""
        request, making, engine = order.only_request, self._making, self._thread.make_engine
        if making.is_made_now and making.job is not None and making.job.request == request:
            self.saving.add(order, engine, self.track, making.job)
        elif request is not None and making.speech.is_all_of(request):
            self.saving.add(order, engine, self.track)
        elif request is None or len(request.text) > PART_CHARACTERS or self.saving.progress is not None:
            self.saving.add(order, engine)
        else:
            shown = making.job is None and self.player.playback is Playback.STOPPED
            self.saving.add(order, engine, *making.begin_for_file(request, shown=shown))

    @Slot()
    def cancel_save(self) -> None:
        """Leave what is being saved unsaved; the next file has its turn."""
        self.saving.cancel(self._making.job)

    def cancel_order(self, order: Order) -> None:
        """Leave an order unsaved, whether it is carried out already or waits."""
        self.saving.cancel_order(order, self._making.job)

    @Slot()
    def cancel_saves(self) -> None:
        """Leave everything unsaved that is not saved yet."""
        self.saving.cancel_all(self._making.job)

    def shut_down(self, timeout_ms: int) -> bool:
        """Stop everything; return whether the engine's thread ended in time."""
        self.cancel_saves()
        self._making.cancel()
        self._making.leave()
        self._preview.stop()
        self.player.close()
        return self._thread.shut_down(timeout_ms)

    def _connect_making(self) -> None:
        making = self._making
        making.changed.connect(self._update)
        making.planned.connect(self.planned)
        making.track_changed.connect(self.track_changed)
        making.track_grew.connect(self._on_growth)
        making.failed.connect(self.failed)
        making.speech_failed.connect(self.speech_failed)

    @Slot(object)
    def _on_event(self, event: JobEvent) -> None:
        self._engine = self._engine.after(event)
        match event:
            case VoicesListed():
                self.voices_listed.emit(event)
            case Prepared(error) if error is not None and not event.gave_way:
                self.failed.emit(error)
        self._update()

    @Slot()
    def _on_growth(self) -> None:
        self._on_position(self.player.position)
        self.track_grew.emit()

    @Slot(object)
    def _on_playback(self, playback: Playback) -> None:
        if playback is Playback.PLAYING:
            self._making.take_up()
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
        activity = self._current_activity()
        if activity != self._activity:
            self._activity = activity
            self.activity_changed.emit(activity)

    def _current_activity(self) -> Activity:
        return Activity(
            readiness=self._engine.readiness,
            preparation=self._engine.preparation,
            making=self._making.job is not None,
            save=self.saving.progress,
            playback=self.player.playback,
            waiting=self.player.waiting,
            previewing=self._preview.active,
            partial=self.track.partial,
            utterance_number=self._utterance_number(),
            utterance_count=self.track.utterance_count,
            made_count=self.track.segment_count,
            device=self._engine.device,
            fallback=self._engine.fallback,
        )

    def _utterance_number(self) -> int:
        """The number of the utterance that is heard, or else of the one being made."""
        if self._utterance is not None and not self.player.waiting:
            return self._utterance.index + 1
        return min(self.track.segment_count + 1, self.track.utterance_count)

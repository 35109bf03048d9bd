"""Playback state and commands, for any desktop interface that controls players."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from PySide6.QtCore import QObject, Signal, Slot

from app.audio.player import Playback
from app.main_menu import MainMenu
from app.reading.reading import Reading
from app.reading.speaker import OwnText
from app.recent_texts import first_words
from app.speech.controller import SpeechController

MICROSECONDS = 1_000_000
JUMP_SECONDS = 1.0
"""Larger movements between two position updates count as jumps."""


@dataclass(frozen=True)
class NowPlaying:
    """The current track; `number` is unique for each track, and the length is the expected one; 0 before the first."""

    playback: Playback = Playback.STOPPED
    title: str = ""
    number: int = 0
    length_microseconds: int = 0
    can_play: bool = False

    @property
    def can_move(self) -> bool:
        """True if there is anything to seek in."""
        return self.length_microseconds > 0


class PlayerCommand(Enum):
    """The commands of a player; the values are their names in MPRIS."""

    PLAY = "Play"
    PAUSE = "Pause"
    TOGGLE = "PlayPause"
    STOP = "Stop"
    NEXT = "Next"
    PREVIOUS = "Previous"
    SEEK = "Seek"
    GO_TO = "SetPosition"
    RAISE = "Raise"
    QUIT = "Quit"


@dataclass(frozen=True)
class MediaCommand:
    """A command; for seeking, also the offset or position, and for `GO_TO` the track number."""

    command: PlayerCommand
    microseconds: int = 0
    number: int = 0


class Remote(QObject):
    """Connects a desktop's player controls to playback.

    `changed` carries a `NowPlaying`, `position_changed` and, after a jump, `sought` microseconds. `next_requested` and
    `previous_requested` ask for the adjacent sentence.
    """

    changed = Signal(object)
    position_changed = Signal(object)
    sought = Signal(object)
    next_requested = Signal()
    previous_requested = Signal()
    raise_requested = Signal()
    quit_requested = Signal()

    def __init__(self, controller: SpeechController, reading: Reading, menu: MainMenu) -> None:
        super().__init__(menu)
        self._controller, self._player, self._reading = controller, controller.player, reading
        self._play = menu.play
        self._number = 0
        self._position = 0
        self.now = NowPlaying()
        self._actions: dict[PlayerCommand, Callable[[], object]] = {
            PlayerCommand.PLAY: reading.play,
            PlayerCommand.PAUSE: reading.pause,
            PlayerCommand.TOGGLE: reading.toggle,
            PlayerCommand.STOP: reading.stop,
            PlayerCommand.NEXT: self.next_requested.emit,
            PlayerCommand.PREVIOUS: self.previous_requested.emit,
            PlayerCommand.RAISE: self.raise_requested.emit,
            PlayerCommand.QUIT: self.quit_requested.emit,
        }
        controller.track_changed.connect(self._on_track)
        controller.track_grew.connect(self._update)
        controller.activity_changed.connect(self._update)
        self._player.playback_changed.connect(self._update)
        self._player.position_changed.connect(self._on_position)
        menu.play.changed.connect(self._update)
        self._update()

    @Slot(object)
    def handle_command(self, order: MediaCommand) -> None:
        """Execute a command if it is possible now."""
        if order.command is PlayerCommand.SEEK:
            self._go(self._player.position + self._samples(order.microseconds))
        elif order.command is not PlayerCommand.GO_TO:
            self._actions[order.command]()
        elif order.number == self._number:
            self._go(self._samples(order.microseconds))

    @property
    def _title(self) -> str:
        """The title of the current track."""
        spoken = self._reading.spoken
        if spoken is None or isinstance(spoken.owner, OwnText):
            return first_words(self._controller.text)
        return spoken.title

    def _go(self, position: int) -> None:
        self._player.seek(min(max(position, 0), self._controller.track.length))

    @Slot()
    def _on_track(self) -> None:
        self._number += 1
        self._position = 0
        self._update()

    @Slot()
    def _update(self) -> None:
        length = self._microseconds(self._controller.track.expected_length())
        now = NowPlaying(
            playback=self._player.playback,
            title=self._title,
            number=self._number,
            length_microseconds=length,
            can_play=self._play.isEnabled(),
        )
        if now != self.now:
            self.now = now
            self.changed.emit(now)

    @Slot(int)
    def _on_position(self, position: int) -> None:
        moved = position - self._position
        self._position = position
        microseconds = self._microseconds(position)
        self.position_changed.emit(microseconds)
        if not 0 <= moved <= JUMP_SECONDS * self._controller.track.sample_rate_hz:
            self.sought.emit(microseconds)

    def _microseconds(self, samples: int) -> int:
        return samples * MICROSECONDS // (self._controller.track.sample_rate_hz or 1)

    def _samples(self, microseconds: int) -> int:
        return microseconds * self._controller.track.sample_rate_hz // MICROSECONDS

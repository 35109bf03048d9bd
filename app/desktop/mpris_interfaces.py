"""The two interfaces of MPRIS, by which Linux desktops control players, as its specification names everything.

Annotations are evaluated here, since the library takes the types on the bus from them.
"""

from collections.abc import Callable
from typing import Annotated, Any

from dbus_fast import PropertyAccess, Variant
from dbus_fast.annotations import DBusBool, DBusDict, DBusDouble, DBusInt64, DBusObjectPath, DBusSignature, DBusStr
from dbus_fast.service import ServiceInterface, dbus_method, dbus_property, dbus_signal

from app.audio.player import Playback
from app.desktop.desktop_entry import PROGRAM
from app.desktop.remote import Command, MediaCommand, NowPlaying
from engine.system.paths import APPLICATION_NAME

_STATUS = {Playback.PLAYING: "Playing", Playback.PAUSED: "Paused", Playback.STOPPED: "Stopped"}
_TRACKS = "/io/github/kokoro_desk/speech/"
_NO_TRACK = "/org/mpris/MediaPlayer2/TrackList/NoTrack"

Take = Callable[[MediaCommand], None]
Strings = Annotated[list[str], DBusSignature("as")]


def _constant(name: str, kind: Any, value: Any) -> Any:
    """A property that never changes; the library gets it by this name."""

    def getter(self: ServiceInterface) -> Any:
        return value

    getter.__name__ = name
    getter.__annotations__["return"] = kind
    return dbus_property(PropertyAccess.READ)(getter)


def _command(command: Command) -> Any:
    """A method without arguments that asks for this."""

    def method(self: Any) -> None:
        self.take(MediaCommand(command))

    return dbus_method(command.value)(method)


class Application(ServiceInterface):
    """The application as a whole."""

    def __init__(self, take: Take) -> None:
        super().__init__("org.mpris.MediaPlayer2")
        self.take = take

    raise_window = _command(Command.RAISE)
    quit = _command(Command.QUIT)
    CanRaise = _constant("CanRaise", DBusBool, True)
    CanQuit = _constant("CanQuit", DBusBool, True)
    HasTrackList = _constant("HasTrackList", DBusBool, False)
    Identity = _constant("Identity", DBusStr, APPLICATION_NAME)
    DesktopEntry = _constant("DesktopEntry", DBusStr, PROGRAM)
    SupportedUriSchemes = _constant("SupportedUriSchemes", Strings, [])
    SupportedMimeTypes = _constant("SupportedMimeTypes", Strings, [])


class Player(ServiceInterface):
    """What is playing; speed and loudness are not controlled here, so both read as 1."""

    def __init__(self, take: Take) -> None:
        super().__init__("org.mpris.MediaPlayer2.Player")
        self.take = take
        self.now = NowPlaying()
        self.position_microseconds = 0

    def show(self, now: NowPlaying) -> None:
        """Tell what has changed."""
        before, self.now = _properties(self.now), now
        changed = {name: value for name, value in _properties(now).items() if value != before[name]}
        self.emit_properties_changed(changed)

    play = _command(Command.PLAY)
    pause = _command(Command.PAUSE)
    play_pause = _command(Command.TOGGLE)
    stop = _command(Command.STOP)
    next = _command(Command.NEXT)
    previous = _command(Command.PREVIOUS)

    @dbus_method("Seek")
    def seek(self, offset: DBusInt64) -> None:
        """Go so many microseconds forward, or back if negative."""
        self.take(MediaCommand(Command.SEEK, offset))

    @dbus_method("SetPosition")
    def set_position(self, track: DBusObjectPath, position: DBusInt64) -> None:
        """Go to a place of this speech, unless another has begun meanwhile."""
        number = track.removeprefix(_TRACKS)
        if number.isdecimal() and 0 <= position <= self.now.length_microseconds:
            self.take(MediaCommand(Command.GO_TO, position, int(number)))

    @dbus_signal("Seeked")
    def tell_position(self, position: int) -> DBusInt64:
        """Tell that the position has jumped."""
        return position

    @dbus_property(PropertyAccess.READ, "PlaybackStatus")
    def status(self) -> DBusStr:
        """Playing, Paused or Stopped."""
        return _STATUS[self.now.playback]

    @dbus_property(PropertyAccess.READ, "Metadata")
    def metadata(self) -> DBusDict:
        """What is spoken."""
        return _metadata(self.now)

    @dbus_property(PropertyAccess.READ, "Position")
    def position(self) -> DBusInt64:
        """In microseconds."""
        return self.position_microseconds

    @dbus_property(PropertyAccess.READ, "CanPlay")
    def can_play(self) -> DBusBool:
        """Whether there is something to play, or to speak."""
        return self.now.can_play

    @dbus_property(PropertyAccess.READ, "CanPause")
    def can_pause(self) -> DBusBool:
        """Whether there is something to pause."""
        return self.now.can_move

    @dbus_property(PropertyAccess.READ, "CanSeek")
    def can_seek(self) -> DBusBool:
        """Whether there is a place to go to."""
        return self.now.can_move

    @dbus_property(PropertyAccess.READ, "CanGoNext")
    def can_go_next(self) -> DBusBool:
        """Whether there is a sentence to go to."""
        return self.now.can_move

    @dbus_property(PropertyAccess.READ, "CanGoPrevious")
    def can_go_previous(self) -> DBusBool:
        """Whether there is a sentence to go to."""
        return self.now.can_move

    CanControl = _constant("CanControl", DBusBool, True)
    Rate = _constant("Rate", DBusDouble, 1.0)
    MinimumRate = _constant("MinimumRate", DBusDouble, 1.0)
    MaximumRate = _constant("MaximumRate", DBusDouble, 1.0)
    Volume = _constant("Volume", DBusDouble, 1.0)


def _properties(now: NowPlaying) -> dict[str, Any]:
    """All that may change, but for the position, which clients ask for."""
    moves = ("CanPause", "CanSeek", "CanGoNext", "CanGoPrevious")
    return {
        "PlaybackStatus": _STATUS[now.playback],
        "Metadata": _metadata(now),
        "CanPlay": now.can_play,
        **dict.fromkeys(moves, now.can_move),
    }


def _metadata(now: NowPlaying) -> dict[str, Variant]:
    if not now.can_move:
        return {"mpris:trackid": Variant("o", _NO_TRACK)}
    return {
        "mpris:trackid": Variant("o", f"{_TRACKS}{now.number}"),
        "mpris:length": Variant("x", now.length_microseconds),
        "xesam:title": Variant("s", now.title),
        "xesam:artist": Variant("as", [APPLICATION_NAME]),
    }

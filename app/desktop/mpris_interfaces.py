"""The two MPRIS interfaces, by which Linux desktops control players, with the names of the specification.

Annotations are evaluated here, because the library takes the D-Bus types from them.
"""

from collections.abc import Callable
from typing import Annotated, Any

from dbus_fast import PropertyAccess, Variant
from dbus_fast.annotations import DBusBool, DBusDict, DBusDouble, DBusInt64, DBusObjectPath, DBusSignature, DBusStr
from dbus_fast.service import ServiceInterface, dbus_method, dbus_property, dbus_signal

from app.audio.player import Playback
from app.desktop.desktop_entry import PROGRAM
from app.desktop.remote import MediaCommand, NowPlaying, PlayerCommand
from engine.system.paths import APPLICATION_NAME

_STATUS = {Playback.PLAYING: "Playing", Playback.PAUSED: "Paused", Playback.STOPPED: "Stopped"}
_TRACKS = "/io/github/kokoro_desk/speech/"
_NO_TRACK = "/org/mpris/MediaPlayer2/TrackList/NoTrack"

Take = Callable[[MediaCommand], None]
Strings = Annotated[list[str], DBusSignature("as")]


def _constant(name: str, kind: Any, value: Any) -> Any:
    """Return a constant property, which the library registers under this name."""

    def getter(self: ServiceInterface) -> Any:
        return value

    getter.__name__ = name
    getter.__annotations__["return"] = kind
    return dbus_property(PropertyAccess.READ)(getter)


def _command(command: PlayerCommand) -> Any:
    """Return a method without arguments that sends this command."""

    def method(self: Any) -> None:
        self.take(MediaCommand(command))

    return dbus_method(command.value)(method)


class ApplicationInterface(ServiceInterface):
    """The interface of the app as a whole."""

    def __init__(self, take: Take) -> None:
        super().__init__("org.mpris.MediaPlayer2")
        self.take = take

    raise_window = _command(PlayerCommand.RAISE)
    quit = _command(PlayerCommand.QUIT)
    CanRaise = _constant("CanRaise", DBusBool, True)
    CanQuit = _constant("CanQuit", DBusBool, True)
    HasTrackList = _constant("HasTrackList", DBusBool, False)
    Identity = _constant("Identity", DBusStr, APPLICATION_NAME)
    DesktopEntry = _constant("DesktopEntry", DBusStr, PROGRAM)
    SupportedUriSchemes = _constant("SupportedUriSchemes", Strings, [])
    SupportedMimeTypes = _constant("SupportedMimeTypes", Strings, [])


class PlayerInterface(ServiceInterface):
    """The player interface; speed and volume can't be controlled here, so both are 1."""

    def __init__(self, take: Take) -> None:
        super().__init__("org.mpris.MediaPlayer2.Player")
        self.take = take
        self.now = NowPlaying()
        self.position_microseconds = 0

    def show(self, now: NowPlaying) -> None:
        """Publish the changed properties."""
        before, self.now = _properties(self.now), now
        changed = {name: value for name, value in _properties(now).items() if value != before[name]}
        self.emit_properties_changed(changed)

    play = _command(PlayerCommand.PLAY)
    pause = _command(PlayerCommand.PAUSE)
    play_pause = _command(PlayerCommand.TOGGLE)
    stop = _command(PlayerCommand.STOP)
    next = _command(PlayerCommand.NEXT)
    previous = _command(PlayerCommand.PREVIOUS)

    @dbus_method("Seek")
    def seek(self, offset: DBusInt64) -> None:
        """Move forward by an offset in microseconds, or back if it is negative."""
        self.take(MediaCommand(PlayerCommand.SEEK, offset))

    @dbus_method("SetPosition")
    def set_position(self, track: DBusObjectPath, position: DBusInt64) -> None:
        """Move to a position in microseconds, unless a different track has started since."""
        number = track.removeprefix(_TRACKS)
        if number.isdecimal() and 0 <= position <= self.now.length_microseconds:
            self.take(MediaCommand(PlayerCommand.GO_TO, position, int(number)))

    @dbus_signal("Seeked")
    def send_position(self, position: int) -> DBusInt64:
        """Announce a jump of the position."""
        return position

    @dbus_property(PropertyAccess.READ, "PlaybackStatus")
    def status(self) -> DBusStr:
        """The playback status: Playing, Paused or Stopped."""
        return _STATUS[self.now.playback]

    @dbus_property(PropertyAccess.READ, "Metadata")
    def metadata(self) -> DBusDict:
        """The metadata of the current track."""
        return _metadata(self.now)

    @dbus_property(PropertyAccess.READ, "Position")
    def position(self) -> DBusInt64:
        """The position in microseconds."""
        return self.position_microseconds

    @dbus_property(PropertyAccess.READ, "CanPlay")
    def can_play(self) -> DBusBool:
        """True if there is anything to play or to speak."""
        return self.now.can_play

    @dbus_property(PropertyAccess.READ, "CanPause")
    def can_pause(self) -> DBusBool:
        """True if there is anything to pause."""
        return self.now.can_move

    @dbus_property(PropertyAccess.READ, "CanSeek")
    def can_seek(self) -> DBusBool:
        """True if there is a position to move to."""
        return self.now.can_move

    @dbus_property(PropertyAccess.READ, "CanGoNext")
    def can_go_next(self) -> DBusBool:
        """True if there is a sentence to move to."""
        return self.now.can_move

    @dbus_property(PropertyAccess.READ, "CanGoPrevious")
    def can_go_previous(self) -> DBusBool:
        """True if there is a sentence to move to."""
        return self.now.can_move

    CanControl = _constant("CanControl", DBusBool, True)
    Rate = _constant("Rate", DBusDouble, 1.0)
    MinimumRate = _constant("MinimumRate", DBusDouble, 1.0)
    MaximumRate = _constant("MaximumRate", DBusDouble, 1.0)
    Volume = _constant("Volume", DBusDouble, 1.0)


def _properties(now: NowPlaying) -> dict[str, Any]:
    """Return all properties that may change, except the position, which clients poll."""
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

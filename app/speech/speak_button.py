"""The button that is Speak, Pause and Resume in turn, and Stop beside it while there is something to stop."""

from __future__ import annotations

from enum import Enum

from PySide6.QtCore import QSize, Signal, Slot
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QPushButton, QToolButton, QWidget

from app.audio.player import Playback
from app.icons import icon
from app.speech.activity import Activity
from app.theme import LIGHT, Colours

ICON_PIXELS = 18
NARROW_ROOM_PIXELS, USUAL_ROOM_PIXELS = 64, 80
"""For the icon and the space around it and the text."""


class Meaning(Enum):
    """What a click does; the value is the button's text."""

    SPEAK = "Speak"
    SPEAK_SELECTION = "Speak Selection"
    PAUSE = "Pause"
    RESUME = "Resume"


SHORT_SELECTION = "Selection"
_USUAL_TEXTS = ("Speak", "Pause", "Resume")
"""Those that follow one another while somebody listens; the width stays the same."""
_ICONS = {
    Meaning.SPEAK: "speak",
    Meaning.SPEAK_SELECTION: "speak",
    Meaning.PAUSE: "pause",
    Meaning.RESUME: "play",
}


class SpeakButton(QPushButton):
    """Pause while speech is heard or awaited, Resume while it is paused, else Speak."""

    speak_wanted = Signal()
    toggle_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("speak")
        self.setIconSize(QSize(ICON_PIXELS, ICON_PIXELS))
        self._playback = Playback.STOPPED
        self._selection = False
        self._shown = Meaning.SPEAK
        self._short = False
        self._colours = LIGHT
        self.set_short(False)
        self.clicked.connect(self._on_clicked)

    @property
    def meaning(self) -> Meaning:
        """What a click does now."""
        if self._playback is Playback.PLAYING:
            return Meaning.PAUSE
        if self._playback is Playback.PAUSED:
            return Meaning.RESUME
        return Meaning.SPEAK_SELECTION if self._selection else Meaning.SPEAK

    @Slot(object)
    def follow(self, activity: Activity) -> None:
        """Offer what can be done at the moment."""
        self._playback = activity.playback
        if self.meaning is not self._shown:  # activities change often, and drawing takes a moment
            self._show_meaning()

    @Slot(bool)
    def show_selection(self, selection: bool) -> None:
        """Say whether it is a selection that would be spoken."""
        self._selection = selection
        self._show_meaning()

    def set_short(self, short: bool) -> None:
        """Use a shorter text where there is one, and no more room than it needs."""
        self._short = short
        self._show_meaning()
        self.setMinimumWidth(self._width(short=short))

    @property
    def spared_pixels(self) -> int:
        """How much narrower the short one is."""
        return max(0, self.minimumWidth() - max(self._width(short=True), self.minimumSizeHint().width()))

    def set_colours(self, colours: Colours) -> None:
        """Redraw the icon."""
        self._colours = colours
        self._show_meaning()

    def _width(self, *, short: bool) -> int:
        texts = (*_USUAL_TEXTS, SHORT_SELECTION) if short else _USUAL_TEXTS
        room_pixels = NARROW_ROOM_PIXELS if short else USUAL_ROOM_PIXELS
        return room_pixels + max(self.fontMetrics().horizontalAdvance(each) for each in texts)

    def _show_meaning(self) -> None:
        self._shown = meaning = self.meaning
        self.setText(SHORT_SELECTION if self._short and meaning is Meaning.SPEAK_SELECTION else meaning.value)
        self.setAccessibleName(meaning.value)
        self.setToolTip(_tip(meaning))
        self.setIcon(icon(_ICONS[meaning], self._colours.on_accent))

    @Slot()
    def _on_clicked(self) -> None:
        speaks = self.meaning in (Meaning.SPEAK, Meaning.SPEAK_SELECTION)
        (self.speak_wanted if speaks else self.toggle_wanted).emit()


class StopButton(QToolButton):
    """Takes its room also while it is hidden, so that nothing moves; `clicked` is the wish to stop."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("stop")
        self.setAccessibleName("Stop")
        self.setToolTip("Stop speaking (Esc)")
        self.setIconSize(QSize(ICON_PIXELS, ICON_PIXELS))
        policy = self.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.setSizePolicy(policy)
        self.hide()

    @Slot(object)
    def follow(self, activity: Activity) -> None:
        """Be there while something can be stopped."""
        if self.hasFocus() and not activity.can_stop:
            self.focusNextChild()
        self.setVisible(activity.can_stop)

    def set_colours(self, colours: Colours) -> None:
        """Redraw the icon."""
        self.setIcon(icon("stop", colours.accent))


def key_words(keys: str) -> str:
    """A shortcut as this system writes it, such as Ctrl+S or ⌘S."""
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)


def _tip(meaning: Meaning) -> str:
    keys = key_words("Ctrl+Return")
    return {
        Meaning.SPEAK: f"Speak the text ({keys})",
        Meaning.SPEAK_SELECTION: f"Speak what is selected ({keys})",
        Meaning.PAUSE: f"Pause ({key_words('Ctrl+Shift+Return')})",
        Meaning.RESUME: f"Go on speaking ({key_words('Ctrl+Shift+Return')})",
    }[meaning]

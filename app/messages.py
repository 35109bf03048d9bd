"""The messages for failures and notices, with the button for each."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from app.audio.output import AudioDeviceLost, NoAudioDevice
from engine.errors import (
    CompileError,
    DamagedFile,
    DamagedModel,
    DownloadError,
    EngineError,
    MissingModel,
    NothingToSpeak,
    OutputError,
    RecoveryAction,
    StorageError,
    UnknownModel,
    UnknownVoice,
    UnusableDocument,
    UnusableModel,
)
from engine.speech import Notice

MAKING_PART = "Generating this part…"


class MessageAction(Enum):
    """The user's options after a failure; the value is the button's title."""

    TRY_AGAIN = "Try Again"
    COMPILE_AGAIN = "Compile Again"
    EDIT_TEXT = "Edit Text"
    CHOOSE_VOICE = "Choose a Voice"
    SAVE_ELSEWHERE = "Save Elsewhere…"
    SAVE = "Save Audio…"
    PLAY_ON = "Continue"
    SHOW_IN_TEXT = "Show"
    COPY_DETAILS = "Copy Details"
    MODELS = "Models…"
    REMOVE_MODEL = "Remove"
    ADD_REFERENCE = "Add PyTorch"
    CANCEL_OPENING = "Cancel"
    OPEN_ANOTHER = "Open Another…"
    FITTING_VOICE = "Choose a Matching Voice"
    SHOW_NOTICES = "Show All"


class Severity(Enum):
    """The severity of a message."""

    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"


class MessageTopic(Enum):
    """The subject of a message, which is withdrawn once the subject has succeeded or changed."""

    SPEECH = "speech"
    SOUND = "sound"
    FILE = "file"
    TEXT = "text"
    DOCUMENT = "document"
    OPENING = "opening"
    MODEL = "model"
    STORAGE = "storage"
    DIAGNOSTICS = "diagnostics"
    SHARING = "sharing"


@dataclass(frozen=True)
class Message:
    """A sentence or two for the banner.

    `details` are for a tooltip or the clipboard; `span` is a range of the text.
    """

    text: str
    tone: Severity = Severity.ERROR
    action: MessageAction | None = None
    details: str = ""
    span: tuple[int, int] = (0, 0)
    topic: MessageTopic = MessageTopic.SPEECH


_MESSAGE_ACTIONS: dict[type[EngineError], tuple[Severity, MessageAction, MessageTopic]] = {
    NothingToSpeak: (Severity.WARNING, MessageAction.EDIT_TEXT, MessageTopic.TEXT),
    UnknownVoice: (Severity.WARNING, MessageAction.CHOOSE_VOICE, MessageTopic.SPEECH),
    MissingModel: (Severity.ERROR, MessageAction.MODELS, MessageTopic.SPEECH),
    DamagedModel: (Severity.ERROR, MessageAction.MODELS, MessageTopic.SPEECH),
    UnknownModel: (Severity.ERROR, MessageAction.MODELS, MessageTopic.SPEECH),
    DownloadError: (Severity.ERROR, MessageAction.TRY_AGAIN, MessageTopic.SPEECH),
    UnusableModel: (Severity.ERROR, MessageAction.TRY_AGAIN, MessageTopic.SPEECH),
    StorageError: (Severity.ERROR, MessageAction.TRY_AGAIN, MessageTopic.SPEECH),
    DamagedFile: (Severity.ERROR, MessageAction.TRY_AGAIN, MessageTopic.SPEECH),
    CompileError: (Severity.ERROR, MessageAction.TRY_AGAIN, MessageTopic.SPEECH),
    OutputError: (Severity.ERROR, MessageAction.SAVE_ELSEWHERE, MessageTopic.FILE),
    UnusableDocument: (Severity.ERROR, MessageAction.OPEN_ANOTHER, MessageTopic.DOCUMENT),
    NoAudioDevice: (Severity.WARNING, MessageAction.SAVE, MessageTopic.SOUND),
    AudioDeviceLost: (Severity.WARNING, MessageAction.PLAY_ON, MessageTopic.SOUND),
}

_RECOVERY_ADVICE: dict[RecoveryAction, tuple[str, MessageAction | None]] = {
    RecoveryAction.GET_MODEL: (
        "Download or import it under Speech > Models…, or use a different model.",
        MessageAction.MODELS,
    ),
    RecoveryAction.COMPILE_AGAIN: ("It has to be compiled again, which takes a moment.", MessageAction.COMPILE_AGAIN),
    RecoveryAction.INSTALL_AGAIN: ("Reinstall the app.", None),
    RecoveryAction.ADD_LANGUAGE: (
        "This language needs extra packages. Choose a voice in a different language, or see the README to add them.",
        MessageAction.CHOOSE_VOICE,
    ),
    RecoveryAction.ADD_REFERENCE: ("Click Add PyTorch to install it.", MessageAction.ADD_REFERENCE),
    RecoveryAction.OTHER_DEVICE: ("Choose a different one in Settings > Advanced.", None),
    RecoveryAction.EXAMINE: ("Try again; if that doesn’t help, reinstall the app.", MessageAction.TRY_AGAIN),
}
"""The advice in the window for failures whose hint from the engine is a command to type."""


def message_for(error: Exception) -> Message:
    """Return the text and the button for a failure, by its cure, or else by its type or the nearest base class."""
    if not isinstance(error, EngineError):
        details = "".join(traceback.format_exception(error))
        return Message(
            "Something went wrong. To report the problem, click Copy Details.",
            Severity.ERROR,
            MessageAction.COPY_DETAILS,
            details,
        )
    words = describe_failure(error.message, error.hint, error.recovery_action)
    if error.recovery_action is not None:
        return Message(words, Severity.ERROR, _RECOVERY_ADVICE[error.recovery_action][1])
    for kind in type(error).__mro__:
        if kind in _MESSAGE_ACTIONS:
            tone, action, topic = _MESSAGE_ACTIONS[kind]
            return Message(words, tone, action, topic=topic)
    return Message(words)


def describe_failure(message: str, hint: str, recovery_action: RecoveryAction | None) -> str:
    """Describe the failure and the solution in the window."""
    return f"{message} {_RECOVERY_ADVICE[recovery_action][0] if recovery_action is not None else hint}".strip()


def message_for_notices(notices: Sequence[Notice]) -> Message:
    """Return a line about text that could not be spoken as written; the details list every notice."""
    text, details = _first_of([notice.message for notice in notices])
    span = notices[0].start, notices[0].end
    return Message(text, Severity.NOTE, MessageAction.SHOW_IN_TEXT, details, span, MessageTopic.TEXT)


def message_for_document(notices: Sequence[str]) -> Message:
    """Return a line about guesses and omissions in a document; it stays while the document is played."""
    text, details = _first_of(notices)
    action = MessageAction.SHOW_NOTICES if len(notices) > 1 else None
    return Message(text, Severity.NOTE, action, details, topic=MessageTopic.DOCUMENT)


def _first_of(notices: Sequence[str]) -> tuple[str, str]:
    """Return the first notice with the number of the others, and all notices."""
    others = f" And {len(notices) - 1} more." if len(notices) > 1 else ""
    return f"{notices[0]}{others}", "\n".join(notices)

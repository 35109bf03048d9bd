"""Every failure a user can meet, as a type with fields and one sentence that says what to do.

The command line prints the sentence; the window maps the type and its `Cure` to a button.
"""

from __future__ import annotations

from enum import Enum
from pathlib import Path


class Cure(Enum):
    """The remedy for a failure whose hint is a command to type, so that other front ends can word it their own way."""

    GET_MODEL = "get the model"
    COMPILE_AGAIN = "compile again"
    INSTALL_AGAIN = "install the program again"
    ADD_LANGUAGE = "add the language's packages"
    ADD_REFERENCE = "add what is compared with"
    OTHER_DEVICE = "choose another device"
    EXAMINE = "examine the installation"


class EngineError(Exception):
    """A failure with a cause the user can understand and a hint that says what to do.

    `message` is one sentence about what is wrong, `hint` one sentence about what to do; `cure` is the remedy for users
    without a command line, and None if the hint suits them too.
    """

    def __init__(self, message: str, hint: str = "", cure: Cure | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.cure = cure

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class InvalidRequest(EngineError):
    """The request itself cannot be spoken: empty text, a speed out of range, and so on."""


class NothingToSpeak(InvalidRequest):
    """The text has no symbol that can be spoken."""


class UnknownVoice(InvalidRequest):
    """No voice of this name; carries the known ones and the nearest."""

    def __init__(self, name: str, known: tuple[str, ...], nearest: str | None) -> None:
        suggestion = f"Did you mean “{nearest}”? " if nearest else ""
        choices = f"{suggestion}Known voices: {', '.join(known)}." if known else "No voices are installed."
        super().__init__(f"Unknown voice “{name}”.", choices)
        self.name = name
        self.known = known
        self.nearest = nearest


class UnknownModel(InvalidRequest):
    """No model of this name."""


class MissingLanguage(EngineError):
    """A language needs packages that are not installed."""


class MissingReference(EngineError):
    """PyTorch or the original network, which is compared with, is not installed."""


class DamagedFile(EngineError):
    """A file does not match its checksum or cannot be read."""

    def __init__(self, path: Path, message: str, hint: str, cure: Cure | None = None) -> None:
        super().__init__(message, hint, cure)
        self.path = path


class DamagedModel(DamagedFile):
    """A file of an installed model has changed since it was installed."""


class MissingModel(EngineError):
    """The weights of a model are not on this machine."""


class DownloadError(EngineError):
    """A model could not be fetched: no connection, or the hub did not answer as it should."""


class UnusableModel(EngineError):
    """A file is not a checkpoint or voice of the model for which it is imported."""


class StorageError(EngineError):
    """A model cannot be stored: no space, or a folder that cannot be written."""


class CompileError(EngineError):
    """A stage could not be compiled."""


class GpuFailed(EngineError):
    """The GPU failed twice at the same work; the processor can do it instead."""


class OutputError(EngineError):
    """A result could not be written where the user asked."""


class UnusableDocument(EngineError):
    """A document cannot be read: not there, of an unknown kind, or without any text."""


class DamagedDocument(UnusableDocument):
    """A document is not what its name says, or is incomplete."""


class EncryptedDocument(UnusableDocument):
    """A document can be read only with a password or by the shop's own program."""


class OversizedDocument(UnusableDocument):
    """A document is too large, or would take too much memory or time to read."""


class Cancelled(EngineError):
    """The user stopped the request; nothing is wrong."""

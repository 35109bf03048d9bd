"""The failures that a user can encounter, as types with fields and a hint on what to do.

The command line prints the message; the window maps the type and its `RecoveryAction` to a button.
"""

from __future__ import annotations

from enum import Enum
from pathlib import Path


class RecoveryAction(Enum):
    """The remedy for a failure whose hint is a command to type, so that other front ends can word it their own way."""

    GET_MODEL = "get the model"
    COMPILE_AGAIN = "compile again"
    INSTALL_AGAIN = "install the program again"
    ADD_LANGUAGE = "add the language's packages"
    ADD_REFERENCE = "add what is compared with"
    OTHER_DEVICE = "choose another device"
    EXAMINE = "examine the installation"


class EngineError(Exception):
    """A failure whose cause the user can understand.

    `message` is one sentence about what is wrong, `hint` one sentence about what to do; `recovery_action` is the remedy
    for users without a command line, or None if the hint suits them too.
    """

    def __init__(self, message: str, hint: str = "", recovery_action: RecoveryAction | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.recovery_action = recovery_action

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class InvalidRequest(EngineError):
    """An unusable request: empty text, a speed out of range, and so on."""


class NothingToSpeak(InvalidRequest):
    """A text without any symbol that can be spoken."""


class UnknownVoice(InvalidRequest):
    """An unknown voice name, with the known names and the nearest one."""

    def __init__(self, name: str, known: tuple[str, ...], nearest: str | None) -> None:
        suggestion = f"Did you mean “{nearest}”? " if nearest else ""
        choices = f"{suggestion}Known voices: {', '.join(known)}." if known else "No voices are installed."
        super().__init__(f"Unknown voice “{name}”.", choices)
        self.name = name
        self.known = known
        self.nearest = nearest


class UnknownModel(InvalidRequest):
    """An unknown model name."""


class MissingLanguage(EngineError):
    """A missing language: its packages are not installed."""


class MissingReference(EngineError):
    """A missing reference: PyTorch or the original network is not installed."""


class DamagedFile(EngineError):
    """A file that does not match its checksum or cannot be read."""

    def __init__(self, path: Path, message: str, hint: str, recovery_action: RecoveryAction | None = None) -> None:
        super().__init__(message, hint, recovery_action)
        self.path = path


class DamagedModel(DamagedFile):
    """A file of an installed model that has changed since it was installed."""


class MissingModel(EngineError):
    """A model whose weights are not on this machine."""


class DownloadError(EngineError):
    """A failed download of a model: no connection, or an unexpected answer from the hub."""


class UnusableModel(EngineError):
    """A file that is not a checkpoint or voice of the model for which it is imported."""


class StorageError(EngineError):
    """A failure to store a model: no space, or a read-only folder."""


class CompileError(EngineError):
    """A failure to compile a stage."""


class GpuFailed(EngineError):
    """A repeated failure of the GPU at the same work; the CPU can do it instead."""


class OutputError(EngineError):
    """A failure to write a result where the user asked."""


class UnusableDocument(EngineError):
    """A document that cannot be read: missing, of an unknown kind, or without any text."""


class DamagedDocument(UnusableDocument):
    """A document whose content does not match its name, or that is incomplete."""


class EncryptedDocument(UnusableDocument):
    """A document that can be read only with a password or by the shop's own program."""


class OversizedDocument(UnusableDocument):
    """A document that is too large, or would take too much memory or time to read."""


class Canceled(EngineError):
    """The cancellation of a request by the user; nothing is wrong."""

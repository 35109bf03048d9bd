"""The state of a model of the catalogue on this machine."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from engine.model_store.catalogue import ModelEntry


class ModelState(StrEnum):
    """Whether a model can be used; `partial` means that its fetch was interrupted."""

    BUNDLED = "bundled"
    INSTALLED = "installed"
    PARTIAL = "partial"
    ABSENT = "absent"
    DAMAGED = "damaged"


@dataclass(frozen=True)
class ModelStatus:
    """The state of a model of the catalogue on this machine.

    `published` says whether it is the published model, bit for bit, `origin` where it came from; `bytes_here` is its
    disk space, including what was received of a partial one.
    """

    entry: ModelEntry
    state: ModelState
    bytes_here: int = 0
    voices: tuple[str, ...] = ()
    published: bool = False
    origin: str = ""
    problem: str = ""

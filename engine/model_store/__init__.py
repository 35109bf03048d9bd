"""The models a user can have: the catalogue, what is installed, fetching, importing, verifying, removing.

The network itself is `engine.network`.
"""

from engine.model_store.catalogue import ModelEntry, PinnedFile, VoiceEntry
from engine.model_store.progress import Activity, ModelObserver, ModelProgress
from engine.model_store.sources import IMPORTABLE_SUFFIXES
from engine.model_store.store import Installed, ModelState, ModelStatus, ModelStore

__all__ = [
    "IMPORTABLE_SUFFIXES",
    "Activity",
    "Installed",
    "ModelEntry",
    "ModelObserver",
    "ModelProgress",
    "ModelState",
    "ModelStatus",
    "ModelStore",
    "PinnedFile",
    "VoiceEntry",
]

"""The models on this machine as the window needs them: the engine's store, their voices, and making them ready."""

from __future__ import annotations

import threading

from engine.models.installed_voices import ModelVoices, installed_voices
from engine.models.store import ModelStore
from engine.runtime.preparation.files import make_ready
from engine.runtime.preparation.modules import PreparationObserver


class DeskLibrary(ModelStore):
    """Implements `app.models.worker.ModelLibrary`."""

    def voices(self) -> tuple[ModelVoices, ...]:
        """The voices of the models that can speak, the best first."""
        return installed_voices()

    def make_ready(
        self, name: str, device: str, observe: PreparationObserver, cancel: threading.Event | None = None
    ) -> None:
        """Compile the modules of an installed model and pack its weights, in child processes; loads no model."""
        make_ready(name, device, observe, cancel)

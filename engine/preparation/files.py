"""The files that a model needs before it can be loaded, its modules and packed weights: found, or made ahead of time.

Making them loads no model, so one model can be made ready while another one speaks.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from engine.artifacts.manifest import Variant
from engine.artifacts.packed_weights import PackedWeights
from engine.model_store.checkpoints import Checkpoint, open_checkpoint
from engine.preparation.devices import AUTO, DeviceChoice, choose_device
from engine.preparation.lstm_methods import choose_lstm_method
from engine.preparation.module_choice import find_modules
from engine.preparation.modules import PreparationObserver, ensure_modules
from engine.preparation.weights import ensure_weights, find_weights
from engine.speech import Array


@dataclass(frozen=True)
class ModelFiles:
    """The device in use, the folder of its modules, and the weights as they take them."""

    device: str
    modules: Path
    weights: Mapping[str, Array] | PackedWeights = field(repr=False)


def ensure_files(
    checkpoint: Checkpoint, wanted_device: str, observe: PreparationObserver, cancel: threading.Event | None = None
) -> ModelFiles:
    """The files of a checkpoint for this device, made in child processes if they are missing.

    Raises what `choose_device`, `ensure_modules` and `ensure_weights` raise.
    """
    choice, variant = _chosen(checkpoint, wanted_device)
    modules = ensure_modules(checkpoint.name, checkpoint.config, variant, observe, cancel)
    return ModelFiles(choice.device, modules, ensure_weights(checkpoint, modules, observe, cancel))


def make_ready(
    model: str, wanted_device: str, observe: PreparationObserver, cancel: threading.Event | None = None
) -> None:
    """Make the files of a model, so that it can be loaded at once; raises what `ensure_files` and opening it raise."""
    ensure_files(open_checkpoint(model), wanted_device, observe, cancel)


def is_ready(model: str, wanted_device: str = AUTO) -> bool:
    """Whether a model can be loaded at once; raises what opening it and `choose_device` raise."""
    checkpoint = open_checkpoint(model)
    _, variant = _chosen(checkpoint, wanted_device)
    modules = find_modules(checkpoint.config, variant).folder
    return modules is not None and find_weights(checkpoint, modules) is not None


def _chosen(checkpoint: Checkpoint, wanted_device: str) -> tuple[DeviceChoice, Variant]:
    choice = choose_device(wanted_device, checkpoint.config)
    variant, _ = choose_lstm_method(AUTO, checkpoint.config, choice.variant)
    return choice, variant

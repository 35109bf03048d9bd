"""The experiments that another process may ask for, beside a plain validation: `sweep` and `fuzz`."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from typing import Any

from engine.speech import PreparationEvent
from engine.validator.data.experiments import (
    ExperimentRequest,
    FuzzedEvent,
    ProgressEvent,
    ServiceEvent,
    SweepRequest,
    SweptEvent,
    TrialEvent,
)
from engine.validator.data.wire import EXPERIMENTS, Wire
from engine.validator.experiments.fuzz import fuzz_with
from engine.validator.experiments.sweep import sweep_with
from engine.validator.runs.validation import Validator

TOLD = (PreparationEvent, ProgressEvent, TrialEvent)


def experiment_in(command: Mapping[str, Any], wire: Wire) -> ExperimentRequest | None:
    """The experiment that a command asks for, if it does; raises `ValueError` for one that cannot be read."""
    for name, kind in EXPERIMENTS.items():
        if name in command:
            return wire.decode_experiment(json.dumps(command[name]), kind)
    return None


def run_experiment(
    validator: Validator, asked: ExperimentRequest, tell: Callable[[ServiceEvent], None], cancel: threading.Event
) -> None:
    """Do what is asked, with a `SweptEvent` or a `FuzzedEvent` at the end; raises `EngineError` children."""

    def observe(event: ServiceEvent) -> None:
        if isinstance(event, TOLD):
            tell(event)

    if isinstance(asked, SweepRequest):
        tell(SweptEvent(sweep_with(validator, asked.request, asked.paddings, observe, cancel)))
    else:
        found = fuzz_with(validator, asked.request, asked.count, observe, cancel)
        tell(FuzzedEvent(found.utterances, found.within_tolerance, found.worst))

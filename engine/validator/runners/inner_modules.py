"""Modules that show their inner values, built in the background: one stage after the other, each kept for next time."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Self

from engine.artifacts.manifest import Variant
from engine.config import ModelConfig
from engine.runtime.preparation.modules import PreparationObserver, ensure_module
from engine.speech import PreparationEvent
from engine.stages import Stage
from engine.system.durations import duration_words
from engine.system.waiting import POLL_SECONDS, raise_if_set

_START_SECONDS = 6.0
"""What a compiler's process takes to start, until one has been timed."""


class InnerModules:
    """Has the modules of these stages built, in this order, unless they are there; leaving its `with` block ends that.

    `usual_seconds` are what the stages' ordinary modules took to build, by name.
    """

    def __init__(
        self,
        model: str,
        config: ModelConfig,
        variant: Variant,
        stages: Sequence[Stage],
        usual_seconds: Mapping[str, float],
    ) -> None:
        self._stages = tuple(stages)
        self._usual_seconds = usual_seconds
        self._stop = threading.Event()
        self._building: Stage | None = None
        self._pace = 1.0
        self._builder = ThreadPoolExecutor(1)
        ensure = partial(ensure_module, model, config, replace(variant, probed=True))
        self._folders: dict[str, Future[Path]] = {
            stage.name: self._builder.submit(self._ensured, ensure, stage) for stage in self._stages
        }

    def folder(self, stage: Stage, observe: PreparationObserver, cancel: threading.Event | None = None) -> Path:
        """The folder with the module of a stage, once it is there; `observe` is told what is being built meanwhile.

        Raises what `ensure_module` raises, and `Cancelled` soon after `cancel` is set.
        """
        told: Stage | None = None
        while True:
            raise_if_set(cancel)
            if self._building is not told and (told := self._building) is not None:
                observe(self._event(told))
            try:
                folder = self._folders[stage.name].result(timeout=POLL_SECONDS)
            except NotYet:
                continue
            if told is not None:
                observe(PreparationEvent("Compiled", 1, 1))
            return folder

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._builder.shutdown(cancel_futures=True)

    def _ensured(self, ensure: partial[Path], stage: Stage) -> Path:
        started = time.monotonic()

        def begin(_: PreparationEvent) -> None:
            self._building = stage

        folder = ensure(stage.name, begin, self._stop)
        if self._building is stage:
            self._pace = (time.monotonic() - started) / self._expected(stage)
        return folder

    def _event(self, stage: Stage) -> PreparationEvent:
        """What is being built, and how long this and the rest may take."""
        place = self._stages.index(stage)
        seconds = self._pace * sum(self._expected(later) for later in self._stages[place:])
        left = duration_words(seconds)
        return PreparationEvent(
            f"Compiling inner values of {stage.title.lower()}, {left} left", place, len(self._stages)
        )

    def _expected(self, stage: Stage) -> float:
        return _START_SECONDS + self._usual_seconds.get(stage.name, 0.0)

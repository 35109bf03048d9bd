"""Prepares the shared data of a benchmark: weights, arrays, exported stages, the amount of arithmetic per stage.

It runs in a separate process, because it loads torch and the compiler.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from safetensors.numpy import save_file

from engine.benchmark.job import BenchmarkJob, Length, onnx_folder, utterance_path, weights_path
from engine.benchmark.peer_runners import our_runner
from engine.benchmark.utterances import make_utterance, save_utterance
from engine.models.checkpoints import open_checkpoint
from engine.network.weights import load_weights
from engine.stages import DEVICE_STAGES

WEIGHTS, ARRAYS, EXPORT, COUNT = "weights", "arrays", "export", "count"


class Preparing:
    """Answers `weights`, `arrays`, `export` and `count`, each with its results, if any."""

    def __init__(self, job: BenchmarkJob, folder: Path) -> None:
        self._job = job
        self._folder = folder

    def answer(self, question: str, details: Mapping[str, Any]) -> dict[str, Any]:
        """See `Role.answer`."""
        if question == WEIGHTS:
            return self._write_weights()
        if question == ARRAYS:
            return self._make_arrays([Length(**length) for length in details["lengths"]])
        if question == EXPORT:
            return self._export()
        if question == COUNT:
            return {"flop": self._count(details["lengths"])}
        raise ValueError(question)

    def _write_weights(self) -> dict[str, Any]:
        weights = open_checkpoint(self._job.model, self._job.weights).load_weights()
        save_file(weights, weights_path(self._folder))
        return {"bytes": sum(array.nbytes for array in weights.values())}

    def _make_arrays(self, lengths: Sequence[Length]) -> dict[str, Any]:
        with closing(our_runner(self._job.on_processor)) as runner:
            for length in lengths:
                values = make_utterance(self._job.config, length, runner)
                save_utterance(utterance_path(self._folder, length.frames), values)
        return {}

    def _export(self) -> dict[str, Any]:
        from engine.network.onnx_export import export_to_onnx  # loads torch

        started = time.perf_counter()
        onnx_folder(self._folder).mkdir()
        weights = load_weights(weights_path(self._folder))
        export_to_onnx(self._job.config, weights, DEVICE_STAGES, onnx_folder(self._folder))
        return {"seconds": time.perf_counter() - started}

    def _count(self, lengths: list[dict[str, int]]) -> list[dict[str, float]]:
        """Return the floating-point operations of every stage at each of these lengths."""
        from engine.benchmark.estimate.counting import RunSizes, needed_flop  # loads torch and tvm

        return needed_flop(DEVICE_STAGES, [RunSizes(self._job.config, 1, length) for length in lengths])

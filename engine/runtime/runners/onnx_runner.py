"""Runs stages, or a whole model, in ONNX Runtime on the CPU; the package onnxruntime is optional."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import onnxruntime

from engine.runtime.runners.base import named_outputs
from engine.speech import Array
from engine.stages import Stage

_PROVIDERS = ["CPUExecutionProvider"]
_STOP_SPINNING = "session.force_spinning_stop"
_ERRORS_ONLY = 3


class OnnxRunner:
    """Runs the stages in the files `STAGE.onnx` of `folder`, on `threads` threads, with all optimizations.

    Threads wait for each other by spinning, ONNX Runtime's default, but stop at the end of a run.
    """

    def __init__(self, folder: Path, threads: int) -> None:
        self._sessions = {path.stem: _session(path, threads) for path in sorted(folder.glob("*.onnx"))}

    def run_stage(self, stage: Stage, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """See `Runner.run_stage`; the inputs are not checked."""
        session = self._sessions[stage.name]
        given = {node.name: inputs[node.name] for node in session.get_inputs()}
        return named_outputs(stage, session.run([tensor.name for tensor in stage.outputs], given))

    def close(self) -> None:
        """Release the sessions."""
        self._sessions.clear()


class WholeOnnxModel:
    """A model in one file, in kokoro-onnx's format: it predicts the durations itself, and has no stages."""

    def __init__(self, path: Path, threads: int) -> None:
        self._session = _session(path, threads)

    def speak_tokens(self, tokens: Array, style: Array, speed: float) -> Array:
        """Return the audio [samples] of tokens [1, tokens] and a style [1, timbre and prosody].

        A higher speed gives shorter audio.
        """
        given = {"tokens": tokens.astype(np.int64), "style": style, "speed": np.array([speed], np.float32)}
        audio: Array = self._session.run(None, given)[0]
        return audio.reshape(-1)


def _session(path: Path, threads: int) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = _ERRORS_ONLY
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.add_session_config_entry(_STOP_SPINNING, "1")
    return onnxruntime.InferenceSession(str(path), options, providers=_PROVIDERS)

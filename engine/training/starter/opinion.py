"""DNSMOS: the opinion score that a network of Microsoft's gives to speech, from the package `speechmos`."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.signal import resample_poly

from engine.errors import EngineError

OPINION_RATE_HZ = 16_000
WINDOW_SAMPLES = 144_160
"""What the network hears at once, 9.01 seconds; shorter speech is repeated, as DNSMOS prescribes."""
MODEL_PATH = Path("dnsmos_models") / "sig_bak_ovr.onnx"
OVERALL = -1
"""The last of its three outputs: signal, background, overall."""
OVERALL_POLYNOMIAL = (-0.06766283, 1.11546468, 0.04602535)
"""From the network's output to the scale from 1 to 5 (DNSMOS P.835), highest power first."""


class OpinionScore:
    """One DNSMOS network; raises `EngineError` with the installing command when a package is missing."""

    def __init__(self) -> None:
        found = importlib.util.find_spec("speechmos")
        if found is None or not found.submodule_search_locations or importlib.util.find_spec("onnxruntime") is None:
            raise EngineError(
                "The DNSMOS models are not installed.",
                "Install them in the program's folder with .venv/bin/python -m pip install '.[train]'.",
            )
        import onnxruntime

        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = 1
        path = Path(found.submodule_search_locations[0]) / MODEL_PATH
        self._session: Any = onnxruntime.InferenceSession(str(path), settings, providers=["CPUExecutionProvider"])

    def overall(self, samples: npt.NDArray[np.float32], sample_rate_hz: int) -> float:
        """The overall score, from 1 (bad) to 5 (excellent), of the first nine seconds."""
        divisor = int(np.gcd(OPINION_RATE_HZ, sample_rate_hz))
        audio = resample_poly(samples, OPINION_RATE_HZ // divisor, sample_rate_hz // divisor)
        window = np.resize(audio, WINDOW_SAMPLES).astype(np.float32)[None]
        outputs = self._session.run(None, {self._session.get_inputs()[0].name: window})[0]
        return float(np.polyval(OVERALL_POLYNOMIAL, outputs[0, OVERALL]))

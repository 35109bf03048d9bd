"""A measurement of given numbers."""

from engine.benchmark.job import BenchmarkJob, Length
from engine.benchmark.measurement import CommandFigures, LengthMeasurement, Measurement, ProcessFigures, SpeechFigures
from engine.benchmark.peer_runners import WHOLE_MODEL
from engine.benchmark.peers import (
    KOKORO_ONNX_INT8,
    ONNX_RUNTIME,
    OPENVINO_BFLOAT16,
    OURS,
    OURS_ON_PROCESSOR,
    PYTORCH,
)

ROUNDS = (
    {
        OURS: {"bert": 0.010, "decoder": 0.100, "istft": 0.002},
        PYTORCH: {"bert": 0.030, "decoder": 0.300, "istft": 0.004},
        ONNX_RUNTIME: {"bert": 0.008, "decoder": 0.250, "istft": 0.003},
    },
    {
        OURS: {"bert": 0.020, "decoder": 0.200, "istft": 0.002},
        PYTORCH: {"bert": 0.030, "decoder": 0.500, "istft": 0.004},
        ONNX_RUNTIME: {"bert": 0.016, "decoder": 0.400, "istft": 0.003},
    },
    {
        OURS: {"bert": 0.010, "decoder": 0.100, "istft": 0.002},
        PYTORCH: {"bert": 0.030, "decoder": 0.300, "istft": 0.004},
        ONNX_RUNTIME: {"bert": 0.007, "decoder": 0.240, "istft": 0.003},
    },
)
FLOP = {"bert": 1e9, "decoder": 40e9, "istft": 0.0}


def at(seconds: float = 2.0, rounds=ROUNDS) -> LengthMeasurement:
    return LengthMeasurement(Length(round(40 * seconds), 27, seconds), rounds, FLOP)


def alone() -> LengthMeasurement:
    return at(rounds=tuple({OURS: one[OURS]} for one in ROUNDS))


def beside_a_gpu() -> LengthMeasurement:
    """Return a measurement in which our modules take five times as long on the CPU."""
    return at(
        rounds=tuple(
            {OURS: one[OURS], OURS_ON_PROCESSOR: {stage: 5 * seconds for stage, seconds in one[OURS].items()}}
            for one in ROUNDS
        )
    )


def with_lossy_peers() -> LengthMeasurement:
    """Return a measurement in which lossy peers take the least time; one of them is a whole model, without stages."""
    lossy = {
        OPENVINO_BFLOAT16: {"bert": 0.001, "decoder": 0.001, "istft": 0.001},
        KOKORO_ONNX_INT8: {WHOLE_MODEL: 0.056},
    }
    return at(rounds=tuple({**one, **lossy} for one in ROUNDS))


def measurement(**changes) -> Measurement:
    figures = {
        "job": BenchmarkJob("kokoro-82m", "random:0", 2),
        "lengths": (at(2.0), at(10.0)),
        "processes": {
            OURS: ProcessFigures(1.5, 0.2, 700_000_000, 0.001),
            PYTORCH: ProcessFigures(4.5, 0.9, 1_500_000_000, 0.002),
            ONNX_RUNTIME: ProcessFigures(2.5, 0.8, 900_000_000, 0.003),
        },
        "peak_flop_per_second": 200e9,
        "speech": SpeechFigures(0.04, 0.4, 2.25, {1: 0.03, 3000: 0.4}),
        "commands": (CommandFigures("Hello world.", 1.56, 2.5, 560_000_000),),
        "compile_seconds": {"bert": 5.0, "decoder": 30.5},
        "modules": "shipped for x86-64-v3 CPUs; not built here yet",
        "export_seconds": 12.0,
        "left_out": {"torch-compile": "torch.compile needs a C++ compiler (g++)"},
    }
    return Measurement(**{**figures, **changes})

"""An estimate as plain values for JSON; every block of figures says that it was estimated or counted.

It does not know how figures come about.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from engine.benchmark.assumptions import ASSUMPTIONS, NOT_MODELLED
from engine.benchmark.chips import RECORDS_SOURCE, record_of
from engine.benchmark.estimate import DECODER, LABEL, ChipEstimate, Estimate, TimedKernel
from engine.benchmark.roofline import KernelTime
from engine.compiler.kernel_work import KernelWork, StageWork

COUNTED = "counted in the compiled modules, not measured"
KINDS: dict[str, Callable[[KernelTime], float]] = {
    "roofline": lambda time: time.roofline_seconds,
    "estimate": lambda time: time.estimate_seconds,
    "pessimistic": lambda time: time.pessimistic_seconds,
}
"""The kinds of time by name."""


def as_data(estimate: Estimate) -> dict[str, Any]:
    """All counts, times and assumptions."""
    return {
        "basis": LABEL,
        "target": "metal",
        "model": estimate.model,
        "utterance": asdict(estimate.utterance),
        "counts": {
            "basis": COUNTED,
            "dispatches": estimate.dispatches,
            "useful_flop": estimate.useful_flop,
            "stages": [_stage(stage, estimate.utterance.seconds) for stage in estimate.stages],
        },
        "chips": [_chip(estimate, chip) for chip in estimate.chips],
        "records_source": RECORDS_SOURCE,
        "assumptions": [asdict(assumption) for assumption in ASSUMPTIONS],
        "not_modelled": list(NOT_MODELLED),
    }


def milliseconds_per_second(estimate: Estimate, chip: ChipEstimate, kind: str, stage: str | None = None) -> float:
    """Of audio, in a stage or all."""
    return chip.seconds(KINDS[kind], stage) * 1e3 / estimate.utterance.seconds


def _stage(stage: StageWork, seconds: float) -> dict[str, Any]:
    kernels = stage.kernels
    flop = sum(kernel.work.flop for kernel in kernels)
    compulsory = sum(kernel.compulsory_bytes for kernel in kernels)
    return {
        "basis": COUNTED,
        "stage": stage.stage,
        "dispatches": len(kernels),
        "flop": flop,
        "useful_flop": stage.useful_flop,
        "compulsory_bytes": compulsory,
        "flop_per_audio_second": flop / seconds,
        "compulsory_bytes_per_audio_second": compulsory / seconds,
        "kernels": [_kernel(kernel) for kernel in kernels],
    }


def _kernel(kernel: KernelWork) -> dict[str, Any]:
    work = asdict(kernel.work)
    return {
        "kernel": kernel.name,
        "output": list(kernel.output),
        "groups": kernel.groups,
        "threads": kernel.threads,
        **work,
        "compulsory_bytes": kernel.compulsory_bytes,
        "useful_flop": kernel.useful_flop,
        "waste": kernel.waste,
    }


def _chip(estimate: Estimate, chip: ChipEstimate) -> dict[str, Any]:
    return {
        "basis": LABEL,
        **asdict(chip.chip),
        "peak_flop_per_second": chip.chip.flop_per_second,
        "milliseconds_per_audio_second": _times(estimate, chip),
        "decoder_milliseconds_per_audio_second": _times(estimate, chip, DECODER),
        "record_milliseconds_per_audio_second": record_of(estimate.model, chip.chip),
        "record_share_of_peak": estimate.record_share_of_peak(chip.chip),
        "stages": [
            {
                "basis": LABEL,
                "stage": stage.stage,
                "milliseconds_per_audio_second": _times(estimate, chip, stage.stage),
                "bound_by": chip.bound_by(stage.stage).value,
            }
            for stage in estimate.stages
        ],
        "kernels": {"basis": LABEL, "dispatches": [_timed(timed) for timed in chip.kernels]},
    }


def _times(estimate: Estimate, chip: ChipEstimate, stage: str | None = None) -> dict[str, float]:
    return {kind: milliseconds_per_second(estimate, chip, kind, stage) for kind in KINDS}


def _timed(timed: TimedKernel) -> dict[str, Any]:
    seconds = {f"{kind}_seconds": of(timed.time) for kind, of in KINDS.items()}
    return {"stage": timed.stage, "kernel": timed.kernel.name, **seconds, "bound_by": timed.time.bound_by.value}

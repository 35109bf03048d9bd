"""An estimate as plain values for JSON and as tables; each block of figures says if it was estimated or counted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from engine.estimate.chips import ASSUMPTIONS, M1, M2_ULTRA_60, NOT_MODELLED, RECORDS_SOURCE, record_of
from engine.estimate.roofline import KernelTime
from engine.estimate.utterance_estimate import DECODER, LABEL, ChipEstimate, Estimate, TimedKernel
from engine.estimate.work import KernelWork, StageWork

COUNTED = "counted in the compiled modules, not measured"
KINDS: dict[str, Callable[[KernelTime], float]] = {
    "roofline": lambda time: time.roofline_seconds,
    "estimate": lambda time: time.estimate_seconds,
    "pessimistic": lambda time: time.pessimistic_seconds,
}
"""How each kind of time is read, by its name."""


def to_dict(estimate: Estimate) -> dict[str, Any]:
    """All counts, times and assumptions, as plain values for `json.dump`."""
    length = estimate.length
    return {
        "basis": LABEL,
        "target": "metal",
        "model": estimate.model,
        "utterance": {"seconds": length.seconds, "frames": length.frames, "tokens": length.tokens},
        "counts": {
            "basis": COUNTED,
            "dispatches": estimate.dispatches,
            "useful_flop": estimate.useful_flop,
            "stages": [_stage(stage, length.seconds) for stage in estimate.stages],
        },
        "chips": [_chip(estimate, chip) for chip in estimate.chips],
        "records_source": RECORDS_SOURCE,
        "assumptions": [asdict(assumption) for assumption in ASSUMPTIONS],
        "not_modelled": list(NOT_MODELLED),
    }


def milliseconds_per_second(estimate: Estimate, chip: ChipEstimate, kind: str, stage: str | None = None) -> float:
    """Estimated milliseconds per second of audio, of one stage or all."""
    return chip.seconds(KINDS[kind], stage) * 1e3 / estimate.length.seconds


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


SHOWN_KERNELS = 16
SHOWN_IN_DETAIL = (M1, M2_ULTRA_60)
_MEGA, _GIGA = 1e6, 1e9


def to_text(estimate: Estimate) -> str:
    """The tables of an estimate, their lines separated by line ends."""
    return "\n".join(_lines(estimate))


def _lines(estimate: Estimate) -> Iterator[str]:
    length = estimate.length
    yield f"Metal, {LABEL}: {estimate.model}, one utterance of {length.seconds:g} s of audio"
    yield f"({length.frames} frames, {length.tokens} tokens), float32; {estimate.dispatches} dispatches in all."
    yield from ("", f"Work, {COUNTED}", *_work_table(estimate))
    yield from ("", f"Milliseconds per second of audio, {LABEL}", *_chip_table(estimate))
    yield f"Record: {RECORDS_SOURCE}."
    for chip in (chip for chip in estimate.chips if chip.chip in SHOWN_IN_DETAIL):
        yield from ("", f"{chip.chip.name}, milliseconds per second of audio, {LABEL}", *_stage_table(estimate, chip))
        yield from ("", f"{chip.chip.name}, the longest kernels, {LABEL}", *_kernel_table(estimate, chip))
    yield from ("", "Chips", *(_chip_line(chip) for chip in estimate.chips))
    yield from ("", f"Assumptions of what is {LABEL}")
    yield from (f"  {item.value:g}: {item.meaning}; {item.source}" for item in ASSUMPTIONS)
    yield from (f"  not in it: {item}" for item in NOT_MODELLED)


def _work_table(estimate: Estimate) -> Iterator[str]:
    yield f"  {'stage':<14}{'dispatches':>11}{'GFLOP':>9}{'useful':>9}{'per second':>12}{'MB at least':>13}"
    for stage in estimate.stages:
        yield _work_line(stage, estimate.length.seconds)


def _work_line(stage: StageWork, seconds: float) -> str:
    flop = sum(kernel.work.flop for kernel in stage.kernels) / _GIGA
    megabytes = sum(kernel.compulsory_bytes for kernel in stage.kernels) / _MEGA
    return (
        f"  {stage.stage:<14}{len(stage.kernels):>11}{flop:>9.2f}{stage.useful_flop / _GIGA:>9.2f}"
        f"{flop / seconds:>12.2f}{megabytes:>13.1f}"
    )


def _chip_table(estimate: Estimate) -> Iterator[str]:
    yield f"  {'':<20}{'decoder':>31}{'all stages':>33}"
    kinds = f"{'roofline':>11}{'estimate':>10}{'pessimist':>11}"
    yield f"  {'chip':<19}{kinds} {kinds}{'record':>9}{'= of peak':>11}"
    for chip in estimate.chips:
        record, share = record_of(estimate.model, chip.chip), estimate.record_share_of_peak(chip.chip)
        known = f"{record:>9.1f}{share:>10.0%}" if record and share else f"{'-':>9}{'-':>10}"
        yield f"  {chip.chip.name:<19}{_times_line(estimate, chip, DECODER)} {_times_line(estimate, chip)}{known}"


def _times_line(estimate: Estimate, chip: ChipEstimate, stage: str | None = None) -> str:
    roofline, likely, pessimistic = (
        milliseconds_per_second(estimate, chip, kind, stage) for kind in ("roofline", "estimate", "pessimistic")
    )
    return f"{roofline:>11.2f}{likely:>10.2f}{pessimistic:>11.2f}"


def _stage_table(estimate: Estimate, chip: ChipEstimate) -> Iterator[str]:
    total = milliseconds_per_second(estimate, chip, "estimate")
    for stage in estimate.stages:
        own = milliseconds_per_second(estimate, chip, "estimate", stage.stage)
        yield f"  {stage.stage:<14}{own:>8.2f}{own / total:>6.0%}  bound by {chip.bound_by(stage.stage).value}"


def _kernel_table(estimate: Estimate, chip: ChipEstimate) -> Iterator[str]:
    """One line for all dispatches of a kernel with outputs of one shape."""
    groups: dict[tuple[str, str, tuple[int, ...]], list[TimedKernel]] = defaultdict(list)
    for timed in chip.kernels:
        groups[timed.stage, timed.kernel.name, timed.kernel.output].append(timed)
    total = sum(_seconds(group) for group in groups.values())
    for group in sorted(groups.values(), key=_seconds, reverse=True)[:SHOWN_KERNELS]:
        first, own = group[0], _seconds(group)
        waste = "" if first.kernel.waste is None else f"waste {first.kernel.waste:.2f}"
        name = f"{first.stage}: {first.kernel.name} {list(first.kernel.output)}"
        yield (
            f"  {name:<58.58}{len(group):>3} x {own * 1e3 / estimate.length.seconds:>7.2f}{own / total:>6.1%}"
            f"  {waste:<11} {first.time.bound_by.value}"
        )


def _seconds(group: Sequence[TimedKernel]) -> float:
    return sum(timed.time.estimate_seconds for timed in group)


def _chip_line(chip: ChipEstimate) -> str:
    gpu = chip.chip
    return (
        f"  {gpu.name}: {gpu.cores} cores at {gpu.clock_ghz:g} GHz = {gpu.flop_per_second / 1e12:.1f} TFLOP/s "
        f"in float32, {gpu.bandwidth_gb_per_second:g} GB/s; {gpu.source}"
    )

"""An estimate as plain values for JSON and as tables; each block of figures says if it was estimated or counted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from engine.estimate.chips import ASSUMPTIONS, M1, M2_ULTRA, NOT_MODELLED, RANGES, RECORDS_SOURCE, End, record_of
from engine.estimate.roofline import KernelTime
from engine.estimate.utterance_estimate import DECODER, LABEL, ChipEstimate, Estimate, TimedKernel
from engine.estimate.work import KernelWork, StageWork

COUNTED = "counted in the compiled modules, not measured"
KINDS: dict[str, Callable[[KernelTime], float]] = {
    "roofline": lambda time: time.roofline_seconds,
    End.FAST.value: lambda time: time.fast_seconds,
    End.SLOW.value: lambda time: time.slow_seconds,
}
"""How each kind of time is read, by its name: the bound, and the two ends of the band."""


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
            "executed_flop": estimate.executed_flop,
            "useful_flop": estimate.useful_flop,
            "stages": [_stage(stage, length.seconds) for stage in estimate.stages],
        },
        "chips": [_chip(estimate, chip) for chip in estimate.chips],
        "records_source": RECORDS_SOURCE,
        "assumed_ranges": [asdict(assumed) for assumed in RANGES],
        "assumptions": [asdict(assumption) for assumption in ASSUMPTIONS],
        "not_modelled": list(NOT_MODELLED),
    }


def milliseconds_per_second(estimate: Estimate, chip: ChipEstimate, kind: str, stage: str | None = None) -> float:
    """Estimated milliseconds per second of audio, of one stage or all."""
    return chip.seconds(KINDS[kind], stage) * 1e3 / estimate.length.seconds


def share_of_record(estimate: Estimate, chip: ChipEstimate) -> float | None:
    """The slow end of the band as a share of the published record, None if none is published."""
    record = record_of(estimate.model, chip.chip)
    return None if record is None else milliseconds_per_second(estimate, chip, End.SLOW) / record


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
        "slow_end_as_share_of_record": share_of_record(estimate, chip),
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
SHOWN_IN_DETAIL = (M1, M2_ULTRA)
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
    yield "  The band is what the published ranges below give, from their fast to their slow ends."
    yield f"Record: {RECORDS_SOURCE}."
    for chip in (chip for chip in estimate.chips if chip.chip in SHOWN_IN_DETAIL):
        name = chip.chip.name
        yield from ("", f"{name}, milliseconds per second of audio, {LABEL}", *_stage_table(estimate, chip))
        yield from ("", f"{name}, the longest kernels at the slow end, {LABEL}", *_kernel_table(estimate, chip))
    yield from ("", "Chips", *(_chip_line(chip) for chip in estimate.chips))
    yield from ("", f"Assumptions of what is {LABEL}")
    yield from (f"  {item.fast:g} to {item.slow:g}: {item.meaning}; {item.source}" for item in RANGES)
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
    yield f"  {'':<19}{'decoder':>27}{'all stages':>28}"
    kinds = f"{'roofline':>11}{'band':>16}"
    yield f"  {'chip':<19}{kinds} {kinds}{'record':>9}{'slow end / record':>19}"
    for chip in estimate.chips:
        record, share = record_of(estimate.model, chip.chip), share_of_record(estimate, chip)
        known = f"{record:>9.1f}{share:>19.2f}" if record and share else f"{'-':>9}{'-':>19}"
        yield f"  {chip.chip.name:<19}{_times_line(estimate, chip, DECODER)} {_times_line(estimate, chip)}{known}"


def _times_line(estimate: Estimate, chip: ChipEstimate, stage: str | None = None) -> str:
    roofline, band = milliseconds_per_second(estimate, chip, "roofline", stage), _band(estimate, chip, stage)
    return f"{roofline:>11.2f}{band:>16}"


def _band(estimate: Estimate, chip: ChipEstimate, stage: str | None = None) -> str:
    fast, slow = (milliseconds_per_second(estimate, chip, end, stage) for end in End)
    return f"{fast:.2f} - {slow:.2f}"


def _stage_table(estimate: Estimate, chip: ChipEstimate) -> Iterator[str]:
    total = milliseconds_per_second(estimate, chip, End.SLOW)
    for stage in estimate.stages:
        share = milliseconds_per_second(estimate, chip, End.SLOW, stage.stage) / total
        band, bound = _band(estimate, chip, stage.stage), chip.bound_by(stage.stage).value
        yield f"  {stage.stage:<14}{band:>16}{share:>6.0%}  bound by {bound}"


def _kernel_table(estimate: Estimate, chip: ChipEstimate) -> Iterator[str]:
    """One line for all dispatches of a kernel with outputs of one shape; times are those of the slow end."""
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
    return sum(timed.time.slow_seconds for timed in group)


def _chip_line(chip: ChipEstimate) -> str:
    gpu = chip.chip
    return (
        f"  {gpu.name}: {gpu.cores} cores at {gpu.clock_ghz:g} GHz = {gpu.flop_per_second / 1e12:.1f} TFLOP/s "
        f"in float32, {gpu.bandwidth_gb_per_second:g} GB/s; {gpu.source}"
    )

"""An estimate in words: tables for a terminal, every heading saying that nothing in them was measured.

It does not know how figures come about.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from engine.benchmark.assumptions import ASSUMPTIONS, NOT_MODELLED
from engine.benchmark.chips import M1, M2_ULTRA_60, RECORDS_SOURCE, record_of
from engine.benchmark.estimate import DECODER, LABEL, ChipEstimate, Estimate, TimedKernel
from engine.benchmark.estimate_data import COUNTED, milliseconds_per_second
from engine.compiler.kernel_work import StageWork

SHOWN_KERNELS = 16
SHOWN_IN_DETAIL = (M1, M2_ULTRA_60)
_MEGA, _GIGA = 1e6, 1e9


def in_words(estimate: Estimate) -> str:
    """The whole report."""
    return "\n".join(_lines(estimate))


def _lines(estimate: Estimate) -> Iterator[str]:
    said = estimate.utterance
    yield f"Metal, {LABEL}: {estimate.model}, one utterance of {said.seconds:g} s of audio"
    yield f"({said.frames} frames, {said.tokens} tokens), float32; {estimate.dispatches} dispatches in all."
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
        yield _work_line(stage, estimate.utterance.seconds)


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
        yield f"  {chip.chip.name:<19}{_times(estimate, chip, DECODER)} {_times(estimate, chip)}{known}"


def _times(estimate: Estimate, chip: ChipEstimate, stage: str | None = None) -> str:
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
    """Dispatches of one kernel with outputs of one shape are one line."""
    groups: dict[tuple[str, str, tuple[int, ...]], list[TimedKernel]] = defaultdict(list)
    for timed in chip.kernels:
        groups[timed.stage, timed.kernel.name, timed.kernel.output].append(timed)
    total = sum(_seconds(group) for group in groups.values())
    for group in sorted(groups.values(), key=_seconds, reverse=True)[:SHOWN_KERNELS]:
        first, own = group[0], _seconds(group)
        waste = "" if first.kernel.waste is None else f"waste {first.kernel.waste:.2f}"
        name = f"{first.stage}: {first.kernel.name} {list(first.kernel.output)}"
        yield (
            f"  {name:<58.58}{len(group):>3} x {own * 1e3 / estimate.utterance.seconds:>7.2f}{own / total:>6.1%}"
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

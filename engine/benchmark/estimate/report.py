"""Formats an estimate as plain values for JSON and as tables; each block states whether it is estimated or counted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from engine.benchmark.estimate.roofline import (
    ASSUMPTIONS,
    CHIPS,
    DECODER,
    LABEL,
    NOT_MODELLED,
    RECORDS_SOURCE,
    Bound,
    Chip,
    Estimate,
    StageWork,
    bound_by,
    family_seconds,
)

COUNTED = "counted in the compiled modules, not measured"
SHOWN_IN_DETAIL = ("M1", "M2 Ultra, 60 cores")
_MILLI, _MEGA, _GIGA = 1e3, 1e6, 1e9


def to_dict(estimate: Estimate) -> dict[str, Any]:
    """Return all counts, times and assumptions as plain values for `json.dump`."""
    length = estimate.length
    return {
        "basis": LABEL,
        "target": "metal",
        "model": estimate.model,
        "utterance": {"seconds": length.seconds, "frames": length.frames, "tokens": length.tokens},
        "counts": {
            "basis": COUNTED,
            "dispatches": estimate.total(lambda work: work.dispatches),
            "executed_flop": estimate.total(lambda work: work.flop),
            "useful_flop": estimate.total(lambda work: work.needed_flop),
            "stages": [_stage(stage, length.seconds) for stage in estimate.stages],
        },
        "chips": [_chip(estimate, chip) for chip in CHIPS],
        "records_source": RECORDS_SOURCE,
        "assumed_ranges": [asdict(assumption) for assumption in ASSUMPTIONS],
        "not_modelled": list(NOT_MODELLED),
    }


def _stage(stage: StageWork, seconds: float) -> dict[str, Any]:
    flop, size = stage.total(lambda work: work.flop), stage.total(lambda work: work.bytes)
    return {
        "basis": COUNTED,
        "stage": stage.stage,
        "dispatches": stage.dispatches,
        "flop": flop,
        "useful_flop": stage.total(lambda work: work.needed_flop),
        "compulsory_bytes": size,
        "flop_per_audio_second": flop / seconds,
        "compulsory_bytes_per_audio_second": size / seconds,
        "families": [asdict(work) for work in stage.families],
    }


def _chip(estimate: Estimate, chip: Chip) -> dict[str, Any]:
    record = estimate.record(chip)
    needed_per_second = estimate.total(lambda work: work.needed_flop) / estimate.length.seconds
    return {
        "basis": LABEL,
        **{name: value for name, value in asdict(chip).items() if name != "record"},
        "peak_flop_per_second": chip.flop_per_second,
        "milliseconds_per_audio_second": _times(estimate, chip),
        "decoder_milliseconds_per_audio_second": _times(estimate, chip, DECODER),
        "record_milliseconds_per_audio_second": record,
        "slow_end_as_share_of_record": _share_of_record(estimate, chip),
        "record_share_of_peak": record and _MILLI * needed_per_second / record / chip.flop_per_second,
        "stages": [
            {
                "basis": LABEL,
                "stage": stage.stage,
                "milliseconds_per_audio_second": _times(estimate, chip, stage.stage),
                "bound_by": bound_by(stage, chip),
            }
            for stage in estimate.stages
        ],
    }


def _times(estimate: Estimate, chip: Chip, stage: str | None = None) -> dict[str, float]:
    return {end.value: estimate.milliseconds_per_second(chip, end, stage) for end in Bound}


def _share_of_record(estimate: Estimate, chip: Chip) -> float | None:
    """Return the slow end of the band as a share of the published record, or None if there is no record."""
    record = estimate.record(chip)
    return None if record is None else estimate.milliseconds_per_second(chip, Bound.SLOW) / record


def to_text(estimate: Estimate) -> str:
    """Format an estimate as tables."""
    return "\n".join(_lines(estimate))


def _lines(estimate: Estimate) -> Iterator[str]:
    length, dispatches = estimate.length, estimate.total(lambda work: work.dispatches)
    yield f"Metal, {LABEL}: {estimate.model}, one utterance of {length.seconds:g} s of audio"
    yield f"({length.frames} frames, {length.tokens} tokens), float32; {dispatches} dispatches in all."
    yield from ("", f"Work, {COUNTED}", *_work_table(estimate))
    yield from ("", f"Milliseconds per second of audio, {LABEL}", *_chip_table(estimate))
    yield "  The band is what the published ranges below give, from their fast to their slow ends."
    yield f"Record: {RECORDS_SOURCE}."
    for chip in (chip for chip in CHIPS if chip.name in SHOWN_IN_DETAIL):
        yield from ("", f"{chip.name}, milliseconds per second of audio, {LABEL}", *_stage_table(estimate, chip))
    yield from ("", "Chips", *map(_chip_line, CHIPS))
    yield from ("", f"Assumptions of what is {LABEL}")
    yield from (f"  {item.fast:g} to {item.slow:g}: {item.meaning}; {item.source}" for item in ASSUMPTIONS)
    yield from (f"  not in it: {item}" for item in NOT_MODELLED)


def _work_table(estimate: Estimate) -> Iterator[str]:
    yield f"  {'stage':<32}{'dispatches':>11}{'GFLOP':>9}{'useful':>9}{'per second':>12}{'MB at least':>13}"
    for stage in estimate.stages:
        for work in stage.families:
            flop, needed = work.flop / _GIGA, work.needed_flop / _GIGA
            yield (
                f"  {f'{stage.stage}: {work.family}':<32}{work.dispatches:>11}{flop:>9.2f}{needed:>9.2f}"
                f"{flop / estimate.length.seconds:>12.2f}{work.bytes / _MEGA:>13.1f}"
            )


def _chip_table(estimate: Estimate) -> Iterator[str]:
    yield f"  {'':<19}{'decoder':>27}{'all stages':>28}"
    kinds = f"{'roofline':>11}{'band':>16}"
    yield f"  {'chip':<19}{kinds} {kinds}{'record':>9}{'slow end / record':>19}"
    for chip in CHIPS:
        record, share = estimate.record(chip), _share_of_record(estimate, chip)
        known = f"{record:>9.1f}{share:>19.2f}" if record and share else f"{'-':>9}{'-':>19}"
        times = [
            f"{estimate.milliseconds_per_second(chip, Bound.ROOFLINE, stage):>11.2f}{_band(estimate, chip, stage):>16}"
            for stage in (DECODER, None)
        ]
        yield f"  {chip.name:<19}{' '.join(times)}{known}"


def _band(estimate: Estimate, chip: Chip, stage: str | None = None) -> str:
    fast, slow = (estimate.milliseconds_per_second(chip, end, stage) for end in (Bound.FAST, Bound.SLOW))
    return f"{fast:.2f} - {slow:.2f}"


def _stage_table(estimate: Estimate, chip: Chip) -> Iterator[str]:
    """Yield each stage with its band, then its families with their times at the slow end."""
    total = estimate.milliseconds_per_second(chip, Bound.SLOW)
    for stage in estimate.stages:
        share = estimate.milliseconds_per_second(chip, Bound.SLOW, stage.stage) / total
        band = _band(estimate, chip, stage.stage)
        yield f"  {stage.stage:<20}{band:>16}{share:>6.0%}  bound by {bound_by(stage, chip)}"
        for work in stage.families:
            slow = _MILLI * family_seconds(work, chip, Bound.SLOW) / estimate.length.seconds
            yield f"    {work.family:<18}{slow:>16.2f}{slow / total:>6.0%}"


def _chip_line(chip: Chip) -> str:
    return (
        f"  {chip.name}: {chip.cores} cores at {chip.clock_ghz:g} GHz = {chip.flop_per_second / 1e12:.1f} TFLOP/s "
        f"in float32, {chip.bandwidth_gb_per_second:g} GB/s; {chip.source}"
    )

"""A measurement as plain values for JSON.

It does not know how figures come about.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import asdict
from types import MappingProxyType
from typing import Any

from engine.benchmark.measurement import LengthMeasurement, Measurement
from engine.benchmark.peers import OURS

RATIOS = "medians over rounds of what both took in the same round"
WARM = "each process ran the stages for warm_up_seconds before the first round; a round at each length does not count"
NOT_TIMED = "the alignment, which is numpy on the host for everybody, and copies between processes"
MEMORY = "the most that was resident, what is mapped from files included"
REQUESTS = "on every core, as the application speaks"
NEEDED = "products with weights, each computed directly; filtering does fewer, so a share of the peak may exceed 1"
BASIS: Mapping[str, str] = MappingProxyType(
    {
        "ratios": RATIOS,
        "warm_up": WARM,
        "not_timed": NOT_TIMED,
        "flop": NEEDED,
        "requests": REQUESTS,
        "memory": MEMORY,
    }
)


def as_data(measured: Measurement) -> dict[str, Any]:
    """All figures."""
    return {
        **asdict(measured.job),
        "basis": dict(BASIS),
        "machine": {"system": platform.platform(), "peak_flop_per_second": measured.peak_flop_per_second},
        "lengths": [_length(one, measured.peak_flop_per_second) for one in measured.lengths],
        "processes": {name: asdict(figures) for name, figures in measured.processes.items()},
        "requests": asdict(measured.speech),
        "memory": [asdict(figures) for figures in measured.commands],
        "compile_seconds": {"total": sum(measured.compile_seconds.values()), "stages": dict(measured.compile_seconds)},
        "export_seconds": measured.export_seconds,
        "left_out": dict(measured.left_out),
    }


def _length(one: LengthMeasurement, peak: float) -> dict[str, Any]:
    return {
        "audio_seconds": one.length.seconds,
        "frames": one.length.frames,
        "tokens": one.length.tokens,
        "rounds": [{name: dict(stages) for name, stages in turn.items()} for turn in one.rounds],
        OURS: {**_ours(one, peak), "stages": {stage: _ours(one, peak, stage) for stage in one.stages}},
        "peers": {
            peer: {**_peer(one, peer), "stages": {stage: _peer(one, peer, stage) for stage in one.stages}}
            for peer in one.peers
        },
        "best_peer": one.best_peer(),
        "times_faster_than_best_peer": one.times_faster_than_best_peer(),
        "stages_times_faster_than_best_peer": {
            stage: one.times_faster_than_best_peer(stage) for stage in one.stages if one.peers
        },
        "slower_stages": one.slower_stages(),
    }


def _ours(one: LengthMeasurement, peak: float, stage: str | None = None) -> dict[str, Any]:
    rate = one.flop_per_second(OURS, stage)
    return {
        **_times(one, OURS, stage),
        "gflop_per_second": None if rate is None else rate / 1e9,
        "share_of_peak": None if rate is None else rate / peak,
    }


def _peer(one: LengthMeasurement, peer: str, stage: str | None = None) -> dict[str, Any]:
    return {**_times(one, peer, stage), "times_as_long": one.times_as_long(peer, stage)}


def _times(one: LengthMeasurement, name: str, stage: str | None) -> dict[str, float]:
    return {"seconds": one.seconds(name, stage), "rtf": one.real_time_factor(name, stage)}

"""Formats a measurement as plain values for JSON, and as tables for the terminal."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from types import MappingProxyType
from typing import Any

from engine.benchmark.measurement import SLOWER, LengthMeasurement, Measurement
from engine.benchmark.peers import OURS, PEERS

RATIOS = "medians over rounds of what both took in the same round"
BEST = "the fastest that computes in float32, as ours does; lossy peers (bfloat16, 8 bit) are listed, but don’t count"
PREPARATION = "compiling for one length, or finding a whole model’s speed; not timed, by seconds of audio"
WARM = "each process ran the stages for warm_up_seconds before the first round; a round at each length doesn’t count"
NOT_TIMED = "the alignment, which is numpy on the host for everybody, and copies between processes"
MEMORY = "peak resident memory, including mapped files"
REQUESTS = "on every core, as the application speaks"
NEEDED = "products with weights, each computed directly; Winograd does fewer, so a share of the peak may exceed 1"
BASIS: Mapping[str, str] = MappingProxyType(
    {
        "ratios": RATIOS,
        "best_peer": BEST,
        "preparation_seconds": PREPARATION,
        "warm_up": WARM,
        "not_timed": NOT_TIMED,
        "flop": NEEDED,
        "requests": REQUESTS,
        "memory": MEMORY,
    }
)


def to_dict(measured: Measurement) -> dict[str, Any]:
    """Return all results of a benchmark as plain values for `json.dump`."""
    return {
        **asdict(measured.job),
        "basis": dict(BASIS),
        "machine": {"system": platform.platform(), "peak_flop_per_second": measured.peak_flop_per_second},
        "lengths": [_length(one, measured.our_peak) for one in measured.lengths],
        "processes": {name: asdict(figures) for name, figures in measured.processes.items()},
        "requests": asdict(measured.speech),
        "memory": [asdict(figures) for figures in measured.commands],
        "compile_seconds": {"total": sum(measured.compile_seconds.values()), "stages": dict(measured.compile_seconds)},
        "modules": measured.modules,
        "export_seconds": measured.export_seconds,
        "left_out": dict(measured.left_out),
    }


def _length(one: LengthMeasurement, peak: float | None) -> dict[str, Any]:
    return {
        "audio_seconds": one.length.seconds,
        "frames": one.length.frames,
        "tokens": one.length.tokens,
        "rounds": [{name: dict(stages) for name, stages in turn.items()} for turn in one.rounds],
        OURS: {**_ours(one, peak), "stages": {stage: _ours(one, peak, stage) for stage in one.stages}},
        "peers": {peer: _peer(one, peer) for peer in one.peers},
        "best_peer": one.best_peer(),
        "times_faster_than_best_peer": one.times_faster_than_best_peer(),
        "stages_times_faster_than_best_peer": {
            stage: faster for stage in one.stages if (faster := one.times_faster_than_best_peer(stage)) is not None
        },
        "slower_stages": one.slower_stages(),
    }


def _ours(one: LengthMeasurement, peak: float | None, stage: str | None = None) -> dict[str, Any]:
    rate = one.flop_per_second(OURS, stage)
    return {
        **_times(one, OURS, stage),
        "gflop_per_second": None if rate is None else rate / 1e9,
        "share_of_peak": None if rate is None or peak is None else rate / peak,
    }


def _peer(one: LengthMeasurement, peer: str) -> dict[str, Any]:
    stages = {stage: _peer_times(one, peer, stage) for stage in one.stages if one.has(peer, stage)}
    precision = {"precision": PEERS[peer].precision, "lossy": PEERS[peer].lossy}
    return {**_peer_times(one, peer), **precision, "stages": stages}


def _peer_times(one: LengthMeasurement, peer: str, stage: str | None = None) -> dict[str, float]:
    return {**_times(one, peer, stage), "times_as_long": one.times_as_long(peer, stage)}


def _times(one: LengthMeasurement, name: str, stage: str | None) -> dict[str, float]:
    return {"seconds": one.seconds(name, stage), "rtf": one.real_time_factor(name, stage)}


_TOTAL = "total"
_NAME, _NUMBER, _PEER, _GAP = 14, 10, 18, 2
_MEGA, _GIGA = 1e6, 1e9


def to_text(measured: Measurement) -> str:
    """Format the tables of a benchmark."""
    return "\n".join(_lines(measured))


def _lines(measured: Measurement) -> Iterator[str]:
    job, peak = measured.job, measured.our_peak
    weights = f", weights {job.weights}" if job.weights else ""
    yield f"{job.model}{weights}, ours on {job.device}, {_counted(job.threads, 'thread')}"
    processor = measured.peak_flop_per_second / _GIGA
    yield f"Peak of the CPU, as measured between the rounds: {processor:.0f} GFLOP/s"
    yield f"Each process had run the stages for {job.warm_up_seconds:g} s before the first round"
    for one in measured.lengths:
        yield from ("", *_table(one, peak))
    yield ""
    yield from _processes(measured)
    yield ""
    yield from _requests(measured)
    yield ""
    yield from _commands(measured)
    yield ""
    for name in (name for name in measured.processes if name in PEERS):
        yield f"{name}: {PEERS[name].title}."
    yield from (f"Omitted: {name}: {why}." for name, why in measured.left_out.items())
    yield f"Ratios: {RATIOS}. Best peer: {BEST}. GFLOP: {NEEDED}. Not timed: {NOT_TIMED}. Memory: {MEMORY}."


def _table(one: LengthMeasurement, peak: float | None) -> Iterator[str]:
    length = one.length
    yield (
        f"{length.seconds:g} s of speech ({length.frames} frames, {length.tokens} tokens), "
        f"medians of {_counted(len(one.rounds), 'round')}; ours in milliseconds"
    )
    yield f"  {'stage':<{_NAME}}{OURS:>{_NUMBER}}{'RTF':>{_NUMBER}}{'GFLOP/s':>{_NUMBER}}{'of peak':>{_NUMBER}}"
    for stage in (*one.stages, None):
        yield _row(one, stage, peak)
    if one.peers:
        yield from _peers_table(one)
    yield from _verdict(one)


def _row(one: LengthMeasurement, stage: str | None, peak: float | None) -> str:
    rate = one.flop_per_second(OURS, stage)
    speed = "-" if rate is None else f"{rate / _GIGA:.1f}"
    share = "-" if rate is None or peak is None else f"{rate / peak:.0%}"
    factor = f"{one.real_time_factor(OURS, stage):>{_NUMBER}.4f}"
    times = f"{1e3 * one.seconds(OURS, stage):>{_NUMBER}.2f}{factor}"
    return f"  {stage or _TOTAL:<{_NAME}}{times}{speed:>{_NUMBER}}{share:>{_NUMBER}}"


def _peers_table(one: LengthMeasurement) -> Iterator[str]:
    """Yield a row for every peer: its total time, and the ratios of its times to ours, in total and by stage."""
    yield "  peers: milliseconds, and how many times as long as ours, in total and by stage"
    stages = "".join(f"{stage:>{_width(stage)}}" for stage in one.stages)
    yield f"  {'peer':<{_PEER}}{'precision':<{_NUMBER}}{'ms':>{_NUMBER}}{'times':>{_NUMBER - 2}}{stages}"
    for peer in one.peers:
        total = f"{1e3 * one.seconds(peer):>{_NUMBER}.2f}{one.times_as_long(peer):>{_NUMBER - 2}.2f}"
        times = "".join(_times_cell(one, peer, stage) for stage in one.stages)
        yield f"  {peer:<{_PEER}}{PEERS[peer].precision:<{_NUMBER}}{total}{times}"


def _times_cell(one: LengthMeasurement, peer: str, stage: str) -> str:
    width = _width(stage)
    return f"{one.times_as_long(peer, stage):>{width}.2f}" if one.has(peer, stage) else f"{'-':>{width}}"


def _width(stage: str) -> int:
    return _GAP + max(len(stage), len("10.00"))


def _verdict(one: LengthMeasurement) -> Iterator[str]:
    faster = one.times_faster_than_best_peer()
    if faster is not None:
        yield f"  {faster:.2f} times as fast as the best peer in float32, {one.best_peer()}"
    if one.lossy_peers:
        yield f"  lossy, so never the best peer: {', '.join(one.lossy_peers)}"
    slower = [f"{stage} ({one.times_faster_than_best_peer(stage):.2f})" for stage in one.slower_stages()]
    if slower:
        yield f"  slower than the best peer by more than {SLOWER - 1:.0%}: {', '.join(slower)}"


def _processes(measured: Measurement) -> Iterator[str]:
    first, memory, idle = f"{'first run s':>{_NAME}}", f"{'peak MB':>{_NUMBER}}", f"{'idle use':>{_NUMBER}}"
    longest = max(one.length.seconds for one in measured.lengths)
    yield f"Processes that ran the stages, peak memory for up to {longest:g} s of speech:"
    yield f"{'process':<{_PEER}}{'ready s':>{_NUMBER}}{first}{memory}{idle}"
    for name, figures in measured.processes.items():
        yield (
            f"{name:<{_PEER}}{figures.seconds_to_ready:>{_NUMBER}.2f}{figures.first_run_seconds:>{_NAME}.2f}"
            f"{figures.peak_bytes / _MEGA:>{_NUMBER}.0f}{figures.idle_share:>{_NUMBER}.1%}"
        )
    for name in (name for name in measured.processes if name in PEERS and PEERS[name].compiles_per_length):
        lengths = measured.processes[name].preparation_seconds.items()
        yield f"{name} compiled its stages: " + ", ".join(f"{took:.2f} s for {audio:g} s" for audio, took in lengths)


def _requests(measured: Measurement) -> Iterator[str]:
    speech = measured.speech
    yield f"Requests, {REQUESTS}:"
    yield f"First audio: short text {1e3 * speech.short_seconds:.0f} ms, long text {1e3 * speech.long_seconds:.0f} ms"
    by_words = (f"{words:,}: {1e3 * seconds:.0f} ms" for words, seconds in speech.seconds_by_words.items())
    yield f"First audio by words of the first phrase, the last a long text: {', '.join(by_words)}"
    yield f"From the start of a process to its first audio: {speech.cold_seconds:.2f} s"
    yield f"Our modules: {measured.modules}"
    yield f"Our stages were compiled in {sum(measured.compile_seconds.values()):.1f} s"
    if measured.export_seconds is not None:
        yield f"The stages were exported to ONNX in {measured.export_seconds:.1f} s"


def _commands(measured: Measurement) -> Iterator[str]:
    yield "“engine speak”, a process for each text, the last of utterances as long as can be:"
    yield f"{'utterance s':>{_NAME}}{'command s':>{_NUMBER}}{'peak MB':>{_NUMBER}}"
    for one in measured.commands:
        seconds = f"{one.utterance_seconds:>{_NAME}.1f}{one.command_seconds:>{_NUMBER}.2f}"
        yield f"{seconds}{one.peak_bytes / _MEGA:>{_NUMBER}.0f}"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"

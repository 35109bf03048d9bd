"""Summarizes a report: failures first, then the measured times beside the estimated ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from engine.compiler.artifacts.manifest import METAL_DEVICE
from engine.errors import EngineError
from engine.report.archive import ReportFile
from engine.report.running import LOG, StepOutcome
from engine.report.steps import FIGURES, FIRST_START, MODELS, SECONDS, WAYS, benchmark, estimate

_NAME, _NUMBER, _BAND = 24, 12, 20
_TOTAL = "all stages"

Times = Mapping[str, float]
"""Milliseconds per second of audio, by stage and in total."""


def summary_lines(report: ReportFile) -> Iterator[str]:
    """Yield the lines of a summary."""
    yield from _machine(report)
    failed, ok, absent = (
        [step for step in report.steps if step.outcome is each]
        for each in (StepOutcome.FAILED, StepOutcome.OK, StepOutcome.NOT_HERE)
    )
    minutes = sum(step.seconds for step in report.steps) / 60
    yield f"{len(failed)} failed, {len(ok)} ok, {len(absent)} not available; {minutes:.1f} minutes in all"
    yield from (f"FAILED {step.name}: {step.reason}" for step in failed)
    yield from (
        f"First start, from empty caches to the end of a sentence: {step.seconds:.1f} s; see {step.name}/{LOG}"
        for step in ok
        if step.name == FIRST_START
    )
    if crashes := sum(1 for _ in report.lines("crashes/findings.jsonl")):
        yield f"{crashes} crash reports of the last day: crashes/"
    for model in MODELS:
        yield from ("", f"{model}, {SECONDS} s of speech, milliseconds per second of audio", *_times(report, model))
    yield ""
    yield from (f"not here: {step.name}: {step.reason}" for step in absent)
    yield from (f"left out: {name}: {reason}" for name, reason in report.left_out.items())


def _machine(report: ReportFile) -> Iterator[str]:
    described = next(report.lines("system/findings.jsonl"), None)
    if isinstance(described, dict):
        memory = described.get("memory_bytes")
        gigabytes = f"{memory / 2**30:.0f} GB" if isinstance(memory, int) else ""
        words = (described.get("chip"), gigabytes, described.get("system"), described.get("build"))
        yield ", ".join(dict.fromkeys(str(word) for word in words if word))


def _times(report: ReportFile, model: str) -> Iterator[str]:
    measured = {"-".join(filter(None, way)): _measured(report, benchmark(model, *way)) for way in WAYS}
    measured = {name: times for name, times in measured.items() if times}
    bands = _estimated(report, model)
    if not measured and not bands:
        yield "  nothing was measured or estimated"
        return
    heads = [f"{name:>{_NUMBER}}" for name in measured] + [f"{chip:>{_BAND}.{_BAND - 1}}" for chip in bands]
    yield f"  {'':<{_NAME}}{''.join(heads)}"
    for stage in _stages([*measured.values(), *bands.values()]):
        cells = [_cell(times.get(stage), _NUMBER) for times in measured.values()]
        cells += [f"{band.get(stage, '-'):>{_BAND}}" for band in bands.values()]
        yield f"  {stage:<{_NAME}}{''.join(cells)}"
    if bands:
        yield f"  Estimates are for {METAL_DEVICE}, from the fast to the slow end of the published figures."


def _cell(milliseconds: float | None, width: int) -> str:
    return f"{'-':>{width}}" if milliseconds is None else f"{milliseconds:>{width}.2f}"


def _stages(tables: list[Mapping[str, Any]]) -> list[str]:
    """Return the names in all tables, in order, the total last."""
    names = dict.fromkeys(name for table in tables for name in table if name != _TOTAL)
    return [*names, _TOTAL]


def _measured(report: ReportFile, step: str) -> Times:
    try:
        (length,) = report.json(f"{step}/{FIGURES}")["lengths"]
        ours = length["ours"]
        times = {str(name): 1e3 * float(stage["rtf"]) for name, stage in ours["stages"].items()}
        return {**times, _TOTAL: 1e3 * float(ours["rtf"])}
    except (EngineError, KeyError, TypeError, ValueError, AttributeError):
        return {}


def _estimated(report: ReportFile, model: str) -> dict[str, dict[str, str]]:
    """Return the estimated ranges of each chip, by stage and in total."""
    try:
        chips = report.json(f"{estimate(model)}/{FIGURES}")["chips"]
        return {str(chip["name"]): _bands(chip) for chip in chips}
    except (EngineError, KeyError, TypeError, ValueError, AttributeError):
        return {}


def _bands(chip: Mapping[str, Any]) -> dict[str, str]:
    key = "milliseconds_per_audio_second"
    times = {str(stage["stage"]): stage[key] for stage in chip["stages"]} | {_TOTAL: chip[key]}
    return {name: f"{float(time['fast']):.2f} - {float(time['slow']):.2f}" for name, time in times.items()}

"""The command line: `python -m engine COMMAND`; progress on stderr, data on stdout.

It does not know how anything is done, nor any option; it calls the engine and words the outcome.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from engine.audio.wav import save_wav
from engine.cli.benchmark import outcome_of as benchmark_outcome
from engine.cli.compile import CompileRequest
from engine.cli.compile import request_from as compile_request_from
from engine.cli.models import outcome_of as models_outcome
from engine.cli.parser import DEFAULT_OUTPUT, build_parser, text_of
from engine.cli.validate_options import STANDARD_OUTPUT
from engine.cli.voices import outcome_of as voice_outcome
from engine.cli.voices import preview_text
from engine.errors import EngineError
from engine.preparation.modules import failure_line
from engine.preparation.weights import pack
from engine.speech import AudioChunk, Event, PlanEvent, PreparationEvent, SpeechRequest
from engine.synthesizer import Synthesizer
from engine.system.memory import peak_bytes
from engine.system.offline import stay_offline
from engine.system.whole_file import ensure_writable
from engine.validator.built_modules import check_verdicts, compare_built, in_words
from engine.validator.results import Row, RowEvent, ValidationEvent, Verdict
from engine.validator.wire import Wire

EXIT_INTERRUPTED = 130
SERVICE_NICENESS = 10


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code and never shows a traceback for a user's mistake."""
    stay_offline()
    options = build_parser().parse_args(arguments)
    try:
        return int(COMMANDS[options.command](options) or 0)
    except EngineError as error:
        to_parent = getattr(options, "progress_json", False)
        print(failure_line(error) if to_parent else f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"Stopped. {_left_behind(options)}".strip(), file=sys.stderr)
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()
        return 1


def speak(options: argparse.Namespace) -> int:
    """Speak into a file, the loudspeaker, or both."""
    output = _output_of(options)
    if output:
        ensure_writable(output)
    text = text_of(options)
    synthesizer = Synthesizer(options.model, options.device, options.weights, options.threads)
    voice = options.voice or synthesizer.voices()[0].name
    request = SpeechRequest(text, voice, options.speed, options.seed, options.pause, options.language)
    synthesizer.prepare(_show)
    started = time.perf_counter()
    chunks, first_seconds = _collect(synthesizer, request, options.play, started)
    total_seconds = time.perf_counter() - started
    if output:
        save_wav(output, np.concatenate([chunk.samples for chunk in chunks]), synthesizer.sample_rate_hz)
    audio_seconds = sum(chunk.seconds for chunk in chunks)
    figures = {
        "voice": request.voice, "model": options.model, "device": synthesizer.device, "seed": request.seed,
        "seconds_audio": audio_seconds, "seconds_total": total_seconds, "seconds_to_first_audio": first_seconds,
        "rtf": total_seconds / audio_seconds, "out": str(output) if output else None,
        "seconds_of_longest_utterance": max(chunk.seconds for chunk in chunks), "peak_bytes": peak_bytes(),
    }  # fmt: skip
    _report(options, figures, f"{output or 'Played'}: {audio_seconds:.1f} s of speech in {total_seconds:.1f} s")
    return 0


def _output_of(options: argparse.Namespace) -> Path | None:
    """The file that is to be written."""
    return options.out or (None if options.play else DEFAULT_OUTPUT)


def _left_behind(options: argparse.Namespace) -> str:
    """What an interrupted command leaves, in words; empty where there is nothing to say."""
    match options.command, getattr(options, "action", None):
        case "speak", _ if output := _output_of(options):
            return f"{output} was not written."
        case "models", "fetch":
            return "What has been fetched is kept; run the same command to go on."
        case "compile", _:
            return "Modules that were not finished are not used; run the same command to build them again."
    return ""


def voices(options: argparse.Namespace) -> int:
    """List what can be given to --voice, change that list, or let a voice be heard."""
    if options.action == "preview":
        return _preview(options)
    outcome = voice_outcome(options)
    _report(options, outcome.data, outcome.words)
    return 0


def _preview(options: argparse.Namespace) -> int:
    options.text = preview_text(options)
    options.play = options.play or options.out is None
    return speak(options)


def compile_stages(options: argparse.Namespace) -> None:
    """Build one stage or all of them, and compare them with PyTorch when asked."""
    request = compile_request_from(options)
    from engine.compiler.build import build  # brings torch and tvm

    report = _show_json if options.progress_json else _show
    manifest = build(request.config, request.stages, request.variant, request.folder, report, request.tuning_seconds)
    built = [artifact for stage in request.stages if (artifact := manifest.artifact(stage.name)) is not None]
    artifacts = [
        {"stage": one.stage, "path": str(request.folder / one.file), "bytes": one.bytes, "seconds": one.seconds}
        for one in built
    ]
    lines = [f"{one['stage']:<14} {one['seconds']:6.1f} s {one['bytes']:>9,} B  {one['path']}" for one in artifacts]
    rows = _compared(request)
    words = [*lines, *([in_words(rows)] if rows else [])]
    _report(options, {"artifacts": artifacts, "rows": [Wire().row_to_dict(row) for row in rows]}, "\n".join(words))
    check_verdicts(rows)


def pack_weights(options: argparse.Namespace) -> None:
    """Pack weights and keep them for whoever speaks next."""
    pack(options.model, options.weights, options.modules, _show_json if options.progress_json else _show)


def _compared(request: CompileRequest) -> tuple[Row, ...]:
    if request.checkpoint is None:
        return ()
    names = [stage.name for stage in request.stages]
    return compare_built(request.checkpoint, request.folder, names, request.variant, _show)


def validate(options: argparse.Namespace) -> int:
    """Print how far each regime is from the reference; exit code 1 when a compiled stage is itself wrong."""
    if options.serve:
        return serve()
    from engine.cli.validate import outcome_of

    outcome = outcome_of(options, _doctor_words, _show_validation)
    if options.json == STANDARD_OUTPUT:
        print(json.dumps(outcome.data, indent=2, ensure_ascii=False))
    else:
        print(outcome.words)
    return int(not outcome.passed)


def benchmark(options: argparse.Namespace) -> None:
    """Print figures of speed."""
    outcome = benchmark_outcome(options, lambda line: print(line, file=sys.stderr))
    print(json.dumps(outcome.data, indent=2) if options.json == STANDARD_OUTPUT else outcome.words)


def models(options: argparse.Namespace) -> None:
    """Manage the models on this machine."""
    outcome = models_outcome(options, lambda line: print(line, file=sys.stderr))
    _report(options, outcome.data, outcome.words)


def serve() -> int:
    """Answer the application's requests for validation; only events go to standard output, and slowly if need be."""
    from engine.validator.service import Service

    output, sys.stdout = sys.stdout, sys.stderr  # libraries print too
    if hasattr(os, "nice"):
        os.nice(max(0, SERVICE_NICENESS - os.nice(0)))  # the window and the sound go first
    Service(lambda line: print(line, file=output, flush=True)).serve(sys.stdin)
    return 0


def examine(options: argparse.Namespace) -> int:
    """Print every check of the doctor; exit code 1 when one failed."""
    from engine.doctor import examine_installation, in_words

    findings = examine_installation()
    listed = [{**asdict(finding), "outcome": finding.outcome.value} for finding in findings]
    _report(options, listed, in_words(findings))
    return int(any(finding.failed for finding in findings))


def _doctor_words() -> str:
    from engine.doctor import examine_installation, in_words

    return in_words(examine_installation())


def _collect(
    synthesizer: Synthesizer, request: SpeechRequest, play: bool, started: float
) -> tuple[list[AudioChunk], float]:
    from contextlib import nullcontext

    from engine.audio.loudspeaker import Loudspeaker

    chunks: list[AudioChunk] = []
    first_seconds = 0.0
    with Loudspeaker(synthesizer.sample_rate_hz) if play else nullcontext() as loudspeaker:
        for chunk in synthesizer.synthesize(request, _show):
            first_seconds = first_seconds or time.perf_counter() - started
            chunks.append(chunk)
            print(f"Spoke {chunk.utterance.index + 1} of {chunk.utterance_count}", file=sys.stderr)
            if loudspeaker:
                loudspeaker.play(chunk.samples)
    return chunks, first_seconds


def _show(event: Event) -> None:
    if isinstance(event, PreparationEvent):
        print(f"{event.title} ({event.done} of {event.total})", file=sys.stderr)
    elif isinstance(event, PlanEvent):
        for notice in event.plan.notices:
            print(f"note: {notice.message}", file=sys.stderr)


def _show_validation(event: ValidationEvent) -> None:
    if isinstance(event, (PlanEvent, PreparationEvent)):
        _show(event)
    elif isinstance(event, RowEvent) and event.row.verdict in (Verdict.FAIL, Verdict.INCOMPARABLE):
        row = event.row
        print(f"{row.regime}, {row.reading}: {row.stage}, {row.output}: {row.verdict}", file=sys.stderr)


def _show_json(event: PreparationEvent) -> None:
    print(json.dumps(asdict(event)), file=sys.stderr, flush=True)


def _report(options: argparse.Namespace, data: Any, words: str) -> None:
    print(json.dumps(data, indent=2, ensure_ascii=False) if options.json else words)


def train_starter(options: argparse.Namespace) -> None:
    """Train, resumably, and package the result."""
    from engine.starter import TrainOptions, train

    print(train(TrainOptions.from_arguments(options), lambda progress: print(progress, file=sys.stderr)))


def evaluate_starter(options: argparse.Namespace) -> None:
    """Measure how well the bundled voices are understood."""
    from engine.starter import evaluate

    results = evaluate(options.sentences)
    lines = [f"{result.voice}: word error rate {result.word_error_rate:.2f}" for result in results]
    _report(options, [asdict(result) for result in results], "\n".join(lines))


COMMANDS: Mapping[str, Callable[[argparse.Namespace], int | None]] = {
    "speak": speak,
    "voices": voices,
    "compile": compile_stages,
    "pack": pack_weights,
    "validate": validate,
    "benchmark": benchmark,
    "models": models,
    "doctor": examine,
    "train-starter": train_starter,
    "evaluate-starter": evaluate_starter,
}

if __name__ == "__main__":
    sys.exit(main())

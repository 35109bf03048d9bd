"""The command line: `python -m engine COMMAND`; progress on stderr, data on stdout.

It does not know how anything is done; it calls the engine and words the outcome.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from engine.audio_file import ensure_writable, save_wav
from engine.benchmark.command import add_options as add_benchmark_options
from engine.benchmark.command import outcome_of as benchmark_outcome
from engine.checkpoints import MODEL_NAMES, STARTER
from engine.compiler.command import CompileRequest
from engine.compiler.command import add_options as add_compile_options
from engine.compiler.command import request_from as compile_request_from
from engine.devices import AUTO, DEVICES
from engine.errors import EngineError, InvalidRequest
from engine.speech import AudioChunk, Event, PlanEvent, PreparationEvent, SpeechRequest
from engine.synthesizer import Synthesizer
from engine.validator.built_modules import check_verdicts, compare_built, in_words
from engine.validator.command import STANDARD_OUTPUT
from engine.validator.command import add_options as add_validation_options
from engine.validator.results import Row, RowEvent, ValidationEvent, Verdict
from engine.validator.wire import Wire

DEFAULT_OUTPUT = Path("speech.wav")
EXIT_INTERRUPTED = 130
SERVICE_NICENESS = 10


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code and never shows a traceback for a user's mistake."""
    options = build_parser().parse_args(arguments)
    try:
        return int(options.run(options) or 0)
    except EngineError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()
        return 1


def build_parser() -> argparse.ArgumentParser:
    """Every command and option of the contract."""
    parser = argparse.ArgumentParser(prog="python -m engine", description="Speaks text locally with compiled Kokoro.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for add in (
        _add_speak,
        _add_voices,
        _add_compile,
        _add_validate,
        _add_benchmark,
        _add_doctor,
        _add_train_starter,
        _add_evaluate_starter,
    ):
        add(commands)
    return parser


def _command(commands: Any, name: str, run: Callable[[argparse.Namespace], int | None], summary: str) -> Any:
    parser = commands.add_parser(name, help=summary, description=summary)
    parser.set_defaults(run=run)
    return parser


def _add_model(parser: Any) -> None:
    parser.add_argument("--model", default=STARTER, help=f"one of: {', '.join(MODEL_NAMES)} (default: starter)")
    parser.add_argument("--weights", help="random:SEED instead of trained weights, for trying an architecture")


def _add_speak(commands: Any) -> None:
    parser = _command(commands, "speak", speak, "Speak a text into a WAV file or out of the loudspeaker.")
    parser.add_argument("text", nargs="?", help="the text; - reads standard input")
    parser.add_argument("--file", type=Path, help="read the text from this file")
    parser.add_argument("--voice", help="a name from `voices` (default: the first)")
    parser.add_argument("--speed", type=float, default=1.0, help="0.5 to 2 (default: 1)")
    parser.add_argument("--seed", type=int, default=0, help="fixes the noise (default: 0)")
    parser.add_argument("--device", default=AUTO, help=f"one of: {', '.join(DEVICES)} (default: auto)")
    parser.add_argument("--out", type=Path, help=f"the WAV file (default: {DEFAULT_OUTPUT}, unless --play)")
    parser.add_argument("--play", action="store_true", help="play while speaking")
    parser.add_argument("--json", action="store_true", help="print figures as JSON")
    _add_model(parser)


def _add_voices(commands: Any) -> None:
    parser = _command(commands, "voices", voices, "List the voices.")
    parser.add_argument("--json", action="store_true")
    _add_model(parser)


def _add_compile(commands: Any) -> None:
    parser = _command(commands, "compile", compile_stages, "Build the compiled modules of a model.")
    add_compile_options(parser)
    _add_model(parser)


def _add_validate(commands: Any) -> None:
    parser = _command(commands, "validate", validate, "Compare the compiled model with PyTorch, stage by stage.")
    add_validation_options(parser)
    _add_model(parser)


def _add_benchmark(commands: Any) -> None:
    parser = _command(commands, "benchmark", benchmark, "Say how fast the modules are: on paper, for Macs.")
    add_benchmark_options(parser)
    _add_model(parser)


def _add_doctor(commands: Any) -> None:
    parser = _command(commands, "doctor", examine, "Check this installation.")
    parser.add_argument("--json", action="store_true")


def _add_train_starter(commands: Any) -> None:
    parser = _command(commands, "train-starter", train_starter, "Train the bundled starter model from scratch.")
    parser.add_argument("--work-dir", type=Path, required=True, help="data and checkpoints; resumes what is there")
    parser.add_argument("--output-dir", type=Path, help="where the finished model goes (default: WORK_DIR/package)")
    parser.add_argument("--minutes", type=float, help="scale the whole training to about this many CPU minutes")


def _add_evaluate_starter(commands: Any) -> None:
    parser = _command(commands, "evaluate-starter", evaluate_starter, "Word error rate on the held-out sentences.")
    parser.add_argument("--sentences", type=int, default=40, help="how many of the 40 (default: all)")
    parser.add_argument("--json", action="store_true")


def speak(options: argparse.Namespace) -> int:
    """Speak into a file, the loudspeaker, or both."""
    output = options.out or (None if options.play else DEFAULT_OUTPUT)
    if output:
        ensure_writable(output)
    text = _text(options)
    synthesizer = Synthesizer(options.model, options.device, options.weights)
    request = SpeechRequest(text, options.voice or synthesizer.voices()[0].name, options.speed, options.seed)
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
    }  # fmt: skip
    _report(options, figures, f"{output or 'Played'}: {audio_seconds:.1f} s of speech in {total_seconds:.1f} s")
    return 0


def voices(options: argparse.Namespace) -> None:
    """List what can be given to --voice."""
    listed = [asdict(voice) for voice in Synthesizer(options.model, weights=options.weights).voices()]
    lines = [f"{voice['name']:<14} {voice['language']:<6} {voice['gender']}" for voice in listed]
    _report(options, listed, "\n".join(lines))


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


def _compared(request: CompileRequest) -> tuple[Row, ...]:
    if request.checkpoint is None:
        return ()
    names = [stage.name for stage in request.stages]
    return compare_built(request.checkpoint, request.folder, names, request.variant.probed, _show)


def validate(options: argparse.Namespace) -> int:
    """Print how far each regime is from the reference; exit code 1 when a compiled stage is itself wrong."""
    if options.serve:
        return serve()
    from engine.validator.outcome import outcome_of

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


def _text(options: argparse.Namespace) -> str:
    if options.file is not None:
        return _read(options.file)
    if options.text == "-":
        return sys.stdin.read()
    if options.text is None:
        raise InvalidRequest("No text was given.", "Write it after speak, or use --file F, or - for standard input.")
    return str(options.text)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InvalidRequest(f"{path} cannot be read ({error.strerror}).", "Name a text file.") from error
    except UnicodeDecodeError as error:
        raise InvalidRequest(f"{path} is not UTF-8 text.", "Save it as UTF-8 text first.") from error


def _collect(
    synthesizer: Synthesizer, request: SpeechRequest, play: bool, started: float
) -> tuple[list[AudioChunk], float]:
    from contextlib import nullcontext

    from engine.loudspeaker import Loudspeaker

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


if __name__ == "__main__":
    sys.exit(main())

"""`engine speak`: speaks a text to an audio file, the speakers, or both."""

from __future__ import annotations

import argparse
import sys
import time
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from engine.audio.sound_file import FORMATS, coding_of, save_speech
from engine.audio.subtitles.formats import check_subtitles, write_subtitles
from engine.audio.subtitles.timed_words import timed_words, words_of
from engine.cli import documents
from engine.cli.command import (
    Command,
    Outcome,
    add_edits,
    add_json_flag,
    add_model,
    add_prosody,
    add_speech_options,
)
from engine.cli.document_export import export_documents
from engine.cli.models import observer
from engine.cli.progress import Steps
from engine.compiler.artifacts.manifest import CPU_DEVICE
from engine.errors import DamagedDocument, EngineError, InvalidRequest
from engine.export.export_job import ExportJob
from engine.export.narrated_book import check_book
from engine.export.outputs import check_writable
from engine.models.checkpoints import at_least_as_good, default_model
from engine.models.store import ModelState, ModelStore
from engine.runtime.planning import check_request
from engine.runtime.preparation.devices import AUTO, DEVICES
from engine.runtime.project_files import Project
from engine.runtime.synthesizer import Synthesizer
from engine.speech import AudioChunk, SpeechRequest
from engine.system.memory import peak_bytes
from engine.text.documents import Document
from engine.text.documents.decoding import Decoded, decoded

DEFAULT_OUTPUT = Path("speech.wav")
SECONDS_PER_HOUR = 3600


def _add_options(parser: Any) -> None:
    parser.add_argument("text", nargs="?", help="the text; - reads standard input")
    documents.add_options(parser)
    add_speech_options(parser)
    parser.add_argument("--pause", type=float, help="pause length multiplier, 0 to 3 (default: 1)")
    parser.add_argument("--seed", type=int, help="random seed (default: 0)")
    add_edits(parser)
    parser.add_argument("--device", default=AUTO, help=f"one of: {', '.join(DEVICES)} (default: auto)")
    parser.add_argument("--threads", type=int, help="number of CPU threads (default: one per core)")
    parser.add_argument(
        "--out",
        type=Path,
        help="a .wav, .flac, .mp3, .ogg, .opus, .m4b or .m4a file, or for one --file in EPUB an .epub with narration "
        f"(default: {DEFAULT_OUTPUT}, unless --play); or a folder, to make an audio file of each document",
    )
    parser.add_argument("--subtitles", type=Path, help="also write a .srt, .vtt, .ass (word by word), or .json file")
    parser.add_argument("--play", action="store_true", help="play the audio while it is generated")
    add_json_flag(parser)
    parser.add_argument(
        "--fetch", metavar="MODEL", help="download this model first unless it, or a better one, is already installed"
    )
    add_prosody(parser)
    add_model(parser)


def speak(options: argparse.Namespace) -> Outcome:
    """Speak the text that the options name. Raises `EngineError` children."""
    documents.check_compatible(options)
    output = _output_of(options)
    if output and documents.is_folder(options):
        return _spoken_each(options, output)
    book = documents.book_of(options, output)
    if output:
        check_writable(output, per_chapter=bool(options.per_chapter))
    if options.subtitles:
        check_subtitles(options.subtitles)
    documents.check_apart(options, {"--out": options.out, "--subtitles": options.subtitles})
    project = documents.project_of(options)
    document = documents.document_of(options) if project is None else None
    if book is not None:
        check_book(book)
    documents.note(document)
    text = text_of(options, document) if project is None else Decoded(project.request.text)
    with Steps() as steps:
        for notice in text.notices:
            steps.write_note(f"note: {notice}")
        if output and output.suffix.lower() in FORMATS:
            _note_coding(output, steps)
        if options.fetch is not None:
            fetch_if_needed(options, steps)
        synthesizer, speech_settings = _prepared(options, project, steps)
        speech_settings = replace(
            speech_settings, edits=documents.edits_of(options, document, steps) or speech_settings.edits
        )
        if document is not None and output and not options.play:
            order = ExportJob(
                document, speech_settings, output, bool(options.per_chapter), options.subtitles, book=book
            )
            return export_documents([order], synthesizer, options, steps)[0]
        return _spoken(synthesizer, replace(speech_settings, text=text.text), options, output, steps)


def _spoken_each(options: argparse.Namespace, folder: Path) -> Outcome:
    """Speak each document into its own file in a folder."""
    read = documents.documents_of(options)
    outputs = documents.outputs_in(folder, options)
    for document in read:
        documents.note(document)
    with Steps() as steps:
        _note_coding(outputs[0][0], steps)
        if options.fetch is not None:
            fetch_if_needed(options, steps)
        synthesizer, speech_settings = _prepared(options, None, steps)
        orders = [
            ExportJob(document, speech_settings, path, bool(options.per_chapter), subtitles)
            for document, (path, subtitles) in zip(read, outputs, strict=True)
        ]
        outcomes = export_documents(orders, synthesizer, options, steps)
    return Outcome([outcome.data for outcome in outcomes], "\n".join(outcome.words for outcome in outcomes))


def _note_coding(output: Path, steps: Steps) -> None:
    """Report the file's codec and approximate size if they depend on the installed programs."""
    coding = coding_of(output.suffix.lower())
    if not coding.name:
        return
    size = f"about {coding.megabytes(SECONDS_PER_HOUR):.0f} MB an hour"
    by = (
        f" (made by {coding.program})"
        if coding.program
        else "; with FFmpeg installed it would be AAC, a third of the size"
    )
    steps.write_note(f"note: {output.name} is {coding.name}, {size}{by}.")


def fetch_if_needed(options: argparse.Namespace, steps: Steps) -> None:
    """Download the model that --fetch names unless one at least as good is installed; a failure is only reported."""
    if default_model() in at_least_as_good(options.fetch):
        return
    try:
        ModelStore().fetch(options.fetch, observer(steps))
    except EngineError as error:
        steps.write_line(f"note: couldn’t download {options.fetch}. {error}")
    if not options.model_named:
        options.model = default_model()


def _note_damaged(options: argparse.Namespace, steps: Steps) -> None:
    """Report each better model that is damaged and therefore not used, unless --model was given."""
    better = () if options.model_named else at_least_as_good(options.model)
    for status in map(ModelStore().status, better):
        if status.state is ModelState.DAMAGED:
            steps.write_line(f"note: {status.entry.title} isn’t used. {status.problem}")


def _prepared(options: argparse.Namespace, project: Project | None, steps: Steps) -> tuple[Synthesizer, SpeechRequest]:
    """Return a synthesizer, and a request with all settings, without a text unless there is a project.

    With --jobs or --cluster, the synthesizer isn't prepared: other processes load the model.
    """
    speech_settings = documents.request_of(options, project, steps, options.prosody)
    _note_damaged(options, steps)
    device = CPU_DEVICE if documents.is_spoken_elsewhere(options) else options.device
    synthesizer = Synthesizer(options.model, device, options.weights, options.threads, prosody=options.prosody)
    speech_settings = replace(speech_settings, voice=speech_settings.voice or synthesizer.voices()[0].name)
    check_request(speech_settings)  # before anything that takes time
    if not documents.is_spoken_elsewhere(options):
        synthesizer.prepare(steps.show)
    return synthesizer, speech_settings


def _spoken(
    synthesizer: Synthesizer, request: SpeechRequest, options: argparse.Namespace, output: Path | None, steps: Steps
) -> Outcome:
    started = time.perf_counter()
    chunks, first_seconds = _collect(synthesizer, request, options.play, started, steps)
    total_seconds = time.perf_counter() - started
    if output:
        save_speech(output, np.concatenate([chunk.samples for chunk in chunks]), synthesizer.sample_rate_hz)
    if options.subtitles:
        words = timed_words(request.text, words_of(chunks), synthesizer.sample_rate_hz)
        write_subtitles(options.subtitles, words)
    audio_seconds = sum(chunk.seconds for chunk in chunks)
    figures = {
        "voice": request.voice, "model": synthesizer.model, "device": synthesizer.device, "seed": request.seed,
        "prosody": str(options.prosody),
        "seconds_audio": audio_seconds, "seconds_total": total_seconds, "seconds_to_first_audio": first_seconds,
        "rtf": total_seconds / audio_seconds, "out": str(output) if output else None,
        "subtitles": str(options.subtitles) if options.subtitles else None,
        "seconds_of_longest_utterance": max(chunk.seconds for chunk in chunks), "peak_bytes": peak_bytes(),
    }  # fmt: skip
    summary = f"{output or 'Played'}: {audio_seconds:.1f} s of speech in {total_seconds:.1f} s"
    return Outcome(figures, f"{summary}, by {request.voice} of {synthesizer.model}")


def text_of(options: argparse.Namespace, document: Document | None) -> Decoded:
    """Return the text given as an argument, on standard input or in documents.

    Raises `InvalidRequest` if there is none.
    """
    if document is not None:
        return Decoded(document.text)
    if options.text == "-":
        return _standard_input()
    if options.text is None:
        raise InvalidRequest(
            "No text was given.", "Pass it as an argument, use --file FILE, or pass - to read standard input."
        )
    return Decoded(options.text)


def _standard_input() -> Decoded:
    """Return all of standard input, decoded like a text file. Raises `InvalidRequest`."""
    if sys.stdin is None:
        raise InvalidRequest("Standard input is closed.", "Pipe text into it, or pass the text as an argument.")
    try:
        return decoded(sys.stdin.buffer.read(), "standard input")
    except (OSError, DamagedDocument) as error:
        raise InvalidRequest("Standard input isn’t valid text.", "Pipe text into it, or use --file FILE.") from error


def _collect(
    synthesizer: Synthesizer, request: SpeechRequest, play: bool, started: float, steps: Steps
) -> tuple[list[AudioChunk], float]:
    """Return all chunks, playing them immediately if requested, and the seconds from `started` to the first one."""
    from engine.audio.loudspeaker import Loudspeaker

    chunks: list[AudioChunk] = []
    first_seconds = 0.0
    with Loudspeaker(synthesizer.sample_rate_hz) if play else nullcontext() as loudspeaker:
        steps.expect_step("Speaking 1")
        for chunk in synthesizer.synthesize(request, steps.show):
            first_seconds = first_seconds or time.perf_counter() - started
            chunks.append(chunk)
            of_all = f" of {chunk.utterance_count}" if chunk.utterance_count else ""
            steps.write_line(f"Spoke {chunk.utterance.index + 1}{of_all}")
            if loudspeaker:
                loudspeaker.play(chunk.samples)
            if chunk.utterance.index + 1 != chunk.utterance_count:
                steps.expect_step(f"Speaking {chunk.utterance.index + 2}{of_all}")
    return chunks, first_seconds


def _output_of(options: argparse.Namespace) -> Path | None:
    output: Path | None = options.out or (None if options.play else DEFAULT_OUTPUT)
    return output


def _left_behind(options: argparse.Namespace) -> str:
    output = _output_of(options)
    goes_on = " Run the same command to resume." if options.file is not None else ""
    return f"Couldn’t write {output}.{goes_on}" if output else ""


COMMAND = Command("speak", "Synthesize text to an audio file or play it.", _add_options, speak, _left_behind)

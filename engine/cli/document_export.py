"""Exports documents to audio files, with progress, in this process or side by side in others."""

from __future__ import annotations

import argparse
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from engine.cli.command import Outcome
from engine.cli.documents import is_spoken_elsewhere
from engine.cli.progress import Steps
from engine.export.cluster import Cluster
from engine.export.export_job import ExportJob, ExportProgress, ExportSynthesizer
from engine.export.exporting import export, requests_of
from engine.export.outputs import outputs_of
from engine.export.side_by_side import SpeakerSettings, SpeakingProcesses, SpokenAhead
from engine.runtime.synthesizer import Synthesizer
from engine.speech import AudioChunk, Event, SpeechRequest
from engine.system.durations import format_approximate_duration
from engine.system.memory import peak_bytes
from engine.text.languages import LANGUAGES, language_of


def export_documents(
    orders: Sequence[ExportJob], synthesizer: Synthesizer, options: argparse.Namespace, steps: Steps
) -> list[Outcome]:
    """Export documents to files, one after the other; with --jobs or --cluster, parts are spoken side by side.

    Returns the outcome of each. Raises `EngineError` children.
    """
    with ExitStack() as stack:
        speaker: ExportSynthesizer = synthesizer
        if is_spoken_elsewhere(options):
            speaker = stack.enter_context(_side_by_side(orders, synthesizer, options, steps))
        outcomes = []
        for number, order in enumerate(orders, 1):
            book = f"Book {number} of {len(orders)}, {order.path.stem}: " if len(orders) > 1 else ""
            outcomes.append(_exported(order, synthesizer, speaker, steps, book))
    return outcomes


@contextmanager
def _side_by_side(
    orders: Sequence[ExportJob], synthesizer: Synthesizer, options: argparse.Namespace, steps: Steps
) -> Iterator[SpokenAhead]:
    """Speak all parts in other processes; those of --jobs end with the block, also if this process is terminated."""
    settings = SpeakerSettings(options.model, options.weights, options.prosody)
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with ExitStack() as stack:
            if options.cluster is None:
                processes = stack.enter_context(SpeakingProcesses(settings, options.jobs))
                processes.prepare(steps.show)
                submit = processes.submit
            else:
                submit = stack.enter_context(Cluster(options.cluster, settings, synthesizer.fingerprint)).submit
            ahead = SpokenAhead(synthesizer.fingerprint, submit, steps.show)
            ahead.speak_ahead(request for order in orders for request in requests_of(order, synthesizer.fingerprint))
            yield ahead
    finally:
        signal.signal(signal.SIGTERM, before)


def _exported(
    order: ExportJob, synthesizer: Synthesizer, speaker: ExportSynthesizer, steps: Steps, book: str
) -> Outcome:
    spoken = order.speech_settings.language or synthesizer.voice(order.speech_settings.voice).language
    if language_hint := language_note(order.document.language, spoken):
        steps.write_note(language_hint)
    started = time.perf_counter()
    clocked = _Clocked(speaker, started)
    progress = ExportProgress("", 0.0, None)
    for progress in export(order, clocked, steps.show):
        steps.advance(f"{book}{_format_progress(progress)}", f"{book}{progress.step}")
    seconds, audio_seconds = time.perf_counter() - started, progress.seconds_written
    paths = [output.path for output in outputs_of(order) if output.path.exists()]
    figures = {
        "voice": order.speech_settings.voice, "model": synthesizer.model, "device": synthesizer.device,
        "seed": order.speech_settings.seed, "seconds_audio": audio_seconds, "seconds_total": seconds,
        "seconds_to_first_audio": clocked.first_seconds, "rtf": seconds / audio_seconds, "out": str(order.path),
        "seconds_of_longest_utterance": clocked.longest_seconds if speaker is synthesizer else None,
        "peak_bytes": peak_bytes(), "subtitles": str(order.subtitles) if order.subtitles else None,
        "files": [str(path) for path in paths], "chapters": len(order.chapters),
        "unmarked_words": progress.unmarked_words,
    }  # fmt: skip
    if progress.unmarked_words:
        steps.write_note(f"note: words not found in the book’s pages, and not highlighted: {progress.unmarked_words:,}")
    where = f"{order.result}, {len(paths)} files" if order.per_chapter else str(order.path)
    words = f"{where}: {audio_seconds:.1f} s of speech in {seconds:.1f} s"
    return Outcome(figures, f"{words}, by {order.speech_settings.voice} of {synthesizer.model}")


def language_note(written: str, spoken: str) -> str:
    """Return a sentence if a document's language differs from the spoken one, by BCP 47 tags; empty if they agree."""
    base = written.partition("-")[0].casefold()
    if not base or base == spoken.partition("-")[0].casefold():
        return ""
    fitting = [language for language in LANGUAGES if language.tag.partition("-")[0] == base]
    if not fitting:
        return f"note: no installed voice speaks this document’s language ({written})."
    written_name = "English" if fitting[0].english else fitting[0].name
    voices = f"run `voices --language {fitting[0].tag}` to list matching voices"
    return f"note: this document is in {written_name} but will be spoken as {language_of(spoken).name}; {voices}."


class _Clocked:
    """A synthesizer that records the time of the first chunk and the length of the longest."""

    def __init__(self, synthesizer: ExportSynthesizer, started: float) -> None:
        self._synthesizer = synthesizer
        self._started = started
        self.sample_rate_hz = synthesizer.sample_rate_hz
        self.prepare = synthesizer.prepare
        self.fingerprint = synthesizer.fingerprint
        self.first_seconds = self.longest_seconds = 0.0

    def synthesize(self, request: SpeechRequest, observe: Callable[[Event], None], cancel: Any) -> Iterator[AudioChunk]:
        """Generate speech, one utterance at a time."""
        for chunk in self._synthesizer.synthesize(request, observe, cancel):
            self.first_seconds = self.first_seconds or time.perf_counter() - self._started
            self.longest_seconds = max(self.longest_seconds, chunk.seconds)
            yield chunk


def _format_progress(progress: ExportProgress) -> str:
    left = "" if progress.seconds_left is None else f", {format_approximate_duration(progress.seconds_left)} left"
    return f"{progress.step}: {progress.fraction:.0%}{left}"

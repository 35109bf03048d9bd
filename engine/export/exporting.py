"""Exports a document: generates the speech of its parts, caches each, and writes each file once it is complete.

An interruption loses at most one part.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from engine.audio.recording import Pcm, Recording, to_pcm
from engine.audio.sound_file import recording
from engine.audio.subtitles.formats import check_subtitles, write_subtitles
from engine.audio.subtitles.timed_words import TimedWord, timed_words
from engine.errors import NothingToSpeak, OutputError
from engine.export.export_job import (
    NARRATED,
    PART_CHARACTERS,
    WRITING_SHARE,
    ExportJob,
    ExportProgress,
    ExportSynthesizer,
    Meter,
)
from engine.export.narrated_book import NarratedBook, check_book, check_one_file, narration_suffix
from engine.export.outputs import Output, check_writable, outputs_of
from engine.export.part_cache import PartCache, made_of
from engine.runtime.preparation.crash_guard import crash_guarded, crashed_last_time, is_in_use
from engine.speech import AudioChunk, Event, Samples, SpeechRequest
from engine.system.atomic_write import atomic_write, remove_leftovers
from engine.system.waiting import raise_if_set
from engine.text.documents.archive import Archive
from engine.text.g2p.directions import read_marks, voice_before
from engine.text.g2p.split import PAUSE_SECONDS, Border
from engine.text.sentences import sentence_spans

_PARAGRAPH = re.compile(r"\n\s*\n\s*")
_SPACE = re.compile(r"\s+")
CHAPTER_PAUSE_SECONDS = 1.5
EXPORTS = "exports"
"""The name that marks generated speech as in use."""
STOPPED = "Export stopped."
_BLOCK_SAMPLES = 1 << 16
"""The number of samples written between checks for cancellation: some 3 s of speech."""


@dataclass(frozen=True)
class ChapterPart:
    """A part of a chapter that begins at character `start`, and the silence before the next part."""

    text: str
    start: int
    pause_seconds: float


def parts_of(text: str) -> Iterator[ChapterPart]:
    """Yield the parts of a chapter, cut between paragraphs, sentences or words; no pause follows the last."""
    start = 0
    while start < len(text):
        end, following, border = _cut(text, start)
        pause_seconds = 0.0 if following == len(text) else PAUSE_SECONDS[border]
        yield ChapterPart(text[start:end], start, pause_seconds)
        start = following


def _cut(text: str, start: int) -> tuple[int, int, Border]:
    """Return the end of a part, the start of the next one, and the border between them."""
    limit = start + PART_CHARACTERS
    if limit >= len(text):
        return len(text), len(text), Border.PARAGRAPH
    if paragraphs := list(_PARAGRAPH.finditer(text, start + 1, limit)):
        return *paragraphs[-1].span(), Border.PARAGRAPH
    spans = sentence_spans(text[start:limit])
    if len(spans) > 1:
        return start + spans[-2][1], start + spans[-1][0], Border.SENTENCE
    if spaces := list(_SPACE.finditer(text, start + 1, limit)):
        return *spaces[-1].span(), Border.WORD
    return limit, limit, Border.WORD


@dataclass(frozen=True)
class _Piece:
    """A part of a chapter as a request, whose first character is at `start`, and the silence after it.

    Tags that the part needs and that are not there in the chapter move its start before that of the part.
    """

    request: SpeechRequest
    start: int
    pause_seconds: float


def export(
    order: ExportJob,
    speaker: ExportSynthesizer,
    observe: Callable[[Event], None],
    cancel: threading.Event | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[ExportProgress]:
    """Carry out a job step by step, reusing the audio that an earlier attempt has generated.

    Equal jobs give equal bytes, regardless of interruptions, except for the random stream numbers of Ogg. Raises
    `OutputError`, `Canceled`, `NothingToSpeak`, and the speaker's errors.
    """
    check_writable(order.path, per_chapter=order.per_chapter, book=order.book)
    if order.path.suffix.lower() == NARRATED:
        check_one_file(order.per_chapter, order.subtitles)
        check_book(order.book)
    if order.subtitles:
        check_subtitles(order.subtitles)
    speaker.prepare(observe, cancel)
    made = PartCache(speaker.fingerprint)
    made.drop_old()
    crashed_last_time(EXPORTS)  # clears the marks of exports that were killed
    with crash_guarded(EXPORTS):
        going = _Export(order, speaker, made, observe, cancel, clock)
        yield from going.steps()
    if not is_in_use(EXPORTS):  # another export may be of the same text; the last one removes it
        made.drop(each.request for each in going.pieces())


def discard(order: ExportJob) -> None:
    """Remove what an interrupted export has left: unfinished files and generated speech.

    While an export is running, the speech stays, because it may be of the same text.
    """
    for output in outputs_of(order):
        remove_leftovers(output.path)
    crashed_last_time(EXPORTS)
    if not is_in_use(EXPORTS):
        PartCache().drop_all(requests_of(order, str))


def requests_of(order: ExportJob, find_voice: Callable[[str], object]) -> Iterator[SpeechRequest]:
    """Yield the parts of a job, in order, as requests; `find_voice` raises `UnknownVoice` for unknown names."""
    return (piece.request for chapter in _pieces(order, find_voice) for piece in chapter)


def write_made(
    order: ExportJob,
    blocks: Iterable[Samples],
    length: int,
    sample_rate_hz: int,
    cancel: threading.Event | None = None,
) -> Iterator[ExportProgress]:
    """Write existing speech of `length` samples, which is all of the only chapter, block by block.

    Raises `OutputError` and `Canceled`.
    """
    check_writable(order.path, per_chapter=order.per_chapter)
    (output,) = outputs_of(order)
    remove_leftovers(output.path)
    meter, step = Meter(length), f"Writing {output.path.name}"
    with recording(output.path, sample_rate_hz, output.tags) as file:
        if title := order.chapters[0].title or order.document.title:
            file.begin_chapter(title)
        for block in blocks:
            raise_if_set(cancel, STOPPED)
            file.write(to_pcm(block))
            meter.add(len(block))
            yield meter.progress(step)
        for _ in file.finish():
            raise_if_set(cancel, STOPPED)
            yield meter.progress(step)


class _Export:
    def __init__(
        self,
        order: ExportJob,
        speaker: ExportSynthesizer,
        made: PartCache,
        observe: Callable[[Event], None],
        cancel: threading.Event | None,
        clock: Callable[[], float],
    ) -> None:
        self._order = order
        self._speaker = speaker
        self._made = made
        self._observe = observe
        self._cancel = cancel
        self._chapters = _pieces(order, speaker.fingerprint)
        self._missing = {each.request for each in self.pieces() if not made.has(each.request)}
        missing = sum(len(each.part) for each in self._missing)
        everything = sum(len(each.request.part) for each in self.pieces())
        self._meter = Meter(missing + WRITING_SHARE * everything, clock)
        self._silent = True

    def steps(self) -> Iterator[ExportProgress]:
        """Generate and write one file after the other."""
        for output in outputs_of(self._order):
            for index in output.chapters:
                yield from self._make(index)
            if self._has_sound(output):
                yield from self._write(output)
        if self._silent:
            raise NothingToSpeak("There’s nothing to speak in this document.", "Choose a different document or voice.")

    def pieces(self) -> Iterator[_Piece]:
        """Yield all pieces to speak."""
        return (piece for chapter in self._chapters for piece in chapter)

    def _make(self, index: int) -> Iterator[ExportProgress]:
        title = self._order.chapters[index].title
        named = f", “{title}”" if title else ""
        chapter = f"chapter {index + 1} of {len(self._chapters)}{named}"
        for piece in self._chapters[index]:
            raise_if_set(self._cancel, STOPPED)
            step = f"Speaking {chapter}"
            if not self._made.has(piece.request):
                if self._made.has_other_version(piece.request):
                    step = f"Speaking a changed part of {chapter}"
                yield self._meter.progress(step)
                yield from self._speak(piece.request, step)
            elif piece.request in self._missing:  # another process has spoken it meanwhile
                self._meter.add(len(piece.request.part))
                yield self._meter.progress(step)
            self._missing.discard(piece.request)

    def _speak(self, request: SpeechRequest, step: str) -> Iterator[ExportProgress]:
        chunks: list[AudioChunk] = []
        spoken = request.start
        try:
            for chunk in self._speaker.synthesize(request, self._observe, self._cancel):
                raise_if_set(self._cancel, STOPPED)
                chunks.append(chunk)
                self._meter.add(chunk.utterance.end - spoken)
                spoken = chunk.utterance.end
                yield self._meter.progress(step)
        except NothingToSpeak:  # a line of stars between two scenes
            chunks = []
        self._meter.add(request.start + len(request.part) - spoken)
        self._made.store_part(request, made_of(chunks), self._speaker.sample_rate_hz)

    def _has_sound(self, output: Output) -> bool:
        return any(
            len(self._made.read(each.request).pcm) for index in output.chapters for each in self._chapters[index]
        )

    def _write(self, output: Output) -> Iterator[ExportProgress]:
        self._silent = False
        remove_leftovers(output.path)
        words: list[TimedWord] = []
        try:
            if output.path.suffix.lower() == NARRATED:
                yield from self._narrate(output)
                return
            yield from self._write_chapters(output, words)
            if output.subtitles:
                write_subtitles(output.subtitles, words)
        except OutputError as error:
            raise OutputError(
                error.message, f"{error.hint} Finished audio is saved, so the next attempt is faster."
            ) from error

    def _narrate(self, output: Output) -> Iterator[ExportProgress]:
        """Write a copy of the book with an audio file for each chapter."""
        assert self._order.book is not None
        suffix = narration_suffix()
        with (
            TemporaryDirectory(prefix="kokoro-desk-") as folder,
            Archive(self._order.book) as archive,
            atomic_write(output.path) as file,
            closing(NarratedBook(self._order.book, archive, file)) as book,
        ):
            for index in output.chapters:
                chapter, begun = self._order.chapters[index], self._meter.seconds_written
                words: list[TimedWord] = []
                audio = Path(folder, f"chapter-{index + 1}{suffix}")
                part = Output(audio, replace(output.tags, title=chapter.title, cover=None), range(index, index + 1))
                if self._has_sound(part):
                    yield from self._write_chapters(part, words)
                    book.add_chapter(chapter.text, words, self._meter.seconds_written - begun, audio)
                    audio.unlink()
            for _ in book.finish():
                raise_if_set(self._cancel, STOPPED)
                yield self._meter.progress(f"Writing {output.path.name}")
            self._meter.unmarked_words = book.unmarked_words
        yield self._meter.progress(f"Writing {output.path.name}")

    def _write_chapters(self, output: Output, words: list[TimedWord]) -> Iterator[ExportProgress]:
        """Write the audio, and append its words to `words`."""
        begun = self._meter.seconds_written
        step = f"Writing {output.path.name}"
        with recording(output.path, self._speaker.sample_rate_hz, output.tags) as file:
            for index in output.chapters:
                file.begin_chapter(self._order.chapters[index].title or f"Chapter {index + 1}")
                sounds = False
                for piece in self._chapters[index]:
                    if output.subtitles or self._order.book is not None:
                        words += self._words(piece, self._meter.seconds_written - begun)
                    for share in self._write_piece(file, piece):
                        sounds = True
                        self._meter.add(WRITING_SHARE * len(piece.request.part) * share)
                        yield self._meter.progress(step)
                if sounds and index + 1 < output.chapters.stop:
                    self._append(file, self._silence(CHAPTER_PAUSE_SECONDS))
            for _ in file.finish():
                raise_if_set(self._cancel, STOPPED)
                yield self._meter.progress(step)

    def _words(self, piece: _Piece, start_seconds: float) -> list[TimedWord]:
        made = self._made.read(piece.request)
        return timed_words(
            piece.request.text, made.words, self._speaker.sample_rate_hz, start_seconds, start=piece.start
        )

    def _write_piece(self, file: Recording, piece: _Piece) -> Iterator[float]:
        """Write a piece; yield the share of it that each step writes."""
        pcm = self._made.read(piece.request).pcm
        for start in range(0, len(pcm), _BLOCK_SAMPLES):
            raise_if_set(self._cancel, STOPPED)
            block = pcm[start : start + _BLOCK_SAMPLES]
            self._append(file, block)
            yield len(block) / len(pcm)
        if len(pcm):
            self._append(file, self._silence(piece.pause_seconds))

    def _append(self, file: Recording, pcm: Pcm) -> None:
        file.write(pcm)
        self._meter.seconds_written += len(pcm) / self._speaker.sample_rate_hz

    def _silence(self, seconds: float) -> Pcm:
        scale = self._order.speech_settings.pause_scale
        return np.zeros(round(seconds * scale * self._speaker.sample_rate_hz), np.int16)


def _pieces(order: ExportJob, find_voice: Callable[[str], object]) -> list[tuple[_Piece, ...]]:
    """Return the parts of each chapter, with its edits."""
    return [
        _pieces_of(chapter.text, order.speech_settings_of(index), find_voice)
        for index, chapter in enumerate(order.chapters)
    ]


def _pieces_of(text: str, speech_settings: SpeechRequest, find_voice: Callable[[str], object]) -> tuple[_Piece, ...]:
    """Return the parts, each with the voice most recently named before it in the text, if any.

    A text with edits is one part, because edits fit only sentences that are divided as in the whole text. Presets that
    apply beyond a part are marked in each of its texts.
    """
    recipe_of = speech_settings.definitions.recipe_of
    marks, pieces = read_marks(text), []
    for part in [ChapterPart(text, 0, 0.0)] if speech_settings.edits else parts_of(text):
        voice = voice_before(text, part.start, lambda name: find_voice(recipe_of(name))) or speech_settings.voice
        opening = "".join(f"[{preset}]" for preset in marks.across(part.start))
        closing = "".join(f"[/{preset}]" for preset in marks.across(part.start + len(part.text)))
        request = replace(speech_settings, text=f"{opening}{part.text}{closing}", voice=voice)
        pieces.append(_Piece(request, part.start - len(opening), part.pause_seconds))
    return tuple(pieces)

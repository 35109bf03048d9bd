"""`engine plan`: shows how a text or a document would be spoken, word by word, and why, without generating audio."""

from __future__ import annotations

import argparse
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from engine.cli import documents
from engine.cli.command import Command, Outcome, add_edits, add_json_flag, add_model, add_speech_options
from engine.cli.progress import Steps
from engine.cli.speak import text_of
from engine.errors import NothingToSpeak
from engine.runtime.synthesizer import Synthesizer
from engine.speech import Contours, Plan, PronunciationSource, SpeechRequest, Utterance
from engine.text.documents import Document
from engine.text.documents.decoding import Decoded
from engine.text.g2p.directions import hide_preset_tags

_RUN = re.compile(r"\S+")
_SPOKEN_KINDS = "LNS"
"""The Unicode categories of spoken characters, by first letter: letters, numbers and symbols."""


def add_options(parser: Any) -> None:
    """Add the options: what to plan, and for which voice."""
    parser.add_argument("text", nargs="?", help="the text; - reads standard input")
    documents.add_source(parser)
    add_speech_options(parser)
    add_edits(parser)
    parser.add_argument("--prosody", action="store_true", help="also predict durations, pitch, and energy")
    add_json_flag(parser)
    add_model(parser)


def show_plan(options: argparse.Namespace) -> Outcome:
    """Plan the text that the options name. Raises `InvalidRequest` children, `UnusableDocument` or `MissingModel`."""
    project = documents.project_of(options)
    document = documents.document_of(options) if project is None else None
    source = text_of(options, document) if project is None else Decoded(project.request.text)
    with Steps() as steps:
        request = documents.request_of(options, project, steps)
        synthesizer = Synthesizer(options.model, weights=options.weights)
        request = replace(request, text=source.text, voice=request.voice or synthesizer.voices()[0].name)
        request = replace(request, edits=documents.edits_of(options, document, steps) or request.edits)
        data = _planned(synthesizer, request, document, source.notices, bool(options.prosody), steps)
    return Outcome(data, "\n".join(_lines(data)))


def _planned(
    synthesizer: Synthesizer,
    request: SpeechRequest,
    document: Document | None,
    told: Sequence[str],
    prosody: bool,
    steps: Steps,
) -> dict[str, Any]:
    parts = [(None, request.text)] if document is None else [(each.title, each.text) for each in document.chapters]
    notices = [_notice(message) for message in (*told, *(document.notices if document else ()))]
    chapters = []
    for number, (title, text) in enumerate(parts, 1):
        steps.expect_step(f"Planning chapter {number} of {len(parts)}" if title is not None else "Planning")
        plan = _plan_of(synthesizer, request, text, alone=len(parts) == 1)
        notices += [_notice(each.message, title, each.start, each.end) for each in plan.notices]
        utterances = list(_utterances(plan, text))
        if prosody and utterances:
            for data, (_, contours) in zip(utterances, synthesizer.contours(replace(request, text=text)), strict=True):
                data["prosody"] = _prosody(contours)
        chapters.append({"title": title, "text": text, "utterances": utterances})
    return {"notices": notices, "chapters": chapters}


def _plan_of(synthesizer: Synthesizer, request: SpeechRequest, text: str, alone: bool) -> Plan:
    """Return the whole plan of a text; it is empty for a chapter without a sound, if there are others."""
    try:
        *_, plan = synthesizer.plans(replace(request, text=text))
    except NothingToSpeak:
        if alone:
            raise
        return Plan(())
    return plan


def _notice(
    message: str, chapter: str | None = None, start: int | None = None, end: int | None = None
) -> dict[str, Any]:
    return {"message": message, "chapter": chapter, "start": start, "end": end}


def _utterances(plan: Plan, text: str) -> Iterator[dict[str, Any]]:
    done, untagged = 0, hide_preset_tags(text, " ")
    for utterance in plan.utterances:
        last = utterance is plan.utterances[-1]
        end = len(text) if last else utterance.end
        yield {
            "text": utterance.text,
            "phonemes": utterance.phonemes,
            "start": utterance.start,
            "end": utterance.end,
            "pause_seconds": utterance.pause_seconds if utterance.rest_seconds is None else utterance.rest_seconds,
            "words": list(_words(utterance, text, untagged, done, end)),
        }
        done = utterance.end


def _prosody(contours: Contours) -> dict[str, Any]:
    """Durations of phonemes in frames, and the curves, which have the same number of values for every frame."""
    return {
        "frames_per_second": contours.frames_per_second,
        "frames": contours.frames.tolist(),
        "model_frames": contours.model_frames.tolist(),
        "pitch_hz": [round(float(value), 2) for value in contours.pitch],
        "energy": [round(float(value), 4) for value in contours.energy],
    }


def _words(utterance: Utterance, text: str, untagged: str, start: int, end: int) -> Iterator[dict[str, Any]]:
    """Yield the words from `start` to `end`: spoken words and, between them, `untagged` text without a sound."""
    done = start
    for word in utterance.words:
        yield from _silent(untagged, done, word.start)
        phonemes = utterance.phonemes[word.first_phoneme : word.end_phoneme]
        first = word.first_phoneme
        tags = [each.preset.value for each in utterance.presets if each.first_phoneme <= first < each.end_phoneme]
        yield _word(text, word.start, word.end, phonemes, word.source, tags)
        done = word.end
    yield from _silent(untagged, done, end)


def _silent(text: str, start: int, end: int) -> Iterator[dict[str, Any]]:
    for run in _RUN.finditer(text, start, end):
        if any(unicodedata.category(character)[0] in _SPOKEN_KINDS for character in run[0]):
            yield _word(text, *run.span(), "", PronunciationSource.SILENT, [])


def _word(text: str, start: int, end: int, phonemes: str, source: str, tags: list[str]) -> dict[str, Any]:
    return {"text": text[start:end], "start": start, "end": end, "phonemes": phonemes, "source": source, "tags": tags}


def _lines(data: dict[str, Any]) -> Iterator[str]:
    """Yield the plan as a table: a line for each word, under its utterance and chapter."""
    for notice in data["notices"]:
        yield f"note: {notice['message']}"
    for number, chapter in enumerate(data["chapters"], 1):
        if chapter["title"] is not None:
            yield f"Chapter {number}: {chapter['title']}"
        for utterance in chapter["utterances"]:
            pause = f"{utterance['pause_seconds']:.2f} s of silence"
            yield f"  {utterance['start']} - {utterance['end']}, then {pause}: {utterance['phonemes']}"
            if "prosody" in utterance:
                yield f"    {_durations(utterance)}"
            for word in utterance["words"]:
                tags = "".join(f" [{tag}]" for tag in word["tags"])
                yield f"    {word['text']:<24} {word['phonemes']:<28} {word['source']}{tags}".rstrip()


def _durations(utterance: dict[str, Any]) -> str:
    """Every phoneme with its duration."""
    ms = 1000 / utterance["prosody"]["frames_per_second"]
    frames = zip(utterance["phonemes"], utterance["prosody"]["frames"], strict=True)
    return " ".join(f"{symbol.strip() or '␣'} {count * ms:.0f}" for symbol, count in frames) + " (ms)"


COMMAND = Command("plan", "Show the phonemes of a text, word by word.", add_options, show_plan)

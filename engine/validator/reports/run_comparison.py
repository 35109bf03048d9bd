"""Compares two validations in words: obstacles to comparing their values, and different settings."""

from __future__ import annotations

from collections.abc import Iterator

from engine.speech import SpeechRequest
from engine.validator.data.results import Report

LEFT_OUT = "–"
NO_FAULT = "none"


def incomparable_reasons(first: Report, second: Report) -> tuple[str, ...]:
    """Return the reasons why the values of two runs cannot be compared, each in a sentence; empty if they can."""
    return tuple(_unavailable_peers(first, second))


def differences(first: Report, second: Report) -> tuple[str, ...]:
    """Return the settings that differ between comparable runs, such as the device: phrases with both values."""
    ours, theirs = first.request, second.request
    pairs = {
        "injected fault": (ours.fault or NO_FAULT, theirs.fault or NO_FAULT),
        "padding": (f"{ours.padding:g}", f"{theirs.padding:g}"),
        "device": (_name(first.device_choice), _name(second.device_choice)),
        "LSTM method": (_name(first.lstm_choice), _name(second.lstm_choice)),
    }
    names = dict.fromkeys([*first.versions, *second.versions]) if first.versions and second.versions else {}
    pairs |= {name: (first.versions.get(name, LEFT_OUT), second.versions.get(name, LEFT_OUT)) for name in names}
    return tuple(f"{name}: {one} and {other}" for name, (one, other) in pairs.items() if one != other)


def _unavailable_peers(first: Report, second: Report) -> Iterator[str]:
    ours, theirs = first.request, second.request
    if (ours.model, ours.weights) != (theirs.model, theirs.weights):
        yield f"Different models: {_model(first)} and {_model(second)}."
    if ours.phonemes != theirs.phonemes:
        yield "Different phonemes."
    yield from _incomparable_speech(ours.speech, theirs.speech)
    if ours.reference != theirs.reference:
        yield f"Different references: {ours.reference} and {theirs.reference}."


def _incomparable_speech(ours: SpeechRequest, theirs: SpeechRequest) -> Iterator[str]:
    if ours.text != theirs.text:
        yield "Different texts."
    if ours.voice != theirs.voice:
        yield f"Different voices: {ours.voice} and {theirs.voice}."
    if ours.language != theirs.language:
        languages = (speech.language or "the voice’s own" for speech in (ours, theirs))
        yield f"Different languages: {' and '.join(languages)}."
    if ours.speed != theirs.speed:
        yield f"Different lengths: speed {ours.speed:g} and {theirs.speed:g}."
    if ours.seed != theirs.seed:
        yield f"Different noise: seed {ours.seed} and {theirs.seed}."
    if ours.edits != theirs.edits:
        yield "Different edits."


def _name(choice: str) -> str:
    """Return a choice without its reason, which may differ between equal choices."""
    return choice.partition(" ")[0] or LEFT_OUT


def _model(report: Report) -> str:
    request = report.request
    return request.model if request.weights is None else f"{request.model} with weights {request.weights}"

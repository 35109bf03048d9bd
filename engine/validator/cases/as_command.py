"""Writes a validation as the command that gives the same rows, to be pasted into a terminal."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from engine.runtime.edit_files import edits_text
from engine.validator.data.results import ValidationRequest

PROGRAM = ("kokoro-desk",)
COMMAND = "validate"


def as_command(request: ValidationRequest, *more: str) -> str:
    """Return the command line for a POSIX shell, followed by the arguments `more`."""
    return shlex.join([*PROGRAM, COMMAND, *as_arguments(request), *more])


def as_arguments(request: ValidationRequest) -> tuple[str, ...]:
    """Return the arguments after `validate`, each option in one word, so that text may begin with a dash.

    Names everything that affects the rows, because defaults may differ where the command is pasted.
    """
    return tuple(f"--{name}={value}" if value is not None else f"--{name}" for name, value in _options(request))


def _options(request: ValidationRequest) -> Iterator[tuple[str, str | None]]:
    speech = request.speech
    yield "model", request.model
    if request.weights is not None:
        yield "weights", request.weights
    yield "voice", speech.voice
    if speech.language is not None:
        yield "language", speech.language
    yield "speed", repr(float(speech.speed))
    yield "seed", str(speech.seed)
    yield "regimes", ",".join(request.regimes or (request.reference,))
    yield "reference", request.reference
    yield "padding", repr(float(request.padding))
    yield "device", request.device
    yield "lstm-method", request.lstm_method
    if speech.edits and not request.phonemes:
        yield "edits", edits_text(speech.edits, request.model)
    if request.cross:
        yield "cross", ",".join(f"{stage}={regime}" for stage, regime in request.cross)
    if request.probes:
        yield "probes", None
    if request.fault:
        yield "fault", request.fault
    if request.golden is not None:
        yield "golden", request.golden
    if request.phonemes:
        yield "phonemes", request.phonemes
    else:
        yield "text", speech.text

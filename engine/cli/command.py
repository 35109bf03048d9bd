"""The parts that all commands share, and the result that a command returns."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from engine.errors import EngineError, UnknownVoice
from engine.models.checkpoints import MODEL_NAMES, default_model
from engine.models.installed_voices import model_of, require_installed, require_voice
from engine.runtime.edit_files import PLAIN_REQUEST, read_edits
from engine.speech import Prosody, SpeechRequest, UtteranceEdit
from engine.system.atomic_write import atomic_write

STANDARD_OUTPUT = Path("-")
_BEST = ""


@dataclass(frozen=True)
class Outcome:
    """The result of a command: `data` for --json, `words` for people.

    The exit code is 1 unless it `passed`; `error` is reported after the rest.
    """

    data: Any
    words: str
    passed: bool = True
    error: EngineError | None = None


def _nothing(options: argparse.Namespace) -> str:
    return ""


@dataclass(frozen=True)
class Command:
    """A command: its name, a line of help, its options, and its action.

    `run` raises `EngineError` for failures that the user can fix. `left_behind` returns a sentence about the files that
    an interrupted run leaves.
    """

    name: str
    summary: str
    add_options: Callable[[Any], None]
    run: Callable[[argparse.Namespace], Outcome | None]
    left_behind: Callable[[argparse.Namespace], str] = _nothing


def add_model(parser: Any, inherited: bool = False) -> None:
    """Add --model and --weights; `inherited` ones default to the options before them.

    `model_named` is true if --model was given.
    """
    kept: dict[str, Any] = {"default": argparse.SUPPRESS} if inherited else {}
    known = f"one of: {', '.join(MODEL_NAMES)} (default: the best installed one that has the voice)"
    named = {"type": _model_name, "action": _NamedModel, "default": _BEST, "help": known, **kept}
    parser.add_argument("--model", **named)
    parser.add_argument("--weights", help="random:SEED instead of trained weights, to try an architecture", **kept)
    if not inherited:
        parser.set_defaults(model_named=False)


def add_speech_options(parser: Any) -> None:
    """Add --voice, --language and --speed."""
    parser.add_argument(
        "--voice", help="a name from `voices`, or a blend: “a(2)+b(1)” or “a:60,b:40” (default: the first)"
    )
    parser.add_argument("--language", help="override the voice’s language, for example fr-FR")
    parser.add_argument("--speed", type=float, help="0.5 to 2 (default: 1)")


def speech_settings_of(options: argparse.Namespace, basis: SpeechRequest = PLAIN_REQUEST) -> SpeechRequest:
    """Return a request with the settings that the options give, and those of `basis` for the others.

    Its voice is empty if none was given.
    """
    names = {"voice": "voice", "speed": "speed", "language": "language", "seed": "seed", "pause": "pause_scale"}
    given = {field: getattr(options, name, None) for name, field in names.items()}
    return replace(basis, **{field: value for field, value in given.items() if value is not None})


def add_edits(parser: Any) -> None:
    """Add --edits."""
    parser.add_argument(
        "--edits",
        type=lambda word: word if word.startswith("{") else Path(word),
        metavar="FILE",
        help="apply changes of pronunciation, durations, and pitch; also the content of a file, from { to }",
    )


def edits_of(options: argparse.Namespace) -> tuple[tuple[UtteranceEdit, ...], str]:
    """Return the edits in the file that --edits names, or in its value, or none, and their model, if known.

    Raises `InvalidRequest` or `DamagedFile`.
    """
    return ((), "") if options.edits is None else read_edits(options.edits)


def add_prosody(parser: Any) -> None:
    """Add --prosody."""
    parser.add_argument(
        "--prosody",
        type=_prosody_named,
        default=Prosody.LSTM,
        help="lstm (default): the model’s LSTMs predict durations, pitch, and energy; "
        "transformer: a Transformer distilled from them",
    )


def _prosody_named(word: str) -> Prosody:
    try:
        return Prosody(word)
    except ValueError:
        raise argparse.ArgumentTypeError(f"Unknown prosody “{word}”. Use one of: {', '.join(Prosody)}.") from None


class _NamedModel(argparse.Action):
    """Stores the name of a model, and that it was given."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        namespace.model, namespace.model_named = values, True


def model_with(options: argparse.Namespace, voice: str | None) -> str:
    """Return the model to use with this voice: the one that --model names, else the best that has the voice.

    Raises `InvalidRequest`, one of its children, or `MissingModel` if no installed model has the voice, or only other
    models than the named one have it.
    """
    model = str(options.model)
    if voice is None or options.weights is not None:
        return model
    if options.model_named:
        require_voice(voice, model)
        return model
    try:
        return model_of(voice, model)
    except UnknownVoice:
        require_installed(voice)
        raise


def _model_name(word: str) -> str:
    """Return the model of this name; argparse calls this for the default too, if --model is omitted."""
    try:
        return default_model() if word == _BEST else word
    except EngineError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def add_json_flag(parser: Any, inherited: bool = False) -> None:
    """Add --json, for JSON on standard output; an `inherited` one defaults to the options before it."""
    default = argparse.SUPPRESS if inherited else False
    parser.add_argument("--json", action="store_true", default=default, help="print the result as JSON")


def add_json_file(parser: Any) -> None:
    """Add --json, which may name a file."""
    parser.add_argument(
        "--json",
        type=Path,
        nargs="?",
        const=STANDARD_OUTPUT,
        metavar="FILE",
        help="write all figures as JSON to this file, or print them",
    )


def printed(options: argparse.Namespace, outcome: Outcome) -> str:
    """Return the text for standard output: JSON if requested, else words."""
    wants_json = getattr(options, "json", None) in (True, STANDARD_OUTPUT)
    return json.dumps(outcome.data, indent=2, ensure_ascii=False) if wants_json else outcome.words


def save_json(options: argparse.Namespace, outcome: Outcome) -> None:
    """Write the file that --json names, if any. Raises `OutputError`."""
    if options.json not in (None, STANDARD_OUTPUT):
        with atomic_write(options.json) as file:
            text = json.dumps(outcome.data, indent=2, ensure_ascii=False)
            file.write(text.encode(errors="backslashreplace"))  # JSON escapes lone surrogates like this

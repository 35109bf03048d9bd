"""The body of a speech request: checked, and translated into a request of the engine."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.errors import UnknownVoice
from engine.models.voices.blends import is_recipe, parse, with_full_names
from engine.models.voices.packs import full_name
from engine.server.errors import BAD_REQUEST, NOT_FOUND, RequestError
from engine.server.streams import FORMATS
from engine.speech import FASTEST_SPEED, SLOWEST_SPEED, SpeechRequest, VoiceInfo
from engine.system.json_text import json_value
from engine.text.g2p.directions import directions

MODEL_ALIASES = ("kokoro", "tts-1", "tts-1-hd", "gpt-4o-mini-tts")
"""Names that clients use without being asked; they stand for the served model."""
MIN_SPEED, MAX_SPEED = 0.25, 4.0
DEFAULT_FORMAT = "mp3"
MAX_INPUT_CHARACTERS = 100_000
MAX_PAUSE_SECONDS = 600.0
"""The limit on all pauses of a text together: a few characters, such as `[pause 60s]`, ask for much audio."""
MAX_VOICE_CHARACTERS = 500
MAX_QUOTED_CHARACTERS = 60
AUDIO, EVENTS = "audio", "sse"
WORDS = "word"
OPENAI_VOICES: Mapping[str, str] = {
    "alloy": "af_alloy",
    "ash": "am_michael",
    "ballad": "bm_george",
    "cedar": "am_eric",
    "coral": "af_bella",
    "echo": "am_echo",
    "fable": "bm_fable",
    "marin": "af_heart",
    "nova": "af_nova",
    "onyx": "am_onyx",
    "sage": "af_sarah",
    "shimmer": "af_sky",
    "verse": "am_puck",
}
"""The voice that stands for each of OpenAI's; a model without it uses its first voice of the same accent and gender."""


@dataclass(frozen=True)
class SpeechOrder:
    """A checked request of a client.

    The engine speaks `request`; then its audio is stretched, to `times_faster` its speed, and encoded in
    `audio_format`. With `events`, the response is a stream of server-sent events, which include word times if `words`.
    """

    request: SpeechRequest
    times_faster: float = 1.0
    audio_format: str = DEFAULT_FORMAT
    events: bool = False
    words: bool = False


def read_order(body: bytes, model: str, voices: Sequence[VoiceInfo]) -> SpeechOrder:
    """Check the JSON body of a request to a server of `model`, which has these voices; ignore unknown fields.

    Raises `RequestError`, or the `InvalidRequest` of a voice.
    """
    return order_of(_object(body), model, voices)


def order_of(fields: Mapping[str, Any], model: str, voices: Sequence[VoiceInfo]) -> SpeechOrder:
    """Check the fields of a request as `read_order` does."""
    _check_model(_text(fields, "model", model), model)
    speed = _speed(fields)
    engine_speed = min(max(speed, SLOWEST_SPEED), FASTEST_SPEED)
    events = _choice(fields, "stream_format", (AUDIO, EVENTS), AUDIO) == EVENTS
    return SpeechOrder(
        SpeechRequest(_input(fields), voice_named(_voice(fields, voices), voices), engine_speed),
        speed / engine_speed,
        _choice(fields, "response_format", tuple(FORMATS), DEFAULT_FORMAT),
        events,
        _wants_words(fields, events),
    )


def voice_named(name: str, voices: Sequence[VoiceInfo]) -> str:
    """Return the voice or blend of these voices that a name means: a full or short one, one of OpenAI's, or a recipe.

    Raises `UnknownVoice` or `InvalidRequest`.
    """
    names = [voice.name for voice in voices]
    if is_recipe(name) and name not in names:
        return with_full_names(parse(name), names, _full_name).recipe
    return _full_name(name, names)


def _full_name(name: str, known: Collection[str]) -> str:
    """Return what `full_name` does, or the voice that stands for one of OpenAI's."""
    try:
        return full_name(name, known)
    except UnknownVoice:
        meant = OPENAI_VOICES.get(name.casefold())
        if meant is None:
            raise
        return meant if meant in known else _stand_in(meant, known)


def voices_of(language: str, voices: Sequence[VoiceInfo]) -> list[VoiceInfo]:
    """Return the voices of a language such as `en-GB` or `en_GB`, or of any variety of it if there are none."""
    tag = language.replace("_", "-").casefold()
    return [voice for voice in voices if voice.language.casefold() == tag] or [
        voice for voice in voices if voice.language.partition("-")[0] == tag.partition("-")[0]
    ]


def _stand_in(name: str, known: Collection[str]) -> str:
    """Return the first voice with the same accent and gender, which are the first letters of Kokoro's names."""
    for letters in (name[:2], name[1:2]):
        for each in known:
            if each.partition("_")[0].endswith(letters):
                return each
    return next(iter(known))


def _object(body: bytes) -> dict[str, Any]:
    try:
        fields = json_value(body)
    except ValueError as error:
        raise RequestError(BAD_REQUEST, "The body isn’t valid JSON.", "Send a JSON object.") from error
    if not isinstance(fields, dict):
        raise RequestError(BAD_REQUEST, "The body isn’t a JSON object.", 'Send one such as {"input": "Hello."}.')
    return fields


def _text(fields: Mapping[str, Any], name: str, default: str) -> str:
    value = fields.get(name)
    if value is None:
        return default
    if not isinstance(value, str):
        raise _wrong(name, f"“{name}” isn’t a string.", "Send a string.")
    return value


def _input(fields: Mapping[str, Any]) -> str:
    text = _text(fields, "input", "")
    if not text.strip():
        raise _wrong("input", "There’s no text to speak.", "Send some text.")
    if len(text) > MAX_INPUT_CHARACTERS:
        limit = f"{MAX_INPUT_CHARACTERS:,}"
        raise _wrong("input", f"The text has {len(text):,} characters.", f"Send at most {limit} at a time.")
    pauses = sum(each.pause_seconds or 0.0 for each in directions(text))
    if pauses > MAX_PAUSE_SECONDS:
        raise _wrong(
            "input",
            f"The text asks for {pauses:,.0f} seconds of pauses.",
            f"Ask for at most {MAX_PAUSE_SECONDS:g} seconds.",
        )
    return text


def _check_model(name: str, model: str) -> None:
    if name != model and name.casefold() not in MODEL_ALIASES:
        raise RequestError(
            NOT_FOUND,
            f"This server has no model “{shortened(name)}”.",
            f"Use {model}, or start the server with a different --model.",
            "model_not_found",
            "model",
        )


def _voice(fields: Mapping[str, Any], voices: Sequence[VoiceInfo]) -> str:
    """Return the name of the requested voice; OpenAI's custom voices are objects with an `id`."""
    value = fields.get("voice")
    named = {"voice": value.get("id")} if isinstance(value, dict) else fields
    name = _text(named, "voice", voices[0].name)
    if len(name) > MAX_VOICE_CHARACTERS:
        raise _wrong("voice", "The voice is too long.", f"Use at most {MAX_VOICE_CHARACTERS} characters.")
    return name


def _speed(fields: Mapping[str, Any]) -> float:
    speed = fields.get("speed")
    if speed is None:
        return 1.0
    if isinstance(speed, bool) or not isinstance(speed, int | float) or not MIN_SPEED <= speed <= MAX_SPEED:
        raise _wrong("speed", "The speed is out of range.", f"Send a number from {MIN_SPEED:g} to {MAX_SPEED:g}.")
    return float(speed)


def _choice(fields: Mapping[str, Any], name: str, choices: Sequence[str], default: str) -> str:
    value = _text(fields, name, default)
    if value not in choices:
        raise _wrong(name, f"Unknown {name} “{shortened(value)}”.", f"Use one of: {', '.join(choices)}.")
    return value


def _wants_words(fields: Mapping[str, Any], events: bool) -> bool:
    name = "timestamp_granularities"
    wanted = fields.get(name)
    if not wanted:
        return False
    if wanted != [WORDS]:
        raise _wrong(name, f"Unknown {name}.", f'Send ["{WORDS}"].')
    if not events:
        raise _wrong(name, "Only events can carry word times.", f"Set “stream_format” to {EVENTS}.")
    return True


def _wrong(param: str, message: str, hint: str) -> RequestError:
    return RequestError(BAD_REQUEST, message, hint, param=param)


def client_name(user_agent: str) -> str:
    """Return a client's User-Agent header as text to display: printable, and not longer than a line."""
    return shortened("".join(each for each in user_agent if each.isprintable()).strip())


def shortened(value: str) -> str:
    """Return a value to quote in a message, not longer than a line."""
    return value if len(value) <= MAX_QUOTED_CHARACTERS else f"{value[:MAX_QUOTED_CHARACTERS]}…"

"""Tests of the fields of a request."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InvalidRequest, UnknownVoice
from engine.server.errors import RequestError, error_object, status_of
from engine.server.requests import (
    MAX_INPUT_CHARACTERS,
    MAX_SPEED,
    MIN_SPEED,
    OPENAI_VOICES,
    SpeechOrder,
    client_name,
    read_order,
    voice_named,
)
from engine.speech import FASTEST_SPEED, SLOWEST_SPEED
from tests.engine.server.running import VOICES


def order(**fields: Any) -> SpeechOrder:
    return read_order(json.dumps({"input": "Hello.", **fields}).encode(), "starter", VOICES)


def test_only_the_text_is_needed() -> None:
    assert (order().request.text, order().request.voice) == ("Hello.", "af_heart")
    assert (order().audio_format, order().events, order().times_faster) == ("mp3", False, 1.0)


def test_null_and_unknown_fields_are_ignored() -> None:
    assert (
        order(model=None, voice=None, speed=None, response_format=None, instructions="Whisper.", backend={}) == order()
    )


@pytest.mark.parametrize("model", ["starter", "tts-1", "tts-1-hd", "gpt-4o-mini-tts", "kokoro", "Kokoro"])
def test_the_model_has_several_names(model: str) -> None:
    assert order(model=model) == order()


@given(st.floats(MIN_SPEED, MAX_SPEED))
def test_every_speed_is_reached(speed: float) -> None:
    made = order(speed=speed)
    assert made.request.speed * made.times_faster == pytest.approx(speed)
    assert SLOWEST_SPEED <= made.request.speed <= FASTEST_SPEED
    assert made.times_faster == 1 or not SLOWEST_SPEED <= speed <= FASTEST_SPEED


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("am_michael", "am_michael"),
        ("Michael", "am_michael"),
        ("af_heart(2)+george(1)", "af_heart(2)+bm_george(1)"),
        ("alloy(2)+Fable", "af_heart(2)+bm_george(1)"),
        ("alloy:2,marin:1", "af_heart(3)"),
        ("alloy", "af_heart"),
        ("onyx", "am_michael"),
        ("fable", "bm_george"),
    ],
)
def test_a_voice_has_several_names(name: str, meant: str) -> None:
    assert order(voice=name).request.voice == meant
    assert order(voice={"id": name}).request.voice == meant


@pytest.mark.parametrize("name", OPENAI_VOICES)
def test_every_voice_of_openai_is_mapped(name: str) -> None:
    assert voice_named(name, VOICES) in {voice.name for voice in VOICES}
    assert voice_named(name, VOICES[2:]) == "bm_george"


def test_unknown_voices_name_the_known_ones() -> None:
    with pytest.raises(UnknownVoice, match="af_heart"):
        order(voice="nobody")
    with pytest.raises(InvalidRequest, match="weight"):
        order(voice="af_heart(0)")


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"input": None}, "input"),
        ({"input": ""}, "input"),
        ({"input": " \n"}, "input"),
        ({"input": 3}, "input"),
        ({"input": ["Hello."]}, "input"),
        ({"input": "a" * (MAX_INPUT_CHARACTERS + 1)}, "input"),
        ({"input": "Hi. " + "[pause 60s]" * 11}, "input"),
        ({"voice": 3}, "voice"),
        ({"voice": {"id": 3}}, "voice"),
        ({"voice": "a" * 501}, "voice"),
        ({"speed": 0.2}, "speed"),
        ({"speed": 4.1}, "speed"),
        ({"speed": "fast"}, "speed"),
        ({"speed": True}, "speed"),
        ({"speed": float("nan")}, "speed"),
        ({"speed": float("inf")}, "speed"),
        ({"speed": 10**400}, "speed"),
        ({"response_format": "aac"}, "response_format"),
        ({"response_format": 1}, "response_format"),
        ({"stream_format": "websocket"}, "stream_format"),
        ({"model": "gpt-5"}, "model"),
        ({"model": 1}, "model"),
        ({"timestamp_granularities": ["segment"], "stream_format": "sse"}, "timestamp_granularities"),
        ({"timestamp_granularities": 1, "stream_format": "sse"}, "timestamp_granularities"),
        ({"timestamp_granularities": ["word"]}, "timestamp_granularities"),
    ],
)
def test_a_wrong_field_is_named(fields: dict[str, Any], param: str) -> None:
    with pytest.raises(RequestError) as caught:
        order(**fields)
    told = error_object(caught.value)["error"]
    assert told["param"] == param
    assert told["type"] == "invalid_request_error"
    assert len(told["message"]) < 200
    assert status_of(caught.value) == (404 if fields.get("model") == "gpt-5" else 400)


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b'"text"', b"\xff", b"[" * 100_000, b"9" * 10_000])
def test_a_body_that_is_no_object_is_refused(body: bytes) -> None:
    with pytest.raises(RequestError) as caught:
        read_order(body, "starter", VOICES)
    assert status_of(caught.value) == 400


def test_pauses_up_to_the_limit_are_accepted() -> None:
    assert order(input="Hi. " + "[pause 60s]" * 10).request.text.startswith("Hi.")


def test_word_times_come_as_events() -> None:
    made = order(timestamp_granularities=["word"], stream_format="sse")
    assert (made.words, made.events) == (True, True)
    assert not order(timestamp_granularities=[]).words


@given(st.text(st.characters(max_codepoint=0xFF)))
def test_any_client_has_a_short_printable_name(user_agent: str) -> None:
    name = client_name(user_agent)
    assert not name or name.isprintable()
    assert len(name) < 80
    assert client_name(name) == name or name.endswith("…")


def test_the_name_of_a_client_is_shown_as_it_is() -> None:
    assert client_name(" OpenAI/Python\x07 3.57.0 ") == "OpenAI/Python 3.57.0"

"""Tests with the requests of other programs: OpenAI's client, Open WebUI, SillyTavern, and LibreChat."""

from __future__ import annotations

import base64
import io
import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import numpy as np
import openai
import pytest
import soundfile

from engine.audio.recording import to_pcm
from engine.runtime.synthesizer import Synthesizer
from engine.speech import SpeechRequest
from tests.engine.server.running import Running
from tests.patience import PATIENCE_SECONDS

TEXT = "Good morning. The fox runs over the hill, and the river is wide.\n\nIt rains."


@pytest.fixture(scope="module")
def client(served: Running) -> openai.OpenAI:
    with openai.OpenAI(base_url=served.url, api_key="unused", timeout=PATIENCE_SECONDS, max_retries=0) as client:
        yield client


def samples_of(synthesizer: Synthesizer, text: str, voice: str = "af_heart", speed: float = 1.0) -> np.ndarray:
    chunks = synthesizer.synthesize(SpeechRequest(text, voice, speed))
    return np.concatenate([to_pcm(chunk.samples) for chunk in chunks])


def test_the_official_client_gets_the_samples_of_the_engine(client: openai.OpenAI, starter: Synthesizer) -> None:
    response = client.audio.speech.create(model="tts-1", voice="af_heart", input=TEXT, response_format="pcm")
    np.testing.assert_array_equal(np.frombuffer(response.content, "<i2"), samples_of(starter, TEXT))


@pytest.mark.parametrize("audio_format", ["mp3", "opus", "flac", "wav"])
def test_the_official_client_streams_to_a_file(
    client: openai.OpenAI, starter: Synthesizer, tmp_path: Path, audio_format: Any
) -> None:
    path = tmp_path / f"speech.{audio_format}"
    with client.audio.speech.with_streaming_response.create(
        model="tts-1", voice="alloy", input="Good morning.", response_format=audio_format, speed=1.5
    ) as response:
        response.stream_to_file(path)
    expected = samples_of(starter, "Good morning.", speed=1.5)
    assert len(soundfile.read(path)[0]) == len(expected)


def test_the_official_client_reads_events(client: openai.OpenAI, starter: Synthesizer) -> None:
    with client.audio.speech.with_streaming_response.create(
        model="gpt-4o-mini-tts",
        voice="af_heart",
        input=TEXT,
        response_format="pcm",
        stream_format="sse",
        instructions="Speak cheerfully.",
        extra_body={"timestamp_granularities": ["word"]},
    ) as response:
        assert response.headers["content-type"] == "text/event-stream"
        events = [json.loads(line.removeprefix("data: ")) for line in response.iter_lines() if line]
    audio = b"".join(base64.b64decode(each["audio"]) for each in events if each["type"] == "speech.audio.delta")
    np.testing.assert_array_equal(np.frombuffer(audio, "<i2"), samples_of(starter, TEXT))
    words = [word for each in events if each["type"] == "speech.audio.words" for word in each["words"]]
    assert [word["word"] for word in words] == re.findall(r"\w+", TEXT)
    times = [time for word in words for time in (word["start"], word["end"])]
    assert times == sorted(times)
    assert times[-1] <= len(audio) / 2 / 24_000
    assert events[-1]["type"] == "speech.audio.done"
    assert set(events[-1]["usage"]) == {"input_tokens", "output_tokens", "total_tokens"}


def test_the_official_client_recognizes_errors(client: openai.OpenAI) -> None:
    with pytest.raises(openai.BadRequestError) as caught:
        client.audio.speech.create(model="tts-1", voice="nobody", input="Hello.")
    assert caught.value.param == "voice"
    with pytest.raises(openai.NotFoundError) as missing:
        client.audio.speech.create(model="whisper-1", voice="alloy", input="Hello.")
    assert missing.value.code == "model_not_found"


def test_the_official_client_lists_models(client: openai.OpenAI) -> None:
    assert {"starter", "tts-1"} <= {model.id for model in client.models.list()}


def test_requests_at_the_same_time_do_not_change_each_other(client: openai.OpenAI, starter: Synthesizer) -> None:
    orders = [(TEXT, "af_heart"), (TEXT.upper(), "am_michael"), ("It rains. It pours.", "af_heart(2)+am_michael(1)")]
    with ThreadPoolExecutor(len(orders)) as pool:
        responses = pool.map(
            lambda order: (
                client.audio.speech.create(model="tts-1", voice=order[1], input=order[0], response_format="pcm").content
            ),
            orders,
        )
        for content, (text, voice) in zip(responses, orders, strict=True):
            np.testing.assert_array_equal(np.frombuffer(content, "<i2"), samples_of(starter, text, voice))


@pytest.mark.parametrize(("speed", "times_longer"), [(0.25, 2), (4, 0.5)])
def test_speeds_beyond_the_model_are_stretched(
    client: openai.OpenAI, starter: Synthesizer, speed: float, times_longer: float
) -> None:
    response = client.audio.speech.create(
        model="tts-1", voice="af_heart", input="Good morning.", response_format="pcm", speed=speed
    )
    nearest = samples_of(starter, "Good morning.", speed=min(max(speed, 0.5), 2))
    assert len(response.content) // 2 == round(len(nearest) * times_longer)


def post(served: Running, body: dict[str, Any], **headers: str) -> httpx2.Response:
    return httpx2.post(f"{served.url}/audio/speech", json=body, headers=headers, timeout=PATIENCE_SECONDS)


def assert_is_mp3(response: httpx2.Response) -> None:
    assert response.status_code == 200
    assert response.headers["content-type"] == "audio/mpeg"
    assert len(soundfile.read(io.BytesIO(response.content))[0]) > 12_000


def test_open_webui(served: Running) -> None:
    assert httpx2.get(f"{served.url}/audio/models").json()["models"][0]["id"] == "starter"
    voices = httpx2.get(f"{served.url}/audio/voices").json()["voices"]
    assert {voice["id"]: voice["name"] for voice in voices}["af_heart"] == "Heart"
    body = {"input": "Good morning.", "voice": "alloy", "model": "tts-1"}
    user = {"X-OpenWebUI-User-Name": "Ann", "X-OpenWebUI-User-Id": "../../etc", "Authorization": "Bearer sk-x"}
    assert_is_mp3(post(served, body, **user))
    refused = post(served, {**body, "voice": "nobody"})
    assert "nobody" in refused.json()["error"].get("message", "")


def test_sillytavern(served: Running) -> None:
    body = {"input": "Good morning.", "response_format": "mp3", "voice": "alloy", "speed": 1, "model": "tts-1"}
    assert_is_mp3(post(served, body, Authorization="Bearer"))


def test_librechat(served: Running) -> None:
    key = {"Authorization": "Bearer ${TTS_API_KEY}", "Accept": "application/json, text/plain, */*"}
    body = {"input": "Good morning.", "model": "tts-1"}
    assert_is_mp3(post(served, {**body, "voice": "nova", "backend": "kokoro"}, **key))
    assert_is_mp3(post(served, body, **key))

"""Tests of the server's answers to requests that are wrong, forbidden, endless, or anything else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.server import app, serving
from tests.engine.server.running import FakeEngine, Running, connected, received, running, speech_request
from tests.patience import PATIENCE_SECONDS

TOKEN = "correct-horse-battery"
FUZZ_EXAMPLES = 60
CLIENT = httpx2.Client(timeout=PATIENCE_SECONDS)


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with running(FakeEngine()) as server:
        yield server


@pytest.fixture(scope="module", autouse=True)
def client_is_closed() -> Iterator[None]:
    yield
    CLIENT.close()


@pytest.fixture(scope="module")
def guarded() -> Iterator[Running]:
    with running(FakeEngine(), TOKEN) as server:
        yield server


def error_of(response: httpx2.Response) -> dict[str, Any]:
    error = response.json()["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert error["message"]
    return error


def post(server: Running, content: bytes, **headers: str) -> httpx2.Response:
    named = {"Content-Type": "application/json", **{name.replace("_", "-"): value for name, value in headers.items()}}
    return CLIENT.post(f"{server.url}/audio/speech", content=content, headers=named)


def test_models_voices_and_health_are_listed(server: Running) -> None:
    models = CLIENT.get(f"{server.url}/models").json()
    assert models["object"] == "list"
    assert {"starter", "tts-1"} <= {each["id"] for each in models["data"]}
    voices = CLIENT.get(f"{server.url}/audio/voices").json()["voices"]
    assert voices[0] == {"id": "af_heart", "name": "Heart"}
    assert CLIENT.get(server.url.removesuffix("/v1") + "/health").json()["status"] == "ok"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/nothing", 404), ("GET", "/audio/speech", 405), ("PUT", "/models", 405), ("POST", "/../etc/passwd", 404)],
)
def test_other_addresses_and_methods_get_an_error_object(server: Running, method: str, path: str, status: int) -> None:
    response = CLIENT.request(method, server.url + path)
    assert response.status_code == status
    error_of(response)


@pytest.mark.parametrize("media_type", ["text/plain", "application/x-www-form-urlencoded", "", "multipart/form-data"])
def test_only_json_is_accepted(server: Running, media_type: str) -> None:
    response = post(server, b'{"input": "Hi."}', Content_Type=media_type)
    assert response.status_code == 415
    error_of(response)


def test_ten_megabytes_of_text_are_refused(server: Running) -> None:
    response = post(server, json.dumps({"input": "a" * 10_000_000}).encode())
    assert response.status_code == 413
    assert error_of(response)["param"] == "input"


def test_a_body_that_never_ends_is_cut(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "BODY_SECONDS", 0.3)
    head = speech_request("x").partition(b"\r\n\r\n")[0] + b"\r\n\r\n{"
    with connected(server, head.replace(b"Content-Length: ", b"Content-Length: 99")) as connection:
        answer = received(connection)
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"took too long" in answer


def test_a_body_that_is_too_long_and_never_ends_is_cut(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "BODY_SECONDS", 0.3)
    monkeypatch.setattr(app, "MAX_BODY_BYTES", 1000)
    monkeypatch.setattr(app, "MAX_DISCARDED_BYTES", 5000)
    head = speech_request("x").partition(b"\r\n\r\n")[0].replace(b"Content-Length: ", b"Content-Length: 99")
    with connected(server, head + b"\r\n\r\n" + b"a" * 8000) as connection:
        assert received(connection).startswith(b"HTTP/1.1 413 ")


def test_a_connection_without_a_request_is_closed(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "HEADER_SECONDS", 0.3)
    with connected(server, b"POST /v1/audio/speech HTTP/1.1\r\nHost:") as connection:
        assert received(connection) == b""


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "192.168.0.7", "[", "::", "", "a b"])
def test_other_names_of_this_computer_are_refused(server: Running, host: str) -> None:
    request = f"GET /v1/models HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    with connected(server, request.encode()) as connection:
        assert received(connection).startswith(b"HTTP/1.1 403 ")


@pytest.mark.parametrize(
    "host", ["127.0.0.1:1", "localhost", "LOCALHOST:8880", "[::1]:8880", "host.docker.internal:8880"]
)
def test_local_names_are_accepted(server: Running, host: str) -> None:
    assert CLIENT.get(f"{server.url}/models", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("value", ["", "Bearer", "Bearer wrong", f"Basic {TOKEN}", TOKEN, "Bearer \xe9"])
def test_a_missing_or_wrong_token_is_refused(guarded: Running, value: str) -> None:
    response = CLIENT.get(f"{guarded.url}/models", headers={"Authorization": value.encode("latin-1")})
    assert response.status_code == 401
    assert error_of(response)["code"] == "invalid_api_key"


def test_the_token_opens_the_server_under_any_name(guarded: Running) -> None:
    headers = {"Authorization": f"Bearer {TOKEN}", "Host": "reader.example"}
    assert CLIENT.get(f"{guarded.url}/models", headers=headers).status_code == 200
    assert post(guarded, b'{"input": "Hi."}', Authorization=f"Bearer {TOKEN}").status_code == 200
    assert post(guarded, b'{"input": "Hi."}').status_code == 401


@pytest.mark.parametrize("name", ["token", "api_key", "Access_Token"])
def test_a_token_in_the_address_is_refused(guarded: Running, name: str) -> None:
    response = CLIENT.get(f"{guarded.url}/models?{name}={TOKEN}", headers={"Authorization": f"Bearer {TOKEN}"})
    assert response.status_code == 400
    assert TOKEN not in response.text


def test_lone_surrogates_are_spoken_or_refused(server: Running) -> None:
    assert post(server, b'{"input": "a \\ud800 b"}').status_code == 200
    assert post(server, b'{"input": "a", "voice": "\\ud800"}').status_code == 400
    assert post(server, b'{"input": "a", "model": "\\ud800"}').status_code == 404


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=5,
)
FIELDS = ("input", "model", "voice", "speed", "response_format", "stream_format", "timestamp_granularities")
USUAL = {
    "input": st.sampled_from(["Good morning.", "[pause 1s] Hi", "a" * 50, "…", "[voice:x] y"]) | st.text(max_size=60),
    "model": st.just("tts-1"),
    "voice": st.sampled_from(["alloy", "af_heart(2)+am_michael", "heart:1,"]),
    "speed": st.floats(0.25, 4) | st.sampled_from([0.25, 4, 5]),
    "response_format": st.sampled_from(["pcm", "wav", "flac", "mp3"]),
    "stream_format": st.sampled_from(["audio", "sse"]),
    "timestamp_granularities": st.just(["word"]),
}
BODIES = (
    st.binary(max_size=100)
    | VALUES.map(lambda value: json.dumps(value).encode())
    | st.fixed_dictionaries({}, optional={name: USUAL[name] | VALUES for name in FIELDS}).map(
        lambda value: json.dumps(value).encode()
    )
    | st.fixed_dictionaries({"input": USUAL["input"]}, optional={name: USUAL[name] for name in FIELDS[1:]}).map(
        lambda value: json.dumps(value).encode()
    )
)


@settings(max_examples=FUZZ_EXAMPLES)
@given(body=BODIES)
def test_no_body_makes_the_server_fail(served: Running, body: bytes) -> None:
    response = post(served, body)
    assert response.status_code in (200, 400, 404), (body, response.text)
    if response.status_code != 200:
        error_of(response)
    else:
        assert '"type": "error"' not in response.text


@settings(max_examples=FUZZ_EXAMPLES)
@given(content=st.binary(max_size=300))
def test_no_bytes_make_the_server_fail(server: Running, content: bytes) -> None:
    with connected(server, b"GET " + content + b"\r\n\r\n") as connection:
        connection.shutdown(1)
        answer = received(connection)
    assert not answer.startswith(b"HTTP/1.1 5")

"""Tests of the module of speech-dispatcher: by its protocol, and with a real speech-dispatcher."""

from __future__ import annotations

import os
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.audio.recording import to_pcm
from engine.errors import EngineError
from engine.runtime.synthesizer import Synthesizer
from engine.server.speaking import ServiceEngine
from engine.server.speech_dispatcher import MarkedText, SpeechModule, escaped, read_ssml
from engine.speech import SpeechRequest
from tests.engine.server.running import FakeEngine
from tests.patience import PATIENCE_SECONDS, wait_until

ROOT = Path(__file__).resolve().parents[3]
LAST_LINE = re.compile(rb"\d{3} ")


class Dispatcher:
    """The other end of the module's pipes: sends commands, and receives replies and events."""

    def __init__(self, commands: int, replies: int) -> None:
        self._commands = commands
        self._replies = os.fdopen(replies, "rb")
        self._received: queue.SimpleQueue[list[bytes]] = queue.SimpleQueue()
        threading.Thread(target=self._receive, daemon=True).start()

    def _receive(self) -> None:
        lines: list[bytes] = []
        with self._replies:
            for line in self._replies:
                lines.append(line.removesuffix(b"\n"))
                if LAST_LINE.match(line):
                    self._received.put(lines)
                    lines = []

    def write(self, text: str | bytes) -> None:
        os.write(self._commands, text.encode() if isinstance(text, str) else text)

    def message(self) -> list[bytes]:
        """Return the lines of the next reply or event."""
        return self._received.get(timeout=PATIENCE_SECONDS)

    def ask(self, text: str) -> str:
        """Send lines, and return the last line of the reply."""
        self.write(f"{text}\n")
        return self.message()[-1].decode()

    def set(self, **values: object) -> str:
        assert self.ask("SET") == "203 OK RECEIVING SETTINGS"
        return self.ask("".join(f"{name}={value}\n" for name, value in values.items()) + ".")

    def begin(self, text: str, command: str = "SPEAK") -> None:
        assert self.ask(command) == "202 OK RECEIVING MESSAGE"
        assert self.ask(f"{text}\n.") == "200 OK SPEAKING"
        assert self.message() == [b"701 BEGIN"]

    def rest(self) -> list[list[bytes]]:
        """Return the events to the end of the speech, which is the last."""
        events = [self.message()]
        while events[-1][-1][:3] not in (b"702", b"703", b"704"):
            events.append(self.message())
        return events

    def speak(self, text: str, command: str = "SPEAK") -> list[list[bytes]]:
        self.begin(text, command)
        return self.rest()


def audio_of(events: list[list[bytes]]) -> np.ndarray:
    """Return the samples in events, after a check of the facts about them."""
    parts = [np.zeros(0, "<i2")]
    for lines in events:
        if lines[-1] != b"705 AUDIO":
            continue
        head, _, content = b"\n".join(lines[:-1]).partition(b"705-AUDIO\0")
        content = re.sub(rb"\x7d(.)", lambda match: bytes([match[1][0] ^ 0x20]), content, flags=re.DOTALL)
        parts.append(np.frombuffer(content, "<i2"))
        facts = dict(line.removeprefix(b"705-").split(b"=") for line in head.splitlines())
        assert {name: int(value) for name, value in facts.items()} == {
            b"bits": 16, b"num_channels": 1, b"sample_rate": 24_000, b"num_samples": len(parts[-1]), b"big_endian": 0,
        }  # fmt: skip
    return np.concatenate(parts)


def kinds(events: list[list[bytes]]) -> list[bytes]:
    """Return the last lines of events, each once where it repeats."""
    lines = [event[0] if event[0].startswith(b"700-") else event[-1] for event in events]
    return [line for index, line in enumerate(lines) if lines[index - 1 : index] != [line]]


@contextmanager
def module(engine: ServiceEngine) -> Iterator[Dispatcher]:
    """Run the module in a thread, initialized; it ends with the block."""
    commands, to_module = os.pipe()
    from_module, replies = os.pipe()
    with os.fdopen(commands, "rb") as reading, os.fdopen(replies, "wb") as writing:
        thread = threading.Thread(target=SpeechModule(engine, reading, writing).answer_commands)
        thread.start()
        dispatcher = Dispatcher(to_module, from_module)
        try:
            assert dispatcher.ask("INIT") == "299 OK LOADED SUCCESSFULLY"
            assert dispatcher.ask("AUDIO") == "207 OK RECEIVING AUDIO SETTINGS"
            assert dispatcher.ask("audio_output_method=server\n.") == "203 OK AUDIO INITIALIZED"
            yield dispatcher
        finally:
            os.close(to_module)
            thread.join(PATIENCE_SECONDS)
    assert not thread.is_alive()


def test_speech_has_the_samples_of_the_engine(starter: Synthesizer) -> None:
    text = "Good morning. It rains & pours."
    ssml = '<speak>Good morning.<mark name="__spd_0"/> It rains &amp; pours.</speak>'
    with module(Synthesizer("starter")) as dispatcher:
        assert dispatcher.set(synthesis_voice="am_michael", rate=-100) == "203 OK SETTINGS RECEIVED"
        events = dispatcher.speak(ssml)
    assert kinds(events) == [b"705 AUDIO", b"700-__spd_0", b"705 AUDIO", b"702 END"]
    chunks = list(starter.synthesize(SpeechRequest(text, "am_michael", 0.5)))
    np.testing.assert_array_equal(audio_of(events), np.concatenate([to_pcm(chunk.samples) for chunk in chunks]))
    mark = [event[0] for event in events].index(b"700-__spd_0")
    words = [(chunk, word) for chunk in chunks for word in chunk.words]
    chunk, rains = next((chunk, word) for chunk, word in words if text[word.start :].startswith("It"))
    before = sum(len(each.samples) for each in chunks[: chunks.index(chunk)]) + rains.start_sample
    assert len(audio_of(events[:mark])) == before


def test_the_voices_are_listed() -> None:
    with module(FakeEngine()) as dispatcher:
        for command in ("LIST VOICES", "LIST VOICES en"):
            dispatcher.write(f"{command}\n")
            lines = dispatcher.message()
            assert lines[0] == b"200-af_heart\ten-US\tfemale"
            assert lines[-1] == b"200 OK VOICE LIST SENT"


@pytest.mark.parametrize(
    ("values", "voice", "speed"),
    [
        ({}, "am_michael", 1),
        ({"synthesis_voice": "bm_george"}, "bm_george", 1),
        ({"synthesis_voice": "NULL", "language": "en-GB"}, "bm_george", 1),
        ({"synthesis_voice": "nobody", "language": "en", "voice": "female1"}, "af_heart", 1),
        ({"language": "en", "voice": "male2"}, "am_michael", 1),
        ({"language": "de", "voice": "child_female"}, "af_heart", 1),
        ({"rate": 100}, "am_michael", 2),
        ({"rate": "-100", "pitch": 50, "punctuation_mode": "some"}, "am_michael", 0.5),
    ],
)
def test_settings_choose_voice_and_speed(values: dict[str, object], voice: str, speed: float) -> None:
    engine = FakeEngine()
    with module(engine) as dispatcher:
        assert dispatcher.set(**values) == "203 OK SETTINGS RECEIVED"
        dispatcher.speak("<speak>one</speak>")
    assert [(request.voice, request.speed) for request in engine.requests] == [(voice, speed)]


@pytest.mark.parametrize(("volume", "factor"), [(100, 1), (0, 0.5), (-100, 0)])
def test_the_volume_scales_the_samples(volume: int, factor: float) -> None:
    with module(FakeEngine()) as dispatcher:
        loud = audio_of(dispatcher.speak("one")).astype(float)
        dispatcher.set(volume=volume)
        np.testing.assert_allclose(audio_of(dispatcher.speak("one")), factor * loud, atol=1)


@pytest.mark.parametrize(
    "values", [{"rate": "fast"}, {"rate": 101}, {"volume": "-1e9"}, {"color": "red"}, {"rate": ""}]
)
def test_bad_settings_get_an_error(values: dict[str, object]) -> None:
    engine = FakeEngine()
    with module(engine) as dispatcher:
        assert dispatcher.set(**values).startswith("303 ")
        assert kinds(dispatcher.speak("one"))[-1] == b"702 END"
    assert engine.requests[0].speed == 1


@pytest.mark.parametrize(
    ("command", "sent", "spoken"),
    [
        ("CHAR", "a", "A"),
        ("CHAR", "space", "space"),
        ("CHAR", "ä", "Ä"),
        ("CHAR", "%", "percent sign"),
        ("KEY", "control_a", "control a"),
        ("SOUND_ICON", "new-message", "new message"),
        ("SPEAK", "<speak>..one &lt;b&gt;\n..\n..two</speak>", "..one <b>\n.\n.two"),
    ],
)
def test_messages_are_spoken_as_text(command: str, sent: str, spoken: str) -> None:
    engine = FakeEngine()
    with module(engine) as dispatcher:
        assert kinds(dispatcher.speak(sent, command))[-1] == b"702 END"
    assert [request.text for request in engine.requests] == [spoken]


@pytest.mark.parametrize(("command", "ending"), [("STOP", b"703 STOP"), ("PAUSE", b"704 PAUSE")])
def test_stopping_cancels_the_work(command: str, ending: bytes) -> None:
    engine = FakeEngine(free=False)
    with module(engine) as dispatcher:
        dispatcher.write(f"{command}\n")  # nothing to stop: no reply
        dispatcher.begin("one two")
        engine.permits.release()
        assert dispatcher.message()[-1] == b"705 AUDIO"
        dispatcher.write(f"{command}\n")
        assert kinds(dispatcher.rest())[-1] == ending
        assert engine.canceled == ["one two"]
        engine.free = True
        assert kinds(dispatcher.speak("next"))[-1] == b"702 END"


def test_a_message_during_a_message_is_refused() -> None:
    engine = FakeEngine(free=False)
    with module(engine) as dispatcher:
        dispatcher.begin("one")
        assert dispatcher.ask("SPEAK") == "202 OK RECEIVING MESSAGE"
        assert dispatcher.ask("two\n.").startswith("301 ")
        engine.free = True
        assert kinds(dispatcher.rest())[-1] == b"702 END"


@pytest.mark.parametrize("failure", [EngineError("It is damaged."), ValueError("bug")])
def test_a_failure_ends_the_message(failure: Exception) -> None:
    engine = FakeEngine()
    engine.failing["one two"] = failure
    with module(engine) as dispatcher:
        assert kinds(dispatcher.speak("one two")) == [b"705 AUDIO", b"702 END"]
        assert kinds(dispatcher.speak("one"))[-1] == b"702 END"


def test_a_text_without_sound_reports_its_marks(starter: Synthesizer) -> None:
    with module(Synthesizer("starter")) as dispatcher:
        assert kinds(dispatcher.speak('<speak><mark name="a"/>***</speak>')) == [b"700-a", b"702 END"]


def test_a_model_that_cannot_be_prepared_is_reported() -> None:
    class Broken(FakeEngine):
        def prepare(self, *_: object) -> None:
            raise EngineError("It is damaged.", "Install it again.")

    with pytest.raises(AssertionError, match="399 ERR CANT INIT MODULE"), module(Broken()):
        pass


def test_only_audio_through_speech_dispatcher_is_accepted() -> None:
    with module(FakeEngine()) as dispatcher:
        dispatcher.ask("AUDIO")
        assert dispatcher.ask("audio_output_method=alsa\n.").startswith("303 ")


def test_other_commands_are_answered() -> None:
    with module(FakeEngine()) as dispatcher:
        assert dispatcher.ask("LOGLEVEL") == "207 OK RECEIVING LOGLEVEL SETTINGS"
        assert dispatcher.ask("log_level=3\n.") == "203 OK LOGLEVEL SET"
        assert dispatcher.ask("DEBUG ON /tmp/x").startswith("200 ")
        assert dispatcher.ask("DANCE").startswith("300 ")
        assert dispatcher.ask("").startswith("300 ")
        dispatcher.write(b"\xff\xfe\n")
        assert dispatcher.message()[-1].startswith(b"300 ")
        assert dispatcher.ask("QUIT") == "210 OK QUIT"


def test_the_end_of_the_input_cancels_the_work() -> None:
    engine = FakeEngine(free=False)
    with module(engine) as dispatcher:
        dispatcher.begin("one two")
        wait_until(lambda: engine.begun, "the message")
    assert engine.canceled == ["one two"]


@given(st.binary())
def test_escaped_audio_has_no_line_break_and_is_restored(content: bytes) -> None:
    sent = escaped(content)
    assert b"\n" not in sent
    assert re.sub(rb"\x7d(.)", lambda match: bytes([match[1][0] ^ 0x20]), sent, flags=re.DOTALL) == content


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(
            st.text(st.characters(exclude_categories=["Cs"]), max_size=9), st.from_regex("[a-z0-9:]+", fullmatch=True)
        )
    )
)
def test_marks_are_found_at_their_places(parts: list[tuple[str, str]]) -> None:
    quoted = [text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") for text, _ in parts]
    ssml = "".join(f'{text}<mark name="{name}"/>' for text, (_, name) in zip(quoted, parts, strict=True))
    ends = np.cumsum([len(text) for text, _ in parts]).tolist()
    marks = tuple((end, name) for end, (_, name) in zip(ends, parts, strict=True))
    assert read_ssml(f"<speak>{ssml}</speak>") == MarkedText("".join(text for text, _ in parts), marks)


@contextmanager
def speech_dispatcher(folder: Path) -> Iterator[dict[str, str]]:
    """Run a private speech-dispatcher with the module, whose audio goes nowhere; return its clients' environment."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "SPEECHD_ADDRESS": f"unix_socket:{folder / 'socket'}"}
    command = [sys.executable, "-m", "engine", "speech-dispatcher", "--model", "starter"]
    subprocess.run([*command, "--write-script", folder / "sd_kokoro"], env=environment, check=True)
    settings_file = (
        f'AddModule "kokoro" "{folder / "sd_kokoro"}" "kokoro.conf"\nDefaultModule kokoro\n'
        'AudioOutputMethod "alsa"\nAudioALSADevice "null"\nLogLevel 5\n'
    )
    (folder / "speechd.conf").write_text(settings_file)
    files = [f"-C{folder}", f"-L{folder}", f"-P{folder / 'pid'}", f"-S{folder / 'socket'}"]
    server = subprocess.Popen(["speech-dispatcher", "--run-single", "--timeout", "0", *files], env=environment)
    try:
        wait_until((folder / "socket").exists, "speech-dispatcher to start")
        yield environment
    finally:
        server.terminate()
        server.wait(PATIENCE_SECONDS)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("speech-dispatcher") is None, reason="speech-dispatcher isn't installed")
def test_a_real_speech_dispatcher_speaks_and_stops() -> None:
    def say(*arguments: str) -> str:
        done = subprocess.run(
            ["spd-say", *arguments],
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            check=True,
        )
        return done.stdout

    with tempfile.TemporaryDirectory() as short, speech_dispatcher(Path(short)) as environment:
        log = Path(short) / "speech-dispatcher.log"
        assert "kokoro" in say("--list-output-modules")
        assert "af_heart" in say("--list-synthesis-voices")
        say("--wait", "--synthesis-voice", "bm_george", "--rate", "50", "Good morning. It rains.")
        say("--wait", "--ssml", '<speak>Good <mark name="x"/> morning.</speak>')
        say("A long text. " * 50)
        wait_until(lambda: log.read_text().count("|701 BEGIN") == 3, "the third message")
        say("-S")  # its long form asks for a value
        say("--wait", "Good morning.")
        logged = log.read_text()
    events = re.findall(r"Event from output module while speaking: \|(\d{3})", logged)
    assert [event for event in events if event in ("701", "702", "703")] == ["701", "702"] * 2 + [
        "701",
        "703",
        "701",
        "702",
    ]
    assert "705" in events
    assert "broken" not in logged.lower()

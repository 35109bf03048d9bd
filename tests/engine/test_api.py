"""The names and signatures that Python programs rely on, and the README's example."""

import inspect
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile

import engine
from engine.errors import InvalidRequest, MissingModel, UnknownVoice
from engine.runtime.synthesizer import Synthesizer
from engine.speech import SpeechRequest
from tests.starter_voices import MALE

README = Path(__file__).resolve().parents[2] / "README.md"
SIGNATURES = {
    "speak": "(text, voice=None, *, speed=1.0, language=None, model=None)",
    "SpokenText": "(samples, sample_rate_hz, words)",
    "SpokenText.save": "(self, path)",
    "SpeechRequest": "(text, voice, speed=1.0, seed=0, pause_scale=1.0, language=None, start=0, end=None, edits=(), "
    "definitions=Definitions(pronunciations=(), hidden=(), blends=()))",
    "Synthesizer": "(model='starter', device='auto', weights=None, threads=None, lstm_method='auto', kept=None, "
    "prosody=<Prosody.LSTM: 'lstm'>)",
    "Synthesizer.voices": "(self)",
    "Synthesizer.prepare": "(self, observe=<function ignore>, cancel=None)",
    "Synthesizer.synthesize": "(self, request, observe=<function ignore>, cancel=None)",
    "Synthesizer.close": "(self)",
}
WORD_FIELDS = {"text", "start", "end", "start_seconds", "end_seconds"}


def signature_of(name: str) -> str:
    thing = engine
    for part in name.split("."):
        thing = getattr(thing, part)
    signature = inspect.signature(thing)
    plain = [each.replace(annotation=inspect.Parameter.empty) for each in signature.parameters.values()]
    text = str(signature.replace(parameters=plain, return_annotation=inspect.Signature.empty))
    return re.sub(r"<function (\w+) at 0x\w+>", r"<function \1>", text)


@pytest.mark.parametrize("name", SIGNATURES)
def test_the_signature_is_frozen(name: str) -> None:
    assert signature_of(name) == SIGNATURES[name]


def test_the_names_are_frozen() -> None:
    assert set(engine.__all__) == {name for name in SIGNATURES if "." not in name}
    assert not hasattr(engine, "whisper")


def test_importing_the_package_loads_nothing() -> None:
    code = "import engine, sys; print([name for name in sys.modules if name.startswith('engine.') or name == 'numpy'])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_a_text_becomes_samples_a_file_and_word_times(tmp_path: Path, starter: Synthesizer) -> None:
    spoken = engine.speak("Good morning. It rains.", MALE, speed=1.2, model="starter")
    chunks = starter.synthesize(SpeechRequest("Good morning. It rains.", MALE, 1.2))
    np.testing.assert_array_equal(spoken.samples, np.concatenate([chunk.samples for chunk in chunks]))
    assert [word.text for word in spoken.words] == ["Good", "morning", "It", "rains"]
    assert set(dir(spoken.words[0])) >= WORD_FIELDS
    assert 0 < spoken.words[-1].end_seconds <= spoken.seconds
    spoken.save(str(tmp_path / "speech.flac"))
    assert soundfile.info(tmp_path / "speech.flac").duration == pytest.approx(spoken.seconds)


def test_a_blend_and_a_language_are_accepted() -> None:
    assert engine.speak("Hola.", f"{MALE}(2)+af_heart", language="es", model="starter").seconds > 0.2


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"text": ""}, InvalidRequest),
        ({"text": "Hi.", "speed": 3}, InvalidRequest),
        ({"text": "Hi.", "voice": "nobody"}, UnknownVoice),
        ({"text": "Hi.", "voice": "jf_alpha"}, MissingModel),
        ({"text": "Hi.", "model": "nothing"}, InvalidRequest),
    ],
)
def test_errors_include_a_hint(arguments: dict, error: type[Exception]) -> None:
    with pytest.raises(error) as caught:
        engine.speak(**arguments)
    assert caught.value.hint


def test_the_readme_example_runs(tmp_path: Path) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(README.parent)!r})\n{example}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"^morning 0\.\d+ ", done.stdout, re.MULTILINE)
    assert soundfile.info(tmp_path / "morning.mp3").duration > 0.5

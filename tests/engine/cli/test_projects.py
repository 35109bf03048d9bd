"""Projects for speak, plan and validate: the same samples as with options, options first, and notes about problems."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from engine.cli.parser import run_command
from engine.runtime.project_files import ModelIdentity, write_project
from engine.runtime.projects import identity_of
from engine.speech import Definitions, PhonemeEdit, Pronunciation, SpeechRequest, UtteranceEdit
from tests.starter_voices import FEMALE, MALE

TEXT = "Zorg runs. It sleeps."
REQUEST = SpeechRequest(
    TEXT,
    "my duet",
    1.2,
    definitions=Definitions(
        (Pronunciation("Zorg", phonemes="zˈɔɹɡ"),), blends=(("my duet", f"{FEMALE}(2)+{MALE}(1)"),)
    ),
)


def planned(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert run_command(["plan", "--json", "--prosody", *arguments]) == 0
    data: dict[str, Any] = json.loads(capsys.readouterr().out)
    return data


@pytest.fixture
def plain_project(tmp_path: Path) -> Path:
    """A project without edits."""
    path = tmp_path / "a.kokoro"
    write_project(path, REQUEST, identity_of("starter"))
    return path


@pytest.fixture
def project(plain_project: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A project with a long phoneme."""
    utterance = planned(capsys, "--file", str(plain_project))["chapters"][0]["utterances"][0]
    edit = UtteranceEdit(0, utterance["phonemes"], changes=(PhonemeEdit(1, frames=40),))
    write_project(plain_project, replace(REQUEST, edits=(edit,)), identity_of("starter"))
    return plain_project


def spoken(tmp_path: Path, *arguments: str) -> np.ndarray:
    assert run_command(["speak", *arguments, "--out", str(tmp_path / "a.wav")]) == 0
    samples: np.ndarray = soundfile.read(tmp_path / "a.wav", dtype="int16")[0]
    return samples


def test_a_plan_has_the_words_and_the_durations_of_the_project(project, capsys):
    (chapter,) = planned(capsys, "--file", str(project))["chapters"]
    utterance = chapter["utterances"][0]
    word = {"text": "Zorg", "start": 0, "end": 4, "phonemes": "zˈɔɹɡ", "source": "you", "tags": []}
    assert utterance["words"][0] == word
    assert utterance["prosody"]["frames"][1] == 40


def test_a_project_is_spoken_the_same_each_time_and_options_come_first(project, tmp_path, capsys):
    first = spoken(tmp_path, "--file", str(project))
    assert capsys.readouterr().err.count("note: ") == 0
    np.testing.assert_array_equal(spoken(tmp_path, "--file", str(project)), first)
    faster = spoken(tmp_path, "--file", str(project), "--speed", "1.8")
    assert len(faster) < len(first)
    other = spoken(tmp_path, "--file", str(project), "--voice", FEMALE)
    assert not np.array_equal(other, first)


def test_a_different_model_missing_voice_and_bad_part_only_cause_notes(tmp_path, capsys):
    path = tmp_path / "b.kokoro"
    write_project(path, replace(REQUEST, voice="xx_nobody"), ModelIdentity("kokoro-82m", "12"))
    content = json.loads(path.read_text())
    path.write_text(json.dumps({**content, "speed": float("nan")}))
    assert len(spoken(tmp_path, "--file", str(path), "--model", "starter"))
    notes = [line for line in capsys.readouterr().err.splitlines() if line.startswith("note: ")]
    assert any("Kokoro-82M" in note for note in notes)
    assert any("xx_nobody" in note for note in notes)
    assert any("speed" in note for note in notes)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--file", "{project}", "--title", "A"),
        ("--file", "{project}", "--per-chapter"),
        ("--file", "{project}", "{project}"),
        ("Hello.", "--file", "{project}"),
        ("--file", "{damaged}"),
        ("--file", "{missing}"),
        ("--file", "{project}", "--voice", "xx_nobody"),
        ("--file", "{project}", "--out", "{project}"),
    ],
)
def test_bad_projects_and_conflicting_options_are_refused_with_a_sentence(arguments, plain_project, tmp_path, capsys):
    damaged = tmp_path / "damaged.kokoro"
    damaged.write_bytes(plain_project.read_bytes()[:100])
    names = {"project": plain_project, "damaged": damaged, "missing": tmp_path / "missing.kokoro"}
    before = plain_project.read_bytes()
    assert run_command(["speak", "--model", "starter", *(each.format(**names) for each in arguments)]) == 1
    error = capsys.readouterr().err
    assert "Traceback" not in error
    assert error.strip().endswith(".")
    assert plain_project.read_bytes() == before


def test_a_project_is_validated_with_its_edits(project, capsys):
    report = ["--json", "--regimes", "compiled", "--model", "starter"]
    assert run_command(["validate", "--project", str(project), *report]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["request"]["speech"]["text"] == TEXT
    assert data["request"]["speech"]["edits"][0]["changes"][0]["frames"] == 40
    assert run_command(["validate", "--project", str(project), "--text", "Hello.", *report]) == 1
    assert "Omit one of them" in capsys.readouterr().err

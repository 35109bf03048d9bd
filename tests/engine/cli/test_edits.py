"""`--edits` of speak, plan and validate, and `plan --prosody`."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from engine.cli.parser import run_command
from engine.runtime.edit_files import write_edits
from engine.speech import CurveEdit, PhonemeEdit, Respelling, UtteranceEdit

TEXT = "The fox runs. It sleeps."
STARTER = ("--model", "starter")


def planned(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert run_command(["plan", TEXT, *STARTER, "--json", *arguments]) == 0
    data: dict[str, Any] = json.loads(capsys.readouterr().out)
    return data


@pytest.fixture
def edits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """a file of edits: a different word instead of “fox”, a long phoneme, a higher pitch."""
    utterance = planned(capsys)["chapters"][0]["utterances"][0]
    phonemes, fox = utterance["phonemes"], utterance["words"][1]["phonemes"]
    first = phonemes.index(fox)
    changes = (PhonemeEdit(first + 1, frames=40), PhonemeEdit(first + 2, pitch=CurveEdit(1.2)))
    edit = UtteranceEdit(0, phonemes, (Respelling(first, first + len(fox), "kˈæt"),), changes)
    write_edits(tmp_path / "edits.json", (edit,), "starter")
    return tmp_path / "edits.json"


def test_durations_pitch_and_energy_are_predicted(capsys):
    (chapter,) = planned(capsys, "--prosody")["chapters"]
    for utterance in chapter["utterances"]:
        prosody = utterance["prosody"]
        assert len(prosody["frames"]) == len(utterance["phonemes"])
        assert prosody["frames"] == prosody["model_frames"]
        assert len(prosody["pitch_hz"]) == len(prosody["energy"]) > 2 * sum(prosody["frames"])
        assert 60 < np.median([value for value in prosody["pitch_hz"] if value > 10]) < 500


def test_people_read_the_durations(capsys):
    assert run_command(["plan", TEXT, *STARTER, "--prosody"]) == 0
    assert "(ms)" in capsys.readouterr().out


def test_a_plan_shows_the_effect_of_edits(capsys, edits):
    utterance = planned(capsys, "--prosody", "--edits", str(edits))["chapters"][0]["utterances"][0]
    assert utterance["words"][1]["phonemes"] == "kˈæt"
    long = utterance["phonemes"].index("kˈæt") + 1
    assert utterance["prosody"]["frames"][long] == 40 != utterance["prosody"]["model_frames"][long]


def test_edited_speech_is_longer_and_the_same_each_time(tmp_path, edits):
    spoken = []
    for name, more in (("plain", ()), ("edited", ("--edits", str(edits))), ("again", ("--edits", str(edits)))):
        assert run_command(["speak", TEXT, *STARTER, "--out", str(tmp_path / f"{name}.wav"), *more]) == 0
        spoken.append(soundfile.read(tmp_path / f"{name}.wav", dtype="int16")[0])
    plain, edited, again = spoken
    assert len(edited) > len(plain) + 24_000 // 2
    np.testing.assert_array_equal(edited, again)


def test_a_document_is_exported_with_edits_if_it_is_one_text(tmp_path, edits, capsys):
    path, book = tmp_path / "a.txt", tmp_path / "a.md"
    path.write_text(TEXT, encoding="utf-8")
    book.write_text("# One\n\nIt begins.\n\n# Two\n\nIt ends.", encoding="utf-8")
    out = ("--out", str(tmp_path / "a.wav"), "--edits", str(edits), *STARTER)
    assert run_command(["speak", "--file", str(path), *out]) == 0
    assert run_command(["speak", TEXT, *STARTER, "--out", str(tmp_path / "b.wav"), "--edits", str(edits)]) == 0
    lengths = [soundfile.info(tmp_path / name).frames for name in ("a.wav", "b.wav")]
    assert lengths[0] == lengths[1]
    capsys.readouterr()
    assert run_command(["speak", "--file", str(book), *out]) != 0
    assert "2 chapters" in capsys.readouterr().err


def test_compiled_speech_with_edits_is_that_of_the_reference(capsys, edits):
    """Every stage passes, because the reference applies the same edits."""
    arguments = ["validate", "--text", TEXT, *STARTER, "--edits", str(edits), "--regimes", "compiled", "--json"]
    assert run_command(arguments) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    isolated = [row["pearson"] for row in rows if row["reading"] == "reference-fed" and row["pearson"] is not None]
    assert isolated
    assert min(isolated) >= 0.99999


@pytest.mark.parametrize("content", [None, "", "{}"])
@pytest.mark.parametrize("command", [["speak", TEXT], ["plan", TEXT], ["validate", "--text", TEXT]])
def test_a_file_without_edits_is_refused(command, content, tmp_path, capsys):
    path = tmp_path / "edits.json"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    assert run_command([*command, *STARTER, "--edits", str(path)]) != 0
    assert capsys.readouterr().err.count("error:") == 1

"""Edits and requests as JSON."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import DamagedFile, InvalidRequest
from engine.runtime.edit_files import FORMAT, VERSION, read_edits, request_fields, request_from_fields, write_edits
from engine.speech import (
    CurveEdit,
    Definitions,
    PhonemeEdit,
    Pronunciation,
    Respelling,
    SpeechRequest,
    UtteranceEdit,
)

numbers = st.floats(allow_nan=False, allow_infinity=False)
curves = st.builds(CurveEdit, numbers, numbers, st.lists(numbers, max_size=3).map(tuple))
edits = st.builds(
    UtteranceEdit,
    st.integers(0, 99),
    st.text(max_size=9),
    st.lists(st.builds(Respelling, st.integers(), st.integers(), st.text(max_size=4)), max_size=2).map(tuple),
    st.lists(st.builds(PhonemeEdit, st.integers(), st.none() | st.integers(), numbers, curves, curves), max_size=2).map(
        tuple
    ),
    numbers,
    st.none() | numbers,
)


@given(st.lists(edits, max_size=3).map(tuple))
def test_a_request_is_read_as_it_was_written(found):
    definitions = Definitions(
        (Pronunciation("Zorg", say="fish"),), (Pronunciation(pattern="a", say="b"),), (("a", "b"),)
    )
    request = SpeechRequest("A text.", "af_heart", 1.25, edits=found, definitions=definitions)
    stored = json.dumps(request_fields(request))
    assert request_from_fields(json.loads(stored)) == request


def test_a_request_without_edits_is_stored_as_before_there_were_any():
    assert not {"edits", "definitions"} & set(request_fields(SpeechRequest("A text.", "af_heart")))


@pytest.mark.parametrize("values", [[], "a", {"pronunciations": [{"word": 1}]}, {"hidden": 3}, {"blends": ["abc"]}])
def test_other_definitions_are_refused(values):
    with pytest.raises(ValueError, match=r"\w"):
        request_from_fields({"text": "", "voice": "", "definitions": values})


def test_a_file_is_read_as_it_was_written(tmp_path):
    written = (
        UtteranceEdit(3, "hˈI", (Respelling(0, 1, "h"),), (PhonemeEdit(1, 9, pitch=CurveEdit(1.5)),), -2.0, 0.5),
    )
    write_edits(tmp_path / "a.json", written, "starter")
    assert read_edits(tmp_path / "a.json") == (written, "starter")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe",
        b"[]",
        b"{}",
        b"[" * 100_000,
        {"format": "other", "version": 1, "edits": []},
        {"format": FORMAT, "version": "x", "edits": []},
        {"format": FORMAT, "version": VERSION, "edits": 3},
        {"format": FORMAT, "version": VERSION, "edits": [{"start": 0}]},
        {"format": FORMAT, "version": VERSION, "edits": [{"start": "x", "phonemes": "a"}]},
        {"format": FORMAT, "version": VERSION, "edits": [{"start": 0, "phonemes": "a", "changes": [{"index": None}]}]},
    ],
)
def test_anything_else_is_damaged(content: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    with pytest.raises(DamagedFile):
        read_edits(path)


def test_a_missing_file_and_one_of_a_newer_version_say_so(tmp_path):
    with pytest.raises(InvalidRequest, match="doesn’t exist"):
        read_edits(tmp_path / "none.json")
    newer = {"format": FORMAT, "version": VERSION + 1, "edits": []}
    (tmp_path / "newer.json").write_text(json.dumps(newer))
    with pytest.raises(InvalidRequest, match="newer version"):
        read_edits(tmp_path / "newer.json")

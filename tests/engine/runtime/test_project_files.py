"""The files of projects: round trips, damage of every kind, and the parts that are left out."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.errors import DamagedDocument, EngineError, OutputError, OversizedDocument, UnusableDocument
from engine.runtime.project_files import (
    FORMAT,
    MAX_BYTES,
    VERSION,
    ModelIdentity,
    Project,
    project_content,
    project_in,
    read_project,
    write_project,
)
from engine.speech import (
    CurveEdit,
    Definitions,
    PhonemeEdit,
    Pronunciation,
    Respelling,
    SpeechRequest,
    UtteranceEdit,
)

PHONEMES = "həlˈO, wˈɜɹld."
TEXT = "Hello, Zorg. [voice:my duet] Bonjour."
CHANGE = {"index": 4, "frames": 12}
EDIT = {"start": 0, "phonemes": PHONEMES, "changes": [CHANGE]}

pitches = st.lists(st.floats(40, 1000), max_size=4).map(tuple)
curves = st.builds(CurveEdit, st.floats(0, 10), st.floats(-1000, 1000), pitches)
changes = st.lists(
    st.builds(PhonemeEdit, st.integers(0, 9), st.none() | st.integers(1, 200), st.floats(0.1, 10), curves, curves),
    max_size=3,
    unique_by=lambda change: change.index,
).map(tuple)
edits = st.builds(
    UtteranceEdit,
    st.integers(0, 20),
    st.just(PHONEMES),
    st.sampled_from([(), (Respelling(0, 6, "zˈɔɹɡ"),), (Respelling(0, 1, "h"), Respelling(7, 8, "wˈ"))]),
    changes,
    st.floats(-24, 24),
    st.none() | st.floats(0, 60),
).filter(lambda edit: edit != UtteranceEdit(edit.start, edit.phonemes))
words = st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=9)
pronunciations = st.lists(
    st.builds(Pronunciation, word=words, phonemes=st.just("zˈɔɹɡ"))
    | st.builds(Pronunciation, pattern=words, say=words),
    max_size=3,
    unique_by=lambda each: each.word + each.pattern,
).map(tuple)
requests = st.builds(
    SpeechRequest,
    st.text(min_size=21),
    st.sampled_from(["af_heart", "af_heart(2)+am_adam(1)", "my duet", ""]),
    st.floats(0.5, 2),
    st.integers(0, 2**40),
    st.floats(0, 3),
    st.none() | st.just("fr-FR"),
    edits=st.lists(edits, max_size=3, unique_by=lambda edit: edit.start).map(tuple),
    definitions=st.builds(
        Definitions, pronunciations, st.just(()), st.sampled_from([(), (("my duet", "af_heart(2)+am_adam(1)"),)])
    ),
)
models = st.builds(ModelIdentity, st.sampled_from(["starter", "kokoro-82m"]), st.text("0123456789abcdef", max_size=8))


def content_of(**values: Any) -> bytes:
    return json.dumps({"format": FORMAT, "version": VERSION, "text": TEXT, **values}).encode()


def opened(**values: Any) -> Project:
    return project_in(content_of(**values), "a.kokoro")


@given(requests, models)
def test_a_project_is_read_as_it_was_written(tmp_path_factory, request_written, model):
    path = tmp_path_factory.mktemp("projects") / "a.kokoro"
    write_project(path, request_written, model)
    assert read_project(path) == Project(request_written, model)
    assert path.read_bytes() == project_content(read_project(path).request, model)


WHOLE = json.dumps(
    {
        "format": FORMAT,
        "version": VERSION,
        "text": TEXT,
        "voice": "my duet",
        "blends": {"my duet": "af_heart(2)+am_adam(1)"},
        "speed": 1.25,
        "pause_scale": 2,
        "seed": 3,
        "language": "en-US",
        "lexicon": [{"word": "Zorg", "phonemes": "zˈɔɹɡ"}, {"pattern": "(\\d+)k", "say": "\\1 thousand"}],
        "model": {"name": "starter", "digest": "1234"},
        "edits": [{**EDIT, "gain_db": -3, "respellings": [{"first_phoneme": 0, "end_phoneme": 1, "phonemes": "h"}]}],
    },
    ensure_ascii=False,
).encode()


def one_sentence_at_most(content: bytes) -> None:
    """Check that a content opens, with problems in words, or is refused with a message and a hint."""
    told, refusal = (), None
    try:
        told = project_in(content, "a.kokoro").problems
    except UnusableDocument as error:
        refusal = error
    assert refusal is None or (refusal.message.endswith(".") and refusal.hint)
    assert all(problem.message and "\n" not in problem.message for problem in told)
    assert all(0 <= problem.start <= problem.end for problem in told)


@given(st.integers(0, len(WHOLE) - 1))
def test_a_truncated_file_is_refused(length):
    with pytest.raises(DamagedDocument):
        project_in(WHOLE[:length], "a.kokoro")


@given(st.integers(0, len(WHOLE) - 1), st.binary(max_size=3), st.integers(0, 3))
def test_an_altered_file_never_fails_otherwise(place, added, removed):
    one_sentence_at_most(WHOLE[:place] + added + WHOLE[place + removed :])


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just(10**400),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def paths_in(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths of all parts of a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(found for key, part in items for found in paths_in(part, (*path, key)))][bool(not path) :]


@given(st.sampled_from(paths_in(json.loads(WHOLE))), values)
@example(("edits", 0, "start"), -1)
@example(("edits", 0, "changes", 0, "frames"), float("inf"))
@example(("edits", 0, "changes", 0, "index"), float("nan"))
@example(("text",), "\ud800")
@example(("blends",), {"\ud800": "af_heart+am_adam"})
def test_any_value_in_any_place_is_left_out_or_refused(path, value):
    project = json.loads(WHOLE)
    inner = project
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    one_sentence_at_most(json.dumps(project).encode())


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe",
        b"[]",
        b"3",
        b"{}",
        b"[" * 100_000,
        b'{"format": ' + b"9" * 5000 + b"}",
        b"PK\x03\x04",
        content_of(format="kokoro-desk edits"),
        content_of(version="1"),
        content_of(version=True),
        content_of(text=None),
    ],
)
def test_anything_else_is_no_project(content):
    with pytest.raises(DamagedDocument, match=r"a\.kokoro"):
        project_in(content, "a.kokoro")


def test_a_project_of_a_newer_version_is_refused():
    with pytest.raises(UnusableDocument, match="newer version"):
        opened(version=VERSION + 1)


def test_files_that_cannot_be_read_are_refused(tmp_path):
    with pytest.raises(UnusableDocument, match="doesn’t exist"):
        read_project(tmp_path / "none.kokoro")
    with pytest.raises(UnusableDocument, match="isn’t a file"):
        read_project(tmp_path)
    os.mkfifo(tmp_path / "pipe.kokoro")
    with pytest.raises(UnusableDocument, match="isn’t a file"):
        read_project(tmp_path / "pipe.kokoro")
    large = tmp_path / "large.kokoro"
    with large.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(OversizedDocument):
        read_project(large)
    with pytest.raises(OutputError):
        write_project(tmp_path / "none" / "a.kokoro", SpeechRequest(TEXT, ""), ModelIdentity())


@pytest.mark.parametrize(
    ("bad", "named"),
    [
        ({"index": 5, "frames": -3}, "duration"),
        ({"index": 5, "frames": 10**9}, "duration"),
        ({"index": 5, "pitch": {"drawn": [20]}}, "pitch"),
        ({"index": 5, "pitch": {"drawn": [2000.0]}}, "pitch"),
        ({"index": 5, "pitch": {"drawn": [float("nan")]}}, "pitch"),
        ({"index": 5, "energy": {"scale": float("inf")}}, "energy"),
        ({"index": 99, "frames": 3}, "phoneme 99"),
        ({"index": 5, "frames": float("nan")}, "invalid"),
        ({"index": 5, "frames": "long"}, "invalid"),
        ({"index": None}, "invalid"),
        (["index"], "invalid"),
    ],
)
def test_opening_drops_a_bad_change_and_retains_the_others(bad, named):
    project = opened(edits=[{**EDIT, "changes": [CHANGE, bad]}, {"start": 7, "phonemes": PHONEMES, "gain_db": 2}])
    first, second = project.request.edits
    assert PhonemeEdit(4, 12) in first.changes
    assert all(change.frames in (None, 12) and change.pitch.drawn == () for change in first.changes)
    assert second == UtteranceEdit(7, PHONEMES, gain_db=2.0)
    (problem,) = project.problems
    assert named in problem.message


def test_changes_apply_only_to_the_phonemes_they_were_created_for():
    bad = {"first_phoneme": 0, "end_phoneme": 2, "phonemes": "☃"}
    for respellings in ([bad], [{"first_phoneme": "x"}]):
        project = opened(edits=[{**EDIT, "respellings": respellings, "pause_seconds": 1}])
        assert project.request.edits == (UtteranceEdit(0, PHONEMES, pause_seconds=1.0),)
        assert project.problems


@pytest.mark.parametrize("start", [-1, len(TEXT), 10**12])
def test_edits_for_a_different_text_are_dropped(start):
    project = opened(edits=[{**EDIT, "start": start}, EDIT])
    assert [edit.start for edit in project.request.edits] == [0]
    assert len(project.problems) == 1


def test_a_second_edit_of_a_sentence_is_left_out():
    project = opened(edits=[EDIT, {**EDIT, "gain_db": 3}])
    assert [edit.gain_db for edit in project.request.edits] == [0]
    assert len(project.problems) == 1


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"speed": float("nan")}, "speed"),
        ({"speed": 9}, "speed"),
        ({"pause_scale": -1}, "pause"),
        ({"seed": -1}, "seed"),
        ({"seed": 1.5}, "seed"),
        ({"language": "xx"}, "language"),
        ({"voice": "af_heart(NaN)"}, "voice"),
        ({"voice": "a\nb"}, "voice"),
        ({"voice": 3}, "voice"),
        ({"blends": [1]}, "blends"),
        ({"blends": {"duet": "af_heart(0)"}}, "duet"),
        ({"lexicon": "Zorg"}, "lexicon"),
        ({"lexicon": [{"word": "Zorg", "phonemes": "☃"}]}, "lexicon"),
        ({"lexicon": [{"pattern": "(", "say": "x"}]}, "lexicon"),
        ({"model": {}}, "model"),
        ({"edits": {}}, "edits"),
        ({"extra": 1}, "extra"),
    ],
)
def test_every_other_bad_part_is_named_and_replaced_by_the_usual_value(values, named):
    project = opened(**{"edits": [EDIT], **values})
    usual = opened(edits=[] if "edits" in values else [EDIT])
    assert (project.request, project.model) == (usual.request, usual.model)
    (problem,) = project.problems
    assert named in problem.message


def test_many_problems_are_counted():
    project = opened(edits=[3] * 1000)
    assert len(project.problems) < 200
    assert "more" in project.problems[-1].message


def test_nothing_of_this_machine_is_in_the_file(tmp_path):
    request = SpeechRequest(TEXT, "af_heart")
    content = project_content(request, ModelIdentity("starter", "12"))
    assert str(tmp_path) not in content.decode()
    assert str(Path.home()) not in content.decode()
    assert set(json.loads(content)) == set(json.loads(WHOLE))


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "a.kokoro"
    write_project(path, SpeechRequest(TEXT, "af_heart"), ModelIdentity())
    before = path.read_bytes()
    with pytest.raises((ValueError, EngineError)):
        write_project(path, SpeechRequest(TEXT, "af_heart", float("nan")), ModelIdentity())
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["a.kokoro"]

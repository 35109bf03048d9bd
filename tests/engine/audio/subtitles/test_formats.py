import json
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.audio.subtitles.formats import (
    FORMATS,
    LINE_CHARACTERS,
    MAX_SECONDS,
    MIN_SECONDS,
    SILENCE_SECONDS,
    ass,
    captions_of,
    check_subtitles,
    json_text,
    srt,
    vtt,
    write_subtitles,
)
from engine.errors import OutputError
from tests.engine.audio.subtitles.words import timed

TEXT = "When the rain had stopped at last, the children ran into the garden. Tom Ann laughed."


def test_srt() -> None:
    assert srt(timed(TEXT, 0.333)) == (
        "1\n00:00:00,000 --> 00:00:04,329\nWhen the rain had stopped at last,\nthe children ran into the garden.\n\n"
        "2\n00:00:04,329 --> 00:00:05,329\nTom Ann laughed.\n"
    )


def test_vtt_escapes_markup_characters() -> None:
    marked = [replace(timed("a", 3661.5)[0], shown="a&b<c>")]
    assert vtt(marked) == "WEBVTT\n\n00:00:00.000 --> 01:01:01.500\na&amp;b&lt;c&gt;\n"


def test_ass_lights_each_word_for_its_time_without_drift() -> None:
    words = timed(TEXT, 0.333)
    lines = [line for line in ass(words).splitlines() if line.startswith("Dialogue: ")]
    assert lines[0].startswith("Dialogue: 0,0:00:00.00,0:00:04.33,Default,,0,0,0,,{\\k33}When {\\k34}the {\\k33}rain")
    assert "last,\\N{\\k" in lines[0]
    assert re.sub(r"\{[^}]*\}", "", lines[1]).endswith(",,Tom Ann laughed.")
    total = sum(int(length) for line in lines for length in re.findall(r"\\k(\d+)", line))
    assert total == 533


SIGNS = "He said [sic] it. [Laughs] Then (a [b]) --> c <d> went {e}."


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (srt, "He said [sic] it. [Laughs]\nThen (a [b]) --> c <\u2060d> went {e}."),
        (vtt, "He said [sic] it. [Laughs]\nThen (a [b]) --&gt; c &lt;d&gt; went {e}."),
        (ass, "He said [sic] it. [Laughs]\\NThen (a [b]) --> c <d> went (e)."),
    ],
)
def test_brackets_and_arrows_are_escaped_as_each_format_requires(written, shown: str) -> None:
    assert shown in re.sub(r"\{\\k\d+\}", "", written(timed(SIGNS)))


def test_json_preserves_brackets_and_arrows() -> None:
    (caption,) = json.loads(json_text(timed(SIGNS)))["captions"]
    assert " ".join(caption["lines"]) == SIGNS


def test_directions_and_pronunciations_are_not_shown() -> None:
    assert "\na b\n" in srt(timed("a [pause 1s] b"))
    assert "\na b\n" in srt(timed("[voice:am_michael] a [pause 1s]b"))
    assert "\n“so slow”, a b?\n" in srt(timed("“[slow]so slow[/slow]”, a [rise] b[/rise]?"))


def test_ass_shows_braces_that_would_be_commands_as_brackets() -> None:
    assert "{\\k100}(x)" in ass([replace(timed("a")[0], shown="{x}")])


def test_json_has_words_phonemes_and_captions() -> None:
    found = json.loads(json_text(timed("Hi there.", 0.6)))
    assert found["words"][1] == {
        "text": "there", "start": 3, "end": 8, "start_seconds": 0.6, "end_seconds": 1.2, "phonemes": [],
    }  # fmt: skip
    assert found["captions"] == [{"start_seconds": 0.0, "end_seconds": 1.2, "lines": ["Hi there."]}]


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_file_is_written_in_the_format_of_its_suffix(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a{suffix.upper()}"
    write_subtitles(path, timed(TEXT))
    assert path.read_text(encoding="utf-8") == FORMATS[suffix](timed(TEXT))
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(("name", "message"), [("a.txt", "can’t be saved as .txt"), ("a", "has no suffix")])
def test_other_suffixes_are_refused(tmp_path: Path, name: str, message: str) -> None:
    with pytest.raises(OutputError, match=message) as refused:
        check_subtitles(tmp_path / name)
    assert refused.value.hint == "Use a file name that ends in .srt, .vtt, .ass or .json."


def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="exist"):
        check_subtitles(tmp_path / "none" / "a.srt")


def lines(text: str, seconds: float = 0.4, gap_seconds: float = 0.0) -> list[tuple[str, ...]]:
    return [caption.lines for caption in captions_of(timed(text, seconds, gap_seconds))]


def test_a_short_sentence_is_one_line() -> None:
    assert lines("The quick brown fox jumps.") == [("The quick brown fox jumps.",)]


def test_two_lines_are_about_as_long_and_broken_at_a_comma() -> None:
    found = lines("When the rain had stopped at last, the children ran into the garden.", 0.3)
    assert found == [("When the rain had stopped at last,", "the children ran into the garden.")]


def test_captions_end_at_clauses() -> None:
    text = (
        "In the morning, long before the sun had risen, they walked along the river to the lake; "
        "there they sat down on the cold stones, and nobody said a word until the light came."
    )
    found = lines(text)
    assert len(found) > 2
    assert all(caption[-1][-1] in ",;." for caption in found)


def test_a_single_word_shares_a_caption_with_the_following_text() -> None:
    assert lines("Yes. We can go there tomorrow morning.") == [("Yes. We can go there tomorrow morning.",)]


def test_a_long_silence_and_a_paragraph_are_between_captions() -> None:
    assert lines("One here two", 0.5, SILENCE_SECONDS + 1) == [("One",), ("here",), ("two",)]
    assert lines("One here is.\n\nTwo there are.") == [("One here is.",), ("Two there are.",)]


def test_an_overlong_word_wraps_onto_two_lines_or_is_truncated() -> None:
    assert lines("x" * 60) == [("x" * 42, "x" * 18)]
    assert lines("x" * 100) == [("x" * 42, "x" * 41 + "…")]


def test_no_words_make_no_captions() -> None:
    assert captions_of([]) == ()


WORDS = st.lists(
    st.sampled_from(["a", "garden,", "walked", "over.", "incomprehensibilities", "x" * 50, "me\n\n"]),
    min_size=1,
    max_size=60,
)


@given(WORDS, st.floats(0.05, 2.0), st.floats(0, 1.5))
def test_any_words_are_in_captions_once_in_order_and_fit(words: list[str], seconds: float, gap: float) -> None:
    made = timed(" ".join(words), seconds, gap)
    captions = captions_of(made)
    assert [word for caption in captions for word in caption.words] == made
    for caption in captions:
        assert len(caption.lines) <= 2
        assert all(0 < len(line) <= LINE_CHARACTERS for line in caption.lines)
        assert caption.start_seconds == caption.words[0].start_seconds
        assert caption.end_seconds >= caption.words[-1].end_seconds
        assert caption.end_seconds - caption.start_seconds <= MAX_SECONDS or len(caption.words) == 1
    for caption, following in pairwise(captions):
        assert caption.end_seconds <= following.start_seconds
    assert captions[-1].end_seconds - captions[-1].start_seconds >= MIN_SECONDS - 1e-9

from pathlib import Path

import pytest

from engine.text.documents.subtitle_file import read
from tests.shared_inputs import real_text

SRT = """1
00:00:01,000 --> 00:00:03,000
<i>Hello there,</i>
my friend.

2
00:00:04,000 --> 00:00:05,000
- Who is it?
- {\\an8}Me.

3
00:00:06,500 --> 00:00:08,000
I have waited for you

4
00:00:08,000 --> 00:00:09,000
3 < 4 hours.
"""
VTT = """WEBVTT - A film

NOTE not
spoken

STYLE
::cue { color: red }

intro
00:01.000 --> 00:03.000 align:start
<v Ann>Tom &amp; I <c.loud>left</c>.

00:00:04.000 --> 00:00:05.000
It <00:00:04.500>rained.
"""


def text_of(path: Path, content: str) -> str:
    path.write_text(content, encoding="utf-8")
    return read(path).text


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_subrip_is_read_without_numbers_times_and_markup(tmp_path: Path, line_end: str) -> None:
    text = text_of(tmp_path / "a.srt", SRT.replace("\n", line_end))
    assert text == "Hello there, my friend.\n\nWho is it?\n\nMe.\n\nI have waited for you 3 < 4 hours."


def test_webvtt_is_read_without_notes_styles_and_names_of_cues(tmp_path: Path) -> None:
    assert text_of(tmp_path / "a.vtt", VTT) == "Tom & I left.\n\nIt rained."


def test_a_real_file() -> None:
    assert read(real_text("t07_srt.srt")).text == "Hello there.\n\nWho is it?\n\nMe."


@pytest.mark.parametrize(
    "unit", ["-->", "1\n", "00:00:01,000 --> 00:00:02,000\n", "<i", "{\\", "- a\n", "a\n\n", " \n"]
)
def test_long_files_take_linear_time(tmp_path: Path, unit: str) -> None:
    text_of(tmp_path / "a.srt", "1\n00:00:01,000 --> 00:00:03,000\n" + unit * (200_000 // len(unit)))

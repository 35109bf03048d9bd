from pathlib import Path

import pytest

from engine.text.documents.document import Picture
from engine.text.documents.markdown_text import read
from engine.text.documents.subtitle_file import read as read_captions
from tests.engine.text.documents.pages import shown
from tests.shared_inputs import real_text

TEXT = """---
title: "My Notes"
author: Ann
lang: en-GB
---
# Diary

Intro with *emphasis*, `code` and a [link](https://example.org).[^1]

## First

- one
- two

| A | B |
|---|---|
| 1 | 2 |

## Second

![picture](a.png) The end.

[^1]: A note
    that goes on.
"""


def test_markup_goes_and_headings_begin_chapters(tmp_path):
    path = tmp_path / "a.md"
    path.write_text(TEXT)
    document = read(path)
    assert (document.title, document.author, document.language) == ("My Notes", "Ann", "en-GB")
    assert [(chapter.title, chapter.text, chapter.notes) for chapter in document.chapters] == [
        ("Diary", "Diary\n\nIntro with emphasis, code and a link.", "A note that goes on."),
        ("First", "First\n\none\n\ntwo\n\nTable: 1 row of A, B.", ""),
        ("Second", "Second\n\nThe end.", ""),
    ]


def test_styles_and_pictures_reflect_the_markup(tmp_path):
    path = tmp_path / "a.md"
    path.write_text("# *The* Sea\n\nA[^1] **very *old* man**, _he_.\n\n> Come\n> back.\n\n![boat](a.png)\n\n[^1]: One.")
    (tmp_path / "a.png").write_bytes(b"picture")
    (chapter,) = read(path).chapters
    assert shown(chapter) == [
        ("heading", "The Sea"), ("emphasis", "The"), ("strong", "very old man"), ("emphasis", "old"),
        ("emphasis", "he"), ("quote", "Come back."),
    ]  # fmt: skip
    assert chapter.pictures == (Picture(len(chapter.text), "a.png", "boat"),)


def test_a_text_without_front_matter_is_named_after_its_file(tmp_path):
    path = tmp_path / "Shopping.md"
    path.write_text("Milk.")
    assert read(path).title == "Shopping"


def test_pronunciations_are_no_links(tmp_path):
    path = tmp_path / "a.md"
    path.write_text("[Kokoro](/kˈOkəɹO/) [speaks](/about/).")
    assert read(path).chapters[0].text == "[Kokoro](/kˈOkəɹO/) speaks."


def text_of(tmp_path: Path, text: str) -> str:
    path = tmp_path / "a.md"
    path.write_text(text, encoding="utf-8")
    return read(path).text


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ("See [[Harbour|the harbour]] and [[Note-Monday]].", "See the harbour and Note-Monday."),
        ("See [[places/Harbour#The wall]] and [[#End]].", "See Harbour, The wall and End."),
        ("A ![[map.png]] map.", "A map."),
        ("==marks== and ++lines++ and C++ and ++i", "marks and lines and C++ and ++i"),
        ("a == b == c, x=1", "a == b == c, x=1"),
        ("Seen %%private\n\ncomment%% again", "Seen again"),
        ("100 %% of it", "100 %% of it"),
        ("{>> a note <<} {++added++} {--gone--} {~~old~>new~~} {==light==}", "added new light"),
        ("As shown [@smith2004, p. 33; @doe99].", "As shown."),
        ("As shown [see @doe99], by [-@doe99].", "As shown, by."),
        ("Write to [me@example.org](mailto:a) or me@example.org.", "Write to me@example.org or me@example.org."),
        ("# Title {#sec:intro .big}", "Title"),
        ("[a word]{.small} and a {word} here", "[a word] and a {word} here"),
        ("- [ ] Buy milk\n- [x] Feed cat", "Buy milk\n\nFeed cat"),
        ("> [!INFO] Careful\n> The sea is deep.", "Careful\n\nThe sea is deep."),
        ("> [!warning]-\n> Deep.", "Warning\n\nDeep."),
        ("Term\n: Definition", "Term\n\nDefinition"),
        ("It is $E=mc^2$ and $$x^2$$.", "It is E = mc² and x²."),
        ("It cost $5 and then $10.", "It cost $5 and then $10."),
        ("$a < b$ and $\\frac{1}{2} \\times \\pi$", "a < b and 1 over 2 × π"),
        ("H~2~O and x^2^, ~~gone~~ ~ 5", "H₂O and x², gone ~ 5"),
        ("The end. ^abc-1\n\n[[_TOC_]]\n\n::: {.note}\nYes.\n:::", "The end.\n\nYes."),
        ("As Figure [2](#fig2) and Sec. [3](#sec3) show.", "As Figure 2 and Sec. 3 show."),
        ("`==a==` and `[[b]]` and ``%%c%%``", "==a== and [[b]] and %%c%%"),
        ("Yes :thumbs_up: at 10:30:15 or a::b::c", "Yes thumbs up at 10:30:15 or a::b::c"),
        ("A mark[^9] of nothing.", "A mark of nothing."),
    ],
)
def test_signs_of_other_programs_are_read_as_they_are_seen(tmp_path, written, seen):
    assert " ".join(text_of(tmp_path, written).split(" ")) == seen


@pytest.mark.parametrize(
    "front",
    ["---\ntitle: My Title\nauthor: Ann\n---\n", "+++\ntitle = \"My Title\"\nauthor = 'Ann'\n+++\n",
     "---\ntitle: 'My Title'\nauthor:\n  - Ann\ntags: [a]\n---\n"],
)  # fmt: skip
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_front_matter_is_not_read(tmp_path, front, line_end, mark):
    path = tmp_path / "a.md"
    path.write_text((mark + front + "\n# One\n\nText.").replace("\n", line_end), encoding="utf-8", newline="")
    document = read(path)
    assert (document.title, document.author, document.text) == ("My Title", "Ann", "One\n\nText.")


def test_notes_are_those_of_the_paragraph_that_refers_to_them(tmp_path):
    path = tmp_path / "a.md"
    path.write_text(
        "# A\n\nOne[^x] and^[An *inline* note.] two.\n\n# B\n\nThree[^1].\n\n[^x]: X.\n[^1]: Y.\n\n    More."
    )
    first, second = read(path).chapters
    assert (first.text, first.notes) == ("A\n\nOne and two.", "X.\n\nAn inline note.")
    assert (second.text, second.notes) == ("B\n\nThree.", "Y.\n\nMore.")


def test_omissions_are_reported_once_with_the_first_location(tmp_path):
    path = tmp_path / "a.md"
    path.write_text(
        "---\ntitle: A\n---\nText.\n\n```python\na == 1\n```\n\n~~~\nb\n~~~\n\n$\\int_0^x f$ ![[Other]] [@a]"
    )
    document = read(path)
    code, formula = sorted(each for each in document.notices if "code" in each or "formula" in each)
    assert "2" in code
    assert "line 6" in code
    assert "int_0^x" in formula
    assert len(document.notices) == 4
    assert document.text == "Text.\n\nformula"


CASES = {
    "m01_obsidian.md": "Notes\n\nSee the harbour and Note-Monday. Use marks and #tag here.\n\nCareful\n\n"
    "The sea is deep.\n\nBuy milk\n\nFeed cat\n\nAs shown. added\n\nInline end.",
    "m02_code.md": "Title\n\nRun this:\n\nThen pip install x. See https://example.org/a or https://example.org/b."
    " smile E = mc² and x². H₂O and x².\n\none\n\ntwo\n\nTerm\n\nDefinition\n\nLine one\nline two"
    "\nline three\n\nHello\nworld — ok.",
    "m03_front_crlf.md": "One\n\nText.",
    "m04_bom.md": "One\n\nText.",
    "m06_crossref.md": "As Figure 2 and Section 3 show, it works.",
    "m07_title.md": "Chapter 1\n\nText with bold and a line.\n\nPart link code\n\nMore.",
}


@pytest.mark.parametrize("name", CASES)
def test_real_notes_and_articles(name):
    document = read(real_text(name))
    assert document.text == CASES[name]
    titles = {"m01_obsidian.md": "T", "m03_front_crlf.md": "My Title", "m04_bom.md": "My Title"}
    assert document.title == titles.get(name, name.removesuffix(".md"))


@pytest.mark.parametrize(
    "unit",
    ["[", "[^", "[a](/", "[a](/é", "[[", "[[a|", "==", "==a", "%%", "%% ", "{>>", "{~~", "[@", "[a @", "{#", "$", "$a",
     "```\n", "~~~\n", "`", "` ", "x^", "x~", "> [!a]\n", "{++", "a\n: b\n", "- [ ] ", "$$", "++a", "^["],
)  # fmt: skip
def test_long_rows_of_brackets_take_linear_time(tmp_path, unit):
    """Quadratic time would be minutes or more."""
    path = tmp_path / "rows.md"
    path.write_text(unit * (20_000 // len(unit)), encoding="utf-8")
    assert read(path).title == "rows"


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


def text_of_captions(path: Path, content: str) -> str:
    path.write_text(content, encoding="utf-8")
    return read_captions(path).text


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_subrip_is_read_without_numbers_times_and_markup(tmp_path, line_end):
    text = text_of_captions(tmp_path / "a.srt", SRT.replace("\n", line_end))
    assert text == "Hello there, my friend.\n\nWho is it?\n\nMe.\n\nI have waited for you 3 < 4 hours."


def test_webvtt_is_read_without_notes_styles_and_names_of_cues(tmp_path):
    assert text_of_captions(tmp_path / "a.vtt", VTT) == "Tom & I left.\n\nIt rained."


def test_a_real_file():
    assert read_captions(real_text("t07_srt.srt")).text == "Hello there.\n\nWho is it?\n\nMe."


@pytest.mark.parametrize(
    "unit", ["-->", "1\n", "00:00:01,000 --> 00:00:02,000\n", "<i", "{\\", "- a\n", "a\n\n", " \n"]
)
def test_long_files_take_linear_time(tmp_path, unit):
    text_of_captions(tmp_path / "a.srt", "1\n00:00:01,000 --> 00:00:03,000\n" + unit * (200_000 // len(unit)))

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.documents.blocks import Block, chapters_of
from engine.text.documents.document import Document, Matter
from engine.text.documents.plain_text import blocks_of, read
from tests.engine.text.documents.pages import shown
from tests.shared_inputs import book, real_text

PROSE = "The old man walked down to the harbour in the early morning, when all the boats were still there, and waited."
TITLES_OF_CASES = {
    "t02b_utf8_zh.txt": ["第一章 清晨", "第二章 夜晚"],
    "t03_indented.txt": ["CHAPTER I"],
    "t04_gutenberg.txt": ["CHAPTER THE FIRST.", "II", "III. THE WIND"],
    "t05_chapters.txt": ["1", "2", "3"],
    "t05b_chapters.txt": ["I. THE SEA", "II. THE WIND", "III. THE RAIN"],
    "t05c_chapters.txt": [
        "CHAPTER ONE", "STAVE TWO", "CHAPTER THE THIRD", "Chapter 4 The Rain", "Chapter 5", "CHAPTER 6",
        "Part Two", "Chapter 100", "Chapter XXIV—Night",
    ],
    "t05d_fr.txt": ["CHAPITRE PREMIER", "CHAPITRE II", "Chapitre deux"],
    "t05e_es.txt": ["CAPÍTULO PRIMERO", "CAPÍTULO II", "Capítulo dos"],
}  # fmt: skip


def headings_of(text: str) -> list[str]:
    return [block.text for block in blocks_of(text) if block.level and block.matter is Matter.TEXT]


def main_text(document: Document) -> str:
    return document.with_chapters(document.default_chapters).text


def with_text(*headings: str) -> str:
    """Return each heading with a paragraph below it."""
    return "\n\n".join(f"{heading}\n\n{PROSE}" for heading in headings)


def test_wrapped_lines_are_joined_and_verse_is_not():
    wrapped = "This is a line of a text that somebody has wrapped at a num-\nber of characters that was usual."
    verse = "Shall I compare thee\nto a summer's day?"
    joined = "This is a line of a text that somebody has wrapped at a number of characters that was usual."
    assert blocks_of(f"{wrapped}\n\n{verse}\n \n\nEnd.") == [Block(joined), Block(verse), Block("End.")]


@pytest.mark.parametrize(
    "heading",
    [
        "Chapter 1", "CHAPTER IV.", "Chapter Twenty-one: The Sea", "Prologue", "Capítulo 3", "CHAPTER THE THIRD",
        "Chapter 4 The Rain", "BOOK THE SECOND", "THE FIRST PART", "Chapter XXIV—Night", "CHAPITRE PREMIER",
        "Première partie", "Capítulo dos", "Erstes Kapitel", "Kapitel 3: Das Meer", "Capitolo primo", "第十二章 风",
        "第3回", "Глава 1", "ГЛАВА ПЕРВАЯ", "STAVE TWO", "LETTER IV", "ADVENTURE I. A SCANDAL IN BOHEMIA", "ACT II",
        "CHAPTER V. IN WHICH NOTHING HAPPENS.", "Epilogue: Ten Years Later", "Chapter 3. He was late again.",
        "CHAPITRE Ier", "Chapitre 1er", "CHAPTER THE LAST", "1. Kapitel", "II. Teil", "Ch. 3", "CAPÍTULO 1.º", "卷一",
        "제1장 바다", "Chapter I.—The Sea", "Act II, Scene 3", "Capítulo I: El mar", "Livre IV", "Day 2", "第一夜",
        "Chapter No. 7", "Sonnet XVIII",
    ],
)  # fmt: skip
def test_lines_that_name_themselves_are_headings(heading):
    assert blocks_of(f"Before.\n\n{heading}\n\nAfter.")[1] == Block(heading, 1)


@pytest.mark.parametrize(
    "text",
    [
        "Chapter one was long, and nobody read it.", "Part of it", "Introductions were made.", "Letter to a friend",
        "Part I was good, part II was not.", "Act one is over", "Book 3 tickets", "1", "IV", "12. The Sea",
        "I came.", "1984", "Chapter mild", "“Chapter 3”", "Chapter vivid", "Day one is over",
        "Part 3 of the boat came.",
        "No. 7", "Partie", "Day by day", "Also by the river.", "Notes on it were made.",
    ],
)  # fmt: skip
def test_other_lines_are_no_headings(text):
    assert [block.level for block in blocks_of(f"Before.\n\n{text}\n\nAfter.")] == [0, 0, 0]


@pytest.mark.parametrize(
    "headings",
    [
        ["1", "2", "3"], ["I", "II", "III", "IV"], ["I.", "II."], ["One", "Two", "Three"],
        ["1. The Sea", "2. The Wind"],
        ["I. THE SEA", "II. THE WIND", "III. THE RAIN"], ["CHAPTER THE FIRST", "II", "III. THE WIND"],
        ["ADVENTURE I. A CASE", "ADVENTURE II. ANOTHER", "III. A THIRD", "IV. A FOURTH"],
        ["Chapter 1", "Chapter 2", "Chapter 4", "Chapter 100"], ["I: The Sea", "II: The Wind"],
        ["i", "ii", "iii"], ["一", "二", "三"], ["一、清晨", "二、夜晚"], ["- 1 -", "- 2 -"], ["1.", "2."],
    ],
)  # fmt: skip
def test_numbers_that_ascend_are_headings(headings):
    bare = [heading.strip("- ") for heading in headings]
    assert [heading.strip("- ") for heading in headings_of(with_text(*headings))] == bare
    assert len(chapters_of(blocks_of(with_text(*headings)), "a")) == len(headings)


@pytest.mark.parametrize(
    "text",
    [
        "Buy:\n\n1. Milk\n\n2. Bread\n\n3. Eggs\n\nThat is all.", "1. Milk\n2. Bread\n3. Eggs",
        f"{PROSE}\n\n12\n\n{PROSE}\n\n40\n\n{PROSE}", f"{PROSE}\n\n1984\n\n{PROSE}\n\n1985\n\n{PROSE}",
    ],
)  # fmt: skip
def test_lists_and_lone_numbers_are_no_headings(text):
    assert headings_of(text) == []


def test_chapter_numbers_continue_through_parts_or_restart_in_each():
    through = with_text("1", "2") + "\n\nPART TWO\n\n" + with_text("3", "4")
    assert headings_of(through) == ["1", "2", "PART TWO", "3", "4"]
    again = f"PART ONE\n\n{with_text('1', '2')}\n\nPART TWO\n\n{with_text('1', '2')}"
    assert headings_of(again) == ["PART ONE", "1", "2", "PART TWO", "1", "2"]
    assert [chapter.title for chapter in chapters_of(blocks_of(again), "a")] == ["1", "2", "1", "2"]


def test_numbers_inside_one_chapter_begin_no_chapters():
    text = "CHAPTER I\n\n" + with_text("I.", "II.", "III.") + "\n\n" + with_text("CHAPTER II", "CHAPTER III", "IV")
    assert [chapter.title for chapter in chapters_of(blocks_of(text), "a")] == [
        "CHAPTER I", "CHAPTER II", "CHAPTER III", "IV",
    ]  # fmt: skip


def test_a_title_may_stand_below_its_number():
    assert blocks_of("CHAPTER I\nThe Sea\n\nIt was calm.")[0] == Block("CHAPTER I\nThe Sea", 1)
    for text in ("CHAPTER I\n\nTHE SEA\n\nIt was calm.", "CHAPTER I\n\nThe Wide Sea\n\nIt was calm."):
        first, second = blocks_of(text)
        assert (first.level, second) == (1, Block("It was calm."))
        chapters = chapters_of([first, second, *blocks_of(with_text("CHAPTER II"))], "a")
        assert chapters[0].title == "CHAPTER I: " + text.split("\n\n")[1]
    for title in ("The Sea", "A Girl with Brown Hair", "WHAT NOW?", "Rain"):
        assert blocks_of(f"I\n\n{title}\n\n{PROSE}\n\nII\n\n{PROSE}")[0] == Block(f"I\n{title}", 1)
    for text in ("Rain.", "It rained", "“Never”", "“What Now?”"):
        assert blocks_of(f"I\n\n{text}\n\n{PROSE}\n\nII\n\n{PROSE}")[:2] == [Block("I", 1), Block(text)]
    assert blocks_of("CHAPTER I\n\nIt was calm.\n\nIt rained.")[1] == Block("It was calm.")


def test_headings_need_no_blank_lines_where_each_line_is_a_paragraph():
    eastern = "第一章 清晨\n　　早上的港口很安静。\n　　他说：“没有风。”\n第二章 夜晚\n　　晚上起风了。"
    text = f"{eastern}\n\nChapter 3\n{PROSE}\n{PROSE}"
    assert [(block.text, block.level) for block in blocks_of(text)] == [
        ("第一章 清晨", 1), ("早上的港口很安静。", 0), ("他说：“没有风。”", 0), ("第二章 夜晚", 1), ("晚上起风了。", 0),
        ("Chapter 3", 1), (PROSE, 0), (PROSE, 0),
    ]  # fmt: skip


def test_a_sentence_wrapped_before_a_chapter_reference_continues():
    text = "He had read it all night, as he always did, and was now at the end of\nChapter 4. Then he slept."
    assert blocks_of(text) == [Block(text.replace("\n", " "))]


@pytest.mark.parametrize(
    "contents",
    [
        "CONTENTS\n\nI. The Sea\n\nII. The Wind\n\nIII. The Rain",
        "Contents\n\nThe Sea ..... 1\nThe Wind ... 12\nThe Rain ... 30",
        "   I. The Sea\n  II. The Wind\n III. The Rain",
        "Table of Contents\n\nChapter I. The Sea\nChapter II. The Wind\nChapter III. The Rain",
        "CONTENTS\n\nChapter I\t1\nChapter II\t12\nChapter III\t30",
    ],
)  # fmt: skip
def test_a_list_of_contents_is_front_matter(contents):
    text = f"A BOOK\n\nby Ann\n\n{contents}\n\n" + with_text("I. THE SEA", "II. THE WIND", "III. THE RAIN")
    chapters = chapters_of(blocks_of(text), "a")
    assert [each.title for each in chapters if each.matter is Matter.TEXT] == [
        "I. THE SEA", "II. THE WIND", "III. THE RAIN",
    ]  # fmt: skip
    front = "\n".join(each.text for each in chapters if each.matter is Matter.FRONT)
    assert "by Ann" in front
    assert "The Rain" in front or "III" in front


def test_titles_without_numbers_are_known_from_the_list_of_contents():
    text = "CONTENTS\n\nThe Sea\nThe Wind\n\n" + with_text("THE SEA", "The Wind") + "\n\nThe wind\n\nEnd."
    assert headings_of(text) == ["THE SEA", "The Wind"]


def test_indents_begin_paragraphs_of_prose_only():
    prose = f"     {PROSE[:70]}\n{PROSE[70:]}\n     He had not slept.\n     {PROSE[:61]}\n{PROSE[61:]}"
    assert [block.text for block in blocks_of(prose)] == [
        f"{PROSE[:70].strip()} {PROSE[70:].strip()}", "He had not slept.", f"{PROSE[:61].strip()} {PROSE[61:].strip()}",
    ]  # fmt: skip
    verse = "Shall I compare thee\n   to a summer's day?\nThou art more lovely\n   and more temperate."
    assert len(blocks_of(verse)) == 1


@pytest.mark.parametrize(
    "line",
    [
        "* * *",
        "***",
        "⁂",
        "#",
        "~",
        "—",
        "• • •",
        "─────",
        "═══════",
        "◆ ◆ ◆",
        "❦",
        "oOo",
        "~*~",
        "-=-=-",
        "· · ·",
        "-oOo-",
    ],
)
def test_lines_between_scenes_are_all_alike(line):
    first, second, third = blocks_of(f"He left.\n\n{line}\n\nHe came.")
    assert (first.text, third.text) == ("He left.", "He came.")
    assert second == blocks_of("He left.\n\n* * *\n\nHe came.")[1]


@pytest.mark.parametrize("line", ["“…”", "?!", "I", "Ooo!", "...", "No."])
def test_other_short_lines_stay(line):
    assert blocks_of(f"He left.\n\n{line}\n\nHe came.")[1].text == line


GUTENBERG = f"""The Project Gutenberg eBook of Harbour

Title: Harbour

Author: Ann Smith

*** START OF THE PROJECT GUTENBERG EBOOK HARBOUR ***

Produced by some volunteers

[Illustration]

HARBOUR

CHAPTER I

_In which_ the _old man_ goes to the sea,[1] and =nothing=[A] happens.

[Illustration: The boat,
at night]

[Pg 12]{PROSE}{{13}} It is [so] snake_case_here.

[Footnote 1: That is, the _North_ Sea [see 2].

It is cold.]

[Footnote A: Or so.]

[Transcriber's Note: Two commas were mended.]

CHAPTER II

He left.[1]

[Footnote 1: In May.]

End of the Project Gutenberg EBook of Harbour

*** END OF THE PROJECT GUTENBERG EBOOK HARBOUR ***

Section 1. General Terms of Use
"""


def test_gutenberg_boilerplate_is_separated_from_the_book(tmp_path):
    path = tmp_path / "12345-0.txt"
    path.write_text(GUTENBERG, encoding="utf-8")
    document = read(path)
    assert (document.title, document.author) == ("Harbour", "Ann Smith")
    usual = [document.chapters[number] for number in document.default_chapters]
    assert [chapter.title for chapter in usual] == ["CHAPTER I", "CHAPTER II"]
    assert usual[0].text == (
        "CHAPTER I\n\nIn which the old man goes to the sea, and nothing happens.\n\nThe boat,\nat night\n\n"
        f"{PROSE} It is [so] snake_case_here."
    )
    assert re.sub(r"\s+", " ", usual[0].notes) == "That is, the North Sea [see 2]. It is cold. Or so."
    assert (usual[1].text, usual[1].notes) == ("CHAPTER II\n\nHe left.", "In May.")
    assert shown(usual[0]) == [
        ("heading", "CHAPTER I"), ("emphasis", "In which"), ("emphasis", "old man"), ("strong", "nothing"),
    ]  # fmt: skip
    others = {each.matter: each.text for each in document.chapters if each.matter is not Matter.TEXT}
    assert "some volunteers" in others[Matter.FRONT]
    assert "HARBOUR" in others[Matter.FRONT]
    assert "Two commas" in others[Matter.BACK]
    assert "General Terms" in others[Matter.BACK]


def test_emphasis_is_found_again_in_lines_that_are_joined():
    lines = (
        "The old man walked down to the harbour in the early morning, to the _sec-",
        "ond and [Pg 9] the last_ boat, when all the others were still there,",
        "and waited. _Fin_\n\n_One\n\nTwo_, =three=.\n",
    )
    text = "\n".join(lines)
    chapters = chapters_of(blocks_of(text), "a")
    spans = [(text_style, re.sub(r"\s+", " ", said)) for chapter in chapters for text_style, said in shown(chapter)]
    assert spans == [
        ("emphasis", "second and the last"), ("emphasis", "Fin"), ("emphasis", "One"), ("emphasis", "Two"),
        ("strong", "three"),
    ]  # fmt: skip


def test_a_note_may_have_only_its_mark():
    text = f"He left.[1] {PROSE}[*]\n\n[1] In May, says\nAnn.\n\n[*] So he said.\n\n[2] is no note.\n\nHe came."
    first, second, third = blocks_of(text)
    assert first == Block(f"He left. {PROSE}", notes=("In May, says\nAnn.", "So he said."))
    assert (second.text, third.text) == ("[2] is no note.", "He came.")


def test_transcriber_notes_are_back_matter():
    first, second = blocks_of("Transcriber's Note: A comma\nwas mended.\n\nHe left.")
    assert first == Block("He left.")
    assert (second.matter, "comma" in second.text) == (Matter.BACK, True)


def test_a_note_that_nothing_refers_to_is_not_lost():
    (block,) = blocks_of("It was late.\n\n[Footnote: By an hour.]")
    assert block == Block("It was late.", notes=("By an hour.",))


@pytest.mark.parametrize(
    "text", ["See [1] and [2].", "a_b_c and x = y = z", "[Illustration", "[Footnote 1: open", "2 = 2"]
)
def test_other_brackets_and_signs_stay(text):
    assert [block.text for block in blocks_of(text)] == [text]


def test_a_file_is_named_after_itself(tmp_path):
    path = tmp_path / "Letter.txt"
    path.write_text("Chapter 1\n\nDear.\n\nChapter 2\n\nYours.")
    document = read(path)
    assert document.title == "Letter"
    assert [chapter.title for chapter in document.chapters] == ["Chapter 1", "Chapter 2"]


@pytest.mark.parametrize("name", TITLES_OF_CASES)
def test_headings_of_real_texts(name):
    document = read(real_text(name))
    found = [block.text for block in blocks_of(real_text(name).read_text(encoding="utf-8")) if block.level]
    assert found == TITLES_OF_CASES[name]
    chapters = [document.chapters[number].title for number in document.default_chapters]
    assert chapters == [title for title in TITLES_OF_CASES[name] if title != "Part Two"] or len(found) == 1


def test_real_indents_breaks_and_furniture():
    indented = [block.text for block in blocks_of(real_text("t03_indented.txt").read_text(encoding="utf-8"))]
    assert indented[1].startswith("The old man walked down to the harbour in the early morning, when")
    assert indented[2] == "He had not slept."
    breaks = {block.text for block in blocks_of(real_text("t06_breaks.txt").read_text(encoding="utf-8"))}
    assert breaks == {"He left.", "He came.", "* * *"}
    document = read(real_text("t04_gutenberg.txt"))
    assert document.chapters[document.default_chapters[0]].notes == "That is, the North Sea."
    text = main_text(document)
    assert all(word not in text for word in ("Gutenberg", "Terms", "Pg", "North", "[", "_", "="))
    assert "A boat" in text
    assert "In which the old man goes down to the sea, and comes back again with nothing in his hands" in text


def test_the_chapters_of_sherlock_holmes():
    document = read(book("sherlock-holmes.txt"))
    assert document.title == "The Adventures of Sherlock Holmes"
    usual = [document.chapters[number] for number in document.default_chapters]
    assert [re.split(r"\bI?[XV]?I*V?I*\. ", chapter.title)[-1] for chapter in usual] == [
        "A SCANDAL IN BOHEMIA", "THE RED-HEADED LEAGUE", "A CASE OF IDENTITY", "THE BOSCOMBE VALLEY MYSTERY",
        "THE FIVE ORANGE PIPS", "THE MAN WITH THE TWISTED LIP", "THE ADVENTURE OF THE BLUE CARBUNCLE",
        "THE ADVENTURE OF THE SPECKLED BAND", "THE ADVENTURE OF THE ENGINEER'S THUMB",
        "THE ADVENTURE OF THE NOBLE BACHELOR", "THE ADVENTURE OF THE BERYL CORONET",
        "THE ADVENTURE OF THE COPPER BEECHES",
    ]  # fmt: skip
    assert all(chapter.text.startswith(chapter.title) for chapter in usual)
    assert "Gutenberg" not in main_text(document)
    assert "VIII. The Adventure of the Speckled Band" in document.chapters[0].text
    assert document.notices == ()


LINES = st.sampled_from([
    "", "CHAPTER I", "1", "2", "I. THE SEA", PROSE, "   indented", "* * *", "[Illustration: boat]", "[Pg 3]",
    "[Footnote 1: note]", "mark[1]", "CONTENTS", "The Sea .... 3", "*** START OF THE PROJECT GUTENBERG EBOOK X ***",
    "*** END OF THE PROJECT GUTENBERG EBOOK X ***", "_word_", "a [ b", "Part Two", "“Yes,” he said.", "[Footnote: x]",
])  # fmt: skip


@given(st.lists(LINES, max_size=30))
def test_every_word_is_in_the_document(lines):
    furniture = r"\*\*\* (?:START|END)[^\n]*|Pg 3|Illustration|Footnote(?: 1)?|\[1\]|\b[13]\b"
    words = re.findall(r"[^\W_]+", re.sub(furniture, "", "\n".join(lines)))
    blocks = blocks_of("\n".join(lines))
    found = " ".join(" ".join((block.text, *block.notes)) for block in blocks)
    assert set(words) <= set(re.findall(r"[^\W_]+", found))


@pytest.mark.parametrize(
    "unit",
    [
        "CHAPTER I\n\n", "1\n\n", "I. THE SEA\n\nIt was calm.\n\n", "[Illustration: ", "[Footnote 1: ", "[1]", "_a ",
        "   indented line.\n", "CONTENTS\n\n", "The Sea .... 12\n", "* ", "x\n\n", ". . ", "(((", "[", "*** START OF ",
        "=a", "a_", "[1] a\n\n", "\n\n[1] a ", "a[1]\n\n[1] ", "Transcriber's Note: ",
    ],
)  # fmt: skip
def test_long_texts_take_linear_time(unit):
    """Quadratic time would be an hour or more."""
    blocks_of(unit * (100_000 // len(unit)))


def test_titles_that_fill_their_line_continue_in_the_next():
    long = "CHAPTER 2. Of Whales in Paint, in Teeth, in Wood, in Stone, in\nMountains and in Stars."
    titles = ("CHAPTER 1. The Sea", long, "CHAPTER 3. The Rain")
    text = "A BOOK\n\nCONTENTS\n\n" + "\n\n".join(titles) + "\n\n" + with_text(*titles)
    chapters = [each for each in chapters_of(blocks_of(text), "a") if each.matter is Matter.TEXT]
    assert [each.title for each in chapters] == [title.replace("\n", " ") for title in titles]


def test_contents_entries_may_share_a_title_with_each_other_or_a_part():
    titles = ("CHAPTER I. The Sea", "CHAPTER II. The Sea", "CHAPTER III. The Rain")
    contents = "CONTENTS\n\nPART ONE.\nTHE RAIN.\n\n" + "\n".join(
        f"{title}   {page}" for page, title in enumerate(titles, 7)
    )
    chapters = chapters_of(blocks_of(f"A BOOK\n\nVOL. XII\n\n{contents}\n\n" + with_text(*titles)), "a")
    assert [each.title for each in chapters if each.matter is Matter.TEXT] == list(titles)

import time
from pathlib import Path

import pytest

from engine.text.documents.blocks import chapters_of
from engine.text.documents.document import Chapter, Matter
from tests.engine.text.documents.pages import XHTML, blocks, book_of, package, texts, xhtml

START = "*** START OF {} PROJECT GUTENBERG EBOOK A BOOK ***"
END = "*** END OF {} PROJECT GUTENBERG EBOOK A BOOK ***"


def chapters(page: str) -> tuple[Chapter, ...]:
    return chapters_of(blocks(page), "A Book")


@pytest.mark.parametrize("word", ["THE", "THIS"])
@pytest.mark.parametrize("element", ["p", "pre", "div"])
def test_the_licence_around_a_text_is_apart(word: str, element: str) -> None:
    page = (
        f"<h1>The eBook of A Book</h1><{element}>For anyone.\n\n{START.format(word)}</{element}>"
        "<p>Produced by A. B.</p>"
        "<h1>A Book</h1><h2>I</h2><p>Sea.</p><h2>II</h2><p>Wind.</p>"
        f"<p>End of Project Gutenberg's A Book</p><{element}>{END.format(word)}</{element}>"
        "<h2>Licence</h2><p>Words.</p>"
    )
    read = chapters(page)
    assert [(each.matter, each.title) for each in read if each.matter is Matter.TEXT] == [
        (Matter.TEXT, "I"), (Matter.TEXT, "II"),
    ]  # fmt: skip
    assert read[0].matter is Matter.FRONT
    assert read[-1].matter is Matter.BACK
    assert "Produced" in "".join(each.text for each in read if each.matter is Matter.FRONT)
    assert "End of Project" in "".join(each.text for each in read if each.matter is Matter.BACK)


def test_the_licence_of_a_book_ends_with_the_book(tmp_path: Path) -> None:
    pages = {
        "a.xhtml": f"<section id='pg-header'><p>{START.format('THE')}</p></section><h2>I</h2><p>Sea.</p>",
        "b.xhtml": f"<h2>II</h2><p>Wind.</p><section id='pg-footer'><p>{END.format('THE')}</p></section>",
        "c.xhtml": "<h2>Section 1</h2><p>Terms.</p>",
    }
    document = book_of(tmp_path, {name: xhtml(body) for name, body in pages.items()})
    assert [document.chapters[number].text for number in document.usual_chapters] == ["I\n\nSea.", "II\n\nWind."]


@pytest.mark.parametrize(
    "line",
    [
        "<p><a href='#c{0}'>Chapter {0}</a></p>", "<p><a href='#c{0}'>Chapter {0}</a> . . . 1{0}</p>",
        "<p>The Part {0} <a href='#c{0}'>1{0}</a></p>", "<li>{0}. <a href='#c{0}'>Part</a></li>",
    ],
)  # fmt: skip
def test_a_list_of_contents_and_what_is_before_it_are_front_matter(line: str) -> None:
    contents = "".join(line.format(number) for number in range(1, 5))
    body = "".join(f"<h2 id='c{number}'>Chapter {number}</h2><p>Text.</p>" for number in range(1, 5))
    read = chapters(f"<h1>A BOOK</h1><h2>By A. Writer</h2><p>CONTENTS</p>{contents}{body}")
    assert [each.title for each in read if each.matter is Matter.TEXT] == [f"Chapter {n}" for n in range(1, 5)]
    assert {each.matter for each in read} == {Matter.FRONT, Matter.TEXT}


def test_a_few_links_are_text() -> None:
    page = "<p>Text.</p><p><a href='#a'>See here</a></p><p><a href='#b'>and there</a></p><p>More.</p>"
    assert {block.matter for block in blocks(page)} == {Matter.TEXT}


@pytest.mark.parametrize(
    "line", ["<p>If you fight, turn to <a href='#c{0}'>{0}</a></p>", "<p><a href='#c{0}'>Fight</a></p>"]
)
def test_the_ways_to_go_on_in_a_game_are_text(line: str) -> None:
    ways = "".join(line.format(number) for number in range(1, 5))
    page = f"<h2>1</h2><p>{'You stand before a door. ' * 5}</p>{ways}<h2>2</h2><p>Text.</p>"
    assert {block.matter for block in blocks(page)} == {Matter.TEXT}


def test_links_to_elsewhere_are_text() -> None:
    page = "".join(f"<p><a href='https://example.org/{n}'>Site {n}</a></p>" for n in range(5))
    assert {block.matter for block in blocks(page)} == {Matter.TEXT}


def test_text_before_a_list_of_contents_stays_text() -> None:
    contents = "".join(f"<p><a href='#c{n}'>Part {n}</a></p>" for n in range(4))
    page = f"<h1>Title</h1><p>{'A long beginning. ' * 10}</p>{contents}<h2>Part 1</h2><p>Text.</p>"
    assert blocks(page)[1].matter is Matter.TEXT


def test_every_word_is_read_or_kept_apart() -> None:
    page = "<h1>One</h1><p>two<sup>three</sup></p><table><tr><td>four<td>five.</tr></table><dl><dt>six<dd>seven</dl>"
    page += "<div>eight<ul><li>nine</ul>ten</div><blockquote>eleven</blockquote>"
    page += "<details><summary>twelve</summary>x</details>"
    said = " ".join(texts(page)).replace(".", "").replace("twothree", "two three").split()
    assert [each.lower() for each in said] == [
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "x",
    ]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("entries", "paragraphs"), [(20_000, 0), (6_000, 3)])
def test_long_contents_take_no_longer_for_each_entry(tmp_path: Path, entries: int, paragraphs: int) -> None:
    def seconds(count: int) -> float:
        links = "".join(f"<li><a href='c.xhtml#a{n}'>Title {n}</a></li>" for n in range(count))
        page = "".join(f"<h2 id='a{n}'>Title {n}</h2>" + "<p>Words.</p>" * paragraphs for n in range(count))
        opf = package([("c.xhtml", XHTML), ("nav.xhtml", f'{XHTML} properties="nav"')])
        pages = {"c.xhtml": xhtml(page), "nav.xhtml": xhtml(f"<nav epub:type='toc'><ol>{links}</ol></nav>")}
        started = time.process_time()
        document = book_of(tmp_path, pages, OEBPS__book_0_opf=opf)
        assert document.text.count("Title ") == count
        return time.process_time() - started

    assert seconds(entries) < 40 * min(seconds(entries // 10) for _ in range(3))  # 100 if it were not linear

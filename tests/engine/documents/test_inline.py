import pytest

from tests.engine.documents.pages import blocks, texts


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("<p><span class='dropcap'>T</span>he sea.</p>", "The sea."),
        ("<p><span class='drop-cap'>I</span> <span>n the</span> beginning.</p>", "In the beginning."),
        ("<p><span class='dropcap'>“I</span> t is.</p>", "“It is."),
        ("<p><span class='dropcap'>A</span> LICE was here. So Alice said.</p>", "ALICE was here. So Alice said."),
        ("<div class='drop'>T</div><p>he sea.</p>", "The sea."),
        ("<p class='initial'>W</p><p>HEN he came.</p>", "WHEN he came."),
        ("<p>T</p><p>he sea.</p>", "The sea."),
        ("<p><img class='dropcap' alt='T' src='t.png'>he sea.</p>", "The sea."),
        ("<p><span class='d'>W</span>HEN <small>HE</small> came.</p>", "WHEN HE came."),
        ("<p><span class='dropcap'>I</span> was born.</p>", "I was born."),
        ("<p><span class='dropcap'>A</span> man came.</p>", "A man came."),
    ],
)
def test_an_initial_joins_its_word(written: str, read: str) -> None:
    assert texts(written) == [read]


@pytest.mark.parametrize("page", ["<p>A</p><p>lone man</p>", "<p>B</p><p>Next item</p>", "<h2>V</h2><p>vast</p>"])
def test_a_letter_of_its_own_stays(page: str) -> None:
    assert len(texts(page)) == 2


@pytest.mark.parametrize(
    ("ruby", "read"),
    [
        ("<rb>武蔵</rb><rp>(</rp><rt>たけぞう</rt><rp>)</rp>", "たけぞう"),
        ("神<rt>ヒエロ</rt>字<rt>グリフ</rt>", "ヒエログリフ"),
        ("<rb><img alt='喰'></rb><rt>く</rt>", "く"), ("<img src='x'><rt>x</rt>", "x"),
        ("東京<rtc>とうきょう</rtc>", "とうきょう"),
        ("<rb>東</rb><rb>京</rb><rt>とう</rt><rt>きょう</rt>", "とうきょう"), ("汉<rt>hàn</rt>字<rt>zì</rt>", "汉字"),
        ("字", "字"),
    ],
)  # fmt: skip
def test_characters_are_read_once(ruby: str, read: str) -> None:
    assert texts(f"<p>A<ruby>{ruby}</ruby>B</p>") == [f"A{read}B"]


@pytest.mark.parametrize(
    ("heading", "read"),
    [
        ("Chapter 1<br>The Sea", "Chapter 1: The Sea"), ("Chapter 1.<br>The Sea", "Chapter 1. The Sea"),
        ("THE OLD MAN<br>AND THE SEA", "THE OLD MAN AND THE SEA"), ("The Lives of<br>Others", "The Lives of Others"),
        ("<span>2</span><span>The Wind</span>", "2: The Wind"), ("<span>T</span><span>he Wind</span>", "The Wind"),
        ("Twenty-<br>One", "Twenty-One"), ("One\n two", "One two"), ("One<br><br>Two", "One: Two"),
    ],
)  # fmt: skip
def test_the_lines_of_a_heading_have_a_pause_between_them(heading: str, read: str) -> None:
    (block,) = blocks(f"<h1>{heading}</h1>")
    assert (block.text, block.level) == (read, 1)


def test_a_picture_in_a_sentence_is_read_and_one_beside_it_is_not() -> None:
    page = "<p>So <img alt='x = 2' src='q.png'> here.</p><p><img alt='A ship'></p><p><img class='math' alt='y = 3'></p>"
    assert texts(page) == ["So x = 2 here.", "y = 3"]


@pytest.mark.parametrize("alternative", ["", "smile.png", "image", "Figure 3", "***", "External link icon"])
def test_a_picture_that_says_nothing_is_not_read(alternative: str) -> None:
    assert texts(f"<p>So <img alt='{alternative}' src='q.png'>it is.</p>") == ["So it is."]


def test_quotations_have_their_marks_and_listings_their_lines() -> None:
    assert texts("<p>He said <q>come</q>.</p><pre><code>a\n  b</code></pre>") == ["He said “come”.", "a\nb"]


def test_a_title_may_be_a_picture() -> None:
    (block,) = blocks("<h1><img alt='Chapter One' src='1.png'></h1>")
    assert (block.text, block.level) == ("Chapter One", 1)


def test_pictures_that_are_written_give_way_to_their_words() -> None:
    page = "<p>[Illustration]</p><p>[Illustration: A ship at sea.]</p><p>So [Illustration] it is</p>"
    assert texts(page) == ["A ship at sea.", "So [Illustration] it is"]

from engine.documents.blocks import LARGE_CHARACTERS, LARGEST_CHARACTERS, Block, chapters_of
from engine.documents.document import Chapter, Matter


def test_each_heading_begins_a_chapter_that_is_spoken_with_its_title() -> None:
    blocks = [Block("One", 1), Block("It begins."), Block("It goes on."), Block("Two", 1), Block("It ends.")]
    assert chapters_of(blocks, "Book") == (
        Chapter("One", "One\n\nIt begins.\n\nIt goes on."),
        Chapter("Two", "Two\n\nIt ends."),
    )


def test_text_without_headings_is_one_chapter_with_the_title_of_the_document() -> None:
    assert chapters_of([Block("Only this.")], "Note") == (Chapter("Note", "Only this."),)


def test_text_before_the_first_heading_is_a_chapter() -> None:
    chapters = chapters_of([Block("For you."), Block("One", 1), Block("A."), Block("Two", 1), Block("B.")], "Book")
    assert [chapter.title for chapter in chapters] == ["Book", "One", "Two"]
    assert chapters[0].text == "For you."


def test_the_title_of_the_whole_is_spoken_with_its_first_chapter() -> None:
    blocks = [Block("The Book", 1), Block("One", 2), Block("A."), Block("Two", 2), Block("B.")]
    assert chapters_of(blocks, "Book")[0] == Chapter("One", "The Book\n\nOne\n\nA.")


def test_headings_below_chapters_are_paragraphs() -> None:
    blocks = [
        Block("One", 1),
        Block("Part", 2),
        Block("A."),
        Block("Part", 2),
        Block("B."),
        Block("Two", 1),
        Block("C."),
    ]
    assert [chapter.title for chapter in chapters_of(blocks, "Book")] == ["One", "Two"]


def test_large_parts_are_cut_at_the_headings_below() -> None:
    long = Block("x " * LARGE_CHARACTERS)
    blocks = [
        Block("Part 1", 1),
        Block("One", 2),
        long,
        Block("Two", 2),
        long,
        Block("Part 2", 1),
        Block("Three", 2),
        long,
    ]
    titles = {chapter.title.partition(" (")[0] for chapter in chapters_of(blocks, "Book")}
    assert titles == {"One", "Two", "Three"}


def test_a_chapter_that_is_too_long_is_cut_between_paragraphs_without_loss() -> None:
    paragraphs = [Block(f"Paragraph {number}. " + "word " * 200) for number in range(150)]
    chapters = chapters_of(paragraphs, "Book")
    assert [chapter.title for chapter in chapters] == ["Book (1)", "Book (2)", "Book (3)"]
    assert all(len(chapter.text) <= LARGEST_CHARACTERS for chapter in chapters)
    assert all(chapter.text.startswith("Paragraph") for chapter in chapters)
    assert " ".join(chapter.text for chapter in chapters).split() == " ".join(p.text for p in paragraphs).split()


def test_a_paragraph_that_is_too_long_is_cut_between_words() -> None:
    chapters = chapters_of([Block("word " * LARGEST_CHARACTERS)], "Book")
    assert {word for chapter in chapters for word in chapter.text.split()} == {"word"}


def test_nothing_has_no_chapter() -> None:
    assert chapters_of([Block("  ")], "Book") == ()


def test_thousands_of_headings_without_text_take_linear_time() -> None:
    """Else this would take an hour or more."""
    chapters = chapters_of([Block("One", 1)] * 500_000, "Book")
    assert sum(chapter.text.count("One") for chapter in chapters) == 500_000


def test_blocks_of_another_matter_are_chapters_of_their_own() -> None:
    blocks = [
        Block("A Book", 1, matter=Matter.FRONT),
        Block("By Somebody.", matter=Matter.FRONT),
        Block("It begins.", notes=("A note.",)),
        Block("It ends.", notes=("Another.",)),
        Block("Index", 1),
        Block("It, 1"),
        Block("Licence text.", matter=Matter.BACK),
    ]
    assert chapters_of(blocks, "A Book") == (
        Chapter("A Book", "A Book\n\nBy Somebody.", Matter.FRONT),
        Chapter("A Book", "It begins.\n\nIt ends.", notes="A note.\n\nAnother."),
        Chapter("Index", "Index\n\nIt, 1", Matter.BACK),
        Chapter("Back matter", "Licence text.", Matter.BACK),
    )


def test_text_behind_another_matter_goes_on_under_its_title() -> None:
    blocks = [Block("One", 1), Block("a"), Block("Two", 1), Block("b"), Block("list", matter=Matter.FRONT), Block("c")]
    assert [(each.title, each.text) for each in chapters_of(blocks, "A Book")] == [
        ("One", "One\n\na"), ("Two", "Two\n\nb"), ("Front matter", "list"), ("Two", "c"),
    ]  # fmt: skip

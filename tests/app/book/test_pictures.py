import pytest
from PySide6.QtCore import QSizeF
from PySide6.QtGui import QFont, QImage, QPainter, QTextBlock, QTextFormat, QTextFrameFormat
from PySide6.QtWidgets import QApplication

from app.book.chapter_document import ChapterDocument
from engine.text.documents import Chapter, Picture
from tests.app.book.drawing import picture

RED, CLEAR = "#c03020", "#00000000"


def document_of(name: str, files: dict[str, bytes], description: str = "") -> ChapterDocument:
    font = QFont()
    font.setPixelSize(16)
    chapter = Chapter("", "Text.", pictures=(Picture(0, name, description),))
    document = ChapterDocument(chapter, font, QTextFrameFormat(), files.get, QApplication.instance())
    document.setPageSize(QSizeF(400, -1))
    return document


def size_in(document: ChapterDocument) -> tuple[int, int]:
    line = document.firstBlock().layout().lineAt(0)
    return round(line.naturalTextWidth()), round(line.height())


def drawn(document: ChapterDocument) -> QImage:
    image = QImage(document.size().toSize(), QImage.Format.Format_RGB32)
    image.fill(0x242429)
    painter = QPainter(image)
    document.drawContents(painter)
    painter.end()
    return image


def middle(block: QTextBlock) -> tuple[int, int]:
    place = block.document().documentLayout().blockBoundingRect(block).center().toPoint()
    return place.x(), place.y()


@pytest.fixture(autouse=True)
def application(qapp: QApplication) -> None:
    """Fonts need an application."""


@pytest.mark.parametrize(
    ("own", "shown"), [((200, 100), (200, 100)), ((744, 372), (372, 186)), ((512, 2048), (128, 512))]
)
def test_a_picture_is_no_larger_than_there_is_room(own: tuple[int, int], shown: tuple[int, int]) -> None:
    document = document_of("a", {"a": picture(*own)})
    width, height = size_in(document)
    assert width == shown[0]
    assert height == pytest.approx(shown[1], abs=2)
    document.setPageSize(QSizeF(100, -1))
    assert size_in(document)[0] <= 72


def test_a_picture_is_drawn_and_one_that_is_clear_on_white() -> None:
    red, clear = (document_of("a", {"a": picture(200, 100, color)}) for color in (RED, CLEAR))
    assert drawn(red).pixelColor(*middle(red.firstBlock())).name() == RED
    assert drawn(clear).pixelColor(*middle(clear.firstBlock())).name() == "#ffffff"


def test_a_picture_shows_its_description_on_demand() -> None:
    document = document_of("a", {"a": picture(200, 100)}, "A hen")
    look = document.firstBlock().begin().fragment().charFormat()
    assert look.toolTip() == look.property(QTextFormat.Property.ImageAltText) == "A hen"


@pytest.mark.parametrize("files", [{}, {"a": b""}, {"a": b"GIF, or so it says"}], ids=["missing", "empty", "other"])
def test_one_that_cannot_be_shown_is_described(files: dict[str, bytes]) -> None:
    assert "A hen" in document_of("a", files, "A hen").firstBlock().text()
    assert document_of("a", files).firstBlock().text()


def test_one_that_is_cut_off_is_described_in_its_place() -> None:
    """The font determines which pixels the words cover; but there are some, and no red ones."""
    whole = picture(300, 200)
    document = document_of("a", {"a": whole[: len(whole) // 2]}, "A hen")
    assert size_in(document)[0] == 300
    assert size_in(document)[1] == pytest.approx(200, abs=2)
    image = drawn(document)
    colors = {image.pixelColor(x, y).name() for x in range(80, 280) for y in range(40, 180)}
    assert len(colors) > 1
    assert RED not in colors


def test_only_pictures_in_view_are_decoded_each_once() -> None:
    asked: list[str] = []
    file = picture(300, 300)

    def load(name: str) -> bytes:
        asked.append(name)
        return file

    font = QFont()
    font.setPixelSize(16)
    text = "\n\n".join("Text." for _ in range(30))
    pictures = tuple(Picture(7 * number, str(number)) for number in range(30))
    document = ChapterDocument(
        Chapter("", text, pictures=pictures), font, QTextFrameFormat(), load, QApplication.instance()
    )
    document.setPageSize(QSizeF(400, -1))
    asked.clear()  # the size of each was requested
    image = QImage(400, 500, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    for _ in range(2):
        document.drawContents(painter, image.rect())
    painter.end()
    assert asked == ["0", "1"]

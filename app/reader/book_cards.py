"""The shelf of books: cover, title, author and reading progress of each.

Thumbnails of the covers are cached, so that no book needs to be opened to show them.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import (
    QBuffer,
    QByteArray,
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontInfo,
    QFontMetrics,
    QImageReader,
    QPainter,
    QPalette,
    QPixmap,
    QResizeEvent,
    QTextLayout,
)
from PySide6.QtWidgets import (
    QListView,
    QListWidget,
    QListWidgetItem,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.reading.places import LibraryBook
from app.theme import colors
from app.widgets.text_views import character_of
from app.widgets.two_line_list import draw_background
from engine.system.paths import data_folder

CHARACTERS_PER_MINUTE = 900
"""At normal speed."""
MINUTES_PER_HOUR = 60
COVER_SIZE = QSize(64, 96)
SHARPNESS = 2
"""Cached covers are larger than `COVER_SIZE` by this factor, for high-density screens."""
BOOK_ROLE = int(Qt.ItemDataRole.UserRole)
WORDS_ROLE = BOOK_ROLE + 1
"""The item role of the progress text."""
PADDING_PIXELS = 10
BAR_PIXELS = 4
MIN_LETTERS = 24
"""The minimum width of a title beside its cover, in average characters."""
TITLE_LINES = 2
SMALL = 0.88
ROUNDING_PIXELS = 2
FINISHED = 0.995
AnyIndex = QModelIndex | QPersistentModelIndex


def reading_time(characters: float, speed: float) -> str:
    """Return a duration in hours and minutes; a speed of 1.0 is normal."""
    whole = max(1, round(characters / CHARACTERS_PER_MINUTE / speed))
    hours, rest = divmod(whole, MINUTES_PER_HOUR)
    return f"{hours} h {rest} min" if hours else f"{rest} min"


class Covers:
    """A folder of cover images, each named after the digest of its book."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or data_folder() / "covers"

    def store_cover(self, digest: str, picture: bytes) -> None:
        """Save a cover; one that cannot be decoded or written is simply not shown."""
        buffer = QBuffer()
        buffer.setData(QByteArray(picture))
        reader = QImageReader(buffer)
        size = reader.size()
        if size.isValid():
            reader.setScaledSize(size.scaled(COVER_SIZE * SHARPNESS, Qt.AspectRatioMode.KeepAspectRatio))
        image = reader.read()
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
        image.save(str(self._path(digest)))

    def remove(self, digest: str) -> None:
        """Delete a cover."""
        with suppress(OSError):
            self._path(digest).unlink()

    def of(self, book: LibraryBook) -> QPixmap:
        """Return the cover of a book, or a plain one with the first letter of its title."""
        pixmap = QPixmap(str(self._path(book.digest)))
        return _plain_cover(book.title) if pixmap.isNull() else pixmap

    def _path(self, digest: str) -> Path:
        return self._folder / f"{digest}.png"


def _plain_cover(title: str) -> QPixmap:
    cover = QPixmap(COVER_SIZE * SHARPNESS)
    cover.fill(QColor(colors().word))
    painter = QPainter(cover)
    font = painter.font()
    font.setPixelSize(cover.width() // 2)
    painter.setFont(font)
    painter.setPen(QColor(colors().text))
    painter.drawText(cover.rect(), Qt.AlignmentFlag.AlignCenter, title[:1].upper())
    painter.end()
    return cover


class BookCards(QListWidget):
    """A list of book cards; `picked` carries the book that the user clicks or activates."""

    picked = Signal(object)

    def __init__(self, covers: Covers, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._speed = 1.0
        self.setObjectName("cards")
        self.setAccessibleName("Books")
        self._delegate = _CardDelegate(covers, self)
        self.setItemDelegate(self._delegate)
        self.setFlow(QListView.Flow.LeftToRight)
        self.setWrapping(True)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.itemClicked.connect(self._on_item)
        self.itemActivated.connect(self._on_item)

    @property
    def current(self) -> LibraryBook | None:
        """The current book."""
        item = self.currentItem()
        book: LibraryBook | None = item.data(BOOK_ROLE) if item is not None else None
        return book

    def show_books(self, books: Sequence[LibraryBook]) -> None:
        """List books. The current one stays current if only progress has changed; otherwise select the first."""
        if [book.digest for book in books] != [self.item(row).data(BOOK_ROLE).digest for row in range(self.count())]:
            self._delegate.forget_covers()
            self.clear()
            for _ in books:
                self.addItem(QListWidgetItem())
        for row, book in enumerate(books):
            self.item(row).setData(BOOK_ROLE, book)
        self._update_texts()
        if self.currentRow() < 0:
            self.setCurrentRow(0)

    def set_speed(self, speed: float) -> None:
        """Show reading times for this speed."""
        self._speed = speed
        self._update_texts()

    def changeEvent(self, event: QEvent) -> None:
        """Redraw the covers that consist of a letter, whose colors depend on the style."""
        if event.type() is QEvent.Type.StyleChange:
            self._delegate.forget_covers()
        super().changeEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as many columns as fit."""
        room = self.width() - 2 * self.frameWidth() - self.verticalScrollBar().sizeHint().width() - ROUNDING_PIXELS
        self._delegate.share(room)
        super().resizeEvent(event)

    def _update_texts(self) -> None:
        for row in range(self.count()):
            item = self.item(row)
            book: LibraryBook = item.data(BOOK_ROLE)
            words = _format_progress(book, self._speed)
            item.setText(book.title)
            item.setToolTip(str(book.path))
            item.setData(WORDS_ROLE, words)
            accessible_text = ", ".join(each for each in (book.title, book.author, words) if each)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, accessible_text)

    @Slot(QListWidgetItem)
    def _on_item(self, item: QListWidgetItem) -> None:
        self.picked.emit(item.data(BOOK_ROLE))


def _format_progress(book: LibraryBook, speed: float) -> str:
    if book.progress >= FINISHED:
        return "Finished"
    left = reading_time(book.characters * (1 - book.progress), speed) if book.characters else ""
    if not book.progress:
        return left
    return " · ".join(each for each in (f"{book.progress:.0%}", left and f"{left} left") if each)


class _CardDelegate(QStyledItemDelegate):
    """Draws a card in the theme's colors; reads a cover from its file when it is first painted."""

    def __init__(self, covers: Covers, cards: QListWidget) -> None:
        super().__init__(cards)
        self._covers = covers
        self._cards = cards
        self._drawn: dict[str, QPixmap] = {}
        self._width = 0

    def forget_covers(self) -> None:
        self._drawn = {}

    def share(self, room: int) -> None:
        """Divide a width among as many cards as fit."""
        letters = MIN_LETTERS * self._cards.fontMetrics().averageCharWidth()
        min_width = letters + COVER_SIZE.width() + 3 * PADDING_PIXELS
        self._width = room // max(1, room // min_width)

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        line = self._cards.fontMetrics().height()
        words = round(line * (TITLE_LINES + 2 * SMALL)) + BAR_PIXELS + PADDING_PIXELS
        return QSize(self._width, max(COVER_SIZE.height(), words) + 2 * PADDING_PIXELS)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        option = QStyleOptionViewItem(option)
        self.initStyleOption(option, index)
        space = draw_background(painter, option, PADDING_PIXELS)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        self._draw_cover(painter, QRect(space.topLeft(), COVER_SIZE), index.data(BOOK_ROLE))
        self._draw_text(painter, space.adjusted(COVER_SIZE.width() + PADDING_PIXELS, 0, 0, 0), option, index)
        painter.restore()

    def _draw_cover(self, painter: QPainter, place: QRect, book: LibraryBook) -> None:
        if book.digest not in self._drawn:
            self._drawn[book.digest] = self._covers.of(book)
        cover = self._drawn[book.digest]
        shown = QRect(place.topLeft(), cover.size().scaled(place.size(), Qt.AspectRatioMode.KeepAspectRatio))
        painter.drawPixmap(shown, cover)
        painter.setPen(QColor(colors().line))
        painter.drawRect(shown.adjusted(0, 0, -1, -1))

    def _draw_text(self, painter: QPainter, space: QRect, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        book: LibraryBook = index.data(BOOK_ROLE)
        font: QFont = option.font  # type: ignore[attr-defined]
        palette: QPalette = option.palette  # type: ignore[attr-defined]
        font.setBold(True)
        painter.setFont(font)
        painter.setPen(palette.color(QPalette.ColorRole.Text))
        bottom = self._draw_title(painter, space, book.title)
        font.setBold(False)
        font.setPixelSize(round(QFontInfo(font).pixelSize() * SMALL))
        painter.setFont(font)
        painter.setPen(QColor(colors().faint))
        metrics = painter.fontMetrics()
        author = metrics.elidedText(book.author, Qt.TextElideMode.ElideRight, space.width())
        painter.drawText(space.left(), bottom + metrics.ascent(), author)
        words = metrics.elidedText(index.data(WORDS_ROLE), Qt.TextElideMode.ElideMiddle, space.width())
        painter.drawText(space, int(Qt.AlignmentFlag.AlignBottom), words)
        if 0 < book.progress < FINISHED:
            self._draw_bar(painter, space.adjusted(0, 0, 0, -metrics.height() - BAR_PIXELS), book.progress)

    def _draw_title(self, painter: QPainter, space: QRect, title: str) -> int:
        """Draw a title on up to two lines, and return the y coordinate of their end."""
        metrics, bottom = painter.fontMetrics(), space.top()
        for line in _lines(title, painter.font(), space.width()):
            painter.drawText(space.left(), bottom + metrics.ascent(), line)
            bottom += metrics.height()
        return bottom

    def _draw_bar(self, painter: QPainter, above: QRect, progress: float) -> None:
        groove = QRect(above.left(), above.bottom() - BAR_PIXELS, above.width(), BAR_PIXELS)
        painter.fillRect(groove, QColor(colors().wave_pending))
        groove.setWidth(max(BAR_PIXELS, round(progress * groove.width())))
        painter.fillRect(groove, QColor(colors().accent))


def _lines(title: str, font: QFont, width: int) -> list[str]:
    """Split a title into one or two lines, each elided."""
    layout = QTextLayout(title, font)
    layout.beginLayout()
    line = layout.createLine()
    line.setLineWidth(width)
    layout.endLayout()
    end = character_of(title, line.textLength())
    lines = (title[:end].rstrip(), title[end:])
    return [QFontMetrics(font).elidedText(each, Qt.TextElideMode.ElideRight, width) for each in lines if each]

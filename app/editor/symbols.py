"""A field for a pronunciation, with a palette of the model's symbols."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
    QWidgetAction,
)

from engine.runtime.presets import PhonemeKind, kind_of

PALETTE_COLUMNS = 14
_KINDS = (PhonemeKind.VOWEL, PhonemeKind.CONSONANT, PhonemeKind.MARK, PhonemeKind.PAUSE)
BETWEEN = "/"
"""Encloses symbols in a field that also takes words."""


def symbols_in(text: str) -> str | None:
    """Return the symbols between slashes; None if the text is words."""
    text = text.strip()
    enclosed = len(text) > 1 and text[0] == text[-1] == BETWEEN
    return text[1:-1] if enclosed else None


def unknown_text(text: str, known: str) -> str:
    """Describe the symbols that the model doesn't have; empty if it has all."""
    unknown = list(dict.fromkeys(symbol for symbol in text if symbol not in known))
    listed = ", ".join(f"“{symbol}”" for symbol in unknown)
    return f"The model has no symbol {listed}. Choose one from Symbols." if unknown else ""


class PronunciationField(QWidget):
    """A line for words or, between slashes, symbols; `only_symbols` takes symbols without slashes.

    `entered` carries the text once it is confirmed and has only known symbols.
    """

    entered = Signal(str)

    def __init__(self, name: str, hint: str, button: str, *, only_symbols: bool = False) -> None:
        super().__init__()
        self._known, self._only_symbols = "", only_symbols
        self.line = QLineEdit(self)
        self.line.setAccessibleName(name)
        self.line.setPlaceholderText(hint)
        self.palette_button = QPushButton("Symbols", self)
        self.palette_button.setObjectName("panelButton")
        self.palette_menu = QMenu(self.palette_button)
        self.palette_button.setMenu(self.palette_menu)
        self.button = QPushButton(button, self)
        self.button.setObjectName("panelButton")
        self.problem = QLabel(self)
        self.problem.setWordWrap(True)
        self.problem.hide()
        row = self.row = QHBoxLayout()
        row.addWidget(self.line, 1)
        row.addWidget(self.palette_button)
        row.addWidget(self.button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addLayout(row)
        layout.addWidget(self.problem)
        self.line.returnPressed.connect(self._enter)
        self.line.textEdited.connect(self._check)
        self.button.clicked.connect(self._enter)

    def offer(self, symbols: str) -> None:
        """Offer the symbols of the model in the palette."""
        if symbols == self._known:
            return
        self._known = symbols
        self.palette_menu.clear()
        palette = QWidget()
        grid = QGridLayout(palette)
        grid.setSpacing(1)
        row = 0
        for kind in _KINDS:
            of_kind = [symbol for symbol in symbols if kind_of(symbol) is kind and symbol != " "]
            for place, symbol in enumerate(of_kind):
                button = QToolButton(palette)
                button.setText(symbol)
                button.setAccessibleName(f"{kind.value} {symbol}")
                button.clicked.connect(lambda _=False, symbol=symbol: self.insert(symbol))
                grid.addWidget(button, row + place // PALETTE_COLUMNS, place % PALETTE_COLUMNS)
            row += -(-len(of_kind) // PALETTE_COLUMNS)
        action = QWidgetAction(self.palette_menu)
        action.setDefaultWidget(palette)
        self.palette_menu.addAction(action)

    def insert(self, symbol: str) -> None:
        """Insert a symbol at the cursor, between slashes."""
        if not self._only_symbols and symbols_in(self.line.text()) is None:
            self.line.setText(BETWEEN * 2)
            self.line.setCursorPosition(1)
        self.line.insert(symbol)
        self._check()

    @Slot()
    def _check(self) -> bool:
        """Show unknown symbols; return whether there are none."""
        text = self.line.text() if self._only_symbols else symbols_in(self.line.text())
        problem = "" if text is None else unknown_text(text, self._known)
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
        return not problem

    @property
    def valid(self) -> bool:
        """True if all symbols are known."""
        return self._check()

    @Slot()
    def _enter(self) -> None:
        if self.line.text().strip() and self._check():
            self.entered.emit(self.line.text())


class SymbolPopup(QFrame):
    """A popup that replaces a phoneme: Enter saves, Esc cancels; `chosen` carries the new symbols."""

    chosen = Signal(str)

    def __init__(self, symbols: str, current: str, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("panel")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.field = PronunciationField("Symbols of this phoneme", "Symbols", "Replace", only_symbols=True)
        self.field.offer(symbols)
        self.field.line.setText(current)
        self.field.line.selectAll()
        self.field.entered.connect(self._on_entered)
        layout = QVBoxLayout(self)
        layout.addWidget(self.field)

    def show_at(self, place: QPoint) -> None:
        """Show the popup with its top left corner at a place on the screen."""
        self.adjustSize()
        self.move(place)
        self.show()
        self.field.line.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close on Esc."""
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)

    @Slot(str)
    def _on_entered(self, symbols: str) -> None:
        self.chosen.emit(symbols)
        self.close()

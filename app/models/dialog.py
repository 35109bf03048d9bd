"""The dialog that lists all models and imports files dropped on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QMimeData, QPoint, QSize, Qt, Signal, Slot
from PySide6.QtGui import (
    QAction,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QGuiApplication,
    QKeySequence,
    QShortcut,
)
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.messages import Message, MessageAction, MessageTopic, Severity, message_for
from app.models.card import CardCommand, ModelCard
from app.models.row import ModelRow, RowButton, format_size
from app.widgets.file_dialogs import ask_which_model_file, ask_which_model_folder
from app.widgets.message_banner import MessageBanner
from engine.errors import EngineError

SIZE = QSize(600, 520)
MIN_WIDTH_PIXELS = (440, 280)
HINT = "Or drop a checkpoint, voices, or a folder with them here."


class ModelsDialog(QDialog):
    """The list of models.

    Signals about one model carry its name, `import_requested` paths and a name, `reveal_requested` a folder.
    """

    fetch_requested = Signal(str)
    cancel_requested = Signal()
    use_requested = Signal(str)
    verify_requested = Signal(str)
    remove_requested = Signal(str)
    reveal_requested = Signal(object)
    import_requested = Signal(object, str)
    retry_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("models")
        self.setWindowTitle("Models")
        self.setAcceptDrops(True)
        self.setMinimumSize(*MIN_WIDTH_PIXELS)
        self.resize(SIZE.boundedTo(self.screen().availableSize()))
        self.cards: dict[str, ModelCard] = {}
        self.banner = MessageBanner(self)
        self.import_button = QPushButton("Import…", self)
        self.import_menu = QMenu(self.import_button)
        self.hint = QLabel(HINT, self)
        self._to_remove = ""
        self._lay_out()
        for button in (self.banner.button, self.import_button):
            button.setAutoDefault(False)  # Return must not remove a model
        self.import_button.setMenu(self.import_menu)
        self.import_menu.triggered.connect(self._on_import)
        self.banner.action_chosen.connect(self._on_message_action)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Close), self).activated.connect(self.close)

    @Slot()
    def open_window(self) -> None:
        """Show the dialog without blocking the main window."""
        self.show()
        self.raise_()
        self.activateWindow()

    @Slot(object)
    def show_rows(self, rows: Sequence[ModelRow]) -> None:
        """Show the current state of the models."""
        if [row.name for row in rows] != list(self.cards):
            self._make_cards(rows)
        for row in rows:
            self.cards[row.name].show_row(row)

    def show_failure(self, error: Exception) -> None:
        """Show a failure, with a button to try again unless the models below offer the solution."""
        message = message_for(error)
        if isinstance(error, EngineError):
            message = replace(
                message, action=None if message.action is MessageAction.MODELS else MessageAction.TRY_AGAIN
            )
        self.banner.show_message(message)

    def show_message(self, news: str) -> None:
        """Show a notice until it is dismissed."""
        self.banner.show_message(Message(news, Severity.NOTE))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept local files and folders."""
        if _paths(event.mimeData()) and self._target(event.position().toPoint()):
            event.acceptProposedAction()
            self._show_dropping(True)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """Remove the highlight."""
        self._show_dropping(False)

    def dropEvent(self, event: QDropEvent) -> None:
        """Import the files for the model that they are dropped on."""
        self._show_dropping(False)
        event.acceptProposedAction()
        self._import(_paths(event.mimeData()), self._target(event.position().toPoint()))

    def _import(self, paths: Sequence[Path], name: str) -> None:
        self.banner.withdraw(*MessageTopic)
        self.import_requested.emit(tuple(paths), name)

    def _target(self, position: QPoint) -> str:
        """Return the model to import files for: the one at this position, else the first that is not bundled."""
        cards = {name: card for name, card in self.cards.items() if card.row.fetchable}
        there = [name for name, card in cards.items() if card.rect().contains(card.mapFrom(self, position))]
        return next(iter([*there, *cards]), "")

    def _show_dropping(self, dropping: bool) -> None:
        self._list.setProperty("dropping", dropping)
        self._list.style().polish(self._list)

    def _make_cards(self, rows: Sequence[ModelRow]) -> None:
        for card in self.cards.values():
            card.deleteLater()
        self.cards = {row.name: self._made_card(row) for row in rows}
        for number, card in enumerate(self.cards.values()):
            self._stack.insertWidget(number, card)
            self.setTabOrder(card.button, card.more)
            self.setTabOrder(card.more, self.import_button)
        self.import_menu.clear()
        for row in rows:
            if row.fetchable:
                for title, ask in (("File…", ask_which_model_file), ("Folder…", ask_which_model_folder)):
                    action = self.import_menu.addAction(f"{row.title} from {title}")
                    action.setData(partial(ask, self, partial(self._on_chosen, row.name)))
        self.import_button.setEnabled(not self.import_menu.isEmpty())

    def _made_card(self, row: ModelRow) -> ModelCard:
        card = ModelCard(row, self._list)
        card.command_requested.connect(self._on_command)
        return card

    @Slot(object)
    def _on_import(self, action: QAction) -> None:
        action.data()()

    def _on_chosen(self, name: str, path: Path) -> None:
        self._import([path], name)

    @Slot(object, object)
    def _on_command(self, row: ModelRow, command: CardCommand) -> None:
        if command is CardCommand.REVEAL:
            self.reveal_requested.emit(row.folder)
            return
        self.banner.withdraw(*MessageTopic)
        match command:
            case CardCommand.VERIFY:
                self.verify_requested.emit(row.name)
            case CardCommand.REMOVE:
                self._ask_whether_to_remove(row)
            case CardCommand.BUTTON if row.button is RowButton.CANCEL:
                self.cancel_requested.emit()
            case CardCommand.BUTTON if row.button is RowButton.USE:
                self.use_requested.emit(row.name)
            case _:
                self.fetch_requested.emit(row.name)

    def _ask_whether_to_remove(self, row: ModelRow) -> None:
        """Ask before removing, because downloading the model again takes a while."""
        self._to_remove = row.name
        size = format_size(row.status.bytes_here)
        question = f"Remove {row.title}? This frees {size}. You can download it again later."
        self.banner.show_message(Message(question, Severity.WARNING, MessageAction.REMOVE_MODEL))

    @Slot(object)
    def _on_message_action(self, message: Message) -> None:
        match message.action:
            case MessageAction.TRY_AGAIN:
                self.retry_requested.emit()
            case MessageAction.REMOVE_MODEL if self._to_remove:
                self.remove_requested.emit(self._to_remove)
            case MessageAction.COPY_DETAILS:
                QGuiApplication.clipboard().setText(message.details)

    def _lay_out(self) -> None:
        self._list = QFrame()
        self._list.setObjectName("modelList")
        self._stack = QVBoxLayout(self._list)
        self._stack.setContentsMargins(0, 0, 0, 0)
        self._stack.setSpacing(10)
        self._stack.addStretch(1)
        area = QScrollArea(self)
        area.setObjectName("modelArea")
        area.setWidget(self._list)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # it scrolls along when Tab moves the focus
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.hint.setObjectName("faint")
        self.hint.setWordWrap(True)
        foot = QHBoxLayout()
        foot.setSpacing(12)
        foot.addWidget(self.import_button)
        foot.addWidget(self.hint, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 14, 16, 14)
        layout.setSpacing(12)
        layout.addWidget(self.banner)
        layout.addWidget(area, 1)
        layout.addLayout(foot)


def _paths(data: QMimeData) -> tuple[Path, ...]:
    return tuple(Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile())

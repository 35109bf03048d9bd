"""The pages below the list of stages: different views of the selected stage and of its run, one at a time."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QGridLayout, QPushButton, QSizePolicy, QStackedWidget, QTabBar, QWidget

from app.diagnostics.runs.run import DiagnosticsRun, Shown

SPACE_PIXELS = 4
MIN_HEIGHT_PIXELS = 140


class StagePage(QWidget):
    """A view of the selected stage, or of the whole run; it is updated only while visible.

    `part_requested` asks the panel to show a different part of the run: it carries a `Shown` and the name of a stage.
    """

    part_requested = Signal(object, str)

    def show_stage(self, run: DiagnosticsRun | None, shown: Shown, stage: str | None) -> None:
        """Show a stage of this part of a run; called again with new results, and cheap if nothing has changed."""
        raise NotImplementedError

    def show_moment(self, seconds: float | None) -> None:
        """Show a time of the utterance; None for no time."""


class StagePages(QWidget):
    """Tabs over the pages; `page_requested` is emitted when a different page is selected, which then needs an update.

    `room_requested` carries whether the user wants the page to take the space of the list of stages as well.
    """

    page_requested = Signal()
    room_requested = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.all: list[StagePage] = []
        self.tabs = QTabBar(self)
        self.tabs.setAccessibleName("Pages")
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.room_button = QPushButton(self)
        self.room_button.setObjectName("panelButton")
        self.room_button.setCheckable(True)
        self._stack = QStackedWidget(self)
        self._stack.setMinimumHeight(MIN_HEIGHT_PIXELS)
        layout = QGridLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACE_PIXELS)
        layout.addWidget(self.tabs, 0, 0)
        layout.addWidget(self.room_button, 0, 1)
        layout.addWidget(self._stack, 1, 0, 1, 2)
        layout.setColumnStretch(0, 1)
        layout.setRowStretch(1, 1)
        self.tabs.currentChanged.connect(self._stack.setCurrentIndex)
        self.tabs.currentChanged.connect(self.page_requested)
        self.room_button.toggled.connect(self._on_room)
        self._on_room(False)

    @property
    def current(self) -> StagePage:
        """The visible page."""
        return self.all[self._stack.currentIndex()]

    def add(self, title: str, page: StagePage, tool_tip: str = "") -> None:
        """Add a page after the others, with `tool_tip` as tooltip; its size adapts to the available space."""
        page.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.all.append(page)
        self._stack.addWidget(page)
        self.tabs.setTabToolTip(self.tabs.addTab(title), tool_tip)

    def open(self, page: StagePage) -> None:
        """Show a page."""
        self.tabs.setCurrentIndex(self._stack.indexOf(page))

    @Slot(bool)
    def _on_room(self, wanted: bool) -> None:
        words = "Show Stages" if wanted else "Enlarge"
        self.room_button.setText(words)
        self.room_button.setAccessibleName(words)
        self.room_button.setToolTip("Show the stage list" if wanted else "Hide the stage list")
        self.room_requested.emit(wanted)

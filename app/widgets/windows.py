"""Windows beside the main window: the menu that lists the open ones, and one that shows a page of text."""

from __future__ import annotations

import sys

from PySide6.QtCore import QByteArray, QMargins, QRect, QSize, Qt, Slot
from PySide6.QtGui import QAction, QActionGroup, QShowEvent
from PySide6.QtWidgets import QApplication, QDialog, QDialogButtonBox, QMenu, QTextBrowser, QVBoxLayout, QWidget

_KINDS = (Qt.WindowType.Window, Qt.WindowType.Dialog)
SIZE = QSize(560, 600)
FRAME_PIXELS = QMargins(8, 40, 8, 8)
"""Space for a frame, whose size is unknown before a window is shown."""


class WindowMenu(QMenu):
    """Lists the open windows whenever it opens, and brings one to the front; the active one is ticked.

    On a Mac, it begins with the standard commands of a Window menu.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__("&Window", parent)
        self._parent = parent
        if sys.platform == "darwin":
            self.addAction("Minimize", "Ctrl+M", self._minimize)
            self.addAction("Zoom", self._zoom)
            self.addSeparator()
            self.addAction("Bring All to Front", self._bring_all)
            self.addSeparator()
        for action in self.actions():
            action.setMenuRole(QAction.MenuRole.NoRole)
        self._windows = QActionGroup(self)
        self._windows.triggered.connect(self._on_chosen)
        self.aboutToShow.connect(self._list)

    @Slot()
    def _list(self) -> None:
        for action in self._windows.actions():
            self._windows.removeAction(action)
            self.removeAction(action)
            action.deleteLater()
        for window in self._open_windows():
            action = QAction(window.windowTitle().replace("&", "&&"), self)
            action.setData(int(window.effectiveWinId()))  # a widget might be deleted before the action is triggered
            action.setMenuRole(QAction.MenuRole.NoRole)  # else, on a Mac, Qt takes one named Settings for the command
            action.setCheckable(True)
            action.setChecked(window.isActiveWindow())
            self._windows.addAction(action)
            self.addAction(action)

    def _open_windows(self) -> list[QWidget]:
        """Return the open windows, the main window first, the others by their titles."""
        main = self._parent.window()
        shown = [each for each in QApplication.topLevelWidgets() if each.isVisible() and each.windowType() in _KINDS]
        titled = [each for each in shown if each.windowTitle()]
        return sorted(titled, key=lambda each: (each is not main, each.windowTitle()))

    @Slot(QAction)
    def _on_chosen(self, action: QAction) -> None:
        for window in self._open_windows():
            if window.effectiveWinId() == action.data():
                bring_to_front(window)

    @Slot()
    def _minimize(self) -> None:
        self._active().showMinimized()

    @Slot()
    def _zoom(self) -> None:
        window = self._active()
        window.setWindowState(window.windowState() ^ Qt.WindowState.WindowMaximized)

    @Slot()
    def _bring_all(self) -> None:
        active = self._active()
        for window in self._open_windows():
            window.raise_()
        active.raise_()

    def _active(self) -> QWidget:
        return QApplication.activeWindow() or self._parent.window()


def bring_to_front(window: QWidget) -> None:
    """Show and activate a window, even if it was minimized."""
    window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
    window.show()
    window.raise_()
    window.activateWindow()


def opening_place(size: QSize, screen: QRect) -> QRect:
    """Return the place in the center of the screen, limited to the size that fits with the window frame."""
    room = screen.marginsRemoved(FRAME_PIXELS)
    place = QRect(room.topLeft(), size.boundedTo(room.size()))
    place.moveCenter(room.center())
    return place


class SeparateWindow(QWidget):
    """A window of a feature, beside the main window; it opens with `size`, and later where it was last."""

    def __init__(self, owner: QWidget, title: str, size: QSize) -> None:
        super().__init__(owner, Qt.WindowType.Window)
        self.setWindowTitle(title)
        self._opening_size = size
        self._placed = False

    @property
    def place(self) -> QByteArray:
        """The size and position, for `restore`; empty if it was never open."""
        return self.saveGeometry() if self._placed else QByteArray()

    def restore(self, place: QByteArray) -> None:
        """Restore size and position; an invalid place is ignored."""
        self._placed = self.restoreGeometry(place)

    @Slot()
    def open(self) -> None:
        """Show the window in front of the others."""
        bring_to_front(self)

    def showEvent(self, event: QShowEvent) -> None:
        """Set the initial size and position when first shown."""
        if not self._placed:
            self._placed = True
            self.setGeometry(opening_place(self._opening_size, self.screen().availableGeometry()))
        if sys.platform != "darwin":  # on a Mac, this window shares the menu bar of its owner
            # otherwise it could never be behind its owner
            self.windowHandle().setTransientParent(None)  # type: ignore[arg-type]
        super().showEvent(event)


class TextWindow(QDialog):
    """A window with a text that can be scrolled, selected and copied; the main window stays usable beside it."""

    def __init__(self, title: str, html: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.browser = QTextBrowser(self)
        self.browser.setAccessibleName(title)
        self.browser.setHtml(html)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(self.browser)
        layout.addWidget(buttons)
        self.resize(SIZE.boundedTo(parent.size()))

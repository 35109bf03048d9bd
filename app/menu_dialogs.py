"""What the menu entry About opens; on a Mac, Qt moves the entry to the application's own menu."""

from __future__ import annotations

from importlib.metadata import version

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtWidgets import QMessageBox, QWidget

from app.icons import application_icon
from app.main_menu import MainMenu
from engine.system.paths import APPLICATION_NAME

ABOUT = """<h3>{name} {version}</h3><p>Natural text-to-speech that runs on your computer, with Kokoro compiled by Apache
TVM.</p><p>Apache License 2.0. The voices, and who made them, are named in the file NOTICE.</p>"""
ICON_PIXELS = 64


class MenuDialogs(QObject):
    """Opens the dialog over a window."""

    def __init__(self, window: QWidget, menu: MainMenu) -> None:
        super().__init__(window)
        self._window = window
        menu.about.triggered.connect(self.show_about)

    @Slot()
    def show_about(self) -> QMessageBox:
        """Say what the application is."""
        box = QMessageBox(self._window)
        box.setWindowTitle(f"About {APPLICATION_NAME}")
        box.setIconPixmap(application_icon().pixmap(ICON_PIXELS, ICON_PIXELS))
        box.setText(ABOUT.format(name=APPLICATION_NAME, version=version("kokoro-desk")))
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.open()
        return box

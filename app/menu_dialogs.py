"""What the menu entries About and Settings open; on a Mac, Qt moves both entries to the application's own menu."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from importlib.metadata import version

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QMessageBox,
    QVBoxLayout,
    QWidget,
)

from app.icons import application_icon
from app.main_menu import MainMenu
from engine.system.paths import APPLICATION_NAME

ABOUT = """<h3>{name} {version}</h3><p>Speaks what you type, on this computer, with Kokoro compiled by Apache TVM.</p>
<p>Apache License 2.0. The voices, and who made them, are named in the file NOTICE.</p>"""
ICON_PIXELS = 64


class MenuDialogs(QObject):
    """Opens the dialogs over a window, one of each at a time."""

    def __init__(self, window: QWidget, menu: MainMenu) -> None:
        super().__init__(window)
        self._window = window
        self._menu = menu
        menu.about.triggered.connect(self.show_about)
        menu.settings.triggered.connect(self.show_settings)

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

    @Slot()
    def show_settings(self) -> QDialog:
        """Offer the choices that are kept, which the menus have as well."""
        menu = self._menu
        choices = {"Appearance": menu.appearances, "Device": menu.devices, "Read notes": menu.notes}
        dialog = SettingsDialog(choices, [self._menu.tray_icon], self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()
        return dialog


class SettingsDialog(QDialog):
    """Choices of menus, each as a list under its title, and switches; what is chosen takes effect at once."""

    def __init__(
        self, choices: dict[str, QActionGroup], switches: Sequence[QAction] = (), parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Settings")
        self.lists = {title: _list_of(group, self) for title, group in choices.items()}
        form = QFormLayout()
        for title, choice in self.lists.items():
            form.addRow(title, choice)
        self.boxes = [_box_of(switch, self) for switch in switches if switch.isEnabled()]
        for box in self.boxes:
            form.addRow("", box)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addLayout(form)
        layout.addWidget(buttons)


def _list_of(group: QActionGroup, parent: QWidget) -> QComboBox:
    """A list of the actions that can be chosen, which triggers the one that is."""
    choice = QComboBox(parent)
    actions = [action for action in group.actions() if action.isEnabled()]
    for action in actions:
        choice.addItem(action.text())
    choice.setCurrentIndex(next((index for index, action in enumerate(actions) if action.isChecked()), -1))
    choice.activated.connect(partial(_trigger, actions))
    return choice


def _box_of(switch: QAction, parent: QWidget) -> QCheckBox:
    """A box that is ticked as the action is, and triggers it."""
    box = QCheckBox(switch.text(), parent)
    box.setChecked(switch.isChecked())
    box.clicked.connect(switch.trigger)
    return box


def _trigger(actions: list[QAction], index: int) -> None:
    actions[index].trigger()

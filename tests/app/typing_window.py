"""A window in which somebody types without a pause, run as a process that can be killed.

    python -m tests.app.typing_window FOLDER

Types a numbered word every 50 ms, and prints each number as it is typed.
"""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import QSettings, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.main_window import MainWindow
from app.recent_texts import RecentTexts
from app.settings import Settings
from app.speech.controller import SpeechController
from app.theme import Appearance, Theme
from tests.app.fakes import FakeEngine, FakeOutput, list_voices

KEY_EVERY_MS = 50


def main(folder: Path) -> None:
    """Type until killed."""
    qt = QApplication([])
    settings = Settings(QSettings(str(folder / "s.ini"), QSettings.Format.IniFormat))
    controller = SpeechController(FakeEngine, FakeOutput(), list_voices=list_voices)
    window = MainWindow(controller, settings, Theme(qt, Appearance.LIGHT), RecentTexts(folder / "texts"))
    window.show()
    numbers = iter(range(10**6))

    def type_one() -> None:
        number = next(numbers)
        QTest.keyClicks(window.page.editor.edit, f"{number} ")
        print(number, flush=True)  # noqa: T201

    timer = QTimer(interval=KEY_EVERY_MS)
    timer.timeout.connect(type_one)
    timer.start()
    qt.exec()


if __name__ == "__main__":
    main(Path(sys.argv[1]))

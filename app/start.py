"""Runs the application, with one window per user."""

from __future__ import annotations

import logging
import os
import sys
from typing import NoReturn

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication

from app.application import Application
from app.desktop.desktop_entry import PROGRAM
from app.options import Options
from app.settings import Settings
from app.system.single_instance import NoAnswer, SingleInstance
from app.system.threads import collected_between_events
from app.theme import application_icon
from engine.system.paths import APPLICATION_NAME, data_folder

log = logging.getLogger(__name__)


def run_application(options: Options) -> int:
    """Open the window, and end the process once it is closed; or pass the options to the open window.

    Returns the exit code if this process opens no window. A screenshot is always taken of a separate window.
    """
    QApplication.setApplicationName(APPLICATION_NAME)
    QApplication.setOrganizationName(APPLICATION_NAME)
    QApplication.setDesktopFileName(PROGRAM)  # identifies the window's icon to the desktop
    qt = QApplication(sys.argv[:1])
    qt.setWindowIcon(application_icon())
    with collected_between_events():
        return _stay_alone(qt, options) if options.screenshot is None else _stay(qt, options)


def _stay_alone(qt: QApplication, options: Options) -> int:
    instance = SingleInstance(data_folder(), qt)
    try:
        is_first = instance.become_first(options.to_json())
    except NoAnswer:
        log.error("%s is already running but not responding. Quit it and try again.", APPLICATION_NAME)  # noqa: TRY400
        return 1
    return _stay(qt, options, instance) if is_first else 0


def _stay(qt: QApplication, options: Options, instance: SingleInstance | None = None) -> NoReturn:
    store = QSettings()
    application = Application(qt, options, Settings(store))
    application.finished.connect(qt.exit)
    if instance is not None:
        instance.received.connect(application.handle_message)
    application.open()
    exit_code = qt.exec()
    store.sync()
    if instance is not None:
        instance.end()  # the settings are saved, so a new instance can start
    application.close()
    store.sync()
    leave(exit_code)


def leave(exit_code: int) -> NoReturn:
    """End this process at once, after its work is saved.

    Python's own end would destroy the windows in any order, and with threads that have not ended: Qt can crash then.
    """
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # an app without a console has none
            stream.flush()
    os._exit(exit_code)

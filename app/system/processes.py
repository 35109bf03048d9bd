"""Child processes of the window."""

from __future__ import annotations

from PySide6.QtCore import QObject, QProcess

from engine.system.paths import project_folder


def child_process(parent: QObject) -> QProcess:
    """A process of this project, not yet started."""
    process = QProcess(parent)
    process.setWorkingDirectory(str(project_folder()))
    parameters = QProcess.UnixProcessParameters()
    parameters.flags = QProcess.UnixProcessFlag.UseVFork  # copying the page tables of the engine takes long
    process.setUnixProcessParameters(parameters)
    return process

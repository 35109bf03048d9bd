"""Limits each user to one window: a second start passes its request to the first, and ends."""

from __future__ import annotations

import fcntl
import logging
import time
from functools import partial
from pathlib import Path
from typing import IO

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtNetwork import QLocalServer, QLocalSocket

log = logging.getLogger(__name__)

ANSWER_WITHIN_SECONDS = 10.0
"""The open window may be busy, and a starting one does not listen yet."""
LOOK_AGAIN_AFTER_SECONDS = 0.05
_TAKEN = b"taken\n"


class NoAnswer(Exception):
    """The open window does not answer."""


class SingleInstance(QObject):
    """The single-instance lock and message channel; `received` carries each message of a later start, a single line.

    The first instance holds a lock that the system releases when its process ends, for any reason; so it is always
    clear whether a socket found in the folder still has a listener. Qt's lock file would persist after a kill if the
    computer's name has changed in the meantime, as a Mac's does from network to network.
    """

    received = Signal(str)

    def __init__(self, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._folder = folder
        self._address = str(folder / "window.socket")
        self._lock: IO[bytes] | None = None
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._on_connection)

    def become_first(self, message: str) -> bool:
        """Become the first instance, or pass a message to it; return whether this is the first.

        Raises `NoAnswer`. If the lock file cannot be created, such as in a read-only folder, every instance is a first
        one.
        """
        end = time.monotonic() + ANSWER_WITHIN_SECONDS
        try:
            while not self._try_lock():
                if self._hand_over(message, end):
                    return False
                if time.monotonic() > end:
                    raise NoAnswer
                time.sleep(LOOK_AGAIN_AFTER_SECONDS)
            self._listen()
        except OSError as error:
            log.warning("Several windows may be open: %s", error)
        return True

    def end(self) -> None:
        """Release the single-instance lock."""
        self._server.close()
        self._unlock()

    def _try_lock(self) -> bool:
        self._folder.mkdir(parents=True, exist_ok=True)
        self._lock = (self._folder / "window.lock").open("wb")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._unlock()
            return False
        return True

    def _unlock(self) -> None:
        if self._lock is not None:
            self._lock.close()
        self._lock = None

    def _listen(self) -> None:
        QLocalServer.removeServer(self._address)  # left by a first instance that was killed
        if not self._server.listen(self._address):
            self._unlock()
            raise OSError(self._server.errorString())

    def _hand_over(self, message: str, end: float) -> bool:
        """Return whether the message was accepted; False if no instance listens, or the first has just ended."""
        socket = QLocalSocket()
        socket.connectToServer(self._address)
        if not socket.waitForConnected(_milliseconds_until(end)):
            return False
        socket.write(f"{message}\n".encode())
        return socket.waitForReadyRead(_milliseconds_until(end)) and bytes(socket.readAll().data()) == _TAKEN

    @Slot()
    def _on_connection(self) -> None:
        socket = self._server.nextPendingConnection()
        socket.disconnected.connect(socket.deleteLater)
        socket.readyRead.connect(partial(self._take, socket))
        self._take(socket)

    def _take(self, socket: QLocalSocket) -> None:
        if socket.canReadLine():
            message = bytes(socket.readLine().data()).decode().rstrip("\n")
            socket.write(_TAKEN)
            socket.flush()
            self.received.emit(message)


def _milliseconds_until(end: float) -> int:
    return max(0, round(1000 * (end - time.monotonic())))

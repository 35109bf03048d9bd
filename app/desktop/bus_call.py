"""Calls to other programs of a Linux desktop, over its session bus."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from dbus_fast import DBusFastError, Message, MessageType
from dbus_fast.aio import MessageBus
from PySide6.QtCore import QObject, Signal

log = logging.getLogger(__name__)

ANSWER_WITHIN_SECONDS = 10.0


@dataclass(frozen=True)
class Method:
    """A method of another program, and the signature of what it takes."""

    name: str
    path: str
    interface: str
    member: str
    signature: str


SHOW_ITEMS = Method(
    "org.freedesktop.FileManager1", "/org/freedesktop/FileManager1", "org.freedesktop.FileManager1", "ShowItems", "ass"
)
"""Takes the addresses of files, which are selected in their folder, and an id that may be empty."""
NOTIFY = Method(
    "org.freedesktop.Notifications",
    "/org/freedesktop/Notifications",
    "org.freedesktop.Notifications",
    "Notify",
    "susssasa{sv}i",
)
"""Takes application, number, icon, title, words, actions, hints, and how long it is shown, -1 for as usual."""


class BusCall(QObject):
    """A call in a thread of its own; `ended` carries whether it was answered, and not with an error.

    It stays as long as its parent: if it were deleted after its signal, that would at times not arrive.
    """

    ended = Signal(bool)

    def __init__(self, address: str, method: Method, arguments: Sequence[object], parent: QObject) -> None:
        super().__init__(parent)
        self._address = address
        self._method = method
        self._arguments = list(arguments)

    def begin(self) -> None:
        """Call, in the background."""
        threading.Thread(target=self._run, name="bus call", daemon=True).start()

    def _run(self) -> None:
        answered = False
        try:
            answered = asyncio.run(asyncio.wait_for(self._call(), ANSWER_WITHIN_SECONDS))
        except (OSError, EOFError, TimeoutError, DBusFastError) as error:
            log.info("The desktop does not answer %s: %s", self._method.member, error)
        with suppress(RuntimeError):  # the window may be gone by now
            self.ended.emit(answered)

    async def _call(self) -> bool:
        to = self._method
        bus = await MessageBus(self._address).connect()
        try:
            reply = await bus.call(
                Message(to.name, to.path, to.interface, to.member, signature=to.signature, body=self._arguments)
            )
        finally:
            bus.disconnect()
        return reply is not None and reply.message_type is MessageType.METHOD_RETURN

"""Media keys and the desktop's player controls, through MPRIS on the Linux session bus.

The bus has a separate thread, so the window never waits for it.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from dbus_fast import DBusFastError, NameFlag, RequestNameReply
from dbus_fast.aio import MessageBus
from PySide6.QtCore import QObject, Signal, Slot

from app.desktop.mpris_interfaces import ApplicationInterface, PlayerInterface
from app.desktop.remote import MediaCommand, NowPlaying
from app.tasks import Tasks

log = logging.getLogger(__name__)

NAME = "org.mpris.MediaPlayer2.kokoro_desk"
PATH = "/org/mpris/MediaPlayer2"


class Mpris(QObject):
    """The connection to the bus.

    `ordered` carries a `MediaCommand` from the bus; without a bus, or after it has disconnected, none arrives.
    """

    ordered = Signal(object)

    def __init__(self, address: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._address = address
        self._application, self._player = ApplicationInterface(self._take), PlayerInterface(self._take)
        self._loop = asyncio.new_event_loop()
        self._task: asyncio.Task[None] | None = None
        self._tasks = Tasks("mpris", self)

    def join_bus(self, now: NowPlaying) -> None:
        """Join the bus in the background."""
        self._player.now = now
        self._tasks.run(self._run)

    @Slot(object)
    def show(self, now: NowPlaying) -> None:
        """Publish the playback state."""
        self._call(self._player.show, now)

    @Slot(object)
    def show_position(self, microseconds: int) -> None:
        """Store the position, for clients that ask."""
        self._player.position_microseconds = microseconds

    @Slot(object)
    def send_position(self, microseconds: int) -> None:
        """Announce a jump of the position."""
        self._call(self._player.send_position, microseconds)

    def end(self, timeout_ms: int) -> bool:
        """Leave the bus; return whether that succeeded in time."""
        self._call(self._cancel)
        return self._tasks.shut_down(timeout_ms)

    def _take(self, order: MediaCommand) -> None:
        self.ordered.emit(order)

    def _call(self, function: Callable[..., Any], *arguments: object) -> None:
        """Call a function in the bus's thread, unless that has ended."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(function, *arguments)

    def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def _run(self) -> None:
        self._task = self._loop.create_task(self._serve())
        try:
            self._loop.run_until_complete(self._task)
        except asyncio.CancelledError:
            pass
        except (OSError, EOFError, DBusFastError) as error:
            log.info("Media keys are unavailable: %s", error)  # no request of the user has failed
        finally:
            self._loop.close()

    async def _serve(self) -> None:
        bus = await MessageBus(self._address).connect()
        try:
            bus.export(PATH, self._application)
            bus.export(PATH, self._player)
            if await bus.request_name(NAME, NameFlag.DO_NOT_QUEUE) is not RequestNameReply.PRIMARY_OWNER:
                await bus.request_name(f"{NAME}.instance{os.getpid()}")
            await bus.wait_for_disconnect()
        finally:
            bus.disconnect()

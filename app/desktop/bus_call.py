"""Calls to other programs on a Linux desktop, over its session bus."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass

from dbus_fast import DBusFastError, Message, MessageType
from dbus_fast.aio import MessageBus

log = logging.getLogger(__name__)

ANSWER_WITHIN_SECONDS = 10.0


@dataclass(frozen=True)
class Method:
    """A method of a D-Bus service, with the signature of its arguments."""

    name: str
    path: str
    interface: str
    member: str
    signature: str


SHOW_ITEMS = Method(
    "org.freedesktop.FileManager1", "/org/freedesktop/FileManager1", "org.freedesktop.FileManager1", "ShowItems", "ass"
)
"""Takes the URLs of files, which are selected in their folder, and an ID that may be empty."""
NOTIFY = Method(
    "org.freedesktop.Notifications",
    "/org/freedesktop/Notifications",
    "org.freedesktop.Notifications",
    "Notify",
    "susssasa{sv}i",
)
"""Takes app name, ID to replace, icon, title, text, actions, hints and duration (-1 for the default)."""


def call(address: str, method: Method, *arguments: object) -> bool:
    """Call a method on the bus at this address; return whether it answered without an error."""
    try:
        return asyncio.run(asyncio.wait_for(_call(address, method, arguments), ANSWER_WITHIN_SECONDS))
    except (OSError, EOFError, TimeoutError, DBusFastError) as error:
        log.info("The desktop doesn’t respond to %s: %s", method.member, error)
        return False


async def _call(address: str, to: Method, arguments: Sequence[object]) -> bool:
    bus = await MessageBus(address).connect()
    try:
        message = Message(to.name, to.path, to.interface, to.member, signature=to.signature, body=list(arguments))
        reply = await bus.call(message)
    finally:
        bus.disconnect()
    return reply is not None and reply.message_type is MessageType.METHOD_RETURN

"""What macOS is told and asked: not to slow speech down, and for texts that other applications want spoken."""

from __future__ import annotations

import ctypes

from PySide6.QtCore import QObject, Signal

from engine.system.mac import ObjectiveC

SERVICE_MESSAGE = "speak"
"""What the application's property list names its service by."""
USER_INITIATED = 0x00FFFFFF
"""Apple's number of the activity that a person waits for: neither the application nor the computer goes to sleep."""
_REASON = "Speaking"


class AppNapInhibitor(QObject):
    """Keeps macOS from slowing the application down while its windows are hidden, which it does after seconds."""

    def __init__(self, runtime: ObjectiveC, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runtime = runtime
        self._activity = 0

    def keep(self, awake: bool) -> None:
        """Begin or end what macOS calls an activity."""
        if awake == bool(self._activity):
            return
        process = self._runtime.send(self._runtime.class_named("NSProcessInfo"), "processInfo")
        if awake:
            options, reason = ctypes.c_uint64(USER_INITIATED), self._runtime.text(_REASON)
            activity = self._runtime.send(process, "beginActivityWithOptions:reason:", options, reason)
            self._activity = self._runtime.send(activity, "retain")
        else:
            self._runtime.send(process, "endActivity:", self._activity)
            self._runtime.send(self._activity, "release")
            self._activity = 0


class SpeakService(QObject):
    """Answers the entry of other applications' Services menus; `text_received` carries the text selected there."""

    text_received = Signal(str)

    def __init__(self, runtime: ObjectiveC, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runtime = runtime
        provider = runtime.object_with("KokoroDeskService", f"{SERVICE_MESSAGE}:userData:error:", self._receive)
        application = runtime.send(runtime.class_named("NSApplication"), "sharedApplication")
        runtime.send(application, "setServicesProvider:", provider)

    def _receive(self, pasteboard: int, user_data: int, error: int) -> None:
        """Take the text from the pasteboard that macOS hands over."""
        kind = self._runtime.text("public.utf8-plain-text")
        text = self._runtime.words(self._runtime.send(pasteboard, "stringForType:", kind))
        if text.strip():
            self.text_received.emit(text)

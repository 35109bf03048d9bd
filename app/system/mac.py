"""macOS integration: the activity that keeps the app awake while speaking, and the Services menu entry."""

from __future__ import annotations

import ctypes

from PySide6.QtCore import QObject, Signal

from engine.system.mac import ObjectiveC

SERVICE_MESSAGE = "speak"
"""The name of the service in the application's property list."""
USER_INITIATED = 0x00FFFFFF
"""Apple's constant for an activity that the user waits for: neither the app nor the computer goes to sleep."""
_REASON = "Speaking"


class AppNapInhibitor(QObject):
    """Prevents App Nap, which slows the app down within seconds once its windows are hidden."""

    def __init__(self, runtime: ObjectiveC, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runtime = runtime
        self._activity = 0

    def set_awake(self, awake: bool) -> None:
        """Begin or end an activity in the sense of macOS."""
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
    """The entry in other applications' Services menus; `text_received` carries the text selected there."""

    text_received = Signal(str)

    def __init__(self, runtime: ObjectiveC, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runtime = runtime
        provider = runtime.object_with("KokoroDeskService", f"{SERVICE_MESSAGE}:userData:error:", self._receive)
        application = runtime.send(runtime.class_named("NSApplication"), "sharedApplication")
        runtime.send(application, "setServicesProvider:", provider)

    def _receive(self, pasteboard: int, user_data: int, error: int) -> None:
        """Read the text from the pasteboard that macOS passes."""
        kind = self._runtime.text("public.utf8-plain-text")
        text = self._runtime.words(self._runtime.send(pasteboard, "stringForType:", kind))
        if text.strip():
            self.text_received.emit(text)

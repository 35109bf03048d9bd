from collections.abc import Callable
from typing import Any

import pytest

from app.system.mac import USER_INITIATED, AppNapInhibitor, SpeakService

PROCESS, ACTIVITY, APPLICATION, PROVIDER, PASTEBOARD = 1, 2, 3, 4, 5


class Runtime:
    """Stands in for Apple's runtime: knows a few objects, and records the messages they receive."""

    def __init__(self) -> None:
        self.sent: list[tuple[Any, ...]] = []
        self.received: Callable[[int, int, int], None] = lambda *objects: None
        self.message = ""
        self.selected = "Read this."

    def class_named(self, name: str) -> Any:
        return name

    def text(self, words: str) -> Any:
        return words

    def words(self, text: Any) -> str:
        return text or ""

    def send(self, receiver: Any, message: str, *arguments: Any) -> Any:
        self.sent.append((receiver, message, *arguments))
        return {
            "processInfo": PROCESS,
            "beginActivityWithOptions:reason:": ACTIVITY,
            "retain": receiver,
            "sharedApplication": APPLICATION,
            "stringForType:": self.selected,
        }.get(message, 0)

    def object_with(self, name: str, message: str, method: Callable[[int, int, int], None]) -> int:
        self.message, self.received = message, method
        return PROVIDER


def messages(runtime: Runtime) -> list[str]:
    return [sent[1] for sent in runtime.sent]


def test_macos_is_notified_once_at_the_start_and_end_of_speech() -> None:
    runtime = Runtime()
    wakefulness = AppNapInhibitor(runtime)
    wakefulness.set_awake(False)
    assert messages(runtime) == []
    wakefulness.set_awake(True)
    wakefulness.set_awake(True)
    begun = [sent for sent in runtime.sent if sent[1].startswith("begin")]
    assert [(sent[0], sent[2].value, sent[3]) for sent in begun] == [(PROCESS, USER_INITIATED, "Speaking")]
    wakefulness.set_awake(False)
    wakefulness.set_awake(False)
    assert [sent for sent in runtime.sent if sent[1] == "endActivity:"] == [(PROCESS, "endActivity:", ACTIVITY)]
    assert messages(runtime).count("retain") == messages(runtime).count("release") == 1


def test_it_can_begin_again() -> None:
    runtime = Runtime()
    wakefulness = AppNapInhibitor(runtime)
    for awake in (True, False, True):
        wakefulness.set_awake(awake)
    assert messages(runtime).count("beginActivityWithOptions:reason:") == 2


def test_the_service_is_offered_under_the_name_in_the_property_list() -> None:
    runtime = Runtime()
    SpeakService(runtime)
    assert runtime.message == "speak:userData:error:"
    assert (APPLICATION, "setServicesProvider:", PROVIDER) in runtime.sent


@pytest.mark.parametrize(("selected", "received"), [("Read this.", ["Read this."]), ("  ", []), ("", [])])
def test_selected_text_is_received(selected: str, received: list[str]) -> None:
    runtime = Runtime()
    runtime.selected = selected
    service, texts = SpeakService(runtime), []
    service.text_received.connect(texts.append)
    runtime.received(PASTEBOARD, 0, 0)
    assert texts == received
    assert (PASTEBOARD, "stringForType:", "public.utf8-plain-text") in runtime.sent

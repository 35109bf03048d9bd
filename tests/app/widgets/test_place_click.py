import sys

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent

from app.widgets.place_click import chooses_place, place_click_words

KEYS = Qt.KeyboardModifier


def click(held: KEYS) -> QMouseEvent:
    button = Qt.MouseButton.LeftButton
    return QMouseEvent(QEvent.Type.MouseButtonPress, QPointF(), QPointF(), button, button, held)


@pytest.mark.parametrize(
    ("platform", "key", "others"),
    [
        ("darwin", KEYS.AltModifier, (KEYS.ControlModifier, KEYS.MetaModifier)),
        ("linux", KEYS.ControlModifier, (KEYS.AltModifier, KEYS.MetaModifier)),
    ],
)
def test_only_its_own_key_makes_a_click_choose(
    platform: str, key: KEYS, others: tuple[KEYS, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    assert chooses_place(click(key))
    for other in (KEYS.NoModifier, *others, key | KEYS.ShiftModifier):
        assert not chooses_place(click(other))


def test_each_system_has_its_own_words(monkeypatch: pytest.MonkeyPatch) -> None:
    words = set()
    for platform in ("darwin", "linux"):
        monkeypatch.setattr(sys, "platform", platform)
        words.add(place_click_words())
    assert len(words) == 2

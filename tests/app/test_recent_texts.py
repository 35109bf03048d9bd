import os
from datetime import datetime
from pathlib import Path

import pytest

from app.recent_texts import TEXTS_KEPT, RecentText, RecentTexts, TextNotSaved
from engine.system import atomic_write


def kept(folder: Path) -> list[str]:
    return [each.text for each in RecentTexts(folder).texts]


def test_a_text_replaces_itself_until_a_new_one_begins(tmp_path: Path) -> None:
    texts = RecentTexts(tmp_path / "texts")
    for text in ("One", "One more 🙂\r\nline."):
        texts.add_text(text)
    texts.begin_text()
    texts.add_text("Two.")
    assert kept(tmp_path / "texts") == ["Two.", "One more 🙂\r\nline."]


def test_the_last_ten_different_texts_are_stored(tmp_path: Path) -> None:
    texts = RecentTexts(tmp_path)
    for number in range(TEXTS_KEPT + 5):
        texts.begin_text()
        texts.add_text(f"Text {number}.")
    assert kept(tmp_path) == [f"Text {number}." for number in range(TEXTS_KEPT + 4, 4, -1)]
    texts.begin_text()
    texts.add_text("Text 7.")  # again
    assert kept(tmp_path)[0] == "Text 7."
    assert sorted(kept(tmp_path)) == sorted(f"Text {number}." for number in range(5, TEXTS_KEPT + 5))


@pytest.mark.parametrize("blank", ["", " \n\t"])
def test_a_blank_text_replaces_nothing(tmp_path: Path, blank: str) -> None:
    texts = RecentTexts(tmp_path)
    texts.add_text("Words.")
    texts.add_text(blank)
    assert kept(tmp_path) == ["Words."]


def test_half_an_emoji_is_no_reason_to_lose_the_rest(tmp_path: Path) -> None:
    RecentTexts(tmp_path).add_text("Half \ud83d.")
    assert kept(tmp_path) == ["Half ?."]


def test_a_failed_write_leaves_the_stored_texts_intact(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = RecentTexts(tmp_path)
    texts.add_text("Words.")

    def full(path: Path, content: bytes) -> None:
        raise OSError(atomic_write.errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("app.recent_texts.write_atomically", full)
    with pytest.raises(TextNotSaved, match="isn’t being saved"):
        texts.add_text("More words.")
    assert kept(tmp_path) == ["Words."]


def test_the_title_is_the_first_words_and_the_time(tmp_path: Path) -> None:
    RecentTexts(tmp_path).add_text("  The fox ran\nover the hill, and the small dog followed it home.")
    path = next(tmp_path.iterdir())
    noon = datetime(2026, 3, 5, 12, 30).timestamp()
    os.utime(path, (noon, noon))
    assert RecentTexts(tmp_path).texts[0].title == "The fox ran over the hill, and the small… (05 Mar, 12:30)"
    assert RecentText("Short.", path, datetime(2026, 3, 5, 9, 5)).title == "Short. (05 Mar, 09:05)"
    assert RecentText("x" * 99, path, datetime(2026, 3, 5, 9, 5)).title == f"{'x' * 40}… (05 Mar, 09:05)"

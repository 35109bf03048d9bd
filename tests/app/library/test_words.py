from datetime import datetime
from pathlib import Path

import pytest

from app.library.records import Entry, Item, State, Wish, first_words
from app.library.words import entry_row, item_row, size_words
from engine.speech import SpeechRequest

NOW = datetime(2026, 11, 24, 19, 30)


def entry(**values: object) -> Entry:
    fields = {"number": 1, "title": "Words", "voice": "af_heart", "model": "m", "speed": 1.0, "begun": NOW.timestamp()}
    return Entry(**fields | values)  # type: ignore[arg-type]


def test_an_entry_tells_voice_moment_and_length() -> None:
    assert entry_row(entry(seconds=65.2, kept_bytes=5), NOW).details == "Heart · 19:30 · 1:05"
    row = entry_row(entry(starred=True, begun=datetime(2026, 3, 4, 5, 6).timestamp()), NOW)
    assert (row.details, row.symbol_words) == ("Heart · 04 Mar, 05:06 · no saved audio", "Starred")
    old = entry(voice="af_heart(2)+am_adam(1)", begun=datetime(2025, 3, 4).timestamp(), kept_bytes=5)
    assert entry_row(old, NOW).details == "Blend · 04 Mar 2025"


@pytest.mark.parametrize(
    ("target", "speed", "state", "details"),
    [
        (None, 1.0, State.WAITING, "Waiting · Play · Heart"),
        (Path("/a/b.m4b"), 1.25, State.WORKING, "Generating · Save to b.m4b · Heart · 1.25×"),
        (None, 1.0, State.FAILED, "The disk is full."),
    ],
)
def test_an_item_tells_its_state_and_what_becomes_of_it(
    target: Path | None, speed: float, state: State, details: str
) -> None:
    wish = Wish(SpeechRequest("Words", "af_heart", speed), "m", target)
    row = item_row(Item(1, "Words", wish, state, "The disk is full."))
    assert (row.title, row.details, row.fault) == ("Words", details, state is State.FAILED)


def test_first_words_end_between_words() -> None:
    assert first_words(" One\n\ntwo. ") == "One two."
    assert first_words("word " * 40) == f"{' '.join(['word'] * 16)}…"
    assert first_words("x" * 200) == f"{'x' * 80}…"


@pytest.mark.parametrize(("kept_bytes", "words"), [(0, "0 MB"), (250_000_000, "250 MB"), (1_000_000_000, "1.0 GB")])
def test_sizes_have_a_unit(kept_bytes: int, words: str) -> None:
    assert size_words(kept_bytes) == words

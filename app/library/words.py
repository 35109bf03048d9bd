"""What the panels say about entries and items."""

from __future__ import annotations

from datetime import datetime

from app.audio.transport_bar import clock_time
from app.library.records import Entry, Item, State
from app.widgets.two_line_list import Row
from engine.voices.packs import describe

USUAL_SPEED = 1.0
_STATES = {State.WAITING: "Waiting", State.WORKING: "Generating", State.DONE: "Done"}
_SYMBOLS = {State.WORKING: "play", State.DONE: "done", State.FAILED: "error"}


def entry_row(entry: Entry, now: datetime | None = None) -> Row:
    """The row of an entry of the history."""
    parts = [voice_words(entry.voice), moment_words(entry.begun, now or datetime.now())]
    if entry.seconds:
        parts.append(clock_time(entry.seconds))
    if not entry.kept_bytes:
        parts.append("no saved audio")
    star = ("star", "Starred") if entry.starred else ("", "")
    return Row(entry.title, " · ".join(parts), *star)


def item_row(item: Item) -> Row:
    """The row of an item of the queue."""
    if item.state is State.FAILED:
        return Row(item.title, item.message, _SYMBOLS[item.state], "Failed", fault=True)
    wish = item.wish
    what = f"Save to {wish.target.name}" if wish.target is not None else "Play"
    parts = [_STATES[item.state], what, voice_words(wish.request.voice)]
    if wish.request.speed != USUAL_SPEED:
        parts.append(f"{wish.request.speed:g}×")
    return Row(item.title, " · ".join(parts), _SYMBOLS.get(item.state, ""))


def voice_words(voice: str) -> str:
    """The title of a voice; a blend under its recipe is only called that."""
    return "Blend" if "(" in voice else describe(voice).title


def moment_words(seconds: float, now: datetime) -> str:
    """The time, with the day if that is another, and the year if that is another."""
    moment = datetime.fromtimestamp(seconds)
    if moment.date() == now.date():
        return f"{moment:%H:%M}"
    return f"{moment:%d %b, %H:%M}" if moment.year == now.year else f"{moment:%d %b %Y}"


def size_words(kept_bytes: int) -> str:
    """A number of bytes in megabytes, or gigabytes from one on."""
    megabytes = kept_bytes / 1e6
    return f"{megabytes / 1000:.1f} GB" if megabytes >= 1000 else f"{megabytes:.0f} MB"

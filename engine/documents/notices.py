"""Counts what a reader guesses or leaves out, so that each kind is told once."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Omission:
    """A kind of thing that is guessed or left out, as the beginning of a sentence: for one, and with {} for several."""

    one: str
    several: str


class Notices:
    """The kinds that were met, each with its number and its first place, such as “on page 3”."""

    def __init__(self) -> None:
        self._met: dict[Omission, tuple[int, str]] = {}

    def tell(self, kind: Omission, place: str, count: int = 1) -> None:
        """Something of this kind was guessed or left out at a place."""
        before, first = self._met.get(kind, (0, place))
        self._met[kind] = before + count, first

    def sentences(self) -> tuple[str, ...]:
        """One sentence for each kind, in the order in which they were first met."""
        return tuple(
            f"{kind.one}, {place}." if count == 1 else f"{kind.several.format(f'{count:,}')}, the first {place}."
            for kind, (count, place) in self._met.items()
        )

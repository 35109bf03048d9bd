"""A paragraph of a DOCX file while it is read: its text, with what it shows besides."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any

from engine.documents import document
from engine.documents.blocks import Block
from engine.documents.document import Matter, Picture
from engine.documents.prose import clean
from engine.documents.raised import with_raised
from engine.documents.styling import Mark, moved_pictures, styles_of
from engine.documents.word_styles import PLAIN, Look

_NEAR_PARTS = 8
_FEWEST_UNITS = 10 * 9525
"""Ten pixels; what is lower or narrower is a line or fills a gap."""


@dataclass
class Paragraph:
    """A paragraph that is being read, as parts of text, of which `marks` and `seen` tell what they show besides.

    `after` are the blocks of its text boxes; one that `joins` has lost its end to what follows.
    """

    look: Look = PLAIN
    parts: list[str] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    seen: list[tuple[int, document.Picture]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    after: list[Block] = field(default_factory=list)
    matter: Matter = Matter.TEXT
    label: str = ""
    joins: bool = False
    run: Look = PLAIN
    run_start: int = 0
    raised: str = ""

    def write(self, text: str) -> None:
        """Add text in line; what was raised before it is complete."""
        if self.raised:
            self.parts.append(with_raised("".join(self.parts[-_NEAR_PARTS:]), self.raised))
            self.raised = ""
        self.parts.append(text)

    def begin_run(self, look: Look) -> None:
        """Take note of how what follows looks."""
        self.run, self.run_start = look, len(self.parts)

    def end_run(self) -> None:
        """Take note of what the run has emphasised: what the whole paragraph looks like is no emphasis."""
        run, end, self.run = self.run, len(self.parts), PLAIN
        if run is self.look or end == self.run_start:
            return
        if run.italic and not self.look.italic:
            self.marks.append((self.run_start, end, document.Look.EMPHASIS))
        if run.bold and not self.look.bold:
            self.marks.append((self.run_start, end, document.Look.STRONG))

    def see(self, name: str, drawing: Any) -> None:
        """Take note of a picture in a drawing, which may be None, unless it is a line or fills a gap."""
        sides = () if drawing is None else drawing.xpath("./*/*[local-name()='extent']/@*")
        if any(side.isdecimal() and int(side) < _FEWEST_UNITS for side in sides):
            return
        told = () if drawing is None else drawing.xpath("./*/*[local-name()='docPr']/@descr")
        self.seen.append((len(self.parts), Picture(0, name, " ".join("".join(told).split()))))

    def behind(self, before: Paragraph) -> Paragraph:
        """This paragraph, which says what both are, behind one that has lost its end, whose lists go on."""
        shift = len(before.parts)
        before.marks += [(start + shift, end + shift, look) for start, end, look in self.marks]
        before.seen += [(part + shift, picture) for part, picture in self.seen]
        before.parts += self.parts
        before.notes += self.notes
        before.after += self.after
        return replace(
            self, parts=before.parts, marks=before.marks, seen=before.seen, notes=before.notes, after=before.after
        )

    def block(self, waiting: list[Picture]) -> Block | None:
        """The paragraph as a block with the pictures that wait for one; None if it has no text, then its own wait."""
        level, whole = self.look.level or 0, "".join(self.parts)
        text = _one_line(clean(whole)) if level else clean(whole)
        if not text:
            waiting += [picture for _, picture in self.seen]
            return None
        text = f"{self.label} {text}" if self.label else text
        places = list(accumulate(map(len, self.parts), initial=0)) if self.seen else []
        seen = [replace(picture, start=places[part]) for part, picture in self.seen]
        pictures = (*waiting, *moved_pictures(seen, whole, text)) if seen else tuple(waiting)
        waiting.clear()
        return Block(
            text, level, matter=self.matter, notes=tuple(self.notes), pictures=pictures,
            styles=styles_of(self.marks, self.parts, text) if self.marks else (), is_quote=bool(self.look.quote),
        )  # fmt: skip


def _one_line(text: str) -> str:
    """A title on one line, with a pause where lines end."""
    lines = [line for line in text.split("\n") if line]
    return " ".join(line if line[-1] in ".,:;!?—–-" or line is lines[-1] else f"{line}:" for line in lines)

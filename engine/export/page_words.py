"""Finds the words of a text in the XHTML pages that it was extracted from, and marks them there.

The letters of both are compared, because the extraction leaves out notes, page numbers and whole pages, and inserts
headings from the table of contents. A word whose place is not certain is left unmarked.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from html import unescape
from itertools import pairwise

from lxml import etree

from engine.text.documents.inline import ruby_text
from engine.text.documents.markup import tree_of_text

_RUN_TOKENS = 3
"""The number of successive tokens that are compared; in a book, most such runs are unique."""
_SHORT_TOKENS = 64
"""The maximum length of gaps in which single tokens are compared."""
_MIN_PAGE_TOKENS = 8
"""Fewer tokens found on a page, and less than half of it, are a coincidence, as in a table of contents."""
_SYMBOLS = frozenset("&%@#§")
_IGNORED = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff")
_ATTRIBUTES = r"""(?:[^<>"']++|"[^"]*"|'[^']*')*+"""
_MARKUP = re.compile(
    rf"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<!DOCTYPE(?:[^<>\[]|\[.*?\]\s*(?=>))*>"
    rf"|<(?P<end>/?)(?P<name>[^\s<>/!?]+)(?P<attributes>{_ATTRIBUTES})>|&(?P<reference>[^;\s<&]+);|(?P<text>[^<&]+)",
    re.DOTALL,
)
_TAG_BEFORE = re.compile(rf"<(?P<name>[^\s<>/!?]+){_ATTRIBUTES}(?<!/)>\Z")
_TAG_AFTER = re.compile(r"</(?P<name>[^\s<>]+)\s*>")
_MAX_TAG_CHARACTERS = 500
_INLINE = frozenset({
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins",
    "kbd", "mark", "q", "rb", "ruby", "s", "samp", "small", "span", "strike", "strong", "tt", "u", "var", "time", "wbr",
})  # fmt: skip
"""Elements that may begin or end inside a word."""
_RAISED = frozenset({"sub", "sup"})
_INSIDE = _INLINE | _RAISED | {"rt", "rp", "rtc"}
"""Elements that may be parts of a word."""
_SKIPPED = frozenset({
    "audio", "button", "head", "iframe", "math", "noscript", "object", "script", "select", "style", "svg", "template",
    "textarea", "video",
})  # fmt: skip
"""Elements without text that could be marked."""
_TEXT_ONLY = re.compile(
    rf"<(?P<name>(?:[\w.-]+:)?time)(?![^<>]*\sdatetime\s*=)(?:\s{_ATTRIBUTES})?>[^<]*</(?P=name)\s*>"
)
"""Elements in which HTML forbids others: times that say nothing but their text."""
_ROOT = re.compile(r"<(?P<prefix>[\w.-]+:)?html\b")
_DECLARED_ENCODING = re.compile(r"\A\s*<\?xml.*?\?>", re.DOTALL)
_HEAD_END = re.compile(r"</(?P<prefix>[\w.-]+:)?head\s*>")


@dataclass
class Letters:
    """The letters of a text, without differences of case and composition, divided into tokens.

    Letter i comes from the characters `starts[i]` to `ends[i]` of the source. `tokens` are the indices of the first
    letters of the tokens, and `paragraphs` the numbers of the tokens that begin a paragraph. Digits are separate
    tokens, because marks of notes follow words without a space.
    """

    letters: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    paragraphs: set[int] = field(default_factory=set)
    _kind: bool | None = None
    _is_paragraph: bool = True

    def append(self, text: str, start: int, end: int | None = None) -> None:
        """Append a text whose first character is at `start`, or all of which comes from `start` to `end`."""
        for offset, character in enumerate(text):
            found = _letters_of(character)
            if not found:
                if character not in _IGNORED:
                    self.close(paragraph=character == "\n")
                continue
            kind = found[0].isdigit()
            if kind is not self._kind:
                if self._is_paragraph:
                    self.paragraphs.add(len(self.tokens))
                self.tokens.append(len(self.letters))
                self._kind, self._is_paragraph = kind, False
            place = (start + offset, start + offset + 1) if end is None else (start, end)
            for letter in found:
                self.letters.append(letter)
                self.starts.append(place[0])
                self.ends.append(place[1])

    def close(self, *, paragraph: bool = False) -> None:
        """End the current token, and the paragraph if requested."""
        self._kind = None
        self._is_paragraph = self._is_paragraph or paragraph

    def words(self) -> list[str]:
        """Return the tokens as strings."""
        borders = [*self.tokens, len(self.letters)]
        return ["".join(self.letters[start:end]) for start, end in pairwise(borders)]

    def indices(self, start: int, end: int) -> range:
        """Return the indices of the letters in these characters of the source."""
        return range(bisect_left(self.starts, start), bisect_left(self.starts, end))


@lru_cache(10_000)
def _letters_of(character: str) -> str:
    """Return the comparable letters of a character; empty for spaces and punctuation."""
    plain = unicodedata.normalize("NFKD", character).casefold()
    return "".join(each for each in plain if unicodedata.category(each)[0] in "LNMS" or each in _SYMBOLS)


def is_page(source: str) -> bool:
    """Return whether the source of a page is well-formed XHTML, so that words can be marked in it."""
    return _text_content(source) is not None and _ROOT.search(source) is not None


def append_page(letters: Letters, source: str, start: int) -> None:
    """Append the text of a page, whose source begins at character `start` of all sources."""
    skipped: list[str] = []
    ruby = depth = 0
    for found in _MARKUP.finditer(source):
        name = (found["name"] or "").rpartition(":")[2].lower()
        is_empty = (found["attributes"] or "").endswith("/")
        if name == "ruby" and not skipped:
            ruby, depth = (found.start(), 1) if depth == 0 else (ruby, depth + (-1 if found["end"] else 1))
            if depth == 0:
                letters.append(_text_of_ruby(source[ruby : found.end()]), start + ruby, start + found.end())
        elif depth:
            continue
        elif name in _SKIPPED and not is_empty:
            skipped = skipped[: skipped.index(name)] if found["end"] and name in skipped else [*skipped, name]
            letters.close()
        elif name and name not in _INLINE:
            letters.close(paragraph=name not in {"img", *_RAISED})
        elif skipped:
            continue
        elif found["text"]:
            letters.append(found["text"], start + found.start())
        elif found["reference"]:
            letters.append(unescape(found[0]), start + found.start(), start + found.end())
    letters.close(paragraph=True)


def _text_of_ruby(source: str) -> str:
    ruby = next(tree_of_text(f"<!DOCTYPE html><html><body>{source}</body></html>").iter("ruby"), None)
    return "" if ruby is None else ruby_text(ruby)


def places_of_letters(text: Letters, pages: Letters, page_starts: Sequence[int]) -> list[int]:
    """Return for each letter of `text` the index of the same letter of `pages`, or -1.

    The indices ascend. The sources of the pages begin at the characters `page_starts`.
    """
    placed = [-1] * len(text.letters)
    aligned = _Alignment(text, pages)
    for here, there, count in aligned.runs():
        placed[here : here + count] = range(there, there + count)
    page_at = [bisect_right(page_starts, pages.starts[token]) - 1 for token in pages.tokens]
    lengths = [0] * len(page_starts)
    for page in page_at:
        lengths[page] += 1
    token_of = {letter: number for number, letter in enumerate(pages.tokens)}
    hits = [0] * len(page_starts)
    for letter in placed:
        if letter in token_of:
            hits[page_at[token_of[letter]]] += 1
    trusted = [2 * hit >= length or hit >= _MIN_PAGE_TOKENS for hit, length in zip(hits, lengths, strict=True)]
    return [
        letter if letter >= 0 and trusted[bisect_right(page_starts, pages.starts[letter]) - 1] else -1
        for letter in placed
    ]


@dataclass
class _Run:
    """Equal tokens: the number of the first in the text and in the pages, and their count."""

    here: int
    there: int
    count: int

    @property
    def here_end(self) -> int:
        return self.here + self.count

    @property
    def there_end(self) -> int:
        return self.there + self.count


class _Alignment:
    """Aligns two sequences of tokens by runs that occur once in each, and what lies between them likewise."""

    def __init__(self, text: Letters, pages: Letters) -> None:
        self._text, self._pages = text, pages
        self._here, self._there = text.words(), pages.words()
        self._found: list[tuple[int, int, int]] = []

    def runs(self) -> Iterator[tuple[int, int, int]]:
        """Yield runs of equal letters: the index of the first in each, and their number."""
        gaps = [(0, len(self._here), 0, len(self._there))]
        while gaps:
            gap = gaps.pop()
            if gap[0] < gap[1] and gap[2] < gap[3]:
                gaps += self._divided(*gap)
        yield from self._found

    def _divided(self, here: int, here_end: int, there: int, there_end: int) -> list[tuple[int, int, int, int]]:
        """Align a gap; return the smaller gaps that remain."""
        is_short = there_end - there <= min(_SHORT_TOKENS, 2 * (here_end - here) + 4)  # not a skipped paragraph
        length = _RUN_TOKENS
        anchors = self._anchors(here, here_end, there, there_end, length)
        if is_short and not anchors:
            length = 1
            anchors = self._anchors(here, here_end, there, there_end, length)
        if not anchors:
            self._compare_letters(here, here_end, there, there_end)
            return []
        gaps = []
        for run in self._extended(anchors, length, (here, there), (here_end, there_end)):
            gaps.append((here, run.here, there, run.there))
            length = sum(map(len, self._here[run.here : run.here_end]))
            self._found.append((self._text.tokens[run.here], self._pages.tokens[run.there], length))
            here, there = run.here_end, run.there_end
        return [*gaps, (here, here_end, there, there_end)]

    def _anchors(self, here: int, here_end: int, there: int, there_end: int, length: int) -> list[tuple[int, int]]:
        """Return the places of the runs of `length` that occur once on both sides, those in ascending order."""
        first = _unique_runs(self._here, here, here_end, length)
        second = _unique_runs(self._there, there, there_end, length)
        return _ascending([(place, second[run]) for run, place in first.items() if run in second])

    def _extended(
        self, anchors: Sequence[tuple[int, int]], length: int, start: tuple[int, int], end: tuple[int, int]
    ) -> list[_Run]:
        """Return runs of tokens: the anchors of `length`, extended while the tokens before and after them are equal.

        A token that belongs to two anchors is in no run yet.
        """
        runs = [_Run(*start, 0)]
        last = start[0] - length, start[1] - length
        for first, second in anchors:
            run = runs[-1]
            if run.count and first - run.here == second - run.there and first <= run.here_end:
                run.count = max(run.count, first + 1 - run.here)
            else:
                shared = max(last[0] + length - first, last[1] + length - second, 0)
                runs.append(_Run(first + shared, second + shared, 1))
            last = first, second
        runs.append(_Run(*end, 0))
        for before, after in pairwise(runs):
            ahead, back = self._extensions(before, after)
            before.count += ahead
            after.here, after.there, after.count = after.here - back, after.there - back, after.count + back
        return runs[1:-1]

    def _extensions(self, before: _Run, after: _Run) -> tuple[int, int]:
        """Return the numbers of tokens between two runs that continue the first, and that lead to the second.

        If the same tokens fit both, a beginning of a paragraph decides; without one they fit none.
        """
        here, there = before.here_end, before.there_end
        room, other = sorted((after.here - here, after.there - there))
        ahead = back = 0
        while before.count and ahead < room and self._here[here + ahead] == self._there[there + ahead]:
            ahead += 1
        while after.count and back < room and self._here[after.here - back - 1] == self._there[after.there - back - 1]:
            back += 1
        if ahead + back <= room:
            return ahead, back
        if room == other:
            return room, 0
        borders = [border for border in range(room - back, ahead + 1) if here + border in self._text.paragraphs]
        return (borders[0], room - borders[0]) if borders else (room - back, room - ahead)

    def _compare_letters(self, here: int, here_end: int, there: int, there_end: int) -> None:
        """Keep the letters of a gap if they are equal but divided differently, such as 1st in two elements."""
        mine, theirs = "".join(self._here[here:here_end]), "".join(self._there[there:there_end])
        if mine == theirs:
            self._found.append((self._text.tokens[here], self._pages.tokens[there], len(mine)))


def _unique_runs(tokens: Sequence[str], start: int, end: int, length: int) -> dict[tuple[str, ...], int]:
    """Return the places of the runs of `length` tokens that occur once."""
    places: dict[tuple[str, ...], int] = {}
    repeated = set()
    for place in range(start, end - length + 1):
        run = tuple(tokens[place : place + length])
        if run in places:
            repeated.add(run)
        places[run] = place
    return {run: place for run, place in places.items() if run not in repeated}


def _ascending(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest selection of pairs, whose first numbers ascend, in which the second ones also ascend."""
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for number, (_, second) in enumerate(pairs):
        length = bisect_left(ends, second)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [second]
        last[length : length + 1] = [number]
    chosen = []
    number = last[-1] if last else -1
    while number >= 0:
        chosen.append(pairs[number])
        number = before[number]
    return chosen[::-1]


def marked(source: str, spans: Sequence[tuple[int, int]]) -> tuple[str, dict[int, str]]:
    """Wrap characters of a page, in ascending order, in elements with unique ids.

    Returns the page and the ids by the numbers of the spans that were marked: those that begin and end in the same
    element, or can be extended by the tags around them, and do not overlap the span before. An element that may have
    no others in it is wrapped as a whole. Raises `ValueError` if the page would not be well-formed, or its text would
    change.
    """
    root = _ROOT.search(source)
    prefix = (root["prefix"] or "") if root else ""
    name, pieces, ids, end = "w", [], {}, 0
    text_only = [found.span() for found in _TEXT_ONLY.finditer(source)]
    while re.search(rf"""\bid\s*=\s*["']{name}\d""", source):
        name += "-"
    for number, span in enumerate(spans):
        whole = next((element for element in text_only if element[0] <= span[0] and span[1] <= element[1]), None)
        found = whole or _balanced(source, *span)
        if found is not None and found[0] >= end:
            ids[number] = f"{name}{number}"
            begin = f'<{prefix}span id="{ids[number]}">'
            pieces += [source[end : found[0]], begin, source[found[0] : found[1]], f"</{prefix}span>"]
            end = found[1]
    page = "".join([*pieces, source[end:]])
    if _text_content(page) is None or _text_content(page) != _text_content(source):
        raise ValueError("The text would change.")
    return page, ids


def widened(source: str, start: int, end: int, before: str, after: str) -> tuple[int, int]:
    """Extend the span of a word's letters by its other characters, such as a full stop, if they are beside it."""
    start -= len(before) if source.endswith(before, 0, start) else 0
    return start, end + (len(after) if source.startswith(after, end) else 0)


def with_style_sheet(source: str, link: str) -> str:
    """Return the page with a link to a style sheet at the end of its head, if it has one."""
    return _HEAD_END.sub(
        lambda end: f'<{end["prefix"] or ""}link rel="stylesheet" type="text/css" href="{link}"/>{end[0]}', source, 1
    )


def _balanced(source: str, start: int, end: int) -> tuple[int, int] | None:
    """Extend a span by the tags around it until each element in it is whole; None if this is impossible."""
    opened, closed = 0, 0
    for found in _MARKUP.finditer(source, start, end):
        name = (found["name"] or "").rpartition(":")[2].lower()
        if name and name not in _INSIDE:
            return None
        if found["end"]:
            opened, closed = (opened - 1, closed) if opened else (0, closed + 1)
        elif name and not found["attributes"].endswith("/"):
            opened += 1
    for _ in range(closed):
        before = _TAG_BEFORE.search(source[max(start - _MAX_TAG_CHARACTERS, 0) : start])
        if before is None or before["name"].rpartition(":")[2].lower() not in _INSIDE:
            return None
        start -= len(before[0])
    for _ in range(opened):
        after = _TAG_AFTER.match(source, end)
        if after is None or after["name"].rpartition(":")[2].lower() not in _INSIDE:
            return None
        end = after.end()
    return start, end


def _text_content(source: str) -> str | None:
    """Return the text of a page; None if it is not well-formed."""
    parser = etree.XMLParser(encoding="utf-8", resolve_entities=False, no_network=True, load_dtd=False)
    content = _DECLARED_ENCODING.sub("", source.lstrip("\ufeff"), 1).encode("utf-8", "replace")
    try:
        root = etree.fromstring(content, parser)
    except etree.XMLSyntaxError:
        return None
    return "".join(each if isinstance(each, str) else "" for each in root.itertext())

"""Determines the parts of a page that are not read: hidden elements, page numbers, menus and other furniture.

Only simple selectors of style sheets are evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_SELECTOR = re.compile(r"(?P<name>[a-z][a-z0-9]*)?(?P<sign>[.#])(?P<word>[\w-]+)", re.IGNORECASE)
_NEVER = frozenset({
    "script", "style", "head", "template", "noscript", "svg", "canvas", "audio", "video", "object", "iframe", "input",
    "textarea", "label", "button", "select", "datalist", "rp", "dialog", "del", "map", "nav",
})  # fmt: skip
_TYPE = "{http://www.idpf.org/2007/ops}type"
_UNREAD_TYPES = frozenset({"pagebreak", "doc-pagebreak", "page-list", "doc-pagelist", "landmarks"})
_HIDING = re.compile(r"(?:^|[;{\s])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))\b", re.IGNORECASE)
_FOR_SCREEN_READERS = frozenset({
    "visually-hidden", "visuallyhidden", "sr-only", "screen-reader-text", "screen-reader-only", "screenreader",
    "assistive-text", "a11y-hidden", "visually-hidden-focusable", "sr-only-focusable",
})  # fmt: skip
_PAGE_NUMBER = re.compile(
    r"(?:x-)?(?:page-?(?:num(?:ber)?s?|no|break)|pgnum|pb|folio|l(?:ine)?-?(?:num(?:ber)?|no))s?(?:-?\d+)?"
)
_EDITORIAL = re.compile(r"(?:mw-)?edit-?section|noprint|mw-jump-link|navbox|catlinks|inline-template")
_WRITTEN_PAGE = re.compile(r"\s*(?:[\[{(](?:pg|page|p)\.?\s*(?:\d+|[ivxlc]+)[\]})]|\{\d+\})\s*", re.IGNORECASE)
_IN_SQUARE_BRACKETS = re.compile(r"\s*\[[^\[\]]*[^\W\d][^\[\]]*\]\s*")
_EDIT = re.compile(r"\s*\[\s*edit[^\[\]]{0,30}\]\s*", re.IGNORECASE)
_CONTAINERS = frozenset({"div", "aside", "ul", "form", "p", "dialog"})
_SITE = re.compile(
    r"cookies?|(?:.*-)?(?:gdpr|consent)(?:-.*)?"
    r"|.*cookie-?(?:bar|banner|notice|consent|dialog|popup|law|policy|message|warning|overlay|modal|bot).*|share|sharing|share-.*|social(?:-.*)?|related(?:-(?:posts|articles))?"
    r"|breadcrumbs?|newsletter(?:-.*)?|advert(?:isement)?s?|ads?|promo|sponsored|pagination|sidebar"
    r"|skip-?(?:link|nav|to-content)|site-(?:header|footer|nav(?:igation)?)|(?:main-)?(?:nav|menu)(?:-bar)?|navbar"
)
_TEXT_OF_FORM = "./descendant::*[self::p or self::h1 or self::h2 or self::article][position() > 2]"
_MAX_FURNITURE = 40
"""The most characters of a page number or an editor's mark; longer ones are text."""
_PAGE_IN_TEXT = re.compile(r"\s*+[\[{](?:Pg|pg)\.?\s*(?:\d+|[ivxlc]+)[\]}]")


def sheets_in(root: Any) -> list[str]:
    """Return the style sheets inside a page."""
    return ["".join(style.itertext()) for style in root.iter("style")]


def selectors_of(sheets: Iterable[str], says: re.Pattern[str]) -> frozenset[str]:
    """Return the simple selectors, such as `.note` and `p#x`, of the screen rules whose declarations match `says`."""
    rules = (rule for sheet in sheets for rule in _rules(sheet))
    return frozenset(
        selector for selectors, declarations in rules if says.search(declarations) for selector in selectors
    )


def selects(selectors: frozenset[str], element: Any) -> bool:
    """Return whether any of the selectors matches an element."""
    if not selectors:
        return False
    marks = [f".{word}" for word in element.get("class", "").split()]
    marks += [f"#{element.get('id')}"] if element.get("id") else []
    return any(mark in selectors or f"{element.tag}{mark}" in selectors for mark in marks)


@lru_cache(32)
def _rules(sheet: str) -> list[tuple[list[str], str]]:
    """Return the simple selectors and the declarations of each rule; all pages of a book share their sheets."""
    rules = []
    for rule in _without_conditions(_COMMENT.sub("", sheet)).split("}")[:-1]:
        before, _, declarations = rule.rpartition("{")
        selectors = before.rpartition("{")[2].rpartition(";")[2]  # after standalone statements such as @charset
        rules.append((_simple(selectors), declarations))
    return rules


def _simple(selectors: str) -> list[str]:
    found = (_SELECTOR.fullmatch(selector.strip()) for selector in selectors.split(","))
    return [f"{(each['name'] or '').lower()}{each['sign']}{each['word']}" for each in found if each]


def _without_conditions(sheet: str) -> str:
    """Remove the blocks of a style sheet that have conditions, such as those for print."""
    kept, depth, start = [], 0, 0
    for found in re.finditer(r"@(?:media|supports)[^{;]*\{|[{}]", sheet):
        if depth == 0 and found[0][0] == "@":
            kept.append(sheet[start : found.start()])
            depth = 1
        elif depth:
            depth += 1 if found[0][-1] == "{" else -1
            start = found.end()
    return "".join(kept) + (sheet[start:] if depth == 0 else "")


def kinds_of(element: Any) -> list[str]:
    """Return the declared kinds of an element: its types and its role."""
    if not element.attrib:
        return []
    return f"{element.get(_TYPE, '')} {element.get('epub:type', '')} {element.get('role', '')}".split()


def words_of(element: Any) -> list[str]:
    """Return the classes of an element, in lowercase with hyphens."""
    words: list[str] = element.get("class", "").lower().replace("_", "-").split()
    return words


class Unread:
    """Determines the parts of a page that are not read; `sheets` are external style sheets of the page.

    Without `hides`, hidden parts are read: some pages show nothing before a script has run.
    """

    def __init__(self, root: Any, sheets: Iterable[str] = (), *, in_book: bool = False, hides: bool = True) -> None:
        self._in_book, self._obeys = in_book, hides
        self.sheets = [*sheets_in(root), *sheets]
        self._hidden = selectors_of(self.sheets, _HIDING) if hides else frozenset()

    def leaves_out(self, element: Any) -> bool:
        """Return whether an element is omitted with its content."""
        name = element.tag
        if not isinstance(name, str) or (name in _NEVER and not (name == "nav" and self._in_book)):
            return True
        words: list[str] = []
        if element.attrib:
            if self.hides(element) or not _UNREAD_TYPES.isdisjoint(kinds_of(element)):
                return True
            words = words_of(element)
            if not _FOR_SCREEN_READERS.isdisjoint(words):
                return not _stands_for_sibling(element)
        return self._is_furniture(element, words) or (not self._in_book and self._is_of_site(element, words))

    def is_aside(self, element: Any) -> bool:
        """Return whether an element is an aside, outside of books."""
        return element.tag == "aside" and not self._in_book

    def hides(self, element: Any) -> bool:
        """Return whether an element is hidden."""
        if "hidden" in element.attrib or element.get("aria-hidden") == "true":
            return not _holds_formula(element)
        if self._obeys and _HIDING.search(element.get("style", "")):
            return not _holds_formula(element)
        hidden = selects(self._hidden, element)
        return hidden and element.tag not in ("html", "body", "main") and not _holds_formula(element)

    def _is_furniture(self, element: Any, words: list[str]) -> bool:
        if any(_EDITORIAL.fullmatch(word) for word in words):
            return True
        if any(_PAGE_NUMBER.fullmatch(word) for word in words) and _is_short(element):
            return True
        if element.tag in ("span", "a", "sup", "small", "b", "i", "em") and _is_short(element):
            text = "".join(element.itertext())
            pattern = _IN_SQUARE_BRACKETS if element.tag == "sup" else _WRITTEN_PAGE
            return pattern.fullmatch(text) is not None or _EDIT.fullmatch(text) is not None
        return False

    def _is_of_site(self, element: Any, words: list[str]) -> bool:
        """Return whether an element is part of a site's interface rather than of the text."""
        name = element.tag
        if name == "header":
            return element.getparent().tag == "body" and element.find(".//h1") is None
        if name == "footer":
            return next(element.iterancestors("blockquote"), None) is None
        if name == "form":
            return not element.xpath(_TEXT_OF_FORM)
        if name not in _CONTAINERS:
            return False
        own = "" if name == "p" else element.get("id", "").lower().replace("_", "-")
        return any(_SITE.fullmatch(word) for word in [*words, own])


def without_page_numbers(text: str) -> str:
    """Remove the numbers of pages that are written into a text, as in “the best [Pg 23] of times”."""
    return _PAGE_IN_TEXT.sub("", text)


def main_part(root: Any) -> list[Any]:
    """Return the elements with the main content of a page, in order."""
    for name in ("main", "article"):
        found = root.xpath(f"//{name}[not(ancestor::{name})]")
        if len(found) == 1 or (found and letters_of(found) > letters_of([root]) / 4):
            return list(found)
    return [root]


def letters_of(elements: list[Any]) -> int:
    """Return the number of characters other than white space in the paragraphs of elements."""
    return sum(len("".join(text.split())) for element in elements for text in element.xpath(".//p//text()"))


def _is_short(element: Any) -> bool:
    characters = 0
    for text in element.itertext():
        characters += len(text)
        if characters > _MAX_FURNITURE:
            return False
    return True


def _holds_formula(element: Any) -> bool:
    """Return whether an element is a formula, which pages hide behind a picture of it."""
    return element.tag == "math" or (element.tag == "span" and len(element) == 1 and element[0].tag == "math")


def _stands_for_sibling(element: Any) -> bool:
    """Return whether screen readers read an element instead of a hidden sibling."""
    if element.tag != "span":
        return False
    return any(
        each is not None and each.get("aria-hidden") == "true" for each in (element.getprevious(), element.getnext())
    )

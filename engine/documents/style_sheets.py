"""What the style sheets of a page say of its elements, as far as their simple selectors go."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_SELECTOR = re.compile(r"(?P<name>[a-z][a-z0-9]*)?(?P<sign>[.#])(?P<word>[\w-]+)", re.IGNORECASE)


def sheets_in(root: Any) -> list[str]:
    """The style sheets that a page has inside."""
    return ["".join(style.itertext()) for style in root.iter("style")]


def selectors_of(sheets: Iterable[str], says: re.Pattern[str]) -> frozenset[str]:
    """The simple selectors, such as `.note` and `p#x`, of the rules whose declarations say something on a screen."""
    rules = (rule for sheet in sheets for rule in _rules(sheet))
    return frozenset(
        selector for selectors, declarations in rules if says.search(declarations) for selector in selectors
    )


def selects(selectors: frozenset[str], element: Any) -> bool:
    """Whether any of the selectors is one for an element."""
    if not selectors:
        return False
    marks = [f".{word}" for word in element.get("class", "").split()]
    marks += [f"#{element.get('id')}"] if element.get("id") else []
    return any(mark in selectors or f"{element.tag}{mark}" in selectors for mark in marks)


@lru_cache(32)
def _rules(sheet: str) -> list[tuple[list[str], str]]:
    """The simple selectors of each rule, and its declarations; all pages of a book have the same sheets."""
    rules = []
    for rule in _without_conditions(_COMMENT.sub("", sheet)).split("}")[:-1]:
        before, _, declarations = rule.rpartition("{")
        selectors = before.rpartition("{")[2].rpartition(";")[2]  # behind what stands for itself, such as @charset
        rules.append((_simple(selectors), declarations))
    return rules


def _simple(selectors: str) -> list[str]:
    found = (_SELECTOR.fullmatch(selector.strip()) for selector in selectors.split(","))
    return [f"{(each['name'] or '').lower()}{each['sign']}{each['word']}" for each in found if each]


def _without_conditions(sheet: str) -> str:
    """A style sheet without its blocks for printers and other devices."""
    kept, depth, start = [], 0, 0
    for found in re.finditer(r"@(?:media|supports)[^{;]*\{|[{}]", sheet):
        if depth == 0 and found[0][0] == "@":
            kept.append(sheet[start : found.start()])
            depth = 1
        elif depth:
            depth += 1 if found[0][-1] == "{" else -1
            start = found.end()
    return "".join(kept) + (sheet[start:] if depth == 0 else "")

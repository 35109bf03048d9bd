"""The words of English, to tell a word that was cut at the end of a line from two that a hyphen joins."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

_ENTRY = re.compile(r'^ *"([a-z]+)": ', re.MULTILINE)


@cache
def english_words() -> frozenset[str]:
    """About 75,000 words in small letters, from the dictionary that comes with misaki; empty if it is not installed."""
    try:
        text = resources.files("misaki.data").joinpath("us_gold.json").read_text(encoding="utf-8")
    except (ModuleNotFoundError, OSError):
        return frozenset()
    return frozenset(_ENTRY.findall(text))

"""Formulas in MathML as a person reads them aloud: by their alternative text, or in the signs of plain text."""

from __future__ import annotations

import re
from typing import Any

from engine.documents.raised import lowered, raised

_CODE = re.compile(r"[\\{}^_$]")
"""What shows that an alternative text is for a program that sets formulas."""
_NO_TEXT = re.compile(
    r"(?:no )?alt(?:ernative)? text.*|.*\bnot available|(?:math(?:ematical)? )?(?:formula|equation)", re.IGNORECASE
)
_PLAIN = re.compile(r"[\w\s.,:;+−*/=<>≤≥≠≈±×÷·⋅()|!%π∞-]*")
_SPOKEN = {
    "∈": "in", "∉": "not in", "⊂": "subset of", "⊆": "subset of", "∪": "union", "∩": "intersection",
    "⇒": "implies", "⇔": "if and only if", "∀": "for all", "∃": "there is", "∂": "partial", "∑": "sum", "∏": "product",
    "∫": "integral", "≡": "equivalent to", "→": "to", "□": "", "■": "", "△": "",
}  # fmt: skip
"""Signs that a plain text does not have, in words; the marks at the end of a proof say nothing."""
_TOKENS = frozenset({"mi", "mn", "mo", "mtext", "ms"})
_ROWS = frozenset({"math", "mrow", "mstyle", "semantics", "mpadded", "merror"})
_UNSEEN = re.compile("[\u2061-\u2064]")


def formula(element: Any) -> str | None:
    """A `math` element in words and signs; None if it is more than can be read plainly."""
    told = " ".join((element.get("alttext") or "").split())
    if told and not _CODE.search(told) and not _NO_TEXT.fullmatch(told):
        return told
    plain = _read(element)
    if plain is None or (told and len(element) == 0):
        return None
    return re.sub(r"\s+", " ", plain).strip()


def _read(element: Any) -> str | None:
    name = element.tag if isinstance(element.tag, str) else ""
    if name in _TOKENS:
        return _token(name, "".join(element.itertext()).strip())
    parts = [each for each in element if each.tag not in ("annotation", "annotation-xml", "mspace", "mphantom")]
    read = [_read(each) for each in parts]
    if None in read:
        return None
    said = [each for each in read if each is not None]
    if name in _ROWS:
        return "".join(said)
    if name == "msqrt":
        return f" square root of {''.join(said)}"
    if name == "mfenced":
        between = f"{(element.get('separators', ',').strip() or ' ')[0]} "
        return f"{element.get('open', '(')}{between.join(said)}{element.get('close', ')')}"
    if name == "msubsup" and len(said) == 3:
        return _joined("msup", [_joined("msub", said[:2]) or "", said[2]])
    return _joined(name, said) if len(said) == 2 else None


def _token(name: str, text: str) -> str | None:
    text = _UNSEEN.sub("", text)
    if name == "mtext" or (name == "mi" and len(text) > 1):
        return f" {text} "
    if text in _SPOKEN:
        return f" {_SPOKEN[text]} "
    if not _PLAIN.fullmatch(text):
        return None
    return f" {text} " if name == "mo" and text not in "()|!,.′" else text


def _joined(name: str, said: list[str]) -> str | None:
    """Two parts above, below or beside each other."""
    first, second = (each.strip() for each in said)
    if name == "mfrac":
        return f"{first}/{second}" if first.isdigit() and second.isdigit() else f" {first} over {second} "
    if name == "msup":
        sign = raised(f" {first}", second) if second.lstrip("−-").isdigit() else None
        return f"{first}{sign}" if sign and not sign.isalpha() else f"{first} to the power of {second} "
    if name == "msub":
        return f"{first}{lowered(first, second)} "
    return None

"""Formulas of DOCX files as a person would read them aloud, if they are simple."""

from __future__ import annotations

from typing import Any

from engine.documents.prose import clean
from engine.documents.raised import in_raised_signs
from engine.documents.word_package import MATH, WORD

UNREADABLE = "formula"
_DEEPEST = 12
"""Formulas within formulas; a person could not follow more by ear."""
_ROOTS = {"": "square", "2": "square", "3": "cube", "4": "fourth", "n": "nth"}
_GROUPS = frozenset({"oMath", "oMathPara", "r", "e", "num", "den", "sup", "sub", "deg", "fName", "box", "borderBox"})
_PARTS = ("e", "num", "den", "sup", "sub", "deg", "fName")
_LEFT_OUT = frozenset({f"{WORD}del", f"{WORD}moveFrom", f"{WORD}rPr", f"{WORD}pPr"})


class _TooComplex(Exception):
    """A formula that needs its picture."""


def spoken(formula: Any) -> str | None:
    """Powers, fractions, roots, indices, brackets and functions in words and signs; None for all that is more."""
    try:
        return clean(_said(formula, 0))
    except _TooComplex:
        return None


def _said(element: Any, depth: int) -> str:
    if depth > _DEEPEST:
        raise _TooComplex
    name = element.tag.removeprefix(MATH)
    if element.tag in _LEFT_OUT or name.endswith("Pr"):
        return ""
    if name == "t" or element.tag == f"{WORD}t":
        return element.text or ""
    if name in _READERS:
        return _READERS[name](element, _children(element, depth))
    if name in _GROUPS or not element.tag.startswith(MATH):
        return "".join(_said(child, depth + (name in _PARTS)) for child in element)
    raise _TooComplex


def _children(element: Any, depth: int) -> dict[str, list[str]]:
    """What the parts of an element say, by their names."""
    parts: dict[str, list[str]] = {name: [] for name in _PARTS}
    for child in element:
        name = child.tag.removeprefix(MATH)
        if name in parts:
            parts[name].append(_said(child, depth).strip())
    return parts


def _power(element: Any, parts: dict[str, list[str]]) -> str:
    base, power = "".join(parts["e"]), "".join(parts["sup"])
    if all(character in "′″‴'" for character in power):
        return base + power
    sign = in_raised_signs(power)
    return f"{base}{sign}" if sign else f" {base} to the power of {power} "


def _index(element: Any, parts: dict[str, list[str]]) -> str:
    return f" {''.join(parts['e'])} {''.join(parts['sub'])} "


def _index_and_power(element: Any, parts: dict[str, list[str]]) -> str:
    return _power(element, {**parts, "e": [_index(element, parts).strip()]})


def _fraction(element: Any, parts: dict[str, list[str]]) -> str:
    kind = _option(element, "f", "type")
    between = "choose" if kind == "noBar" else "over"
    return f" {''.join(parts['num'])} {between} {''.join(parts['den'])} "


def _root(element: Any, parts: dict[str, list[str]]) -> str:
    degree = "".join(parts["deg"])
    kind = f"{_ROOTS[degree]} root" if degree in _ROOTS else f"root of degree {degree}"
    return f" the {kind} of {''.join(parts['e'])} "


def _bracket(element: Any, parts: dict[str, list[str]]) -> str:
    signs = (_option(element, "d", name) for name in ("begChr", "sepChr", "endChr"))
    begin, between, end = (usual if sign is None else sign for sign, usual in zip(signs, "(|)", strict=True))
    return f"{begin}{between.join(parts['e'])}{end}"


def _function(element: Any, parts: dict[str, list[str]]) -> str:
    return f" {''.join(parts['fName'])} {''.join(parts['e'])} "


def _option(element: Any, kind: str, name: str) -> str | None:
    found = element.find(f"{MATH}{kind}Pr/{MATH}{name}")
    return None if found is None else found.get(f"{MATH}val", "")


_READERS = {
    "sSup": _power, "sSub": _index, "sSubSup": _index_and_power, "f": _fraction, "rad": _root, "d": _bracket,
    "func": _function,
}  # fmt: skip

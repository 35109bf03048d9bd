"""Converts formulas in MathML, TeX and DOCX to words and plain-text signs, as they are read aloud.

Superscripts are either powers, which are read, or note marks, which are not; subscripts are read.
"""

from __future__ import annotations

import re
from typing import Any

from engine.text.documents.prose import clean, is_note_mark
from engine.text.documents.word_package import MATH, WORD

RAISED = str.maketrans("0123456789+-−–", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻")
LOWERED = str.maketrans("0123456789+-−–", "₀₁₂₃₄₅₆₇₈₉₊₋₋₋")
_EXPONENT = re.compile(r"[+−–-]?\d+|\d*[+−–-]")
_INDEX = re.compile(r"[+−–-]?\d+")
_VARIABLE = re.compile(r"[nxyzk]")
_WRITTEN_MARKS = re.compile(r"(?<=\S)(?:(?<=[\w.,;:!?…)\]”’\"'»])[*†‡]{1,3}(?!\w|[*†‡])|[⁺⁻]?[⁰¹²³⁴-⁹]+[⁺⁻]?)")
_SIGN = re.compile("[⁺⁻]")
_YEAR = re.compile(r"(?<![\w.,])(?:1\d|20)\d\d$")
_NUMBER = re.compile(r"\d$")
_TERM = re.compile(r"(?<![^\W\d_])[^\W\d_]{1,4}$")
_VOWEL = re.compile(r"[aeiouyà-ÿ]", re.IGNORECASE)
_FUNCTIONS = frozenset({"sin", "cos", "tan", "cot", "log", "ln", "exp", "sec", "csc", "sinh", "cosh", "tanh"})
_UNITS = frozenset({"in", "mi", "ha", "au", "cm", "km", "mm", "ft", "yd"})
_BEHIND_NUMBER = re.compile(r"\d[ \u00a0\u2009\u202f]?$")
_IN_BRACKETS = re.compile(r"\(([^()]{1,40})\)$")
_DIVISION = re.compile(r"[/⁄](?:[₀-₉\d].*)?", re.DOTALL)
_MARKS = re.compile(r"\d{1,3}(?:\s*[,;–-]\s*\d{1,3}|\s+\d{1,3})+")
_SYMBOL = re.compile(r"[A-Z][a-z]?(?![\w.])")
_WORD = re.compile(r"[^\W\d_]{3}")


def raised(before: str, text: str, behind: str = "") -> str | None:
    """Return a superscript as it is read between the text before and behind it; None if it is a note mark."""
    text = text.strip()
    if text.isdigit() and _DIVISION.fullmatch(behind) and not before[-1:].isalpha():
        return text.translate(RAISED)  # as in ¹/₂
    if text.isdigit() and _SYMBOL.match(behind) and re.search(r"[\w,;(]\s$|[(]$", before):
        return text  # as in carbon-14
    if _EXPONENT.fullmatch(text):
        sure = text[0] in "+−–-" or text[-1] in "+−–-"
        return text.translate(RAISED) if before and (sure or _takes_exponent(before)) else None
    if _VARIABLE.fullmatch(text) and re.search(r"(?<!\w)(?:[a-z]|\d+)$", before):
        return f"^{text}"
    return None if (is_note_mark(text) or _MARKS.fullmatch(text)) and _ends_word(before) else text


def with_raised(before: str, text: str, behind: str = "") -> str:
    """Return the same as `raised`, but empty for a note mark."""
    return raised(before, text, behind) or ""


def in_raised_signs(text: str) -> str | None:
    """Return a power in Unicode superscripts; None if there are none for it."""
    return text.translate(RAISED) if _EXPONENT.fullmatch(text) else None


def lowered(before: str, text: str) -> str:
    """Return a subscript as it is read after the text before it."""
    text = text.strip()
    if _INDEX.fullmatch(text):
        return text.translate(LOWERED)
    return f" {text}" if before[-1:].isalnum() else text


def without_written_marks(text: str) -> str:
    """Return the text without note marks written as separate characters, as in “the end.¹²” and “so.*”."""
    return _WRITTEN_MARKS.sub(_written, text)


def _written(match: re.Match[str]) -> str:
    before = match.string[max(0, match.start() - 60) : match.start()]
    if match[0][0] in "*†‡":
        return "" if _ends_word(before) else match[0]
    return match[0] if _SIGN.search(match[0]) or _takes_exponent(before) else ""


def _takes_exponent(before: str) -> bool:
    """Return whether a raised number after this text is an exponent: after numbers, variables and units."""
    if _NUMBER.search(before):
        return _YEAR.search(before) is None
    if before[-1:] in "⁺⁻^°":
        return True
    if bracket := _IN_BRACKETS.search(before):
        return _WORD.search(bracket[1]) is None and _YEAR.search(bracket[1]) is None
    term = _TERM.search(before)
    if term is None:
        return False
    word = term[0]
    if word in _FUNCTIONS or len(word) == 1:
        return True
    if word in _UNITS and _BEHIND_NUMBER.search(before[: term.start()]):
        return True
    return len(word) == 2 and _VOWEL.search(word) is None


def _ends_word(before: str) -> bool:
    """Return whether this ends with a whole word or with a punctuation mark."""
    return re.search(r"(?:\w{3}|[^\w\s])\s*$", before) is not None


_CODE = re.compile(r"[\\{}^_$]")
"""Characters that reveal TeX code in an alternative text."""
_NO_TEXT = re.compile(
    r"(?:no )?alt(?:ernative)? text.*|.*\bnot available|(?:math(?:ematical)? )?(?:formula|equation)", re.IGNORECASE
)
_PLAIN = re.compile(r"[\w\s.,:;+−*/=<>≤≥≠≈±×÷·⋅()|!%π∞-]*")
_SPOKEN = {
    "∈": "in", "∉": "not in", "⊂": "subset of", "⊆": "subset of", "∪": "union", "∩": "intersection",
    "⇒": "implies", "⇔": "if and only if", "∀": "for all", "∃": "there is", "∂": "partial", "∑": "sum", "∏": "product",
    "∫": "integral", "≡": "equivalent to", "→": "to", "□": "", "■": "", "△": "",
}  # fmt: skip
"""Words for signs that plain text does not have; end-of-proof marks are dropped."""
_TOKENS = frozenset({"mi", "mn", "mo", "mtext", "ms"})
_ROWS = frozenset({"math", "mrow", "mstyle", "semantics", "mpadded", "merror"})
_UNSEEN = re.compile("[\u2061-\u2064]")


def formula(element: Any) -> str | None:
    """Return a `math` element in words and signs; None if it is too complex to read plainly."""
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
    """Join two parts above, below or beside each other."""
    first, second = (each.strip() for each in said)
    if name == "mfrac":
        return f"{first}/{second}" if first.isdigit() and second.isdigit() else f" {first} over {second} "
    if name == "msup":
        sign = raised(f" {first}", second) if second.lstrip("−-").isdigit() else None
        return f"{first}{sign}" if sign and not sign.isalpha() else f"{first} to the power of {second} "
    if name == "msub":
        return f"{first}{lowered(first, second)} "
    return None


_NAMES = {
    "times": "×", "cdot": "·", "div": "÷", "pm": "±", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠",
    "neq": "≠", "approx": "≈", "infty": "∞", "degree": "°", "circ": "°", "to": "→", "rightarrow": "→", "alpha": "α",
    "beta": "β", "gamma": "γ", "delta": "δ", "Delta": "Δ", "epsilon": "ε", "varepsilon": "ε", "theta": "θ",
    "lambda": "λ", "mu": "μ", "pi": "π", "rho": "ρ", "sigma": "σ", "Sigma": "Σ", "tau": "τ", "phi": "φ", "varphi": "φ",
    "psi": "ψ", "omega": "ω", "Omega": "Ω", "sin": " sin ", "cos": " cos ", "tan": " tan ", "log": " log ",
    "ln": " ln ", "exp": " exp ", "ldots": "…", "dots": "…", "left": "", "right": "", "quad": " ", "qquad": " ",
}  # fmt: skip
_STEPS = (
    (re.compile(r"\\(?:text|mathrm|mathbf|mathit|operatorname)\s*\{([^{}\\]*)\}"), r" \1 "),
    (re.compile(r"\\[dt]?frac\s*\{([^{}\\]*)\}\s*\{([^{}\\]*)\}"), r" \1 over \2 "),
    (re.compile(r"\\sqrt\s*\{([^{}\\]*)\}"), r" square root of \1 "),
)
_COMMAND = re.compile(r"\\([A-Za-z]+)\s*")
_SPACES = re.compile(r"\\[,;:! ]|~")
_RAISE = re.compile(r"\^(?:\{([+−-]?\d+)\}|(\d))")
_POWER_OF_VARIABLE = re.compile(r"\^(?:\{n\}|n\b)")
_LOWER = re.compile(r"_(?:\{(\d+)\}|(\d))")
_RELATION = re.compile(r"\s*([=<>≤≥≠≈+×÷±→]|(?<=[\w)²³])\s*[-−](?=\s*\w))\s*")
_LEFT = re.compile(r"[\\{}_$&#]|\^(?!n\b)")
_MAX_LENGTH = 200


def plain_formula(source: str) -> str | None:
    """Return a TeX formula in plain signs; None if it is too complex."""
    text = " ".join(source.split())
    if not text or len(text) > _MAX_LENGTH:
        return None
    text = _COMMAND.sub(lambda match: _NAMES.get(match[1], match[0]), _SPACES.sub(" ", text))
    text = _LOWER.sub(lambda match: (match[1] or match[2]).translate(LOWERED), text)
    text = _RAISE.sub(lambda match: (match[1] or match[2]).translate(RAISED), text)
    text = _POWER_OF_VARIABLE.sub("^n", text)
    for _ in range(3):  # from the inside out
        for pattern, plain in _STEPS:
            text = pattern.sub(plain, text)
    if _LEFT.search(text):
        return None
    return " ".join(_RELATION.sub(lambda match: f" {match[1].strip()} ", text).split())


UNREADABLE = "formula"
_MAX_DEPTH = 12
"""The largest depth of nested formulas; listeners cannot follow more."""
_ROOTS = {"": "square", "2": "square", "3": "cube", "4": "fourth", "n": "nth"}
_GROUPS = frozenset({"oMath", "oMathPara", "r", "e", "num", "den", "sup", "sub", "deg", "fName", "box", "borderBox"})
_PARTS = ("e", "num", "den", "sup", "sub", "deg", "fName")
_LEFT_OUT = frozenset({f"{WORD}del", f"{WORD}moveFrom", f"{WORD}rPr", f"{WORD}pPr"})


class _TooComplex(Exception):
    """A formula that cannot be understood without its picture."""


def spoken(formula: Any) -> str | None:
    """Return powers, fractions, roots, indices, brackets and functions in words and signs; None for anything else."""
    try:
        return clean(_said(formula, 0))
    except _TooComplex:
        return None


def _said(element: Any, depth: int) -> str:
    if depth > _MAX_DEPTH:
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
    """Return the spoken parts of an element, by name."""
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

"""Bytes as text: by their mark, as UTF-8, else in the encoding in which they make the likeliest text."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from charset_normalizer import from_bytes

from engine.documents.likely_text import likelihood, unusual_characters
from engine.errors import DamagedDocument

REPLACED = "\ufffd"
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_UTF8 = "utf_8"
_WIDE = ("utf_16_le", "utf_16_be", "utf_32_le", "utf_32_be")
_USUAL = {
    _UTF8: 0.0, "cp1252": 0.0, "gb18030": 1.0, "cp932": 1.0, "cp1251": 1.0, "big5hkscs": 1.0, "euc_jp": 1.0,
    "cp949": 1.0, "cp1250": 1.0, "iso8859_2": 1.5, "koi8_r": 1.5, "cp1253": 1.5, "cp1254": 1.5, "cp1255": 1.5,
    "cp1256": 1.5, "cp1257": 1.5, "cp874": 4.0, "mac_roman": 2.0, "iso8859_7": 2.0, "iso8859_5": 2.0, "koi8_u": 2.0,
    "cp866": 2.0, "mac_cyrillic": 2.5, "iso8859_15": 2.5, "cp850": 3.0, "cp437": 3.0, "cp852": 4.0, "mac_latin2": 5.0,
}  # fmt: skip
"""How much less likely an encoding is than the most usual ones, as a logarithm."""
_UNUSUAL, _TRUST = 6.0, 50.0
_LEAST_LIKELY, _LEAST_LIKELY_WIDE = -11.0, -9.7
"""The logarithm of the probability of a character, on average, below which there is no text.

Any bytes are letters of some language in UTF-16.
"""
_NAMES = {
    "cp1252": "Windows-1252 (Western European)", "cp1250": "Windows-1250 (Central European)",
    "cp1251": "Windows-1251 (Cyrillic)", "cp1253": "Windows-1253 (Greek)", "cp1254": "Windows-1254 (Turkish)",
    "cp1255": "Windows-1255 (Hebrew)", "cp1256": "Windows-1256 (Arabic)", "cp1257": "Windows-1257 (Baltic)",
    "iso8859_2": "ISO 8859-2 (Central European)", "iso8859_5": "ISO 8859-5 (Cyrillic)",
    "iso8859_7": "ISO 8859-7 (Greek)", "iso8859_15": "ISO 8859-15 (Western European)", "koi8_r": "KOI8-R (Cyrillic)",
    "koi8_u": "KOI8-U (Cyrillic)", "gb18030": "GBK (Chinese)", "big5hkscs": "Big5 (Chinese)",
    "cp932": "Shift_JIS (Japanese)", "euc_jp": "EUC-JP (Japanese)", "cp949": "EUC-KR (Korean)",
    "cp866": "DOS (Cyrillic)", "mac_roman": "Mac OS Roman", "mac_cyrillic": "Mac OS Cyrillic",
    "mac_latin2": "Mac OS Central European",
    "utf_16_le": "UTF-16", "utf_16_be": "UTF-16", "utf_32_le": "UTF-32", "utf_32_be": "UTF-32",
}  # fmt: skip
_MOST_REPLACED = 0.25
"""Characters that could not be read, for each letter: more are no accident."""
_SAMPLE_BYTES, _CONTEXT_BYTES = 16_384, 100
_LETTERS = b"aA"
"""Those of ASCII, which codes of mainframes have elsewhere."""
_NAMING = re.compile(rb"\b(?:charset|encoding|coding)\s*[:=]\s*[\"']?([\w.-]{3,20})", re.IGNORECASE)
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_CONTROL_SHARE = 0.01
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")


@dataclass(frozen=True)
class Decoded:
    """A text with newlines at its line ends, and sentences about what was guessed or replaced."""

    text: str = field(repr=False)
    notices: tuple[str, ...] = ()


def decoded(content: bytes, name: str) -> Decoded:
    """The text of a file; raises `DamagedDocument` for what cannot be text.

    A mark at its beginning tells the encoding; else it is UTF-8, even with a few wrong bytes, or guessed.
    """
    encoding = next((encoding for mark, encoding in _MARKS if content.startswith(mark)), "")
    notices = []
    if not encoding:
        named = _named(content)
        encoding = _guessed(content, named)
        if encoding not in ("", _UTF8, named):
            notices.append(f"“{name}” does not say which encoding it uses; it was read as {_told(encoding)}.")
    text = _lines(content.decode(encoding, "replace")) if encoding else ""
    replaced = text.count(REPLACED) - content.count(REPLACED.encode())  # less those that were written so
    if content and (not encoding or replaced > _MOST_REPLACED * sum(map(str.isalpha, text))):
        raise DamagedDocument(f"“{name}” is not a text, whatever its name says.", "Choose a text or another document.")
    if replaced > 0:
        notices.append(_told_replacements(replaced, text.count("\n", 0, text.index(REPLACED)) + 1, name))
    return Decoded(text, tuple(notices))


def _named(content: bytes) -> str:
    """The encoding that a text names at its beginning, as Project Gutenberg does; empty if it names none."""
    found = _NAMING.search(content[:_SAMPLE_BYTES])
    try:
        name = codecs.lookup(found[1].decode()).name.replace("-", "_") if found else ""
        fits = bool(name) and _LETTERS.decode(name) == _LETTERS.decode()
    except (LookupError, ValueError):  # a name of something else
        return ""
    return {"iso8859_1": "cp1252", "gb2312": "gb18030", "gbk": "gb18030"}.get(name, name) if fits else ""


def _guessed(content: bytes, named: str = "") -> str:
    """The encoding of bytes without a mark, which may name one; empty if they are no text."""
    if b"\x00" in content:
        wide = _likeliest(content[:_SAMPLE_BYTES], dict.fromkeys(_WIDE, 0.0), _LEAST_LIKELY_WIDE)
        if wide:
            return wide
    if len(_CONTROL.findall(content)) > _CONTROL_SHARE * len(content):
        return ""
    try:
        content.decode(_UTF8)
    except UnicodeDecodeError:
        sample = _sample(content)
        proposed = dict.fromkeys(_proposals(sample), _UNUSUAL) | _USUAL
        return _likeliest(sample, proposed | ({named: -_TRUST} if named else {}))
    return _UTF8


def _sample(content: bytes) -> bytes:
    """Lines with more than ASCII, from the beginning on; of long ones only what is near."""
    parts, length, done = [], 0, 0
    while length < _SAMPLE_BYTES and (found := _BEYOND_ASCII.search(content, done)):
        start = max(content.rfind(b"\n", done, found.start()) + 1, done, found.start() - _CONTEXT_BYTES)
        end = content.find(b"\n", found.end(), found.end() + _SAMPLE_BYTES)
        done = end + 1 if end >= 0 else found.end() + _SAMPLE_BYTES
        parts.append(content[start:done])
        length += done - found.start()
    return b"".join(parts)


def _proposals(sample: bytes) -> Iterable[str]:
    """Encodings that a detector of many thinks possible; of a few words, it misses the right one too often."""
    found = from_bytes(sample, steps=1, chunk_size=_SAMPLE_BYTES, enable_fallback=False)
    return (match.encoding for match in found if _LETTERS.decode(match.encoding, "ignore") == _LETTERS.decode())


def _likeliest(sample: bytes, handicaps: dict[str, float], least: float = _LEAST_LIKELY) -> str:
    """The encoding in which the bytes make the likeliest text; empty if all make none."""
    best, most = "", float("-inf")
    for encoding, handicap in handicaps.items():
        text = sample.decode(encoding, "replace")
        likely = likelihood(text)
        if likely >= least * unusual_characters(text) and likely - handicap > most:
            best, most = encoding, likely - handicap
    return best


def _told_replacements(count: int, line: int, name: str) -> str:
    what = "A character" if count == 1 else f"{count:,} characters"
    return f"{what} of “{name}” could not be read, {'' if count == 1 else 'the first '}in line {line:,}."


def _told(encoding: str) -> str:
    return _NAMES.get(encoding) or encoding.replace("_", "-").upper()


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")

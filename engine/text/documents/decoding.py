"""Decodes bytes by their byte order mark, as UTF-8, or in the encoding that yields the likeliest text.

The likelihood depends on the characters beyond ASCII: a wrong encoding yields unusual ones.
"""

from __future__ import annotations

import codecs
import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache

from charset_normalizer import from_bytes

from engine.errors import DamagedDocument

_ALPHABETS = (
    "éèàêâçîôûùëïœüæÿ", "üäöß", "óíáéñúü", "ãçáéóíêõâúàôü", "èàùòìéîó", "ëéïèöü", "äåöé", "øåæéöä", "áíðéúóöæþý",
    "łęóążśćńź", "íáěéýžčšřůúťňďó", "áíéýžčšúťňôďóľäŕĺ", "áéőöóíüúű", "ăîâșț", "ăîâşţ", "čšžćđ", "ıüşçğöâîû",
    "ėšįųžūčęą", "āīēšņļūžčģķ", "äõüöšž", "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё", "оаниевтрсклудпміязбьйгчхжцюєшїщґф",
    "оаиенрсјтувкдмлпгзбшљчцжњћхђџф", "αοιετσνηυρκπλςμωίόάέδγήθύχώφβξζψϊϋ", "יוהלאתרבמשנדעקחפכטגסזצםןךףץ",
    "الينمروتبةعدسفهكقحجشطصخأضىذئزثإغءظآؤ",
    "าร่นอก้เงมยลวด์ทสตัะปบคแหิจขีใไพชู็ุโผึซถศณธษํภฟญ",
)  # fmt: skip
"""The letters of each language beyond ASCII, the most frequent ones first."""
_MIXED = "éèçüöäñïôêáíóàâæœëûåø"
"""The letters that English borrows from other languages."""
_HANZI = (
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事"
    "成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日者意无力它与长把十第此已使情明"
    "性知全三又关点正外将两高间由问很最重并物手向头文体美相见被什二等新己身西月话合回内信老给世位次度门常先海声名真走几口"
    "气更别打女四神何安少才再感做场山五眼书听白却光难王死张望觉清今让早晚夜风雨",
    "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種事"
    "成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實日者意無力它與長把十第此已使情明"
    "性知全三又關點正外將兩高間由問很最重並物手向頭文體美相見被什二等新己身西月話合回內信老給世位次度門常先海聲名真走幾口"
    "氣更別打女四神何安少才再感做場山五眼書聽白卻光難王死張望覺清今讓早晚夜風雨",
)
_KANJI = (
    "日一人年大十二本中長出三時行見月分後前生五間上東四今金九入学高円子外八六下来気小七山話女北午百書先名川千水半男"
)
_APOSTROPHE, _DEFAULT_SIGNS = "’", "“”‘–—…«»„\u00a0·"
_OTHER_SIGNS = "‚‹›€£§°•©®™½¼¾²³¹ªº¿¡¢×÷µ†‡№¶−≈★→"
_NEVER_INSIDE = frozenset(_OTHER_SIGNS + "“”‘„«»")
_FIRST_GREEK, _FIRST_SIGN = "\u0370", "\u2000"
_FIRST_EASTERN = "\u2e80"
_FULL_WIDTH = "，。、：；！？（）「」『』“”‘’《》〈〉·…—～ー　・０１２３４５６７８９"
_LETTERS_OF_ENGLISH, _LETTERS_OF_OTHERS, _LETTERS_OF_CHINESE = 0.2, 0.8, 0.8
_CAPITAL, _AMONG_CAPITALS, _SCATTERED = 0.1, 0.8, 1e-3
_UNKNOWN_LETTER, _UNKNOWN, _IMPOSSIBLE = math.log(3e-5), math.log(1e-6), math.log(1e-9)


def likelihood(text: str) -> float:
    """Return the log probability of all characters beyond ASCII, in the language in which they are likeliest."""
    contexts = Counter(
        (before, character, after)
        for before, character, after in zip(" " + text, text, text[1:] + " ", strict=False)
        if _is_unusual(character)
    )
    return max(sum(count * _logarithm(model, context) for context, count in contexts.items()) for model in _models())


def unusual_characters(text: str) -> int:
    """Return the number of characters that `likelihood` considers."""
    return sum(map(_is_unusual, text))


def _is_unusual(character: str) -> bool:
    return not " " <= character <= "~" and character not in "\t\n\r\f\v\x1b"


def _logarithm(model: dict[str, float], context: tuple[str, str, str]) -> float:
    before, character, after = context
    probability = model.get(character.lower())
    if probability is None:
        if character.isalpha() and character < _FIRST_EASTERN:
            return _UNKNOWN_LETTER
        return _UNKNOWN if character.isprintable() else _IMPOSSIBLE
    return math.log(probability * _fit(before, character, after))


def _fit(before: str, character: str, after: str) -> float:
    """Return a factor for a character between its neighbors: capitals and signs are unlikely inside words."""
    if _FIRST_GREEK <= character < _FIRST_SIGN and (_is_latin(before) or _is_latin(after)):
        return _SCATTERED
    if character.isupper():
        return _SCATTERED if before.islower() else _AMONG_CAPITALS if (before + after).isupper() else _CAPITAL
    if character.islower():
        return _SCATTERED if after.isupper() or (before.isdigit() and after.isdigit()) else 1.0
    inside = before.isalpha() and after.isalpha() and max(before, after) < _FIRST_EASTERN
    strange = (inside and character in _NEVER_INSIDE) or (character in _OTHER_SIGNS and after.islower())
    return _SCATTERED if strange else 1.0


def _is_latin(character: str) -> bool:
    return character.isascii() and character.isalpha()


@cache
def _models() -> tuple[dict[str, float], ...]:
    """Return the probabilities of lowercase letters and signs for each language."""
    alphabets = [(_MIXED, _LETTERS_OF_ENGLISH), *((letters, _LETTERS_OF_OTHERS) for letters in _ALPHABETS)]
    return (*(_model(letters, share) for letters, share in alphabets), *_eastern_models())


def _model(letters: str, share: float) -> dict[str, float]:
    signs = 1.0 - share
    return (
        {_APOSTROPHE: signs * 0.5}
        | {sign: signs * 0.4 / len(_DEFAULT_SIGNS) for sign in _DEFAULT_SIGNS}
        | {sign: signs * 0.1 / len(_OTHER_SIGNS) for sign in _OTHER_SIGNS}
        | _ranked(letters, share)
    )


def _eastern_models() -> list[dict[str, float]]:
    """Return the models of simplified and traditional Chinese, Japanese and Korean.

    Their national codes list common characters first.
    """
    signs = {sign: 0.15 / len(_FULL_WIDTH) for sign in _FULL_WIDTH}
    kana = {chr(code): 0.5 / 168 for code in (*range(0x3041, 0x3094), *range(0x30A1, 0x30F7))}
    return [
        _even(_first_of("gb2312", 0xB0, 0xD8), 0.45) | _even(_HANZI[0], 0.4) | signs,
        _even(_first_of("big5", 0xA4, 0xC7), 0.45) | _even(_HANZI[1], 0.4) | signs,
        _even(_first_of("euc_jp", 0xB0, 0xD0), 0.2) | _even(_KANJI, 0.15) | kana | signs,
        _even(_first_of("euc_kr", 0xB0, 0xC9), 0.85) | signs,
    ]


def _first_of(encoding: str, first: int, end: int) -> str:
    """Return the characters of the first rows of a double-byte code."""
    codes = (bytes((row, cell)) for row in range(first, end) for cell in range(0x40, 0xFF))
    return "".join(code.decode(encoding, "ignore") for code in codes)


def _even(characters: str, share: float) -> dict[str, float]:
    return dict.fromkeys(characters, share / len(characters))


def _ranked(letters: str, share: float) -> dict[str, float]:
    """Return probabilities that fall with the rank."""
    total = sum(1 / (rank + 3) for rank in range(len(letters)))
    return {letter: share / (rank + 3) / total for rank, letter in enumerate(letters)}


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
_COMMON_HANDICAPS = {
    _UTF8: 0.0, "cp1252": 0.0, "gb18030": 1.0, "cp932": 1.0, "cp1251": 1.0, "big5hkscs": 1.0, "euc_jp": 1.0,
    "cp949": 1.0, "cp1250": 1.0, "iso8859_2": 1.5, "koi8_r": 1.5, "cp1253": 1.5, "cp1254": 1.5, "cp1255": 1.5,
    "cp1256": 1.5, "cp1257": 1.5, "cp874": 4.0, "mac_roman": 2.0, "iso8859_7": 2.0, "iso8859_5": 2.0, "koi8_u": 2.0,
    "cp866": 2.0, "mac_cyrillic": 2.5, "iso8859_15": 2.5, "cp850": 3.0, "cp437": 3.0, "cp852": 4.0, "mac_latin2": 5.0,
}  # fmt: skip
"""The log penalty of each encoding, relative to the most common ones."""
_RARE_HANDICAP, _TRUST = 6.0, 50.0
_MIN_LIKELY, _MIN_LIKELY_WIDE = -11.0, -9.7
"""The average log probability of a character below which bytes are not text.

In UTF-16, any bytes are letters of some language.
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
_MAX_REPLACED = 0.25
"""The largest acceptable share of undecodable characters per letter."""
_SAMPLE_BYTES, _CONTEXT_BYTES = 16_384, 100
_LETTERS = b"aA"
"""ASCII letters, which EBCDIC codes place elsewhere."""
_NAMING = re.compile(rb"\b(?:charset|encoding|coding)\s*[:=]\s*[\"']?([\w.-]{3,20})", re.IGNORECASE)
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_CONTROL_SHARE = 0.01
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")


@dataclass(frozen=True)
class Decoded:
    """A text with newlines as line ends, and notices about a guessed encoding and replaced characters."""

    text: str = field(repr=False)
    notices: tuple[str, ...] = ()


def decoded(content: bytes, name: str) -> Decoded:
    """Decode the text of a file; raises `DamagedDocument` for binary content.

    The byte order mark decides; without one, the text is UTF-8, even with a few invalid bytes, or its encoding is
    guessed.
    """
    encoding = next((encoding for mark, encoding in _MARKS if content.startswith(mark)), "")
    notices = []
    if not encoding:
        named = _named(content)
        encoding = _guessed(content, named)
        if encoding not in ("", _UTF8, named):
            title = _NAMES.get(encoding) or encoding.replace("_", "-").upper()
            notices.append(f"“{name}” doesn’t specify its encoding; it was read as {title}.")
    text = content.decode(encoding, "replace") if encoding else ""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    replaced = text.count(REPLACED) - content.count(REPLACED.encode())  # except those in the source
    if content and (not encoding or replaced > _MAX_REPLACED * sum(map(str.isalpha, text))):
        raise DamagedDocument(f"“{name}” isn’t a text file.", "Choose a different document.")
    if replaced > 0:
        notices.append(_announced_replacements(replaced, text.count("\n", 0, text.index(REPLACED)) + 1, name))
    return Decoded(text, tuple(notices))


def _named(content: bytes) -> str:
    """Return the encoding named at the beginning of a text, as in Project Gutenberg files; empty if none is."""
    found = _NAMING.search(content[:_SAMPLE_BYTES])
    try:
        name = codecs.lookup(found[1].decode()).name.replace("-", "_") if found else ""
        fits = bool(name) and _LETTERS.decode(name) == _LETTERS.decode()
    except (LookupError, ValueError):  # the name of something else
        return ""
    return {"iso8859_1": "cp1252", "gb2312": "gb18030", "gbk": "gb18030"}.get(name, name) if fits else ""


def _guessed(content: bytes, named: str = "") -> str:
    """Guess the encoding of bytes without a byte order mark; empty if they are not text. `named` is preferred."""
    if b"\x00" in content:
        wide = _likeliest(content[:_SAMPLE_BYTES], dict.fromkeys(_WIDE, 0.0), _MIN_LIKELY_WIDE)
        if wide:
            return wide
    if len(_CONTROL.findall(content)) > _CONTROL_SHARE * len(content):
        return ""
    try:
        content.decode(_UTF8)
    except UnicodeDecodeError:
        sample = _sample(content)
        proposed = dict.fromkeys(_proposals(sample), _RARE_HANDICAP) | _COMMON_HANDICAPS
        return _likeliest(sample, proposed | ({named: -_TRUST} if named else {}))
    return _UTF8


def _sample(content: bytes) -> bytes:
    """Return lines with characters beyond ASCII, from the beginning; long lines are cut around these characters."""
    parts, length, done = [], 0, 0
    while length < _SAMPLE_BYTES and (found := _BEYOND_ASCII.search(content, done)):
        start = max(content.rfind(b"\n", done, found.start()) + 1, done, found.start() - _CONTEXT_BYTES)
        end = content.find(b"\n", found.end(), found.end() + _SAMPLE_BYTES)
        done = end + 1 if end >= 0 else found.end() + _SAMPLE_BYTES
        parts.append(content[start:done])
        length += done - found.start()
    return b"".join(parts)


def _proposals(sample: bytes) -> Iterable[str]:
    """Return the encodings that charset-normalizer proposes; for a few words, the right one is often missing."""
    found = from_bytes(sample, steps=1, chunk_size=_SAMPLE_BYTES, enable_fallback=False)
    return (match.encoding for match in found if _LETTERS.decode(match.encoding, "ignore") == _LETTERS.decode())


def _likeliest(sample: bytes, handicaps: dict[str, float], least: float = _MIN_LIKELY) -> str:
    """Return the encoding in which the bytes are the likeliest text; empty if none qualifies."""
    best, most = "", float("-inf")
    for encoding, handicap in handicaps.items():
        text = sample.decode(encoding, "replace")
        likely = likelihood(text)
        if likely >= least * unusual_characters(text) and likely - handicap > most:
            best, most = encoding, likely - handicap
    return best


def _announced_replacements(count: int, line: int, name: str) -> str:
    what = "A character" if count == 1 else f"{count:,} characters"
    return f"{what} of “{name}” couldn’t be decoded, {'' if count == 1 else 'the first '}in line {line:,}."

"""How likely a text is, judged by its characters beyond ASCII: what is decoded wrongly has strange ones."""

from __future__ import annotations

import math
from collections import Counter
from functools import cache

_ALPHABETS = (
    "éèàêâçîôûùëïœüæÿ", "üäöß", "óíáéñúü", "ãçáéóíêõâúàôü", "èàùòìéîó", "ëéïèöü", "äåöé", "øåæéöä", "áíðéúóöæþý",
    "łęóążśćńź", "íáěéýžčšřůúťňďó", "áíéýžčšúťňôďóľäŕĺ", "áéőöóíüúű", "ăîâșț", "ăîâşţ", "čšžćđ", "ıüşçğöâîû",
    "ėšįųžūčęą", "āīēšņļūžčģķ", "äõüöšž", "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё", "оаниевтрсклудпміязбьйгчхжцюєшїщґф",
    "оаиенрсјтувкдмлпгзбшљчцжњћхђџф", "αοιετσνηυρκπλςμωίόάέδγήθύχώφβξζψϊϋ", "יוהלאתרבמשנדעקחפכטגסזצםןךףץ",
    "الينمروتبةعدسفهكقحجشطصخأضىذئزثإغءظآؤ",
    "าร่นอก้เงมยลวด์ทสตัะปบคแหิจขีใไพชู็ุโผึซถศณธษํภฟญ",
)  # fmt: skip
"""Letters of a language beyond ASCII, the most frequent ones first."""
_MIXED = "éèçüöäñïôêáíóàâæœëûåø"
"""Those that English takes over from other languages."""
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
_APOSTROPHE, _USUAL_SIGNS = "’", "“”‘–—…«»„\u00a0·"
_OTHER_SIGNS = "‚‹›€£§°•©®™½¼¾²³¹ªº¿¡¢×÷µ†‡№¶−≈★→"
_NEVER_INSIDE = frozenset(_OTHER_SIGNS + "“”‘„«»")
_FIRST_GREEK, _FIRST_SIGN = "\u0370", "\u2000"
_FIRST_EASTERN = "\u2e80"
_FULL_WIDTH = "，。、：；！？（）「」『』“”‘’《》〈〉·…—～ー　・０１２３４５６７８９"
_LETTERS_OF_ENGLISH, _LETTERS_OF_OTHERS, _LETTERS_OF_CHINESE = 0.2, 0.8, 0.8
_CAPITAL, _AMONG_CAPITALS, _SCATTERED = 0.1, 0.8, 1e-3
_UNKNOWN_LETTER, _UNKNOWN, _IMPOSSIBLE = math.log(3e-5), math.log(1e-6), math.log(1e-9)


def likelihood(text: str) -> float:
    """The logarithm of the probability of all characters beyond ASCII, in the language in which they are likeliest."""
    contexts = Counter(
        (before, character, after)
        for before, character, after in zip(" " + text, text, text[1:] + " ", strict=False)
        if _is_unusual(character)
    )
    return max(sum(count * _logarithm(model, context) for context, count in contexts.items()) for model in _models())


def unusual_characters(text: str) -> int:
    """How many characters `likelihood` looks at."""
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
    """How well a character stands between its neighbours: capitals and signs do not stand inside words."""
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
    """For each language, the probabilities of its small letters and signs."""
    alphabets = [(_MIXED, _LETTERS_OF_ENGLISH), *((letters, _LETTERS_OF_OTHERS) for letters in _ALPHABETS)]
    return (*(_model(letters, share) for letters, share in alphabets), *_eastern_models())


def _model(letters: str, share: float) -> dict[str, float]:
    signs = 1.0 - share
    return (
        {_APOSTROPHE: signs * 0.5}
        | {sign: signs * 0.4 / len(_USUAL_SIGNS) for sign in _USUAL_SIGNS}
        | {sign: signs * 0.1 / len(_OTHER_SIGNS) for sign in _OTHER_SIGNS}
        | _ranked(letters, share)
    )


def _eastern_models() -> list[dict[str, float]]:
    """Chinese in both writings, Japanese and Korean, whose usual characters come first in their own codes."""
    signs = {sign: 0.15 / len(_FULL_WIDTH) for sign in _FULL_WIDTH}
    kana = {chr(code): 0.5 / 168 for code in (*range(0x3041, 0x3094), *range(0x30A1, 0x30F7))}
    return [
        _even(_first_of("gb2312", 0xB0, 0xD8), 0.45) | _even(_HANZI[0], 0.4) | signs,
        _even(_first_of("big5", 0xA4, 0xC7), 0.45) | _even(_HANZI[1], 0.4) | signs,
        _even(_first_of("euc_jp", 0xB0, 0xD0), 0.2) | _even(_KANJI, 0.15) | kana | signs,
        _even(_first_of("euc_kr", 0xB0, 0xC9), 0.85) | signs,
    ]


def _first_of(encoding: str, first: int, end: int) -> str:
    """The characters of the first rows of a code with two bytes."""
    codes = (bytes((row, cell)) for row in range(first, end) for cell in range(0x40, 0xFF))
    return "".join(code.decode(encoding, "ignore") for code in codes)


def _even(characters: str, share: float) -> dict[str, float]:
    return dict.fromkeys(characters, share / len(characters))


def _ranked(letters: str, share: float) -> dict[str, float]:
    """Probabilities that fall with the rank."""
    total = sum(1 / (rank + 3) for rank in range(len(letters)))
    return {letter: share / (rank + 3) / total for rank, letter in enumerate(letters)}

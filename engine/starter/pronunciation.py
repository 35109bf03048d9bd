"""From a teacher's ARPAbet phones of one word to misaki's symbols with their times."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import combinations
from typing import Any

from misaki.en import Lexicon, TokenContext

from engine.starter.teachers.speech import Phone

PRIMARY_STRESS = "ˈ"
STRESS_MARKS = "ˈˌ"
SYMBOL_OF_PHONE = {
    "aa": "ɑ", "ae": "æ", "ah": "ʌ", "ao": "ɔ", "aw": "W", "ax": "ə", "ay": "I", "eh": "ɛ", "ey": "A", "ih": "ɪ",
    "iy": "i", "ow": "O", "oy": "Y", "uh": "ʊ", "uw": "u", "b": "b", "ch": "ʧ", "d": "d", "dh": "ð", "f": "f",
    "g": "ɡ", "hh": "h", "jh": "ʤ", "k": "k", "l": "l", "m": "m", "n": "n", "ng": "ŋ", "p": "p", "r": "ɹ", "s": "s",
    "sh": "ʃ", "t": "t", "th": "θ", "v": "v", "w": "w", "y": "j", "z": "z", "zh": "ʒ",
}  # fmt: skip
VOWELS = frozenset("ɑæʌɔWəIɛAɪiOYʊuɜᵊᵻɐ")
RHOTIC_VOWEL_PART = 0.45
"""Share of ARPAbet's `er` given to the vowel; misaki writes a vowel and ɹ."""

SUBSTITUTION_COSTS = (
    ("ɐə", 0.05), ("ɐAʌ", 0.3), ("əʌᵊᵻɪɛ", 0.3), ("ɪi", 0.3), ("ʊu", 0.3), ("ɑɔ", 0.25), ("Oɔ", 0.4), ("ɜʌə", 0.3),
    ("æɛ", 0.4), ("ɑæ", 0.5), ("əɑ", 0.4), ("əæ", 0.4), ("əO", 0.4), ("əi", 0.5), ("Aɛ", 0.5), ("əA", 0.5),
    ("ʊə", 0.3), ("əɔ", 0.4), ("əu", 0.4), ("sz", 0.3), ("td", 0.4), ("Tt", 0.1), ("Td", 0.1), ("nŋ", 0.3),
    ("θð", 0.3), ("ʃʒ", 0.4), ("hw", 0.6),
)  # fmt: skip
OTHER_SUBSTITUTION_COST = 1.6
WEAK_SYMBOLS = frozenset("ᵊəjɹ")
WEAK_COST, STRONG_COST = 0.3, 0.9
"""Cost of a symbol with no partner: weak ones are often left out by one of the two dictionaries."""
ACCEPTED_COST_PER_PHONE = 0.35
TAGS = ("PRP", "IN", "DT", "NN", "VB", "VBD", "JJ", "RB")
CONTEXTS = (TokenContext(False), TokenContext(True), TokenContext(False, True), TokenContext(None))
"""Tried in this order, so that among equally near pronunciations the one used inside a sentence wins."""


@dataclass(frozen=True)
class TimedSymbol:
    """One symbol of misaki's alphabet and the time it fills, in seconds; a stress mark fills none."""

    symbol: str
    start_seconds: float
    end_seconds: float


def word_symbols(phones: Sequence[Phone], pronunciations: Sequence[str]) -> tuple[TimedSymbol, ...]:
    """Symbols of one word: misaki's pronunciation nearest to what was spoken, else the phones one by one.

    `pronunciations` are misaki's entries for the word; the symbols cover the phones' time without a gap.
    """
    pieces = arpabet_pieces(phones)
    best: tuple[float, str, _Pairs] | None = None
    for pronunciation in pronunciations:
        plain = [symbol for symbol in pronunciation if symbol not in STRESS_MARKS]
        cost, pairs = align(plain, [piece.symbol for piece, _ in pieces])
        if plain and (best is None or cost < best[0]):
            best = cost, pronunciation, pairs
    if best is not None and best[0] <= ACCEPTED_COST_PER_PHONE * max(3, len(pieces)):
        return _with_stress_marks(best[1], _spread(best[2], [piece for piece, _ in pieces]))
    return _from_arpabet(pieces)


def arpabet_pieces(phones: Sequence[Phone]) -> list[tuple[TimedSymbol, bool]]:
    """One or two symbols for each phone, and whether it is a vowel that bears stress."""
    pieces = []
    for phone in phones:
        start, end = phone.start_seconds, phone.end_seconds
        if phone.name == "er":
            border = start + (end - start) * RHOTIC_VOWEL_PART
            pieces.append((TimedSymbol("ɜ" if phone.stressed else "ə", start, border), phone.stressed))
            pieces.append((TimedSymbol("ɹ", border, end), False))
        else:
            symbol = SYMBOL_OF_PHONE[phone.name]
            pieces.append((TimedSymbol(symbol, start, end), phone.stressed and symbol in VOWELS))
    return pieces


_Pairs = list[tuple[str | None, int | None]]


def align(wanted: Sequence[str], spoken: Sequence[str]) -> tuple[float, _Pairs]:
    """Weighted edit distance of two symbol sequences; returns its cost and (wanted symbol, spoken index) pairs."""
    rows, columns = len(wanted) + 1, len(spoken) + 1
    cost = [[0.0] * columns for _ in range(rows)]
    step = [[""] * columns for _ in range(rows)]
    for row in range(rows):
        for column in range(columns):
            if row or column:
                cost[row][column], step[row][column] = _cheapest(cost, wanted, spoken, row, column)
    return cost[-1][-1], _trace(step, wanted)


def _cheapest(
    cost: list[list[float]], wanted: Sequence[str], spoken: Sequence[str], row: int, column: int
) -> tuple[float, str]:
    choices = []
    if row and column:
        choices.append((cost[row - 1][column - 1] + _substitution(wanted[row - 1], spoken[column - 1]), "both"))
    if row:
        choices.append((cost[row - 1][column] + _alone(wanted[row - 1]), "wanted"))
    if column:
        choices.append((cost[row][column - 1] + _alone(spoken[column - 1]), "spoken"))
    return min(choices)


def _trace(step: list[list[str]], wanted: Sequence[str]) -> _Pairs:
    row, column = len(step) - 1, len(step[0]) - 1
    pairs: _Pairs = []
    while row or column:
        kind = step[row][column]
        row -= kind != "spoken"
        column -= kind != "wanted"
        pairs.append((None if kind == "spoken" else wanted[row], None if kind == "wanted" else column))
    return pairs[::-1]


def _alone(symbol: str) -> float:
    return WEAK_COST if symbol in WEAK_SYMBOLS else STRONG_COST


@lru_cache(maxsize=4096)
def _substitution(left: str, right: str) -> float:
    if left == right:
        return 0.0
    costs = [cost for group, cost in SUBSTITUTION_COSTS if left in group and right in group]
    return costs[0] if costs else OTHER_SUBSTITUTION_COST


def _spread(pairs: _Pairs, pieces: Sequence[TimedSymbol]) -> list[TimedSymbol]:
    """Give each wanted symbol the time of its partner; spoken-only time goes to the symbol before it."""
    timed: list[TimedSymbol] = []
    now = pieces[0].start_seconds
    for symbol, index in pairs:
        end = now if index is None else pieces[index].end_seconds
        if symbol is not None:
            timed.append(TimedSymbol(symbol, now if timed else pieces[0].start_seconds, end))
        elif timed:
            timed[-1] = replace(timed[-1], end_seconds=end)
        now = end
    return _share_with_empty(timed)


def _share_with_empty(timed: list[TimedSymbol]) -> list[TimedSymbol]:
    """Let a symbol without time take half of its neighbour's."""
    shared = list(timed)
    for index, item in enumerate(shared):
        if item.end_seconds > item.start_seconds or len(shared) == 1:
            continue
        if index + 1 < len(shared):
            other = shared[index + 1]
            middle = (item.start_seconds + other.end_seconds) / 2
            shared[index] = replace(item, end_seconds=middle)
            shared[index + 1] = replace(other, start_seconds=middle)
        else:
            other = shared[index - 1]
            middle = (other.start_seconds + item.end_seconds) / 2
            shared[index - 1] = replace(other, end_seconds=middle)
            shared[index] = replace(item, start_seconds=middle)
    return shared


def _with_stress_marks(pronunciation: str, timed: list[TimedSymbol]) -> tuple[TimedSymbol, ...]:
    symbols = []
    remaining = iter(timed)
    upcoming = next(remaining)
    for character in pronunciation:
        if character in STRESS_MARKS:
            symbols.append(TimedSymbol(character, upcoming.start_seconds, upcoming.start_seconds))
        else:
            symbols.append(upcoming)
            upcoming = next(remaining, upcoming)
    return tuple(symbols)


def _from_arpabet(pieces: list[tuple[TimedSymbol, bool]]) -> tuple[TimedSymbol, ...]:
    symbols = []
    for piece, stressed in pieces:
        if stressed:
            symbols.append(TimedSymbol(PRIMARY_STRESS, piece.start_seconds, piece.start_seconds))
        symbols.append(piece)
    return tuple(symbols)


def misaki_pronunciations() -> Callable[[str], tuple[str, ...]]:
    """A look-up of every US pronunciation misaki may give a word, in any part of speech and context."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # misaki opens its files in a deprecated way
        lexicon = Lexicon(british=False)

    @cache
    def look_up(word: str) -> tuple[str, ...]:
        found: dict[str, None] = {}
        for form in (word, word.lower(), word.capitalize()):
            for entry in _entries(lexicon, form):
                found[normalised(entry)] = None
        return tuple(found)

    return look_up


def normalised(pronunciation: str) -> str:
    """A lexicon entry as misaki's G2P hands it out: the flap is T, the glottal stop t."""
    return pronunciation.replace("ɾ", "T").replace("ʔ", "t")


def _entries(lexicon: Any, word: str) -> list[str]:
    found = [lexicon.get_word(word, tag, None, context)[0] for tag in TAGS for context in CONTEXTS]
    for book in (lexicon.golds, lexicon.silvers):
        entry = book.get(word)
        found += list(entry.values()) if isinstance(entry, dict) else [entry]
    return [entry for entry in found if entry]


def all_substitutions() -> frozenset[tuple[str, str]]:
    """Every pair of different symbols that the alignment treats as similar."""
    return frozenset(pair for group, _ in SUBSTITUTION_COSTS for pair in combinations(sorted(group), 2))

"""Numbers as English words, from their digits."""

from __future__ import annotations

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SCALES = "thousand million billion trillion quadrillion quintillion sextillion septillion"
ONES = _ONES.split()
TENS = ["", "", *_TENS.split()]
SCALES = ["", *_SCALES.split()]
LONGEST_CARDINAL_DIGITS = 3 * len(SCALES)
"""A number with more digits is read digit by digit."""
LONGEST_UNGROUPED_DIGITS = 9
"""A number without separators that has more digits is read digit by digit, as an account, a card or a telephone."""
IRREGULAR_ORDINALS = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}
YEARS = range(1100, 2100)
"""Four digits that may be read as a year."""


def spelled(digits: str) -> str:
    """Digit by digit; other characters are skipped."""
    return " ".join(ONES[int(digit)] for digit in digits if digit in "0123456789")


def cardinal(digits: str, british: bool) -> str:
    """`1234` as words; with “and” before the last two digits in British English; leading zeros are spoken."""
    if len(digits) > LONGEST_CARDINAL_DIGITS or (len(digits) > 1 and digits[0] == "0"):
        return spelled(digits)
    groups = _groups_of_three(digits)
    words = [
        f"{_below_thousand(group, british)} {SCALES[scale]}".strip()
        for scale, group in zip(range(len(groups) - 1, -1, -1), groups, strict=True)
        if group
    ]
    if british and len(words) > 1 and 0 < groups[-1] < 100:
        words.insert(-1, "and")
    return " ".join(words) or ONES[0]


def _groups_of_three(digits: str) -> list[int]:
    padded = digits.zfill(-(-len(digits) // 3) * 3)
    return [int(padded[at : at + 3]) for at in range(0, len(padded), 3)]


def _below_thousand(number: int, british: bool) -> str:
    hundreds, rest = divmod(number, 100)
    words = [f"{ONES[hundreds]} hundred"] if hundreds else []
    if rest:
        words += ["and"] if hundreds and british else []
        words.append(below_hundred(rest))
    return " ".join(words)


def below_hundred(number: int) -> str:
    """0 to 99."""
    if number < len(ONES):
        return ONES[number]
    tens, ones = divmod(number, 10)
    return f"{TENS[tens]} {ONES[ones]}" if ones else TENS[tens]


def ordinal(digits: str, british: bool) -> str:
    """`21` as “twenty first”."""
    words = cardinal(digits.lstrip("0") or "0", british)
    head, space, last = words.rpartition(" ")
    if last in IRREGULAR_ORDINALS:
        last = IRREGULAR_ORDINALS[last]
    else:
        last = f"{last[:-1]}ieth" if last.endswith("y") else f"{last}th"
    return f"{head}{space}{last}"


def year(digits: str, british: bool) -> str:
    """Four digits as a year: “nineteen oh five”, “two thousand five”, “twenty twenty four”."""
    century, rest = int(digits[:2]), int(digits[2:])
    if century % 10 == 0 and rest < 10:
        return cardinal(digits, british)
    if rest == 0:
        return f"{below_hundred(century)} hundred"
    return f"{below_hundred(century)} {'oh ' if rest < 10 else ''}{below_hundred(rest)}"


def decade(digits: str) -> str:
    """`1990` as “nineteen nineties”, `90` as “nineties”."""
    century, rest = digits[:-2], int(digits[-2:])
    tens = f"{below_hundred(rest)[:-1]}ies" if rest >= 20 else f"{below_hundred(rest)}s"
    if not century:
        return tens
    if rest == 0:
        return "two thousands" if century == "20" else f"{below_hundred(int(century))} hundreds"
    return f"{below_hundred(int(century))} {tens}"


def pairs(digits: str) -> str:
    """Digits of a name like `A380`, `747` or `2030`, in pairs: “three eighty”, “twenty thirty”."""
    if len(digits) <= 2 and digits[0] != "0":
        return below_hundred(int(digits))
    if len(digits) not in (3, 4) or digits[0] == "0":
        return spelled(digits)
    head, tail = digits[:-2], int(digits[-2:])
    if tail == 0:
        return f"{below_hundred(int(head))} hundred" if head != "20" else "two thousand"
    return f"{below_hundred(int(head))} {'oh ' if tail < 10 else ''}{below_hundred(tail)}"


def number(written: str, british: bool) -> str:
    """A number with thousands separators, a decimal point and a sign, such as `-1,234.50` or `.5`."""
    sign = "minus " if written[:1] in ("-", "−") else ""
    whole, point, fraction = written.lstrip("+-−").partition(".")
    grouped = "," in whole
    whole = whole.replace(",", "")
    long = len(whole) > LONGEST_UNGROUPED_DIGITS and not grouped
    words = [] if not whole else [spelled(whole) if long else cardinal(whole, british)]
    if point and fraction:
        words += ["point", spelled(fraction)]
    return sign + " ".join(words)


def is_one(written: str) -> bool:
    """Whether a noun after the number stands in the singular."""
    return written.lstrip("+-−") == "1"


def fraction(numerator: str, denominator: str, british: bool) -> str:
    """“one half”, “three quarters”, “two thirds”; “seven over forty-two” for an unusual fraction."""
    above, below = int(numerator), int(denominator)
    if not 0 < above < below <= 20 and below != 100:
        return f"{cardinal(numerator, british)} over {cardinal(denominator, british)}"
    special = {2: ("half", "halves"), 4: ("quarter", "quarters")}
    part = ordinal(denominator, british)
    one, many = special.get(below, (part, f"{part}s"))
    return f"{cardinal(numerator, british)} {one if above == 1 else many}"


def mixed(whole: str, numerator: str, denominator: str, british: bool) -> str:
    """“two and a half”, “five and an eighth”, “three and two thirds”."""
    part = fraction(numerator, denominator, british)
    if part.startswith("one "):
        part = with_article(part[4:])
    return f"{number(whole, british)} and {part}"


def with_article(noun: str) -> str:
    """“a half”, “an eighth”, “an hour”."""
    return f"a{'n' if noun.startswith((*'aeiou', 'hour')) else ''} {noun}"

"""Defines the English names of units and currencies."""

from __future__ import annotations

from dataclasses import dataclass

from engine.text.languages import Language


@dataclass(frozen=True)
class Unit:
    """The singular and plural names of a unit."""

    one: str
    many: str

    def counted(self, single: bool) -> str:
        """Return the name that agrees with a number."""
        return self.one if single else self.many


@dataclass(frozen=True)
class Currency:
    """A currency and its hundredth part; None if none is in use."""

    major: Unit
    minor: Unit | None


def _regular(name: str) -> Unit:
    return Unit(name, f"{name}s")


def _same(name: str) -> Unit:
    return Unit(name, name)


PREFIXES = {
    "n": "nano",
    "µ": "micro",
    "μ": "micro",
    "m": "milli",
    "c": "centi",
    "d": "deci",
    "k": "kilo",
    "M": "mega",
    "G": "giga",
}
LARGE_PREFIXES = {"K": "kilo", "k": "kilo", "M": "mega", "G": "giga", "T": "tera", "P": "peta"}
BINARY_PREFIXES = {"Ki": "kibi", "Mi": "mebi", "Gi": "gibi", "Ti": "tebi"}


def _prefixed(symbol: str, name: str, prefixes: str) -> dict[str, Unit]:
    return {f"{prefix}{symbol}": _regular(f"{PREFIXES[prefix]}{name}") for prefix in prefixes}


FOOT = Unit("foot", "feet")
INCH = Unit("inch", "inches")
"""The inch, separate from the other units because its symbol is a word: “5 in”."""
UNITS: dict[str, Unit] = {
    "m": _regular("meter"),
    **_prefixed("m", "meter", "nµμmck"),
    "g": _regular("gram"),
    **_prefixed("g", "gram", "µμmk"),
    "mcg": _regular("microgram"),
    "mol": _regular("mole"),
    **_prefixed("mol", "mole", "µμmk"),
    "L": _regular("liter"),
    "l": _regular("liter"),
    **_prefixed("l", "liter", "µμmcd"),
    **_prefixed("L", "liter", "µμmcd"),
    "s": _regular("second"),
    "sec": _regular("second"),
    "secs": _regular("second"),
    **_prefixed("s", "second", "nµμm"),
    "min": _regular("minute"),
    "mins": _regular("minute"),
    "h": _regular("hour"),
    "hr": _regular("hour"),
    "hrs": _regular("hour"),
    "wk": _regular("week"),
    "wks": _regular("week"),
    "yr": _regular("year"),
    "yrs": _regular("year"),
    "ft": FOOT,
    "sq ft": Unit("square foot", "square feet"),
    "sq mi": _regular("square mile"),
    "sq km": _regular("square kilometer"),
    "sq m": _regular("square meter"),
    "yd": _regular("yard"),
    "yds": _regular("yard"),
    "mi": _regular("mile"),
    "lb": _regular("pound"),
    "lbs": _regular("pound"),
    "oz": _regular("ounce"),
    "fl oz": _regular("fluid ounce"),
    "gal": _regular("gallon"),
    "qt": _regular("quart"),
    "qts": _regular("quart"),
    "tsp": _regular("teaspoon"),
    "tbsp": _regular("tablespoon"),
    "ha": _regular("hectare"),
    "cal": _regular("calorie"),
    "kcal": _regular("kilocalorie"),
    **_prefixed("J", "joule", "kMG"),
    "V": _regular("volt"),
    "mV": _regular("millivolt"),
    "kV": _regular("kilovolt"),
    "W": _regular("watt"),
    "mW": _regular("milliwatt"),
    "kW": _regular("kilowatt"),
    "MW": _regular("megawatt"),
    "GW": _regular("gigawatt"),
    "Wh": _regular("watt hour"),
    "kWh": _regular("kilowatt hour"),
    "MWh": _regular("megawatt hour"),
    "mA": _regular("milliamp"),
    "mAh": _regular("milliamp hour"),
    "Ah": _regular("amp hour"),
    "Ω": _regular("ohm"),
    "kΩ": _regular("kilohm"),
    "Pa": _regular("pascal"),
    "hPa": _regular("hectopascal"),
    **_prefixed("Pa", "pascal", "kMG"),
    "mmHg": Unit("millimeter of mercury", "millimeters of mercury"),
    "psi": _same("P S I"),
    "dB": _regular("decibel"),
    "Hz": _same("hertz"),
    "kHz": _same("kilohertz"),
    "MHz": _same("megahertz"),
    "GHz": _same("gigahertz"),
    "THz": _same("terahertz"),
    "mph": _same("miles per hour"),
    "mpg": _same("miles per gallon"),
    "kph": _same("kilometers per hour"),
    "kmh": _same("kilometers per hour"),
    "rpm": _same("revolutions per minute"),
    "bpm": _same("beats per minute"),
    "fps": _same("frames per second"),
    "dpi": _same("dots per inch"),
    "ppi": _same("pixels per inch"),
    "ppm": _same("parts per million"),
    "px": _regular("pixel"),
    "MP": _regular("megapixel"),
    **{f"{prefix}B": _regular(f"{name}byte") for prefix, name in LARGE_PREFIXES.items()},
    **{f"{prefix}B": _regular(f"{name}byte") for prefix, name in BINARY_PREFIXES.items()},
    **{f"{prefix}bit": _regular(f"{name}bit") for prefix, name in LARGE_PREFIXES.items()},
    **{f"{prefix}b": _regular(f"{name}bit") for prefix, name in LARGE_PREFIXES.items()},
    **{f"{prefix}bps": _same(f"{name}bits per second") for prefix, name in LARGE_PREFIXES.items()},
    "°C": Unit("degree Celsius", "degrees Celsius"),
    "ºC": Unit("degree Celsius", "degrees Celsius"),
    "°F": Unit("degree Fahrenheit", "degrees Fahrenheit"),
    "ºF": Unit("degree Fahrenheit", "degrees Fahrenheit"),
    "°K": _regular("kelvin"),
    "°": _regular("degree"),
    "%": _same("percent"),
    "‰": _same("per mille"),
}
"""Units by symbol; singular and plural in American spelling."""
BRITISH_SPELLING = (("liter", "litre"), ("meter", "metre"))

MAGNITUDES = {
    "k": "thousand",
    "K": "thousand",
    "m": "million",
    "M": "million",
    "mn": "million",
    "mm": "million",
    "b": "billion",
    "B": "billion",
    "bn": "billion",
    "tn": "trillion",
    "T": "trillion",
}
"""Words after an amount of money."""

CENT = _regular("cent")
PENNY = Unit("penny", "pence")
CURRENCIES: dict[str, Currency] = {
    "$": Currency(_regular("dollar"), CENT),
    "£": Currency(_regular("pound"), PENNY),
    "€": Currency(_regular("euro"), CENT),
    "¥": Currency(_same("yen"), None),
    "₹": Currency(_regular("rupee"), Unit("paisa", "paise")),
    "₩": Currency(_same("won"), None),
    "₽": Currency(_regular("ruble"), Unit("kopeck", "kopecks")),
    "₪": Currency(_regular("shekel"), None),
    "₴": Currency(_regular("hryvnia"), None),
    "₺": Currency(_same("lira"), None),
    "฿": Currency(_same("baht"), None),
    "₦": Currency(_same("naira"), None),
    "₱": Currency(_regular("peso"), None),
    "₫": Currency(_same("dong"), None),
    "₿": Currency(_regular("bitcoin"), None),
    "¢": Currency(CENT, None),
    "US$": Currency(Unit("U.S dollar", "U.S dollars"), CENT),
    "C$": Currency(_regular("Canadian dollar"), CENT),
    "A$": Currency(_regular("Australian dollar"), CENT),
    "NZ$": Currency(_regular("New Zealand dollar"), CENT),
    "HK$": Currency(_regular("Hong Kong dollar"), CENT),
    "R$": Currency(Unit("Brazilian real", "Brazilian reais"), None),
    "USD": Currency(Unit("U.S dollar", "U.S dollars"), CENT),
    "EUR": Currency(_regular("euro"), CENT),
    "GBP": Currency(Unit("British pound", "British pounds"), PENNY),
    "JPY": Currency(_same("Japanese yen"), None),
    "CNY": Currency(_same("Chinese yuan"), None),
    "CHF": Currency(_regular("Swiss franc"), None),
    "CAD": Currency(_regular("Canadian dollar"), CENT),
    "AUD": Currency(_regular("Australian dollar"), CENT),
    "INR": Currency(_regular("Indian rupee"), None),
}
"""Currencies by symbol or code."""


def unit_name(symbol: str, single: bool, language: Language) -> str:
    """Return the name of a unit after a number, in the spelling of the language."""
    name = UNITS[symbol].counted(single)
    if language.british:
        for american, british in BRITISH_SPELLING:
            name = name.replace(american, british)
    return name

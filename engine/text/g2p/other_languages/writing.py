"""Defines the conventions of each written language: abbreviations, currencies, scripts, words that begin phrases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.text.g2p.other_languages.numbering import (
    FRENCH_NUMBERING,
    ITALIAN_NUMBERING,
    PORTUGUESE_NUMBERING,
    SPANISH_NUMBERING,
    Numbering,
)
from engine.text.g2p.other_languages.units import (
    FRENCH_UNITS,
    ITALIAN_UNITS,
    PORTUGUESE_UNITS,
    SPANISH_UNITS,
    InflectedUnit,
    unchanging,
)
from engine.text.languages import FRENCH, HINDI, ITALIAN, JAPANESE, MANDARIN, PORTUGUESE, SPANISH, Language

LATIN = "LATIN"


@dataclass(frozen=True)
class Writing:
    """The writing conventions of one language.

    `scripts` are the first words of its letters' Unicode names; `spaced` tells whether spaces separate its words.
    `abbreviations`, written with a dot except the `bare` ones, `units`, written next to a number, and `minus` are
    mapped to their words. The abbreviations `before_number` are ordinary words elsewhere; the words of `titles` depend
    on the name after them: of a man, of a woman. `single` is the pattern of numbers that take the singular. `forms` are
    patterns that are not spoken as written, with templates of their spoken form. `elided` is the pattern of words
    before an apostrophe; `fused` are patterns whose `first` and `letter` become one word.
    """

    scripts: tuple[str, ...] = (LATIN,)
    spaced: bool = True
    abbreviations: Mapping[str, str] = field(default_factory=dict)
    bare: tuple[str, ...] = ()
    before_number: tuple[str, ...] = ()
    titles: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    units: Mapping[str, InflectedUnit] = field(default_factory=dict)
    single: str = "1"
    minus: str = ""
    decimal_mark: str = ""
    numbering: Numbering | None = None
    elided: str = ""
    fused: tuple[str, ...] = ()
    forms: tuple[tuple[str, str], ...] = ()
    phrase_words: str = ""
    stressed_words: str = ""

    @property
    def stressed(self) -> frozenset[str]:
        """Function words that are written in capitals for stress."""
        return frozenset(f"{self.phrase_words} {self.stressed_words}".split())

    @property
    def phrase_starters(self) -> frozenset[str]:
        """The words that begin a phrase."""
        return frozenset(self.phrase_words.split())


_HOUR = r"(?<![\w,.])(?P<hour>2[0-4]|1?\d)[ ]?h"
_MINUTE = r"[ ]?(?P<minute>[0-5]\d)(?!\w)"
_THOUSANDS_COMMA = r"(?<=\d)(?<!\d{4}),(?=\d{3}(?!\d))"
_NUMBER_SIGN = r"(?<!\w)(?:[nN]\.?[°º]|№)[ ]?(?=\d)"
_DEGREES = (r"(?<=\d)[ ]?[°º][ ]?(?=[CF](?!\w))", " °")
_AMPERSAND = "(?<=[ ])&(?=[ ])"
_BELOW_TWO = r"[01](?:,\d+)?"
_SPANISH = Writing(
    abbreviations={
        "Sr": "señor", "Sra": "señora", "Srta": "señorita", "Sres": "señores", "Dr": "doctor", "Dra": "doctora",
        "Dña": "doña", "Prof": "profesor", "Lic": "licenciado", "Ing": "ingeniero", "Gral": "general",
        "Ud": "usted", "Uds": "ustedes", "Vd": "usted", "Vds": "ustedes", "pág": "página", "págs": "páginas",
        "núm": "número", "etc": "etcétera", "p. ej": "por ejemplo", "EE. UU": "Estados Unidos",
        "EE.UU": "Estados Unidos", "a. C": "antes de Cristo", "d. C": "después de Cristo", "Av": "avenida",
        "tel": "teléfono", "aprox": "aproximadamente", "cap": "capítulo", "vol": "volumen", "art": "artículo",
        "Sras": "señoras", "Excmo": "excelentísimo", "Excma": "excelentísima", "Sto": "santo", "Sta": "santa",
    },
    titles={"D": ("don", "don"), "D.ª": ("doña", "doña"), "Dª": ("doña", "doña")},
    units=SPANISH_UNITS,
    numbering=SPANISH_NUMBERING,
    minus="menos",
    forms=(_DEGREES, (_NUMBER_SIGN, "número "), (_AMPERSAND, "y"), (r"(?<!\w)s\.[ ]?(?=[IVX]+\b)", "siglo ")),
    phrase_words="y e o u pero que porque cuando donde si como aunque en de con para por sin sobre desde hasta entre",
    stressed_words="no sí ni yo tú él el la los las un una ya es muy más así",
)  # fmt: skip
_FRENCH = Writing(
    abbreviations={
        "M": "monsieur", "MM": "messieurs", "Dr": "docteur", "Pr": "professeur", "Prof": "professeur",
        "Me": "maître", "etc": "etc", "p. ex": "par exemple", "cf": "confer", "av. J.-C": "avant Jésus-Christ",
        "apr. J.-C": "après Jésus-Christ", "p": "page", "vol": "volume", "tél": "téléphone", "env": "environ",
        "av": "avenue", "bd": "boulevard", "chap": "chapitre", "Mme": "madame", "Mmes": "mesdames",
        "Mlle": "mademoiselle", "Mlles": "mesdemoiselles", "Mgr": "monseigneur",
    },
    bare=("Mmes", "Mlles", "Mgr"),
    before_number=("vol", "p", "chap"),
    units=FRENCH_UNITS,
    numbering=FRENCH_NUMBERING,
    single=_BELOW_TWO,
    minus="moins",
    decimal_mark="virgule",
    elided="[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu|quelqu|presqu|aujourd|entr",
    forms=(
        _DEGREES,
        (_NUMBER_SIGN, "numéro "),
        (_AMPERSAND, "et"),
        (r"(?<=[IVX][eᵉ][ ])s\.", "siècle"),
        (r"(?<=[^\W\d_]-)y(?=[ ]?(?:[^\w\s'-]|\n|\Z))", "i"),
        (rf"{_HOUR}{_MINUTE}", r"\g<hour> heures \g<minute>"),
        (r"(?<![\w,.])1[ ]?h(?!\w)", "1 heure"),
        (rf"{_HOUR}(?!\w)", r"\g<hour> heures"),
    ),
    phrase_words="et ou mais que qui quand où si comme car parce en de du des dans avec pour par sans sur depuis entre",
    stressed_words="non oui ne pas le la les un une il elle moi toi est ça cet ce tu je très là",
)  # fmt: skip
_HINDI = Writing(
    scripts=("DEVANAGARI", LATIN),
    abbreviations={"डॉ": "डॉक्टर", "प्रो": "प्रोफ़ेसर", "सं": "संख्या", "रु": "रुपये", "पृ": "पृष्ठ"},
    units=unchanging({"$": "डॉलर", "€": "यूरो", "£": "पाउंड", "¥": "येन", "₹": "रुपये"}),
    minus="माइनस",
    phrase_words="और या लेकिन कि क्योंकि जब जहाँ जो अगर तो तथा एवं",
)
_ITALIAN = Writing(
    abbreviations={
        "sig": "signor", "sig.ra": "signora", "dott": "dottor", "dott.ssa": "dottoressa",
        "Sig": "signor", "Sig.ra": "signora", "Sig.na": "signorina", "Sigg": "signori", "Dott": "dottor",
        "Dott.ssa": "dottoressa", "Dr": "dottor", "Prof": "professor", "Prof.ssa": "professoressa", "Ing": "ingegner",
        "Avv": "avvocato", "ecc": "eccetera", "pag": "pagina", "pagg": "pagine", "p. es": "per esempio",
        "a.C": "avanti Cristo", "d.C": "dopo Cristo", "tel": "telefono", "n": "numero", "cfr": "confronta",
        "vol": "volume", "cap": "capitolo", "ca": "circa", "art": "articolo", "lib": "libro",
    },
    units=ITALIAN_UNITS,
    numbering=ITALIAN_NUMBERING,
    minus="meno",
    decimal_mark="virgola",
    elided="[cdlmnstv]|ch|gl|[dn]?ell|quell|bell|[ds]?all|sull|coll|un|qualcun|nessun|ciascun|alcun|anch|neanch|quest|cos"
    "|com|dov|sant|mezz|tutt|senz|perch|poich|bench|finch",
    fused=(
        r"(?<![^\W_])(?P<first>(?P<elided>(?:per|poi|ben|fin)?ch))'h?(?P<letter>[eièéêì])",
        r"(?<![^\W_])(?P<elided>(?P<first>(?:per|poi|ben|fin)?c)h)'h?(?P<letter>[aouàòóù])",
        r"(?<![^\W_])(?P<first>(?P<elided>gl))'(?P<letter>[iì])",
    ),
    forms=(
        _DEGREES,
        (_NUMBER_SIGN, "numero "),
        (_AMPERSAND, "e"),
        (r"(?<!\w)sec\.[ ]?(?=[IVX]+\b)", "secolo "),
        (r"(?<=[IVX][ ])sec\.", "secolo"),
    ),
    phrase_words="e ed o ma che chi quando dove se come perché anche in di con per da su tra fra senza dopo",
    stressed_words="no sì io tu lui lei il lo la le i gli un una è mai più non così",
)  # fmt: skip
_PORTUGUESE = Writing(
    abbreviations={
        "Sr": "senhor", "Sra": "senhora", "Srta": "senhorita", "Srs": "senhores", "Dr": "doutor", "Dra": "doutora",
        "Prof": "professor", "Profa": "professora", "Eng": "engenheiro", "etc": "etcétera",
        "pág": "página", "págs": "páginas", "p. ex": "por exemplo", "a.C": "antes de Cristo",
        "d.C": "depois de Cristo", "tel": "telefone", "Av": "avenida", "núm": "número", "vol": "volume",
        "cap": "capítulo", "aprox": "aproximadamente", "art": "artigo", "séc": "século",
        "sécs": "séculos", "Sras": "senhoras", "Sr.ª": "senhora",
        "V. Ex.ª": "vossa excelência", "V. Exa": "vossa excelência", "Exmo": "excelentíssimo",
        "Exma": "excelentíssima", "Sto": "santo", "Sta": "santa", "Cia": "companhia",
    },
    bare=("Sr", "Sra", "Srs", "Sras", "Srta", "Sto", "Sta"),
    titles={"D": ("dom", "dona"), "D.ª": ("dona", "dona")},
    units=PORTUGUESE_UNITS,
    numbering=PORTUGUESE_NUMBERING,
    single=_BELOW_TWO,
    minus="menos",
    elided="d",
    decimal_mark="vírgula",
    forms=(
        _DEGREES,
        (_NUMBER_SIGN, "número "),
        (_AMPERSAND, "e"),
        (r"(?<=\d)\$000(?!\d)", " mil réis"),
        (rf"{_HOUR}{_MINUTE}", r"\g<hour> horas e \g<minute>"),
        (r"(?<![\w,.])1[ ]?h(?!\w)", "1 hora"),
        (rf"{_HOUR}(?!\w)", r"\g<hour> horas"),
    ),
    phrase_words="e ou mas que quem quando onde se como porque em de do da com para por sem sobre desde até entre",
    stressed_words="não sim eu tu ele ela o a os as um uma é já só nem",
)  # fmt: skip
_JAPANESE = Writing(
    scripts=("HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "CJK", "IDEOGRAPHIC", LATIN),
    spaced=False,
    units=unchanging({"$": "ドル", "€": "ユーロ", "£": "ポンド", "¥": "円", "₹": "ルピー"}),
    minus="マイナス",
    forms=((_THOUSANDS_COMMA, ""),),
)
_MANDARIN = Writing(
    scripts=("CJK", "IDEOGRAPHIC", LATIN),
    spaced=False,
    units=unchanging({"$": "美元", "€": "欧元", "£": "英镑", "¥": "元", "₹": "卢比"}),
    minus="负",
    forms=((_THOUSANDS_COMMA, ""),),
)
_WRITINGS = (
    (SPANISH, _SPANISH), (FRENCH, _FRENCH), (HINDI, _HINDI), (ITALIAN, _ITALIAN), (PORTUGUESE, _PORTUGUESE),
    (JAPANESE, _JAPANESE), (MANDARIN, _MANDARIN),
)  # fmt: skip


def writing_of(language: Language) -> Writing:
    """Return the writing of a language other than English."""
    return dict(_WRITINGS)[language]

"""The particulars of writing each language: abbreviations, currencies, scripts, words that begin phrases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.languages import FRENCH, HINDI, ITALIAN, JAPANESE, MANDARIN, PORTUGUESE, SPANISH, Language

LATIN = "LATIN"


@dataclass(frozen=True)
class Writing:
    """How one language is written.

    `scripts` are the first words of its letters' Unicode names; `spaced` tells whether spaces part its words.
    `abbreviations`, written with a dot, `currencies`, written next to a number, and `minus` are what each stands for.
    `forms` are patterns that are spoken differently than they are written, with the templates of what is said.
    """

    scripts: tuple[str, ...] = (LATIN,)
    spaced: bool = True
    abbreviations: Mapping[str, str] = field(default_factory=dict)
    currencies: Mapping[str, str] = field(default_factory=dict)
    minus: str = ""
    forms: tuple[tuple[str, str], ...] = ()
    phrase_words: str = ""

    @property
    def phrase_starters(self) -> frozenset[str]:
        """Words that begin a phrase."""
        return frozenset(self.phrase_words.split())


_HOUR = r"(?<![\w,.])(?P<hour>2[0-4]|1?\d)[ ]?h"
_MINUTE = r"[ ]?(?P<minute>[0-5]\d)(?!\w)"
_THOUSANDS_COMMA = r"(?<=\d)(?<!\d{4}),(?=\d{3}(?!\d))"
_NUMBER_SIGN = r"(?<!\w)[nN]\.?[°º][ ]?(?=\d)"
_SPANISH = Writing(
    abbreviations={
        "Sr": "señor", "Sra": "señora", "Srta": "señorita", "Sres": "señores", "Dr": "doctor", "Dra": "doctora",
        "D": "don", "Dña": "doña", "Prof": "profesor", "Lic": "licenciado", "Ing": "ingeniero", "Gral": "general",
        "Ud": "usted", "Uds": "ustedes", "Vd": "usted", "Vds": "ustedes", "pág": "página", "págs": "páginas",
        "núm": "número", "etc": "etcétera", "p. ej": "por ejemplo", "EE. UU": "Estados Unidos",
        "EE.UU": "Estados Unidos", "a. C": "antes de Cristo", "d. C": "después de Cristo", "Av": "avenida",
        "tel": "teléfono", "aprox": "aproximadamente",
    },
    currencies={"$": "dólares", "€": "euros", "£": "libras", "¥": "yenes", "₹": "rupias", "R$": "reales"},
    minus="menos",
    forms=((_NUMBER_SIGN, "número "),),
    phrase_words="y e o u pero que porque cuando donde si como aunque en de con para por sin sobre desde hasta entre",
)  # fmt: skip
_FRENCH = Writing(
    abbreviations={
        "M": "monsieur", "MM": "messieurs", "Dr": "docteur", "Pr": "professeur", "Prof": "professeur",
        "Me": "maître", "etc": "etc", "p. ex": "par exemple", "cf": "confer", "av. J.-C": "avant Jésus-Christ",
        "apr. J.-C": "après Jésus-Christ", "p": "page", "vol": "volume", "tél": "téléphone", "env": "environ",
        "av": "avenue", "bd": "boulevard", "chap": "chapitre",
    },
    currencies={"$": "dollars", "€": "euros", "£": "livres", "¥": "yens", "₹": "roupies", "R$": "réaux"},
    minus="moins",
    forms=(
        (_NUMBER_SIGN, "numéro "),
        (rf"{_HOUR}{_MINUTE}", r"\g<hour> heures \g<minute>"),
        (r"(?<![\w,.])1[ ]?h(?!\w)", "1 heure"),
        (rf"{_HOUR}(?!\w)", r"\g<hour> heures"),
    ),
    phrase_words="et ou mais que qui quand où si comme car parce en de du des dans avec pour par sans sur depuis entre",
)  # fmt: skip
_HINDI = Writing(
    scripts=("DEVANAGARI", LATIN),
    abbreviations={"डॉ": "डॉक्टर", "प्रो": "प्रोफ़ेसर", "सं": "संख्या", "रु": "रुपये", "पृ": "पृष्ठ"},
    currencies={"$": "डॉलर", "€": "यूरो", "£": "पाउंड", "¥": "येन", "₹": "रुपये"},
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
        "vol": "volume", "cap": "capitolo", "ca": "circa",
    },
    currencies={"$": "dollari", "€": "euro", "£": "sterline", "¥": "yen", "₹": "rupie", "R$": "real"},
    minus="meno",
    forms=((_NUMBER_SIGN, "numero "), (r"(?<!\w)1°(?=[ ][^\W\d_])", "primo")),
    phrase_words="e ed o ma che chi quando dove se come perché anche in di con per da su tra fra senza dopo",
)  # fmt: skip
_PORTUGUESE = Writing(
    abbreviations={
        "Sr": "senhor", "Sra": "senhora", "Srta": "senhorita", "Srs": "senhores", "Dr": "doutor", "Dra": "doutora",
        "Prof": "professor", "Profa": "professora", "Eng": "engenheiro", "D": "dona", "etc": "etcétera",
        "pág": "página", "págs": "páginas", "p. ex": "por exemplo", "a.C": "antes de Cristo",
        "d.C": "depois de Cristo", "tel": "telefone", "Av": "avenida", "núm": "número", "vol": "volume",
        "cap": "capítulo", "aprox": "aproximadamente",
    },
    currencies={"$": "dólares", "€": "euros", "£": "libras", "¥": "ienes", "₹": "rúpias", "R$": "reais"},
    minus="menos",
    forms=(
        (_NUMBER_SIGN, "número "),
        (rf"{_HOUR}{_MINUTE}", r"\g<hour> horas e \g<minute>"),
        (r"(?<![\w,.])1[ ]?h(?!\w)", "1 hora"),
        (rf"{_HOUR}(?!\w)", r"\g<hour> horas"),
    ),
    phrase_words="e ou mas que quem quando onde se como porque em de do da com para por sem sobre desde até entre",
)  # fmt: skip
_JAPANESE = Writing(
    scripts=("HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "CJK", "IDEOGRAPHIC", LATIN),
    spaced=False,
    currencies={"$": "ドル", "€": "ユーロ", "£": "ポンド", "¥": "円", "₹": "ルピー"},
    minus="マイナス",
    forms=((_THOUSANDS_COMMA, ""),),
)
_MANDARIN = Writing(
    scripts=("CJK", "IDEOGRAPHIC", LATIN),
    spaced=False,
    currencies={"$": "美元", "€": "欧元", "£": "英镑", "¥": "元", "₹": "卢比"},
    minus="负",
    forms=((_THOUSANDS_COMMA, ""),),
)
_WRITINGS = (
    (SPANISH, _SPANISH), (FRENCH, _FRENCH), (HINDI, _HINDI), (ITALIAN, _ITALIAN), (PORTUGUESE, _PORTUGUESE),
    (JAPANESE, _JAPANESE), (MANDARIN, _MANDARIN),
)  # fmt: skip


def writing_of(language: Language) -> Writing:
    """The writing of a language other than English."""
    return dict(_WRITINGS)[language]

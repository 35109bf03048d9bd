"""Lists the words of English that are abbreviated with a dot, and those that begin a sentence after it."""

from __future__ import annotations

SENTENCE_STARTERS = (
    "The|A|An|He|She|It|They|We|I|You|But|And|In|On|At|This|That|These|Those|However|When|If|There|His|Her|Its|Their"
    "|Our|My|As|After|Before|For|So|Then|What|Why|How|Who|No|Yes|Not|Some|Many|Most|All|One|Now|Your|Everyone"
    "|Everybody|Everything|Nobody|Nothing|None|Someone|Somebody|Something|Anyone|Each|Every|Both|Few|Several|Another"
    "|Although|Though|Because|Since|While|Until|Unless|Where|Whether|Which|Whose|Yet|Nor|Perhaps|Maybe|Once|Soon"
    "|Later|Here|Again|Never|Always|Suddenly|Finally|Meanwhile|Today|Yesterday|Tomorrow|Please|Thus|Therefore"
)
"""Words that do not begin names."""
_MONTHS = "January February March April May June July August September October November December"
MONTHS = _MONTHS.split()
MONTH_NUMBERS = (
    {month: index for index, month in enumerate(MONTHS)}
    | {month[:3]: index for index, month in enumerate(MONTHS)}
    | {"Sept": 8}
)
WEEKDAYS = {day[:3]: day for day in ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")} | {
    "Tues": "Tuesday",
    "Thur": "Thursday",
    "Thurs": "Thursday",
}
FIRM = frozenset(("a.m", "p.m", "b.c", "a.d", "b.c.e", "c.e", "etc", "et cetera"))
"""Abbreviations that precede no names, so that a capital after their dot begins a sentence."""
TITLES = {
    "Mr": "Mister", "Mrs": "Mrs", "Ms": "Ms", "Dr": "Doctor", "Prof": "Professor", "Rev": "Reverend",
    "Hon": "Honorable", "Gen": "General", "Col": "Colonel", "Maj": "Major", "Capt": "Captain", "Lt": "Lieutenant",
    "Sgt": "Sergeant", "Cpl": "Corporal", "Sen": "Senator", "Rep": "Representative", "Gov": "Governor",
    "Pres": "President", "Fr": "Father", "Mt": "Mount", "Ft": "Fort", "Mme": "Madame", "Mlle": "Mademoiselle",
    "Messrs": "Messieurs", "Pvt": "Private", "Pte": "Private", "Adm": "Admiral", "Cmdr": "Commander",
    "Cdr": "Commander", "Comdr": "Commander", "Brig": "Brigadier", "Lieut": "Lieutenant", "Ens": "Ensign",
    "Cpt": "Captain", "Sergt": "Sergeant", "Supt": "Superintendent", "Insp": "Inspector", "Det": "Detective",
    "Revd": "Reverend", "Profs": "Professors", "Drs": "Doctors", "Msgr": "Monsignor", "Atty": "Attorney",
    "Amb": "Ambassador", "Cllr": "Councillor", "Gens": "Generals", "Sens": "Senators", "Reps": "Representatives",
    "Bp": "Bishop", "Abp": "Archbishop", "Rt": "Right", "Assoc": "Associate", "Asst": "Assistant", "Dep": "Deputy",
    "Revs": "Reverends", "Exec": "Executive", "Dir": "Director", "Ald": "Alderman",
}  # fmt: skip
"""Abbreviations before a name."""
NAMES = {
    "Wm": "William", "Geo": "George", "Chas": "Charles", "Jas": "James", "Thos": "Thomas", "Jno": "John",
    "Robt": "Robert", "Benj": "Benjamin", "Saml": "Samuel", "Edw": "Edward", "Jos": "Joseph", "Danl": "Daniel",
}  # fmt: skip
"""Abbreviated first names, before a last name."""
WORDS = {
    "vs": "versus", "etc": "etc", "cf": "compare", "Cf": "Compare", "approx": "approximately",
    "Approx": "Approximately", "dept": "department", "Dept": "Department", "est": "established", "Est": "Established",
    "govt": "government", "Inc": "Incorporated", "Ltd": "Limited", "Corp": "Corporation", "Co": "Company",
    "Bros": "Brothers", "Jr": "Junior", "Sr": "Senior", "tel": "telephone", "Tel": "Telephone", "ext": "extension",
    "Ave": "Avenue", "Blvd": "Boulevard", "Rd": "Road", "Ln": "Lane", "Hwy": "Highway", "Univ": "University",
    "misc": "miscellaneous", "incl": "including", "excl": "excluding", "al": "al", "ca": "circa", "viz": "namely",
    "Esq": "Esquire", "Assn": "Association", "Intl": "International", "Regt": "Regiment", "Bn": "Battalion",
    "Div": "Division",
}  # fmt: skip
"""Abbreviations with a dot, which may also end a sentence."""
PARTS = {
    "p": "page", "P": "Page", "pp": "pages", "Pp": "Pages", "pg": "page", "pgs": "pages", "vol": "volume",
    "Vol": "Volume", "vols": "volumes", "Vols": "Volumes", "ch": "chapter", "Ch": "Chapter", "chs": "chapters",
    "chap": "chapter", "Chap": "Chapter", "chaps": "chapters", "Chaps": "Chapters", "bk": "book", "Bk": "Book",
    "bks": "books", "Bks": "Books", "pt": "part", "Pt": "Part", "pts": "parts", "pl": "plate", "Pl": "Plate",
    "cant": "canto", "sc": "scene", "Sc": "Scene",
}  # fmt: skip
"""Abbreviated parts of books, whose numbers may be single letters: “vol. i”, “p. v”."""
BEFORE_NUMBERS = {
    **PARTS,
    "no": "number", "No": "Number", "nos": "numbers", "Nos": "Numbers", "fig": "figure", "Fig": "Figure",
    "figs": "figures", "Figs": "Figures", "sec": "section", "Sec": "Section", "eq": "equation", "Eq": "Equation",
    "ed": "edition", "art": "article", "Art": "Article", "ver": "version", "Rm": "Room", "Apt": "Apartment",
    "Ste": "Suite", "Bldg": "Building", "l": "line", "ll": "lines", "n": "note", "nn": "notes", "op": "opus",
    "Op": "Opus", "ep": "episode", "Ep": "Episode", "col": "column", "cols": "columns", "para": "paragraph",
    "paras": "paragraphs", "App": "Appendix", "Ref": "Reference", "Refs": "References",
    "eqs": "equations", "Eqs": "Equations", "max": "maximum", "Max": "Maximum", "avg": "average", "Avg": "Average",
    "qty": "quantity", "Qty": "Quantity",
}  # fmt: skip

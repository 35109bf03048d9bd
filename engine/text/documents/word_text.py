"""Walks the text of a DOCX file in reading order and collects blocks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from engine.text.documents.archive import no_picture
from engine.text.documents.blocks import Block, hang_pictures
from engine.text.documents.document import Matter, Notices, Omission, Picture
from engine.text.documents.formulas import UNREADABLE, spoken
from engine.text.documents.prose import is_reading
from engine.text.documents.tables import Cell, told
from engine.text.documents.word_package import MATH, WORD
from engine.text.documents.word_styles import Lists, Paragraph, WordStyles, paragraph_properties, run_properties, value

_PLACES = range(0xF020, 0xF100)
"""The private-use characters that represent the code points of symbol fonts."""
_SYMBOL_FONTS = ("symbol", "dings")
_GREEK = "αβχδεφγηιϕκλμνοπθρστυϖωξψζ"
_CAPITALS = "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ"
_LOWER_SIGNS = " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅"
_UPPER_SIGNS = "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪"
_SYMBOL = (
    {0x20 + at: sign for at, sign in enumerate(_LOWER_SIGNS)}
    | {0x41 + at: sign for at, sign in enumerate(_CAPITALS)}
    | {0x61 + at: sign for at, sign in enumerate(_GREEK)}
    | {0xA0 + at: sign for at, sign in enumerate(_UPPER_SIGNS)}
    | {0x5B: "[", 0x5C: "∴", 0x5D: "]", 0x5E: "⊥", 0x5F: "_", 0x7B: "{", 0x7C: "|", 0x7D: "}", 0x7E: "∼"}
)

_COMPATIBILITY = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_FORMULA = Omission(
    f"A formula is too complex to be read and is read as “{UNREADABLE}”",
    f"{{}} formulas are too complex to be read and are read as “{UNREADABLE}”",
)
_STRUCK = Omission("A crossed-out passage is skipped", "{} crossed-out passages are skipped")
_EMBEDDED = Omission("A document inside the document is skipped", "{} documents inside the document are skipped")
_LEFT_OUT = frozenset(
    {f"{WORD}{name}" for name in (
        "del", "moveFrom", "pPr", "rPr", "sectPr", "sdtPr", "sdtEndPr", "tblPr", "tblGrid", "trPr", "tcPr", "delText",
        "delInstrText", "fldData",
    )}
)  # fmt: skip
_SIGNS = {
    f"{WORD}tab": " ", f"{WORD}ptab": " ", f"{WORD}cr": "\n", f"{WORD}noBreakHyphen": "-",
}  # fmt: skip
_PICTURES = (
    "{http://schemas.openxmlformats.org/drawingml/2006/main}blip",
    "{http://purl.oclc.org/ooxml/drawingml/main}blip",
    "{urn:schemas-microsoft-com:vml}imagedata",
)
_PLACE_CHARACTERS = 60
_DEEPEST_FIELD = 50
"""The largest depth of nested fields; Word itself allows about twenty."""


def shown(text: str, font: str) -> str:
    """Return the text as a font shows it: letters and signs of “Symbol”; ornaments of other fonts are dropped."""
    if text.isascii():
        return text
    return "".join(_sign(character, font) for character in text)


def _sign(character: str, font: str) -> str:
    place = ord(character)
    if place not in _PLACES:
        return character
    return _SYMBOL.get(place - 0xF000, "") if font.casefold().startswith("symbol") else ""


def symbol(code: str, font: str) -> str:
    """Return the character at a hexadecimal code point of a font."""
    try:
        place = int(code, 16)
        is_place = place <= 0xFF and any(name in font.casefold() for name in _SYMBOL_FONTS)
        character = chr(0xF000 + place if is_place else place)
    except (ValueError, OverflowError):
        return ""
    return "" if 0xD800 <= ord(character) <= 0xDFFF else shown(character, font)


@dataclass
class _Place:
    """A container of paragraphs: the body, a cell or a text box; `waiting` has lost its end and will be joined."""

    blocks: list[Block] = field(default_factory=list)
    waiting: Paragraph | None = None


@dataclass
class _Field:
    """A field that is being read: first its code, then its result."""

    code: str = ""
    has_result: bool = False


class WordText:
    """Collects the blocks below an element; `notes` are the texts of notes by kind and number.

    `find_picture` returns the name of the picture with a relationship identifier.
    """

    def __init__(
        self,
        styles: WordStyles,
        lists: Lists,
        notices: Notices,
        notes: dict[tuple[str, str], str],
        find_picture: Callable[[str], str | None] = no_picture,
    ) -> None:
        self._styles = styles
        self._lists = lists
        self._notices = notices
        self._notes = notes
        self._find_picture = find_picture
        self._waiting: list[Picture] = []
        self._places = [_Place()]
        self._paragraphs: list[Paragraph] = []
        self._tables: list[list[list[Cell]]] = []
        self._fields: list[_Field] = []
        self._contents = 0
        self._where = "at the beginning"

    def blocks_of(self, root: Any) -> list[Block]:
        """Return the headings and paragraphs in order; those of a text box follow the paragraph that holds it."""
        walk = etree.iterwalk(root, events=("start", "end"))
        for event, element in walk:
            if event == "end":
                self._leave(element)
            elif not self._enter(element):
                walk.skip_subtree()
        self._end_waiting()
        return self._places[0].blocks

    def _enter(self, element: Any) -> bool:
        """Begin an element; returns False if its content is skipped."""
        tag = element.tag
        if not isinstance(tag, str) or tag in _LEFT_OUT or _is_other_choice(element):
            return False
        begin = _BEGINNINGS.get(tag)
        return True if begin is None else begin(self, element)

    def _leave(self, element: Any) -> None:
        end = _ENDS.get(element.tag)
        if end is not None:
            end(self, element)

    def _begin_paragraph(self, element: Any) -> bool:
        properties = element.find(f"{WORD}pPr")
        text_properties = paragraph_properties(properties)
        if properties is not None:
            text_properties = text_properties.over(self._styles.text_properties(value(properties, "pStyle")))
        paragraph = Paragraph(text_properties)
        mark = None if properties is None else properties.find(f"{WORD}rPr")
        if mark is not None:
            paragraph.joins = mark.find(f"{WORD}del") is not None or mark.find(f"{WORD}moveFrom") is not None
        if text_properties.number is not None and not paragraph.joins:
            paragraph.label = self._lists.label(text_properties.number, text_properties.depth or 0)
        in_field = any(each.code.split(maxsplit=1)[:1] == ["TOC"] for each in self._fields)
        if self._contents or text_properties.contents or in_field:
            paragraph.matter = Matter.FRONT
        self._paragraphs.append(paragraph)
        return True

    def _end_paragraph(self, _element: Any) -> None:
        paragraph = self._paragraphs.pop()
        paragraph.write("")
        self._fields = [each for each in self._fields if each.has_result or each.code.lstrip().startswith("TOC")]
        place = self._places[-1]
        if place.waiting is not None:
            paragraph = paragraph.behind(place.waiting)
        place.waiting = paragraph if paragraph.joins else None
        if not paragraph.joins:
            self._add(paragraph)

    def _end_waiting(self) -> None:
        place = self._places[-1]
        if place.waiting is not None:
            self._add(place.waiting)
            place.waiting = None

    def _add(self, paragraph: Paragraph) -> None:
        block = paragraph.block(self._waiting)
        if block is not None:
            if block.level:
                self._where = f"in “{block.text[:_PLACE_CHARACTERS]}”"
            self._places[-1].blocks.append(block)
        hang_pictures(self._places[-1].blocks, self._waiting)
        self._places[-1].blocks += paragraph.after

    def _begin_run(self, element: Any) -> bool:
        if not self._paragraphs:
            return True
        paragraph = self._paragraphs[-1]
        properties = element.find(f"{WORD}rPr")
        style = None if properties is None else value(properties, "rStyle")
        text_properties = (
            run_properties(properties).over(self._styles.text_properties(style)).over(paragraph.text_properties)
        )
        paragraph.begin_run(text_properties)
        if text_properties.hidden:
            return False
        if text_properties.struck and any((each.text or "").strip() for each in element.iter(f"{WORD}t")):
            self._notices.add(_STRUCK, self._where)
        return not text_properties.struck

    def _end_run(self, _element: Any) -> None:
        if self._paragraphs:
            self._paragraphs[-1].end_run()

    def _write(self, text: str) -> None:
        if self._paragraphs and self._is_shown():
            self._paragraphs[-1].write(text)

    def _is_shown(self) -> bool:
        """Return whether the current place is outside of field codes."""
        return all(each.has_result for each in self._fields)

    def _begin_text(self, element: Any) -> bool:
        if self._paragraphs:
            paragraph = self._paragraphs[-1]
            text = shown(element.text or "", paragraph.run.font or "")
            if paragraph.run.raised == "superscript" and self._is_shown():
                paragraph.raised += text
            else:
                self._write(text)
        return False

    def _begin_symbol(self, element: Any) -> bool:
        self._write(symbol(element.get(f"{WORD}char", ""), element.get(f"{WORD}font", "")))
        return False

    def _begin_sign(self, element: Any) -> bool:
        self._write(_SIGNS[element.tag])
        return False

    def _begin_break(self, element: Any) -> bool:
        self._write("\n" if element.get(f"{WORD}type") in (None, "textWrapping") else " ")
        return False

    def _begin_ruby(self, element: Any) -> bool:
        base, reading = (_all_text(element.find(f"{WORD}{name}")) for name in ("rubyBase", "rt"))
        self._write(reading if is_reading(reading, base) else base)
        return False

    def _begin_formula(self, element: Any) -> bool:
        said = spoken(element)
        if said is None:
            self._notices.add(_FORMULA, self._where)
        self._write(UNREADABLE if said is None else said)
        return False

    def _begin_object(self, element: Any) -> bool:
        """Begin an embedded object; formulas of older programs are pictures."""
        if any((each.get("ProgID") or "").startswith("Equation") for each in element.iter()):
            self._notices.add(_FORMULA, self._where)
            self._write(UNREADABLE)
        return True

    def _begin_picture(self, element: Any) -> bool:
        identifier = next((value for name, value in element.attrib.items() if name.endswith(("}embed", "}id"))), "")
        name = self._find_picture(identifier)
        if name is not None and self._paragraphs:
            self._paragraphs[-1].see(name, next(element.iterancestors(f"{WORD}drawing"), None))
        return True

    def _begin_link(self, element: Any) -> bool:
        """Begin a link; a paragraph that begins with a link to a heading is an entry of a table of contents."""
        leads_to_heading = element.get(f"{WORD}anchor", "").startswith("_Toc")
        if leads_to_heading and self._paragraphs and not "".join(self._paragraphs[-1].parts).strip():
            self._paragraphs[-1].matter = Matter.FRONT
        return True

    def _begin_note(self, element: Any) -> bool:
        kind = "footnote" if element.tag == f"{WORD}footnoteReference" else "endnote"
        note = self._notes.get((kind, element.get(f"{WORD}id", "")), "")
        if note and self._paragraphs:
            self._paragraphs[-1].notes.append(note)
        return False

    def _begin_field(self, element: Any) -> bool:
        kind = element.get(f"{WORD}fldCharType")
        if kind == "begin" and len(self._fields) < _DEEPEST_FIELD:
            self._fields.append(_Field())
        elif kind == "separate" and self._fields:
            self._fields[-1].has_result = True
        elif kind == "end" and self._fields:
            self._fields.pop()
        return False

    def _begin_code(self, element: Any) -> bool:
        if self._fields:
            self._fields[-1].code += element.text or ""
            if self._fields[-1].code.split(maxsplit=1)[:1] == ["TOC"] and self._paragraphs:
                self._paragraphs[-1].matter = Matter.FRONT
        return False

    def _begin_control(self, element: Any) -> bool:
        self._contents += _is_contents(element)
        return True

    def _end_control(self, element: Any) -> None:
        self._contents -= _is_contents(element)

    def _begin_table(self, _element: Any) -> bool:
        self._end_waiting()
        self._tables.append([])
        return True

    def _begin_row(self, element: Any) -> bool:
        properties = element.find(f"{WORD}trPr")
        if properties is not None and properties.find(f"{WORD}del") is not None:
            return False
        if self._tables:
            self._tables[-1].append([])
        return True

    def _begin_place(self, _element: Any) -> bool:
        self._places.append(_Place())
        return True

    def _end_cell(self, _element: Any) -> None:
        self._end_waiting()
        blocks = self._places.pop().blocks
        if self._tables and self._tables[-1]:
            self._tables[-1][-1].append(tuple(blocks))
        else:
            self._places[-1].blocks += blocks

    def _end_table(self, _element: Any) -> None:
        self._places[-1].blocks += told(self._tables.pop())

    def _end_box(self, _element: Any) -> None:
        self._end_waiting()
        blocks = self._places.pop().blocks
        (self._paragraphs[-1].after if self._paragraphs else self._places[-1].blocks).extend(blocks)

    def _begin_embedded(self, _element: Any) -> bool:
        self._notices.add(_EMBEDDED, self._where)
        return False


_BEGINNINGS = {
    f"{WORD}p": WordText._begin_paragraph,
    f"{WORD}r": WordText._begin_run,
    f"{WORD}t": WordText._begin_text,
    f"{WORD}sym": WordText._begin_symbol,
    f"{WORD}br": WordText._begin_break,
    f"{WORD}ruby": WordText._begin_ruby,
    f"{WORD}footnoteReference": WordText._begin_note,
    f"{WORD}endnoteReference": WordText._begin_note,
    f"{WORD}fldChar": WordText._begin_field,
    f"{WORD}sdt": WordText._begin_control,
    f"{WORD}tbl": WordText._begin_table,
    f"{WORD}tr": WordText._begin_row,
    f"{WORD}tc": WordText._begin_place,
    f"{WORD}txbxContent": WordText._begin_place,
    f"{WORD}altChunk": WordText._begin_embedded,
    f"{WORD}subDoc": WordText._begin_embedded,
    f"{WORD}instrText": WordText._begin_code,
    f"{WORD}object": WordText._begin_object,
    f"{WORD}hyperlink": WordText._begin_link,
    f"{MATH}oMath": WordText._begin_formula,
    **dict.fromkeys(_PICTURES, WordText._begin_picture),
    **dict.fromkeys(_SIGNS, WordText._begin_sign),
}
_ENDS = {
    f"{WORD}p": WordText._end_paragraph,
    f"{WORD}r": WordText._end_run,
    f"{WORD}sdt": WordText._end_control,
    f"{WORD}tbl": WordText._end_table,
    f"{WORD}tc": WordText._end_cell,
    f"{WORD}txbxContent": WordText._end_box,
}


def _is_other_choice(element: Any) -> bool:
    """Return whether an element is an alternative to the one before it, for other programs."""
    if element.tag not in (f"{_COMPATIBILITY}Choice", f"{_COMPATIBILITY}Fallback"):
        return False
    return element.getprevious() is not None


def _is_contents(control: Any) -> bool:
    kind = control.find(f"{WORD}sdtPr/{WORD}docPartObj/{WORD}docPartGallery")
    return kind is not None and kind.get(f"{WORD}val", "").casefold() == "table of contents"


def _all_text(element: Any) -> str:
    return "" if element is None else "".join(each.text or "" for each in element.iter(f"{WORD}t"))

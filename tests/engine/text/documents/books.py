"""Generates books of any length, from seeded sentences, as EPUB, DOCX and PDF files."""

from __future__ import annotations

import math
import random
import textwrap
import zipfile
from dataclasses import dataclass
from html import escape
from pathlib import Path

CHAPTERS = 40
CHARACTERS = 500_000
LINE_CHARACTERS = 78
PAGE_LINES = 44
_PEOPLE = [
    "Anna", "the captain", "my brother", "the old teacher", "her aunt", "a stranger", "the doctor", "Mister Gray",
    "the child",
]  # fmt: skip
_VERBS = [
    "found", "remembered", "carried", "forgot", "followed", "described", "wanted", "saw", "kept", "lost", "painted",
    "left",
]  # fmt: skip
_THINGS = [
    "a letter", "the blue lantern", "an empty house", "the long road", "a quiet garden", "the broken clock",
    "a basket of apples", "the river", "two silver coins", "a map of the coast", "the winter coat", "nothing at all",
]  # fmt: skip
_TIMES = [
    "in the morning", "before the rain", "at the end of the summer", "late that night", "on the second day",
    "after dinner",
]  # fmt: skip
_JOINS = ["and", "but", "while", "because", "until", "so"]


@dataclass(frozen=True)
class Book:
    """Chapters of paragraphs; every chapter begins with its title."""

    title: str
    author: str
    chapters: tuple[tuple[str, tuple[str, ...]], ...]


def book(characters: int = CHARACTERS, chapters: int = CHAPTERS, seed: int = 1) -> Book:
    """Return a book of about this many characters."""
    chance = random.Random(seed)
    each = characters // chapters
    made = tuple((f"Chapter {number}", _paragraphs(chance, each)) for number in range(1, chapters + 1))
    return Book("The Blue Lantern", "A. Writer", made)


def _paragraphs(chance: random.Random, characters: int) -> tuple[str, ...]:
    paragraphs, length = [], 0
    while length < characters:
        paragraph = " ".join(_sentence(chance) for _ in range(chance.randint(3, 8)))
        paragraphs.append(paragraph)
        length += len(paragraph)
    return tuple(paragraphs)


def _sentence(chance: random.Random) -> str:
    def clause() -> str:
        return f"{chance.choice(_PEOPLE)} {chance.choice(_VERBS)} {chance.choice(_THINGS)} {chance.choice(_TIMES)}"

    words = f"{clause()}, {chance.choice(_JOINS)} {clause()}" if chance.random() < 0.6 else clause()
    return f"{words[0].upper()}{words[1:]}."


def write_epub(path: Path, book: Book) -> Path:
    """Write a book as EPUB, with a page and a line of the table of contents for each chapter, and a cover."""
    numbers = range(1, len(book.chapters) + 1)
    manifest = "".join(f'<item id="c{n}" href="c{n}.xhtml" media-type="application/xhtml+xml"/>' for n in numbers)
    spine = "".join(f'<itemref idref="c{n}"/>' for n in numbers)
    links = "".join(f'<li><a href="c{n}.xhtml">{escape(book.chapters[n - 1][0])}</a></li>' for n in numbers)
    package = (
        '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<dc:title>{escape(book.title)}</dc:title><dc:creator>{escape(book.author)}</dc:creator>"
        "<dc:language>en-GB</dc:language></metadata><manifest>"
        '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
        f'<item id="cover" href="cover.png" media-type="image/png" properties="cover-image"/>{manifest}'
        f"</manifest><spine>{spine}</spine></package>"
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        file.writestr("META-INF/container.xml", _CONTAINER)
        file.writestr("OEBPS/book.opf", package)
        file.writestr("OEBPS/nav.xhtml", _page(f'<nav epub:type="toc"><ol>{links}</ol></nav>'))
        file.writestr("OEBPS/cover.png", PICTURE)
        for number, (title, paragraphs) in zip(numbers, book.chapters, strict=True):
            body = "".join(f"<p>{escape(each)}</p>" for each in paragraphs)
            file.writestr(f"OEBPS/c{number}.xhtml", _page(f"<h1>{escape(title)}</h1>{body}"))
    return path


def write_docx(path: Path, book: Book) -> Path:
    """Write a book as DOCX, with a heading for each chapter."""
    body = "".join(
        _word_paragraph(title, "Heading1") + "".join(_word_paragraph(each) for each in paragraphs)
        for title, paragraphs in book.chapters
    )
    facts = (
        '<c:coreProperties xmlns:c="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<dc:title>{escape(book.title)}</dc:title><dc:creator>{escape(book.author)}</dc:creator></c:coreProperties>"
    )
    return write_word_file(path, body, facts)


def write_word_file(
    path: Path, body: str, facts: str = "", styles: str = "", parts: dict[str, str | bytes] | None = None
) -> Path:
    """Write a DOCX with this XML between the tags of its body, further styles and further parts, by their names.

    A part without text omits the default part of this name.
    """
    usual: dict[str, str | bytes] = {
        "[Content_Types].xml": "<Types/>",
        "word/document.xml": f"<w:document {_W}><w:body>{body}</w:body></w:document>",
        "word/styles.xml": f"<w:styles {_W}>{_STYLES}{styles}</w:styles>",
        "docProps/core.xml": facts,
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in (usual | (parts or {})).items():
            if content:
                file.writestr(name, content)
    return path


def word_part(kind: str, content: str) -> str:
    """Return the XML of a part of a DOCX, such as its “footnotes”."""
    return f"<w:{kind} {_W}>{content}</w:{kind}>"


def _word_paragraph(text: str, style: str = "") -> str:
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{properties}<w:r><w:t>{escape(text)}</w:t></w:r></w:p>"


def write_pdf(path: Path, book: Book, *, outline: bool = True) -> Path:
    """Write a book as PDF: justified by hyphens, with running heads, page numbers and, if wanted, an outline."""
    pages: list[list[PrintedLine]] = []
    marks: list[tuple[str, int]] = []
    for title, paragraphs in book.chapters:
        marks.append((title, len(pages)))
        lines = [PrintedLine(title, size=18.0, left=72.0)] + [
            PrintedLine(line, indent=not position)
            for paragraph in paragraphs
            for position, line in enumerate(hyphenated(paragraph))
        ]
        pages += [lines[at : at + PAGE_LINES] for at in range(0, len(lines), PAGE_LINES)]
    return write_pages(path, pages, book, marks if outline else [])


@dataclass(frozen=True)
class PrintedLine:
    """A line of a page; an indented one begins a paragraph."""

    text: str
    size: float = 11.0
    left: float = 72.0
    indent: bool = False


def hyphenated(paragraph: str) -> list[str]:
    """Return the lines of a paragraph; long words at their ends are cut."""
    lines: list[str] = []
    for line in textwrap.wrap(paragraph, LINE_CHARACTERS - 8):
        word = line.split()[0]
        if lines and len(word) > 6 and word.isalpha() and word.islower():
            lines[-1] += f" {word[:3]}-"
            line = word[3:] + line[len(word) :]
        lines.append(line)
    return lines


def write_pages(path: Path, pages: list[list[PrintedLine]], book: Book, marks: list[tuple[str, int]]) -> Path:
    """Write pages of lines as PDF, each with a running head and a page number; marks are the outline."""
    first_page = 4
    objects = [b"", b"", b"<</Type/Font/Subtype/Type1/BaseFont/Times-Roman/Encoding/WinAnsiEncoding>>"]
    objects.append(f"<</Title({book.title})/Author({book.author})>>".encode())
    numbers = range(len(pages))
    for number, page in enumerate(pages):
        content = _content(page, book.title, number + 1)
        objects.append(
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F 3 0 R>>>>"
            f"/Contents {first_page + 2 * number + 2} 0 R>>".encode()
        )
        objects.append(b"<</Length %d>>stream\n%s\nendstream" % (len(content), content))
    kids = " ".join(f"{first_page + 2 * number + 1} 0 R" for number in numbers)
    objects[1] = f"<</Type/Pages/Count {len(pages)}/Kids[{kids}]>>".encode()
    root = len(objects) + 1
    objects[0] = f"<</Type/Catalog/Pages 2 0 R{f'/Outlines {root} 0 R' if marks else ''}>>".encode()
    if marks:
        objects.append(f"<</Count {len(marks)}/First {root + 1} 0 R/Last {root + len(marks)} 0 R>>".encode())
    for position, (title, page_number) in enumerate(marks, 1):
        following = f"/Next {root + position + 1} 0 R" if position < len(marks) else ""
        target = first_page + 2 * page_number + 1
        objects.append(f"<</Title({title})/Parent {root} 0 R{following}/Dest[{target} 0 R/Fit]>>".encode())
    path.write_bytes(_file_of(objects))
    return path


def write_contents(path: Path, contents: list[str], outline: tuple[tuple[str, int, str], ...] = ()) -> Path:
    """Write pages with these content streams as PDF; the font G of each does not map its glyphs to letters.

    Each entry of the outline has a title, a page and the key of its target: “Dest”, or “A” for an action.
    """
    first_page = 8
    objects = [b"", b"", b"<</Type/Font/Subtype/Type1/BaseFont/Times-Roman/Encoding/WinAnsiEncoding>>", b"<<>>"]
    objects += [each.encode() for each in _NAMELESS_FONT]
    kids = [f"{first_page + 2 * number} 0 R" for number in range(len(contents))]
    for number, content in enumerate(contents):
        stream = content.encode("cp1252")
        objects.append(
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F 3 0 R/G 5 0 R>>>>"
            f"/Contents {first_page + 2 * number + 1} 0 R>>".encode()
        )
        objects.append(b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream))
    objects[1] = f"<</Type/Pages/Count {len(kids)}/Kids[{' '.join(kids)}]>>".encode()
    root = len(objects) + 1
    objects[0] = f"<</Type/Catalog/Pages 2 0 R{f'/Outlines {root} 0 R' if outline else ''}>>".encode()
    if outline:
        objects.append(f"<</Count {len(outline)}/First {root + 1} 0 R/Last {root + len(outline)} 0 R>>".encode())
    for position, (title, page, way) in enumerate(outline, 1):
        following = f"/Next {root + position + 1} 0 R" if position < len(outline) else ""
        place = f"[{kids[page]}/Fit]"
        leads = f"/Dest{place}" if way == "Dest" else f"/A<</S/GoTo/D{place}>>"
        objects.append(f"<</Title({title})/Parent {root} 0 R{following}{leads}>>".encode())
    path.write_bytes(_file_of(objects))
    return path


def shown(
    text: str,
    left: float,
    height: float,
    size: float = 11.0,
    degrees: float = 0.0,
    spacing: float = 0.0,
    font: str = "F",
) -> str:
    """Return the part of a content stream that shows text; a font without letters takes hexadecimal codes."""
    across, up = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    safe = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    said = f"<{text}>" if font == "G" else f"({safe})"
    matrix = f"{across:.4f} {up:.4f} {-up:.4f} {across:.4f} {left} {height:.1f}"
    return f"BT /{font} {size} Tf {spacing} Tc {matrix} Tm {said} Tj ET\n"


def _content(page: list[PrintedLine], head: str, number: int) -> bytes:
    height, written = 760.0, [_shown(head, 9.0, 240.0, 800.0)]
    for line in page:
        height -= 1.3 * line.size
        written.append(_shown(line.text, line.size, line.left + (18.0 if line.indent else 0.0), height))
    written.append(_shown(str(number), 9.0, 300.0, 40.0))
    return "\n".join(written).encode("cp1252")


def _shown(text: str, size: float, left: float, height: float) -> str:
    safe = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return f"BT /F {size} Tf {left} {height:.1f} Td ({safe}) Tj ET"


def _file_of(objects: list[bytes]) -> bytes:
    made, places = b"%PDF-1.7\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(made))
        made += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    start = len(made)
    count = len(objects) + 1
    made += b"xref\n0 %d\n0000000000 65535 f \n%strailer<</Size %d/Root 1 0 R/Info 4 0 R>>\n" % (count, table, count)
    return made + b"startxref\n%d\n%%%%EOF\n" % start


def _page(body: str) -> str:
    return (
        '<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml" '
        f'xmlns:epub="http://www.idpf.org/2007/ops"><head><title>A page</title></head><body>{body}</body></html>'
    )


PICTURE = bytes.fromhex(
    "89504e470d0a1a0a0000000d494844520000000100000001080200000090775"
    "3de0000000c49444154789c63606060000000040001f61738550000000049454e44ae426082"
)
"""A PNG of one black pixel."""
_NAMELESS_FONT = (
    "<</Type/Font/Subtype/Type0/BaseFont/ABCDEE+Own/Encoding/Identity-H/DescendantFonts[6 0 R]>>",
    "<</Type/Font/Subtype/CIDFontType2/BaseFont/ABCDEE+Own/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)"
    "/Supplement 0>>/FontDescriptor 7 0 R/DW 500>>",
    "<</Type/FontDescriptor/FontName/ABCDEE+Own/Flags 4/FontBBox[0 0 500 700]/ItalicAngle 0/Ascent 700/Descent -200"
    "/CapHeight 700/StemV 80>>",
)
_CONTAINER = (
    '<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)
_W = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
)
_STYLES = (
    '<w:docDefaults><w:rPrDefault><w:rPr><w:lang w:val="en-US"/></w:rPr></w:rPrDefault></w:docDefaults>'
    '<w:style w:styleId="Heading1"><w:name w:val="heading 1"/></w:style>'
    '<w:style w:styleId="Heading2"><w:name w:val="heading 2"/></w:style>'
)

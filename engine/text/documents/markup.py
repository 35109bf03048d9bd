"""Parses XML and HTML in any encoding, even if malformed."""

from __future__ import annotations

import codecs
import re
from html.entities import html5
from typing import Any

from lxml import etree

from engine.text.documents.decoding import Decoded, decoded

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"), (b"<\x00", "utf-16-le"),
    (b"\x00<", "utf-16-be"),
)  # fmt: skip
"""The byte order marks and first bytes that identify an encoding; a page begins with a bracket."""
_DECLARED = re.compile(
    rb"""<\?xml[^>]*?\bencoding\s*=\s*["']\s*(?P<xml>[\w.:-]+)"""
    rb"""|<meta\b[^>]*?\bcharset\s*=\s*["']?\s*(?P<meta>[\w.:-]+)""",
    re.IGNORECASE,
)
_DECLARED_WITHIN_BYTES = 4096
_WIDER = {
    "ascii": "cp1252", "iso8859-1": "cp1252", "gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932",
    "euc_kr": "cp949", "big5": "big5hkscs", "iso8859-9": "cp1254", "tis-620": "cp874",
}  # fmt: skip
"""Encodings that browsers use instead of declared ones, because pages also use the characters of the superset."""
_SEVEN_BITS = re.compile("iso2022|hz")
_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*\?>")
_REFERENCE = re.compile(r"<!\[CDATA\[.*?\]\]>|&(?:#(?:\d+|[xX][\da-fA-F]+);|(\w+);|)", re.DOTALL)
_OF_XML = frozenset({"amp", "lt", "gt", "quot", "apos"})
_IS_XHTML = re.compile(r"\A\s*(?:<\?xml|(?:<!DOCTYPE[^>]*>\s*)?<(?:\w+:)?html\b[^>]*\bxmlns\b)", re.IGNORECASE)
_NOT_OF_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")


def text_of(content: bytes, name: str = "") -> Decoded:
    """Decode a page or XML by its byte order mark, as UTF-8, or in the encoding that it declares.

    Otherwise it is decoded as plain text; raises `DamagedDocument` if it is not text.
    """
    for mark, code in _MARKS:
        if content.startswith(mark):
            return Decoded(content.decode(code, "replace").lstrip("\ufeff"))
    named = _named(content)
    if not _SEVEN_BITS.match(named):
        try:
            return Decoded(content.decode("utf-8"))
        except UnicodeDecodeError:
            pass
    if named and named != "utf-8":
        return Decoded(content.decode(named, "replace"))
    return decoded(content, name)


def _named(content: bytes) -> str:
    """Return the declared encoding under its Python name; empty if there is none or it is unknown."""
    for found in _DECLARED.finditer(content[:_DECLARED_WITHIN_BYTES]):
        label = (found["xml"] or found["meta"]).decode("ascii").lower()
        for written in (label, label.removeprefix("x-")):
            try:
                b"".decode(written)
                code = codecs.lookup(written).name
            except LookupError:
                continue
            if not code.startswith("utf-16"):  # an ASCII-compatible declaration cannot be in UTF-16
                return _WIDER.get(code, code)
    return ""


def xml_tree(content: bytes) -> Any:
    """Parse XML, even if malformed; None if it is blank or beyond recovery."""
    text = _readable(text_of(content).text)
    return _parsed(text, recover=True) if text.strip() else None


def page_tree(content: bytes, name: str = "") -> Any:
    """Parse an HTML or XHTML page, even if malformed; its element names have no namespace."""
    return tree_of_text(text_of(content, name).text)


def tree_of_text(text: str) -> Any:
    """Parse a decoded page like `page_tree`."""
    text = _NOT_OF_XML.sub(" ", text)
    if _IS_XHTML.match(text):
        root = _parsed(_readable(text), recover=False)
        if root is not None and next(root.iter(etree.Entity), None) is None:
            return _plain_names(root)
    plain = _DECLARATION.sub("", text)
    parser = etree.HTMLParser(encoding="utf-8", recover=True, no_network=True, remove_comments=True, remove_pis=True)
    root = etree.fromstring(plain.encode("utf-8"), parser) if plain.strip() else None
    return etree.Element("html") if root is None else root


def _readable(text: str) -> str:
    """Escape named entities and lone ampersands so that any XML parser accepts them."""
    return _NOT_OF_XML.sub(" ", _REFERENCE.sub(_sign, _DECLARATION.sub("", text))).lstrip()


def _sign(match: re.Match[str]) -> str:
    if match[0] == "&":
        return "&amp;"
    if match[1] is None or match[1] in _OF_XML:
        return match[0]
    sign = html5.get(f"{match[1]};")
    return match[0] if sign is None else "".join(f"&#{ord(each)};" for each in sign)


def _parsed(text: str, *, recover: bool) -> Any:
    parser = etree.XMLParser(
        encoding="utf-8", resolve_entities=False, no_network=True, load_dtd=False, recover=recover,
        remove_comments=True, remove_pis=True,
    )  # fmt: skip
    try:
        return etree.fromstring(text.encode("utf-8"), parser)
    except etree.XMLSyntaxError:
        return None


def _plain_names(root: Any) -> Any:
    for element in root.iter(etree.Element):
        element.tag = etree.QName(element).localname.lower()
    return root

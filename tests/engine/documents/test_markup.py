from base64 import encodebytes
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.documents.markup import page_tree, text_of, tree_of_text, xml_tree
from engine.documents.web_page import read
from engine.errors import DamagedDocument

META = '<html><head><meta charset="{}"></head><body><p>{}</p></body></html>'
HTTP = (
    '<html><head><meta http-equiv="Content-Type" content="text/html; charset={}"></head><body><p>{}</p></body></html>'
)
XML = "<?xml version='1.0' encoding='{}'?><html xmlns='http://www.w3.org/1999/xhtml'><body><p>{}</p></body></html>"
WRITTEN = [
    ("shift_jis", "cp932", "朝の港は静か①"), ("x-sjis", "cp932", "朝の港"), ("EUC-JP", "euc_jp", "朝の港"),
    ("iso-2022-jp", "iso2022_jp", "朝の港"), ("gb2312", "gb18030", "早上的港口镕"), ("GBK", "gbk", "早上"),
    ("big5", "big5", "早上的港口"), ("euc-kr", "cp949", "아침의 항구"), ("windows-1251", "cp1251", "Утром море"),
    ("koi8-r", "koi8_r", "Утром море"), ("iso-8859-1", "cp1252", "l’hôtel était “là”"), ("us-ascii", "cp1252", "l’été"),
    ("iso-8859-2", "iso8859_2", "łódź"), ("windows-1252", "cp1252", "l’été"), ("utf-8", "utf-8", "l’été"),
    ("nonsense", "utf-8", "l’été"), ("us-ascii", "utf-8", "l’été"), ("utf-16", "utf-8", "l’été"),
]  # fmt: skip


def paragraph(content: bytes) -> str:
    return "".join(page_tree(content).xpath("string(//p)"))


@pytest.mark.parametrize("form", [META, HTTP, XML])
@pytest.mark.parametrize(("label", "code", "text"), WRITTEN)
def test_a_page_is_read_in_the_code_that_it_names_or_is_in(form: str, label: str, code: str, text: str) -> None:
    assert paragraph(form.format(label, text).encode(code)) == text


@pytest.mark.parametrize("code", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig", "utf-32"])
@pytest.mark.parametrize("form", [META, XML])
def test_marks_and_first_bytes_tell_the_code(form: str, code: str) -> None:
    assert paragraph(form.format(code.removesuffix("-sig"), "l’été 朝").encode(code)) == "l’été 朝"


def test_a_page_that_names_no_code_is_read_as_a_text() -> None:
    assert paragraph("<p>l’hôtel était prêt</p>".encode("cp1252")) == "l’hôtel était prêt"


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    try:
        assert tree_of_text(text_of(content, "a.html").text).tag
    except DamagedDocument as error:
        assert "a.html" in str(error)  # noqa: PT017


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("a &amp; b", "a & b"), ("a & b", "a & b"), ("&eacute;&mdash;", "é—"), ("&#233;&#xe9;", "éé"),
        ("&lt;b&gt;", "<b>"),
        ("AT&T", "AT&T"), ("<![CDATA[a & <b>]]>", "a & <b>"), ("a &; b", "a &; b"),
    ],
)  # fmt: skip
def test_signs_are_read_as_they_are_meant(written: str, read: str) -> None:
    assert "".join(xml_tree(f"<a>{written}</a>".encode()).itertext()) == read


@pytest.mark.parametrize("written", ["", "  ", "no xml"])
def test_what_is_no_xml_has_no_tree(written: str) -> None:
    assert xml_tree(written.encode()) is None


def test_xhtml_may_have_a_prefix_and_elements_that_close_themselves() -> None:
    page = (
        '<?xml version="1.0"?><h:html xmlns:h="http://www.w3.org/1999/xhtml"><h:head><h:script src="x"/></h:head>'
        "<h:body><h:div/><h:p>One&nbsp;two</h:p></h:body></h:html>"
    )
    assert paragraph(page.encode()) == "One\u00a0two"


@pytest.mark.parametrize("suffix", [".mht", ".MHTML"])
@pytest.mark.parametrize("coding", ["quoted-printable", "base64", "8bit"])
def test_a_saved_page_is_read(tmp_path: Path, suffix: str, coding: str) -> None:
    page = "<html><head><title>Été</title></head><body><p>It was calm = so.</p></body></html>"
    body = {
        "quoted-printable": page.replace("=", "=3D").replace("É", "=C9").replace("é", "=E9"),
        "base64": encodebytes(page.encode("latin-1")).decode(),
        "8bit": page,
    }[coding]
    path = tmp_path / f"a{suffix}"
    path.write_bytes(
        (
            'From: <Saved>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related; type="text/html"; '
            'boundary="--B"\r\n\r\n----B\r\nContent-Type: image/png\r\n\r\n\r\nAA==\r\n'
            f'----B\r\nContent-Type: text/html; charset="iso-8859-1"\r\nContent-Transfer-Encoding: {coding}\r\n\r\n'
            f"{body}\r\n----B--\r\n"
        ).encode("latin-1")
    )
    document = read(path)
    assert (document.title, document.text) == ("Été", "It was calm = so.")


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes(bytes(range(256)) * 4)
    with pytest.raises(DamagedDocument, match=r"“a\.html” is not a text"):
        read(tmp_path / "a.html")

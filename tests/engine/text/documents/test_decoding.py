from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import DamagedDocument
from engine.text.documents.decoding import decoded, likelihood, unusual_characters
from tests.shared_inputs import real_text

SENTENCES = {
    "C’était un été très chaud à la plage.": ["cp1252", "mac_roman"],
    "Il a mangé.": ["cp1252", "mac_roman", "cp850"],
    "Die Bäume sind grün, die Straße ist schön.": ["cp1252", "mac_roman", "cp850"],
    "“It’s late,” she said—and the café was closed…": ["cp1252", "mac_roman"],
    "It’s late.": ["cp1252", "mac_roman"],
    "It cost £5 at the café.": ["cp1252", "mac_roman"],
    "El niño comió más en el jardín. ¿Qué pasó?": ["cp1252", "mac_roman", "cp850"],
    "Zażółć gęślą jaźń. Był wieczór.": ["cp1250", "iso8859_2", "cp852", "mac_latin2"],
    "Šel jsem domů. Ženy čekaly na vlak.": ["cp1250", "iso8859_2"],
    "Az őszi eső hűvös volt.": ["cp1250", "iso8859_2"],
    "Он пришёл домой поздно вечером и лёг спать.": ["cp1251", "koi8_r", "cp866", "mac_cyrillic", "iso8859_5"],
    "Привет, мир!": ["cp1251", "koi8_r", "cp866", "iso8859_5"],
    "Він прийшов додому пізно ввечері.": ["cp1251", "koi8_u"],
    "Ο γέρος κατέβηκε στο λιμάνι νωρίς.": ["cp1253", "iso8859_7"],
    "Yaşlı adam limana gitti. Güneş doğdu, hava ılıktı.": ["cp1254"],
    "Žmogus ėjo į mišką ieškoti grybų.": ["cp1257"],
    "他早上去了港口。天气很好。": ["gbk"],
    "你好，世界": ["gbk"],
    "他早上去了港口。天氣很好，沒有風。": ["big5"],
    "昨日は雨が降った。彼は家にいた。": ["cp932", "euc_jp"],
    "こんにちは": ["cp932", "euc_jp"],
    "오늘은 날씨가 좋다. 바람이 없다.": ["cp949"],
    "שלום עולם, היום יום יפה.": ["cp1255"],
    "ذهب الرجل إلى الميناء في الصباح.": ["cp1256"],
    "Good morning.\nIt is late.": ["utf_16_le", "utf_16_be"],
    "Été à Paris, “oui”.": ["utf_16_le", "utf_16_be"],
    "他早上去了港口。\n天气很好。\n": ["utf_16_le", "utf_16_be"],
}
CASES = {
    "t02_gbk.txt": ("第一章 清晨", "GBK"),
    "t02c_sjis.txt": ("朝の港は静かだった。", "Shift_JIS"),
    "t02d_eucjp.txt": ("朝の港は静かだった。", "EUC-JP"),
    "t02e_big5.txt": ("早上的港口很安靜，船都停在那裡。", "Big5"),
    "t02f_cp1251.txt": ("Утром море было спокойным. Лодки стояли неподвижно.", "Windows-1251"),
    "t02g_onebad.txt": ("“Good morning,” she said—naïvely—at the café.\n\nIt’s late. \ufffd End.", "in line 3"),
    "t02h_truncated.txt": ("“Good morning,” she said—naïvely. It’s late at the caf\ufffd", "in line 1"),
    "t02i_utf16_nobom.txt": ("Good morning. It is late.\n", "UTF-16"),
    "t02j_iso8859_2.txt": ("Dvořák přišel do Brna. Příliš žluťoučký kůň.", "ISO 8859-2"),
    "t02k_mac.txt": ("“It’s late,” she said at the café…", "Mac OS Roman"),
    "t08_onebad_nod.txt": ("It’s late—naïvely—at the café.\n\nMore text here. \ufffd End.", "in line 3"),
    "t08b_onebad_quote.txt": ("“It’s late.”\n\nCaf\ufffd", "in line 7"),
}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_what_tells_its_encoding_is_read_without_a_word(encoding: str) -> None:
    found = decoded("“Café”\r\nund Öl\rdanach".encode(encoding), "a.txt")
    assert (found.text, found.notices) == ("“Café”\nund Öl\ndanach", ())


@pytest.mark.parametrize(
    ("text", "encoding"), [(text, encoding) for text, encodings in SENTENCES.items() for encoding in encodings]
)
def test_a_sentence_is_enough_to_guess_the_encoding(text: str, encoding: str) -> None:
    found = decoded(text.encode(encoding), "a.txt")
    assert found.text == text
    assert len(found.notices) == 1
    assert "a.txt" in found.notices[0]


@pytest.mark.parametrize("name", CASES)
def test_real_texts_are_decoded(name: str) -> None:
    words, noticed = CASES[name]
    found = decoded(real_text(name).read_bytes(), name)
    assert words in found.text
    assert len(found.notices) == 1
    assert noticed in found.notices[0]


@given(st.integers(0, 200), st.sampled_from([b"\x92", b"\xff", b"\xe2\x80", b"\xc3"]))
def test_utf8_with_one_wrong_byte_is_utf8(place: int, wrong: bytes) -> None:
    lines = ["“Good morning,” she said—naïvely.", "", "It’s late at the café.", "Où est-il allé ?"] * 3
    before, after = "\n".join(lines)[:place], "\n".join(lines)[place:]
    found = decoded(before.encode() + wrong + b" " + after.encode(), "a.txt")
    assert found.text == f"{before}\ufffd {after}"
    assert f"in line {before.count(chr(10)) + 1}." in found.notices[0]


def test_wrong_bytes_are_one_notice_with_their_number_and_the_first_place() -> None:
    (notice,) = decoded("“Été”\n".encode() * 9 + b"a \xff b\n" * 3, "a.txt").notices
    assert "3" in notice
    assert "line 10" in notice


def test_a_replacement_that_was_written_so_is_none() -> None:
    assert decoded("a \ufffd b “c”".encode(), "a.txt").notices == ()


@pytest.mark.parametrize(
    "content",
    [
        b"\x89PNG\r\n\x1a\n\x00\x00", b"\xff\xfe\x00", bytes(range(256)), b"PK\x03\x04\x14\x00\x08" * 9,
        bytes(range(128, 256)) * 8 + bytes(range(32)) * 3, b"\x7fELF\x02\x01\x01\x00" + bytes(64),
    ],
)  # fmt: skip
def test_what_is_no_text_is_said(content: bytes) -> None:
    with pytest.raises(DamagedDocument, match=r"“photo\.txt” is not a text"):
        decoded(content, "photo.txt")


def test_stray_control_characters_are_no_reason_to_refuse_a_text() -> None:
    assert decoded(b"It was late. " * 20 + b"\x00 The end.", "a.txt").text.endswith("The end.")


@pytest.mark.parametrize(("unit", "encoding"), [("é", "cp1252"), ("It’s late. ", "cp1252"), ("天气很好。", "gbk")])
def test_long_texts_take_linear_time(unit: str, encoding: str) -> None:
    text = unit * (6_000_000 // len(unit.encode(encoding)))
    assert decoded(text.encode(encoding), "a.txt").text == text


@given(st.binary(max_size=300))
def test_any_bytes_are_a_text_or_refused(content: bytes) -> None:
    with suppress(DamagedDocument):
        decoded(content, "a.txt")


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("café", "cafŽ"), ("привет", "РТЙЧЕФ"), ("朝の港", "憆仛峘"), ("“Yes”", "ìYesî"), ("über", "�ber")],
)
def test_what_is_decoded_rightly_is_likelier(right: str, wrong: str) -> None:
    assert likelihood(right) > likelihood(wrong)


def test_only_characters_beyond_ascii_count() -> None:
    assert likelihood("Plain text.\n\t") == 0
    assert unusual_characters("naïve – yes\n") == 2

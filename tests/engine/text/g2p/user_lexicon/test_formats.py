import json
from dataclasses import asdict

import pytest

from engine.errors import InvalidRequest
from engine.text.g2p.user_lexicon.entries import LexiconEntry
from engine.text.g2p.user_lexicon.formats import as_csv, read_entries

ENTRIES = (
    LexiconEntry("Zorg", phonemes="zˈɔɹɡ"),
    LexiconEntry("New York, NY", say='a "b"', case="exact", language="en-GB"),
    LexiconEntry("lead", phonemes="lˈɛd", part_of_speech="noun"),
    LexiconEntry(pattern=r"(\d+)k\b", say=r"\1 thousand"),
    LexiconEntry("天气", say="a", language="zh"),
)


def test_exported_entries_are_imported_unchanged(tmp_path, symbols):
    path = tmp_path / "a.csv"
    path.write_text(as_csv(ENTRIES), encoding="utf-8")
    imported = read_entries(path, symbols)
    assert (imported.entries, imported.refused) == (ENTRIES, ())


@pytest.mark.parametrize(
    "text",
    [
        "word,phonemes\nZorg,zɔɹɡ\n",
        "\ufeffWord;IPA\r\nZorg;zɔɹɡ\r\n",
        "notes\tphonemes\tWORD\nany\t/zɔɹɡ/\tZorg",
        "# a comment\n\nphonemes,word,pos\nzɔɹɡ,Zorg\n\n",
        "# a comment\nZorg=zɔɹɡ\n",
    ],
)
def test_columns_are_found_by_their_titles(tmp_path, symbols, text):
    path = tmp_path / "a.csv"
    path.write_text(text, encoding="utf-8")
    assert read_entries(path, symbols).entries == (LexiconEntry("Zorg", phonemes="zɔɹɡ"),)


def test_lines_of_other_programs_are_read(tmp_path, symbols):
    path = tmp_path / "a.txt"
    path.write_text("Zorg|zorgue\nUN=junˈItᵻd nˈAʃənz\nnothing\n", encoding="utf-8")
    imported = read_entries(path, symbols)
    assert imported.entries == (LexiconEntry("Zorg", say="zorgue"), LexiconEntry("UN", phonemes="junˈItᵻd nˈAʃənz"))
    (refused,) = imported.refused
    assert refused.line == 3
    assert "“|”" in refused.reason


def test_entries_of_a_project_are_read(tmp_path, symbols):
    path = tmp_path / "book.kokoro"
    project = {"format": "kokoro-desk project", "lexicon": [*map(asdict, ENTRIES), {"word": "a"}, 7]}
    path.write_text(json.dumps(project), encoding="utf-8")
    imported = read_entries(path, symbols)
    assert imported.entries == ENTRIES
    assert [each.line for each in imported.refused] == [6, 7]


@pytest.mark.parametrize(
    "content", ["{", "{}", '{"lexicon": []}', '{"lexicon": {"a": 1}}', '{"lexicon": 7}', "{" * 9999]
)
def test_a_project_without_entries_is_refused(tmp_path, symbols, content):
    path = tmp_path / "book.kokoro"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InvalidRequest):
        read_entries(path, symbols)


def test_good_lines_of_a_large_file_are_taken_and_bad_ones_listed(tmp_path, symbols):
    bad = {
        5: "Zorg,ж,",
        70: "Zorg,,",
        900: ",zɔɹɡ,",
        8_000: "a,b,c,d",
        9_999: '"Zorg,zɔɹɡ,',
        50_000: "Zo\x01rg,zɔɹɡ,",
        99_999: "Zorg,zɔɹɡ,xx",
    }
    lines = [bad.get(number, f"word{number},zɔɹɡ,en-US") for number in range(2, 100_002)]
    path = tmp_path / "a.csv"
    path.write_bytes("\n".join(["word,phonemes,language", *lines]).encode() + b"\nZor\xffg,z,")
    imported = read_entries(path, symbols)
    assert len(imported.entries) == 100_000 - len(bad)
    assert [each.line for each in imported.refused] == [*bad, 100_002]
    assert all(each.reason.endswith(".") for each in imported.refused)


@pytest.mark.parametrize(
    "content", [b"", b"\n\n", b"# a\n", b"hello\nworld", b"name,sound\na,b", b"\x00\xff\xfe", b'"word']
)
def test_other_files_are_refused(tmp_path, symbols, content):
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    with pytest.raises(InvalidRequest):
        read_entries(path, symbols)


def test_a_missing_file_or_a_folder_is_refused(tmp_path, symbols):
    for path in (tmp_path, tmp_path / "missing.csv", tmp_path / "\0"):
        with pytest.raises(InvalidRequest):
            read_entries(path, symbols)

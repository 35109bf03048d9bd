import zipfile
from pathlib import Path

import pytest

from engine.documents import archive
from engine.documents.archive import Archive
from engine.errors import DamagedDocument, EncryptedDocument, OversizedDocument


def packed(path: Path, **members: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return path


def test_members_are_read(tmp_path: Path) -> None:
    with Archive(packed(tmp_path / "a.epub", one=b"1", two=b"<a><b/></a>")) as opened:
        assert opened.names == {"one", "two"}
        assert opened.read("one") == b"1"
        assert opened.tree("two").tag == "a"


def test_what_is_no_archive_or_lacks_a_member_is_damaged(tmp_path: Path) -> None:
    (tmp_path / "a.epub").write_bytes(b"PK\x03\x04 but no more")
    with pytest.raises(DamagedDocument, match=r"“a\.epub” is damaged or incomplete"):
        Archive(tmp_path / "a.epub")
    with Archive(packed(tmp_path / "b.epub", one=b"1")) as opened, pytest.raises(DamagedDocument):
        opened.read("two")


def test_a_changed_member_is_damaged(tmp_path: Path) -> None:
    path = packed(tmp_path / "a.epub", one=b"1" * 1000)
    content = bytearray(path.read_bytes())
    content[35] ^= 0xFF
    path.write_bytes(content)
    with Archive(path) as opened, pytest.raises(DamagedDocument):
        opened.read("one")


def test_a_member_with_a_password_is_protected(tmp_path: Path) -> None:
    path = packed(tmp_path / "a.epub", one=b"1")
    path.write_bytes(
        path.read_bytes().replace(b"PK\x01\x02\x14\x03\x14\x00\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01\x00")
    )
    with Archive(path) as opened, pytest.raises(EncryptedDocument):
        opened.read("one")


def test_a_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "LARGEST_MEMBER_BYTES", 1_000_000)
    monkeypatch.setattr(archive, "MOST_READ_BYTES", 2_500_000)
    path = packed(tmp_path / "a.epub", one=bytes(1_000_001), two=bytes(900_000))
    with Archive(path) as opened:
        with pytest.raises(OversizedDocument, match="unpacks to more"):
            opened.read("one")
        opened.read("two")
        with pytest.raises(OversizedDocument):
            opened.read("two")


def test_entities_do_not_grow_and_do_not_read_files(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    content = f'<!DOCTYPE a [<!ENTITY e SYSTEM "file://{secret}"><!ENTITY f "ha">]><a>&e;&f;</a>'.encode()
    with Archive(packed(tmp_path / "a.epub", one=content)) as opened:
        assert "secret" not in "".join(opened.tree("one").itertext())

import io
import os
import pickle
import zipfile
from pathlib import Path
from typing import Any

import pytest
import torch

from engine.errors import UnusableModel
from engine.network.torch_files import read_torch_file


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "weights.pth"


def rezipped(source: Path, target: Path, change: Any = None, compression: int = zipfile.ZIP_STORED) -> None:
    """The same archive with other contents, or compressed."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", compression) as new:
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, change(name, content) if change else content)


def test_tensors_come_back(path: Path) -> None:
    torch.save({"a": {"b": torch.arange(6.0).reshape(2, 3)}}, path)
    assert torch.equal(read_torch_file(path)["a"]["b"], torch.arange(6.0).reshape(2, 3))


class Harmful:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.folder),)


def test_code_in_a_file_is_not_run_but_told(path: Path, tmp_path: Path) -> None:
    torch.save({"a": torch.ones(2), "b": Harmful(tmp_path / "made")}, path)
    with pytest.raises(UnusableModel, match=r"holds program code.*source that you trust"):
        read_torch_file(path)
    assert not (tmp_path / "made").exists()


def test_a_bare_pickle_is_not_even_opened(path: Path, tmp_path: Path) -> None:
    path.write_bytes(pickle.dumps(Harmful(tmp_path / "made")))
    with pytest.raises(UnusableModel, match="not saved by PyTorch"):
        read_torch_file(path)
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_a_file_cut_short_is_incomplete(path: Path, share: float) -> None:
    torch.save({"a": torch.ones(1000)}, path)
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    with pytest.raises(UnusableModel, match=r"incomplete.*Get another copy of the file"):
        read_torch_file(path)


def test_a_changed_bit_is_found(path: Path) -> None:
    torch.save({"a": torch.ones(1000)}, path)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(UnusableModel, match="damaged"):
        read_torch_file(path)


def test_a_zip_bomb_is_refused_before_it_is_unpacked(path: Path, tmp_path: Path) -> None:
    torch.save({"a": torch.zeros(1_000_000)}, tmp_path / "plain.pth")
    rezipped(tmp_path / "plain.pth", path, compression=zipfile.ZIP_DEFLATED)
    with pytest.raises(UnusableModel, match="larger unpacked"):
        read_torch_file(path)


def test_entries_that_share_their_bytes_are_refused(path: Path) -> None:
    """Many entries of the directory point at the same content."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x/data.pkl", b"0" * 10_000)
        first = archive.infolist()[0]
        archive.filelist.extend([first] * 50)
    with pytest.raises(UnusableModel, match="larger unpacked"):
        read_torch_file(path)


def test_a_zip_of_something_else_is_refused(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("letter.txt", "hello")
    with pytest.raises(UnusableModel, match="not a file of tensors"):
        read_torch_file(path)


def test_a_huge_description_is_refused(path: Path, tmp_path: Path) -> None:
    torch.save({"a": torch.ones(2)}, tmp_path / "plain.pth")
    rezipped(tmp_path / "plain.pth", path, lambda name, content: b"0" * 5_000_000 if "pkl" in name else content)
    with pytest.raises(UnusableModel, match="not a file of tensors"):
        read_torch_file(path)


@pytest.mark.parametrize("content", [b"", b"(", b"\x80\x02}q\x00(X", b"garbage" * 100])
def test_a_broken_description_is_no_traceback(path: Path, tmp_path: Path, content: bytes) -> None:
    torch.save({"a": torch.ones(2)}, tmp_path / "plain.pth")
    rezipped(tmp_path / "plain.pth", path, lambda name, old: content if name.endswith("data.pkl") else old)
    with pytest.raises(UnusableModel, match=r"damaged|program code"):
        read_torch_file(path)


def test_what_is_saved_in_the_old_format_is_told(path: Path) -> None:
    buffer = io.BytesIO()
    torch.save({"a": torch.ones(2)}, buffer, _use_new_zipfile_serialization=False)
    path.write_bytes(buffer.getvalue())
    with pytest.raises(UnusableModel, match=r"PyTorch 1\.6"):
        read_torch_file(path)

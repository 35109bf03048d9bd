from pathlib import Path

import pytest

from engine.errors import InvalidRequest, UnusableModel
from engine.models.catalogue import ModelEntry, PinnedFile
from engine.models.sources import find_sources

ENTRY = ModelEntry(
    "m", "M", "free", "here", Path("config.json"), "r", "v", PinnedFile("kokoro-v1_0.pth", 1, "0"), ()
)  # fmt: skip


def touch(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()


def test_a_folder_offers_checkpoint_voices_and_description(tmp_path: Path) -> None:
    touch(tmp_path, "a.pth", "config.json", "af_x.bin", "voices/af_y.pt", "notes.txt", "voices/readme.md")
    found = find_sources(tmp_path, ENTRY)
    assert found.checkpoint == tmp_path / "a.pth"
    assert found.voices == {"af_x": tmp_path / "af_x.bin", "af_y": tmp_path / "voices" / "af_y.pt"}
    assert found.description == tmp_path / "config.json"


def test_a_folder_of_voices_alone(tmp_path: Path) -> None:
    touch(tmp_path, "af_x.bin", "config.json")
    found = find_sources(tmp_path, ENTRY)
    assert (found.checkpoint, found.description, list(found.voices)) == (None, None, ["af_x"])


def test_a_checkpoint_brings_the_voices_beside_it(tmp_path: Path) -> None:
    touch(tmp_path, "a.safetensors", "voices/af_y.pt")
    assert list(find_sources(tmp_path / "a.safetensors", ENTRY).voices) == ["af_y"]


def test_a_single_voice(tmp_path: Path) -> None:
    touch(tmp_path, "af_y.pt")
    assert find_sources(tmp_path / "af_y.pt", ENTRY).voices == {"af_y": tmp_path / "af_y.pt"}


def test_of_several_checkpoints_the_published_name_is_taken(tmp_path: Path) -> None:
    touch(tmp_path, "a.pth", "kokoro-v1_0.pth")
    assert find_sources(tmp_path, ENTRY).checkpoint == tmp_path / "kokoro-v1_0.pth"


def test_several_checkpoints_are_not_guessed_at(tmp_path: Path) -> None:
    touch(tmp_path, "a.pth", "b.safetensors")
    with pytest.raises(UnusableModel, match=r"several checkpoints.*a\.pth, b\.safetensors.*Choose one"):
        find_sources(tmp_path, ENTRY)


def test_nothing_to_import_is_said(tmp_path: Path) -> None:
    with pytest.raises(UnusableModel, match="no checkpoint of M and no voice pack"):
        find_sources(tmp_path, ENTRY)
    touch(tmp_path, "notes.txt")
    with pytest.raises(UnusableModel, match=r"notes\.txt is neither"):
        find_sources(tmp_path / "notes.txt", ENTRY)
    for name in ("gone", "x" * 300):  # the second is longer than the system allows
        with pytest.raises(InvalidRequest, match="There is no file or folder"):
            find_sources(tmp_path / name, ENTRY)


def test_a_voice_of_gigabytes_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "af_y.bin").open("wb") as stream:
        stream.truncate(1 << 30)
    with pytest.raises(UnusableModel, match="too large for a voice pack"):
        find_sources(tmp_path, ENTRY)

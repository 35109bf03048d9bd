"""The tests' trained Kokoro-82M: a folder next to the repository, its import, and phonemes to speak with it.

If the folder is missing, the tests that need it are skipped.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import pytest
from filelock import FileLock

from engine.cli.validate import ENGLISH_SENTENCES
from engine.config import ModelConfig
from engine.errors import MissingLanguage
from engine.models.checkpoints import FULL_SIZE, model_config
from engine.models.store import ModelState, ModelStore
from engine.text.g2p import Phonemizer
from engine.text.g2p.analysis import load_offline_analyzer
from engine.text.languages import JAPANESE, MANDARIN, Language, language_of
from engine.validator.experiments.text_parity import sentences_of

PROJECT = Path(__file__).resolve().parents[1]
FOLDER = PROJECT.parent / "shared" / FULL_SIZE
CHECKPOINT = FOLDER / "kokoro-v1_0-half.safetensors"
TRAINED_IS_HERE = CHECKPOINT.is_file()
CONVERTING_SOURCES = ("engine/models/conversion.py", "engine/network/published_checkpoint.py")
VOICES = ("af_heart", "am_michael", "bf_emma")
PHONEMES_OF_SAMPLES = {
    JAPANESE: "koɲɲiʨiβa, kʲoː βa totemo joi teŋkʲi desɨ ne.",
    MANDARIN: "ni↓xau↓, ʨi→ntʰjɛ→ntʰjɛ→nʨʰi↘ xə↓n xau↓,",
}
"""The first utterance of a language's sample, where the packages that pronounce it may be missing."""

needs_trained = pytest.mark.skipif(
    not TRAINED_IS_HERE, reason=f"trained weights are missing: there is no ../shared/{FULL_SIZE}/{CHECKPOINT.name}"
)


def install(data_folder: Path) -> Path:
    """Import the trained model into a data folder, once for all processes and until its file changes."""
    data_folder.mkdir(parents=True, exist_ok=True)
    imported = data_folder / "imported"
    with FileLock(data_folder / "import.lock"), pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(data_folder))
        models, source = ModelStore(), _source()
        is_current = imported.is_file() and imported.read_text() == source
        if not is_current or models.status(FULL_SIZE).state is not ModelState.INSTALLED:
            models.import_from(FOLDER, FULL_SIZE)
            imported.write_text(source)
    return data_folder


def _source() -> str:
    """Identify the sources of the installed model: the file, by its size and time, and the code that converts it."""
    file = CHECKPOINT.stat()
    code = b"".join((PROJECT / path).read_bytes() for path in CONVERTING_SOURCES)
    return f"{file.st_size} {file.st_mtime_ns} {hashlib.sha256(code).hexdigest()}"


def text_phonemes(phoneme_count: int, language: str = "en-US") -> str:
    """Return the first `phoneme_count` phonemes of an English text of many sentences."""
    text = " ".join(_sentences(language))
    assert len(text) >= phoneme_count
    return text[:phoneme_count]


def sentence_phonemes(most: int, language: str = "en-US") -> str:
    """Return whole English sentences, each the next that fits into this number of phonemes."""
    chosen = ""
    for sentence in _sentences(language):
        longer = f"{chosen} {sentence}".strip()
        chosen = longer if len(longer) <= most else chosen
    return chosen


def sample_phonemes(language: Language) -> str:
    """Return the first utterance of the language's sample sentence."""
    try:
        return _phonemizer(language.tag).plan(language.sample).utterances[0].phonemes
    except MissingLanguage:
        return PHONEMES_OF_SAMPLES[language]


@cache
def _sentences(language: str) -> tuple[str, ...]:
    plan = _phonemizer(language).plan
    return tuple(plan(text).utterances[0].phonemes for text in sentences_of(ENGLISH_SENTENCES)[:100])


@cache
def _phonemizer(language: str) -> Phonemizer:
    config: ModelConfig = model_config(FULL_SIZE)
    return Phonemizer(
        language_of(language).tag, config.vocab, config.phoneme_limit, load_analyzer=load_offline_analyzer
    )

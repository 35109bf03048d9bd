"""Compares the starter's voices with the teacher's, on held-out sentences."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch

from engine.config import ModelConfig
from engine.errors import InvalidRequest
from engine.network.architecture import Network
from engine.system.paths import starter_folder
from engine.training.starter.batches import TrainingItem, collate
from engine.training.starter.corpus import HELD_OUT, Shard, load_examples, record
from engine.training.starter.measures import DnsmosScore, Recognizer, WordCount
from engine.training.starter.package import read_package
from engine.training.starter.sound_stages import front_features, rendered
from engine.training.starter.spectra import log_mel_distance, mel_cepstral_distortion_db
from engine.training.starter.teacher import open_teacher
from engine.training.starter.text_stage import text_figures
from engine.training.starter.texts import HELD_OUT_SENTENCES
from engine.training.starter.training import CORPUS_FOLDER
from engine.training.starter.training_example import TrainingExample
from engine.training.starter.voices import STARTER_VOICES

NOISE_SEED = 0
Samples = npt.NDArray[np.float32]


@dataclass(frozen=True)
class VoiceScore:
    """The scores of one voice against the teacher's own, on the held-out sentences: means over sentences.

    Of the whole chain from phonemes: `word_error_rate` (over all words) and `opinion` (DNSMOS, overall), the teacher's
    own beside them. With the teacher's timing, F0, energy and excitation: `log_mel` (natural logarithm),
    `distortion_db` (mel-cepstral) and `intelligibility` (STOI, 1 for equals). Of the text side: `duration_frames` (mean
    error), `f0_cents` (root mean square, where both are voiced) and `voicing` (share of values that agree).
    """

    voice: str
    sentences: int
    words: int
    word_error_rate: float
    teacher_word_error_rate: float
    opinion: float
    teacher_opinion: float
    log_mel: float
    distortion_db: float
    intelligibility: float
    duration_frames: float
    f0_cents: float
    voicing: float


def evaluate(
    sentences: int = len(HELD_OUT_SENTENCES),
    package: Path | None = None,
    work_folder: Path | None = None,
    on_progress: Callable[[str], None] = lambda line: None,
) -> tuple[VoiceScore, ...]:
    """Score every voice of a package, by default the bundled one, on the first held-out sentences.

    The teacher's recordings are read from `work_folder`, and added to it if missing; without a folder they are
    temporary. Raises `InvalidRequest` for a number of sentences out of range, and for a package with a voice that is
    not among the starter's; `MissingModel` if the teacher is needed and not installed.
    """
    if not 1 <= sentences <= len(HELD_OUT_SENTENCES):
        raise InvalidRequest(
            f"{sentences} held-out sentences aren’t available.", f"Choose 1 to {len(HELD_OUT_SENTENCES)}."
        )
    network, packs = read_package(package or starter_folder())
    _check_voices(packs)
    with tempfile.TemporaryDirectory() as temporary:
        corpus = Path(temporary) if work_folder is None else work_folder / CORPUS_FOLDER
        _record_missing(corpus, packs, network.config, on_progress)
        evaluators = Evaluators(Recognizer(), DnsmosScore())
        scores = []
        for voice, pack in packs.items():
            on_progress(f"scoring {voice}")
            examples = load_examples(corpus / Shard(voice, HELD_OUT).path)[:sentences]
            scores.append(_score(network, _items(examples, voice, pack), evaluators))
    return tuple(scores)


def _check_voices(voices: Iterable[str]) -> None:
    others = [voice for voice in voices if voice not in STARTER_VOICES]
    if others:
        raise InvalidRequest(
            f"The package has an unknown voice: {others[0]}.", f"Voices are {', '.join(STARTER_VOICES)}."
        )


def _record_missing(
    corpus: Path, voices: Iterable[str], student: ModelConfig, on_progress: Callable[[str], None]
) -> None:
    """Let the teacher record the held-out sentences that are missing in the corpus."""
    missing = [shard for shard in (Shard(voice, HELD_OUT) for voice in voices) if not (corpus / shard.path).exists()]
    if missing:
        teacher = open_teacher(student)
        record(corpus, missing, teacher, lambda shard: on_progress(f"recorded {shard.voice}"))
        teacher.close()


def _items(examples: Sequence[TrainingExample], voice: str, pack: torch.Tensor) -> list[TrainingItem]:
    """Return the teacher's examples with the styles of the package's own pack [rows, 1, width]."""
    rows = pack[:, 0].numpy()
    return [TrainingItem(example, voice, rows[min(len(example.phonemes), len(rows)) - 1]) for example in examples]


@dataclass(frozen=True)
class SpeechQuality:
    """The result of judging sentences: recognized words, and the mean opinion score."""

    words: WordCount
    opinion: float


@dataclass(frozen=True)
class Evaluators:
    """The evaluators of speech: a word recognizer, and DNSMOS."""

    recognizer: Recognizer
    dnsmos: DnsmosScore

    def evaluate(self, spoken: Sequence[tuple[str, Samples]], rate_hz: int) -> SpeechQuality:
        """Judge spoken sentences, each with its text."""
        counts = [self.recognizer.count(text, samples, rate_hz) for text, samples in spoken]
        dnsmos_scores = [self.dnsmos.overall(samples, rate_hz) for _, samples in spoken]
        return SpeechQuality(sum(counts, WordCount(0, 0)), float(np.mean(dnsmos_scores)))


@torch.no_grad()
def _score(network: Network, items: Sequence[TrainingItem], evaluators: Evaluators) -> VoiceScore:
    ours = evaluators.evaluate(
        [(item.example.text, speak(network, item)) for item in items], network.config.sample_rate_hz
    )
    theirs = evaluators.evaluate(
        [(item.example.text, item.sound.samples) for item in items], network.config.sample_rate_hz
    )
    rows = [sound_figures(network, item) | text_figures(network, item) for item in items]
    means = {name: float(np.mean([row[name] for row in rows])) for name in rows[0] if name != "energy"}
    return VoiceScore(
        items[0].voice,
        len(items),
        ours.words.words,
        ours.words.rate,
        theirs.words.rate,
        ours.opinion,
        theirs.opinion,
        **means,
    )


def speak(network: Network, item: TrainingItem) -> Samples:
    """Render the phonemes of an example in PyTorch, with the network's own durations, F0 and energy."""
    torch.manual_seed(NOISE_SEED)
    samples: Samples = network(item.example.phonemes, torch.from_numpy(item.style)[None]).numpy()
    return samples


@torch.no_grad()
def speak_as(network: Network, item: TrainingItem) -> Samples:
    """Render an example with the teacher's durations, F0, energy and excitation.

    This shows how the decoder sounds with perfect prosody.
    """
    batch = collate([item])
    excitation = batch.harmonics(network.config, 0, batch.frames)
    samples: Samples = rendered(network, front_features(network, batch), batch.timbre, excitation)[0].numpy()
    return samples


def sound_figures(network: Network, item: TrainingItem) -> dict[str, float]:
    """Return the distances between an example rendered by the network and the teacher's recording."""
    from pystoi import stoi

    ours, wanted = speak_as(network, item), item.sound.samples
    distance = log_mel_distance(torch.from_numpy(ours), torch.from_numpy(wanted), network.config)
    return {
        "log_mel": float(distance),
        "distortion_db": mel_cepstral_distortion_db(ours, wanted, network.config),
        "intelligibility": float(stoi(wanted, ours, network.config.sample_rate_hz)),
    }

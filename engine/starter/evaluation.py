"""How good the packaged starter voices are: words understood, and distance from the teacher's sound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch

from engine.errors import InvalidRequest
from engine.g2p import Phonemizer
from engine.network.architecture import Network
from engine.starter.acoustic_stages import front_features
from engine.starter.batches import Item, collate
from engine.starter.corpus import CorpusRequest, record
from engine.starter.features import Example
from engine.starter.heldout import HELD_OUT_SENTENCES
from engine.starter.package import read_package
from engine.starter.pronunciation import misaki_pronunciations
from engine.starter.recognition import Recogniser, WordCount
from engine.starter.spectra import mel_cepstral_distortion_db
from engine.starter.voices import STARTER_VOICES, StarterVoice, open_teacher, teacher_installed
from engine.system.paths import starter_folder

NOISE_SEED = 0


@dataclass(frozen=True)
class VoiceScore:
    """One voice on the held-out sentences.

    `word_error_rate` is that of the whole chain from text; `teacher_word_error_rate` and `distortion_db`
    (mel-cepstral, with the teacher's timing, F0 and energy) are None if the teacher is not installed.
    """

    voice: str
    sentences: int
    words: int
    word_error_rate: float
    teacher_word_error_rate: float | None
    distortion_db: float | None


def evaluate(sentences: int = len(HELD_OUT_SENTENCES), folder: Path | None = None) -> tuple[VoiceScore, ...]:
    """Score every voice of the package in `folder`, or of the bundled one, on the first held-out sentences.

    Raises `InvalidRequest` for a number of sentences out of range.
    """
    if not 1 <= sentences <= len(HELD_OUT_SENTENCES):
        raise InvalidRequest(
            f"{sentences} is not a number of held-out sentences.", f"Choose 1 to {len(HELD_OUT_SENTENCES)}."
        )
    network, styles = read_package(folder or starter_folder())
    texts = HELD_OUT_SENTENCES[:sentences]
    recogniser = Recogniser()
    return tuple(_score(network, styles[voice.name], voice, texts, recogniser) for voice in STARTER_VOICES)


def _score(
    network: Network, style: torch.Tensor, voice: StarterVoice, texts: Sequence[str], recogniser: Recogniser
) -> VoiceScore:
    rate_hz = network.config.sample_rate_hz
    phonemizer = Phonemizer(voice.language, network.config.vocab, network.config.phoneme_limit)
    ours = [recogniser.count(text, speak(network, style, phonemizer, text), rate_hz) for text in texts]
    examples = _teach(network, voice, texts)
    theirs = [recogniser.count(example.text, example.samples, rate_hz) for example in examples]
    distances = [
        mel_cepstral_distortion_db(speak_as(network, style, example), example.samples, network.config)
        for example in examples
    ]
    total = sum(ours, WordCount(0, 0))
    return VoiceScore(
        voice.name,
        len(texts),
        total.words,
        total.rate,
        sum(theirs, WordCount(0, 0)).rate if theirs else None,
        float(np.mean(distances)) if distances else None,
    )


def speak(network: Network, style: torch.Tensor, phonemizer: Phonemizer, text: str) -> npt.NDArray[np.float32]:
    """The whole chain from text, in PyTorch: the samples of all utterances, concatenated."""
    torch.manual_seed(NOISE_SEED)
    spoken = [network(utterance.phonemes, style).numpy() for utterance in phonemizer.plan(text).utterances]
    return np.concatenate(spoken)


@torch.no_grad()
def speak_as(network: Network, style: torch.Tensor, example: Example) -> npt.NDArray[np.float32]:
    """An example's tokens with its own durations, F0 and energy: how the decoder sounds with perfect prosody."""
    torch.manual_seed(NOISE_SEED)
    batch = collate([Item(example, 0)])
    timbre = style[:, : network.config.style_dim]
    features = front_features(network, batch, timbre)
    samples: npt.NDArray[np.float32] = network.decoder.generator(features, timbre, batch.curves("f0_hz"))[0, 0].numpy()
    return samples


def _teach(network: Network, voice: StarterVoice, texts: Sequence[str]) -> list[Example]:
    """The teacher's own reading of the sentences, or nothing if it is not installed."""
    if not teacher_installed(voice):
        return []
    return record(open_teacher(voice), CorpusRequest(voice, tuple(texts)), misaki_pronunciations(), network.config)

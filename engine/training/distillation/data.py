"""Makes the data: passages of ours as phonemes of both kinds of English, and the teacher's features of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import islice

import numpy as np

from engine.errors import NothingToSpeak
from engine.text.g2p import Phonemizer
from engine.training.distillation.options import DistillOptions
from engine.training.distillation.shards import Example, ShardFolder
from engine.training.distillation.teacher import Teacher
from engine.training.distillation.texts import passages
from engine.training.starter.options import TrainProgress

SHARD_EXAMPLES = 100


def make_data(teacher: Teacher, options: DistillOptions, on_progress: Callable[[TrainProgress], None]) -> None:
    """Make as many shards as are missing.

    Equal seeds give equal data, however often it was interrupted. Raises the errors of `ShardFolder`.
    """
    kept = ShardFolder(options.data_folder, teacher.identity)
    spoken = phonemised(teacher, options.seed)
    for _ in islice(spoken, kept.count * SHARD_EXAMPLES):
        pass
    began, before = time.monotonic(), kept.count
    while kept.count < options.shards:
        kept.add([_example(teacher, *entry) for entry in islice(spoken, SHARD_EXAMPLES)])
        seconds = (time.monotonic() - began) / (kept.count - before)
        left = seconds * (options.shards - kept.count)
        on_progress(TrainProgress("data", kept.count / options.shards, left, {}))


def phonemised(teacher: Teacher, seed: int) -> Iterator[tuple[str, str]]:
    """Phonemes of passages without end, with the tag of the language, which alternates between those of the voices."""
    tags = sorted({voice.info.language for voice in teacher.voices.values()})
    phonemizers = [Phonemizer(tag, teacher.config.vocab, teacher.config.phoneme_limit) for tag in tags]
    for index, passage in enumerate(passages(seed)):
        turn = index % len(tags)
        try:
            utterances = phonemizers[turn].plan(passage).utterances
        except NothingToSpeak:
            continue
        phonemes = " ".join(utterance.phonemes for utterance in utterances)
        yield phonemes[: teacher.config.phoneme_limit], tags[turn]


def _example(teacher: Teacher, phonemes: str, language: str) -> Example:
    return Example(phonemes, language, teacher.features(phonemes).astype(np.float16))

"""Generates the training data: texts as phonemes of American and British English, with the teacher's features."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from itertools import islice

import numpy as np

from engine.errors import NothingToSpeak
from engine.text.g2p import Phonemizer
from engine.training.distillation.options import DistillOptions
from engine.training.distillation.shards import Example, ShardFolder
from engine.training.distillation.teacher import DistillationTeacher
from engine.training.starter.options import TrainProgress
from engine.training.starter.texts import HELD_OUT_SENTENCES, load_lexicon, prompts

SHARD_EXAMPLES = 100


def make_data(
    teacher: DistillationTeacher, options: DistillOptions, on_progress: Callable[[TrainProgress], None]
) -> None:
    """Generate the missing shards.

    Equal seeds yield equal data, even after interruptions. Raises the errors of `ShardFolder`.
    """
    kept = ShardFolder(options.data_folder, teacher.identity)
    spoken = phonemized(teacher, options.seed)
    for _ in islice(spoken, kept.count * SHARD_EXAMPLES):
        pass
    began, before = time.monotonic(), kept.count
    while kept.count < options.shards:
        kept.add([_example(teacher, *entry) for entry in islice(spoken, SHARD_EXAMPLES)])
        seconds = (time.monotonic() - began) / (kept.count - before)
        left = seconds * (options.shards - kept.count)
        on_progress(TrainProgress("data", kept.count / options.shards, left, {}))


def phonemized(teacher: DistillationTeacher, seed: int) -> Iterator[tuple[str, str]]:
    """Yield phonemes of passages endlessly, with the language's tag, which alternates between those of the voices."""
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


def _example(teacher: DistillationTeacher, phonemes: str, language: str) -> Example:
    return Example(phonemes, language, teacher.features(phonemes).astype(np.float16))


HELD_OUT_COUNT = 200
SENTENCES_SHARES = {1: 0.6, 2: 0.2, 4: 0.12, 7: 0.03}
"""The shares of passages by their number of sentences; the remaining passages have one to four words."""
_HELD_OUT_SEED = 7919


def held_out_sentences(count: int = HELD_OUT_COUNT) -> tuple[str, ...]:
    """Return up to 200 sentences that no passage repeats: the starter's, then generated ones."""
    generated = prompts(HELD_OUT_COUNT - len(HELD_OUT_SENTENCES), _HELD_OUT_SEED, load_lexicon())
    return (*HELD_OUT_SENTENCES, *generated)[:count]


def passages(seed: int) -> Iterator[str]:
    """Yield passages endlessly, equal for equal seeds; none contains a held-out sentence."""
    chance = random.Random(seed)
    taken = set(held_out_sentences())
    lexicon = load_lexicon()
    while True:
        sentences = [sentence for sentence in prompts(500, chance.randrange(1 << 30), lexicon) if sentence not in taken]
        while len(sentences) >= max(SENTENCES_SHARES):
            yield _passage(sentences, chance)


def _passage(sentences: list[str], chance: random.Random) -> str:
    """Return a passage of the last sentences of the list, and remove them."""
    counts, shares = list(SENTENCES_SHARES), list(SENTENCES_SHARES.values())
    count = chance.choices([*counts, 0], [*shares, 1 - sum(shares)])[0]
    if count:
        return " ".join(sentences.pop() for _ in range(count))
    words = sentences.pop().split()
    first = chance.randrange(len(words))
    return " ".join(words[first : first + chance.randint(1, 4)])

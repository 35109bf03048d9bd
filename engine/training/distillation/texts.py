"""The texts that students learn from, one word to several sentences long, and those held out."""

from __future__ import annotations

import random
from collections.abc import Iterator

from engine.training.starter.heldout import HELD_OUT_SENTENCES
from engine.training.starter.texts import load_lexicon, prompts

HELD_OUT_COUNT = 200
SENTENCES_SHARES = {1: 0.6, 2: 0.2, 4: 0.12, 7: 0.03}
"""How many sentences a passage has; the remaining share has one to four words."""
_HELD_OUT_SEED = 7919


def held_out_sentences(count: int = HELD_OUT_COUNT) -> tuple[str, ...]:
    """Up to 200 sentences that no passage repeats: the starter's, then generated ones."""
    return (HELD_OUT_SENTENCES + _generated_held_out())[:count]


def passages(seed: int) -> Iterator[str]:
    """Passages without end, equal for equal seeds; no sentence of theirs is held out."""
    chance = random.Random(seed)
    taken = set(held_out_sentences())
    lexicon = load_lexicon()
    while True:
        sentences = [sentence for sentence in prompts(500, chance.randrange(1 << 30), lexicon) if sentence not in taken]
        while len(sentences) >= max(SENTENCES_SHARES):
            yield _passage(sentences, chance)


def _generated_held_out() -> tuple[str, ...]:
    return tuple(prompts(HELD_OUT_COUNT - len(HELD_OUT_SENTENCES), _HELD_OUT_SEED, load_lexicon()))


def _passage(sentences: list[str], chance: random.Random) -> str:
    """A passage from the last sentences of the list, which are removed."""
    counts, shares = list(SENTENCES_SHARES), list(SENTENCES_SHARES.values())
    count = chance.choices([*counts, 0], [*shares, 1 - sum(shares)])[0]
    if count:
        return " ".join(sentences.pop() for _ in range(count))
    words = sentences.pop().split()
    first = chance.randrange(len(words))
    return " ".join(words[first : first + chance.randint(1, 4)])

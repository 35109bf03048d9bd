"""Kokoro's own way from English text to phonemes: misaki's G2P with the setup of `kokoro.KPipeline`.

It does not split text into utterances, because Kokoro cuts phonemes at different places. Importing it loads misaki and
spaCy.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

from misaki import en, espeak

from engine.text.g2p.analysis import Analyzer, Homographs
from engine.text.g2p.english import MISAKI_FAILURES, homographs

PARAGRAPH_BREAK = re.compile(r"\n+")


class _TaggedG2P(en.G2P):
    """misaki's G2P with an installed tagger: its own constructor would download a spaCy model."""

    def __init__(self, british: bool, load_analyzer: Callable[[Homographs], Analyzer]) -> None:
        self.version = None
        self.british = british
        self.lexicon = en.Lexicon(british)
        self.fallback = _fallback(british)
        self.unk = ""
        analyze = load_analyzer(homographs(self.lexicon.golds))
        self.nlp = lambda text: [
            SimpleNamespace(text=word.text, tag_=word.tag, whitespace_=" " * word.space) for word in analyze(text)
        ]


class UpstreamText:
    """American or British English as `kokoro.KPipeline` pronounces it; an instance belongs to one thread."""

    def __init__(self, british: bool, load_analyzer: Callable[[Homographs], Analyzer]) -> None:
        self._g2p = _TaggedG2P(british, load_analyzer)

    def phonemes(self, text: str) -> str | None:
        """Return the phonemes of text; None if misaki fails on it."""
        try:
            lines = [self._line(line) for line in PARAGRAPH_BREAK.split(text.strip()) if line.strip()]
        except MISAKI_FAILURES:
            return None
        return " ".join(line for line in lines if line)

    def _line(self, line: str) -> str:
        _, tokens = self._g2p(line)
        return "".join((token.phonemes or "") + " " * bool(token.whitespace) for token in tokens).strip()


def _fallback(british: bool) -> Any:
    """Return espeak for words that the lexicon lacks, or None if it cannot be loaded, as in Kokoro."""
    with suppress(OSError, RuntimeError):
        return espeak.EspeakFallback(british=british)
    return None

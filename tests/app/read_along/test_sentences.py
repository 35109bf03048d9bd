import numpy as np
import pytest

from app.audio.track import AudioTrack
from app.read_along.sentences import HeardSentences
from engine.speech import AudioChunk, SpokenWord, Utterance
from tests.app.fakes import RATE_HZ, chunk_of, utterances_of

TEXT = "A b. C d. E f."
"""Two utterances: one ends in the middle of the second sentence."""
FIRST, SECOND = Utterance(0, "A b. C", "x", 0, 6), Utterance(1, "d. E f.", "x", 7, 14)
WORDS = (
    (SpokenWord(0, 1, 50, 150), SpokenWord(2, 3, 200, 350), SpokenWord(5, 6, 500, 600)),
    (SpokenWord(7, 8, 30, 90), SpokenWord(10, 11, 300, 350), SpokenWord(12, 13, 400, 500)),
)


def chunk(utterance: Utterance, words: tuple[SpokenWord, ...]) -> AudioChunk:
    return AudioChunk(utterance, 2, np.zeros(1000, np.float32), RATE_HZ, words)


@pytest.fixture
def heard() -> HeardSentences:
    heard, track = HeardSentences(TEXT), AudioTrack()
    for utterance, words in zip((FIRST, SECOND), WORDS, strict=True):
        track.append(chunk(utterance, words))
        heard.set_track(track)
    return heard


def test_sentences_begin_with_their_first_words_wherever_utterances_end(heard: HeardSentences) -> None:
    assert heard.samples == [0, 500, 1300]
    spans = {sample: heard.at(sample) for sample in (0, 499, 500, 1299, 1300, 5000)}
    assert [TEXT[span.start : span.end] for span in spans.values() if span is not None] == [
        "A b.", "A b.", "C d.", "C d.", "E f.", "E f."
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("sample", "back", "forward"),
    [(0, 0, 500), (300, 0, 500), (510, 0, 500 + 800), (700, 500, 1300), (1450, 500, None), (1600, 1300, None)],
)
def test_back_goes_to_the_start_or_if_near_it_the_previous_sentence(
    heard: HeardSentences, sample: int, back: int, forward: int | None
) -> None:
    assert heard.before(sample, grace_samples=200) == back
    assert heard.after(sample) == forward


def test_without_words_sentences_begin_with_utterances() -> None:
    text, track = "One. Two. Three.", AudioTrack()
    heard = HeardSentences(text)
    assert (heard.at(0), heard.before(7, 1), heard.after(0)) == (None, 0, None)
    for utterance in utterances_of(text):
        track.append(chunk_of(utterance, 3))
    heard.set_track(track)
    heard.set_track(track)
    assert heard.samples == [0, RATE_HZ, 2 * RATE_HZ]


def test_a_sentence_cut_off_and_generated_again_counts_once() -> None:
    heard, track = HeardSentences(TEXT), AudioTrack()
    track.append(chunk(FIRST, WORDS[0]))
    track.append(chunk(SECOND, WORDS[1]))
    heard.set_track(track)
    track.cut(1000)
    heard.set_track(track)
    assert heard.samples == [0, 500]
    track.append(chunk(SECOND, (SpokenWord(7, 8, 30, 90), SpokenWord(10, 11, 700, 800))))
    heard.set_track(track)
    assert heard.samples == [0, 500, 1700]
    track.cut(1000)
    track.append(chunk(SECOND, WORDS[1]))
    heard.set_track(track)
    assert heard.samples == [0, 500, 1300]

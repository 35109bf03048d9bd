"""The held-out sentences stay held out."""

from engine.starter.heldout import HELD_OUT_SENTENCES


def test_there_are_forty_different_sentences() -> None:
    assert len(set(HELD_OUT_SENTENCES)) == len(HELD_OUT_SENTENCES) == 40
    assert all(sentence.endswith(".") and sentence[0].isupper() for sentence in HELD_OUT_SENTENCES)

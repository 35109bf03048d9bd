"""Passages differ, repeat with their seed, and keep clear of what is held out."""

from itertools import islice

from engine.training.distillation.data import HELD_OUT_COUNT, held_out_sentences, passages


def test_equal_seeds_give_equal_passages():
    assert list(islice(passages(3), 30)) == list(islice(passages(3), 30))
    assert list(islice(passages(3), 30)) != list(islice(passages(4), 30))


def test_no_passage_has_a_held_out_sentence():
    spoken = " ".join(islice(passages(11), 2000))
    assert not [sentence for sentence in held_out_sentences() if sentence in spoken]


def test_passages_are_of_all_lengths():
    words = [len(passage.split()) for passage in islice(passages(5), 300)]
    assert min(words) <= 4
    assert max(words) > 40


def test_two_hundred_different_sentences_are_held_out():
    assert len(set(held_out_sentences())) == HELD_OUT_COUNT
    assert held_out_sentences(7) == held_out_sentences()[:7]

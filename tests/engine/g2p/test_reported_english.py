"""English sentences that people reported, as plain words say them."""

import pytest

from engine.g2p import Phonemizer
from tests.engine.g2p.plain_words import same_as
from tests.shared_inputs import english_lines


@pytest.mark.parametrize(("written", "plain"), english_lines())
def test_it_sounds_like_plain_words(american: Phonemizer, written: str, plain: str) -> None:
    assert same_as(american, written, plain)

import numpy as np
import pytest

from engine.errors import UnknownVoice
from engine.voices import Voice, describe, find


def pack(rows: int) -> Voice:
    return Voice(describe("af_sally"), np.arange(rows * 8, dtype=np.float32).reshape(rows, 1, 8))


def test_the_row_is_chosen_by_the_number_of_phonemes() -> None:
    style = pack(3).style(2)
    assert style.timbre.tolist() == [8, 9, 10, 11]
    assert style.prosody.tolist() == [12, 13, 14, 15]


@pytest.mark.parametrize(("count", "first"), [(0, 0), (1, 0), (3, 16), (510, 16)])
def test_counts_beyond_the_pack_use_its_ends(count: int, first: int) -> None:
    assert pack(3).style(count).timbre[0] == first


@pytest.mark.parametrize(
    ("name", "language", "gender", "title"),
    [("af_heart", "en-US", "female", "Heart"), ("bm_george", "en-GB", "male", "George")],
)
def test_a_name_tells_language_and_gender(name: str, language: str, gender: str, title: str) -> None:
    info = describe(name)
    assert (info.language, info.gender, info.title) == (language, gender, title)


@pytest.mark.parametrize("typed", ["af_saly", "sally", "Sally", "AF_SALLY"])
def test_an_unknown_voice_suggests_the_nearest(typed: str) -> None:
    with pytest.raises(UnknownVoice, match="Did you mean “af_sally”") as caught:
        find({"af_sally": pack(1), "am_rowan": pack(1)}, typed)
    assert caught.value.known == ("af_sally", "am_rowan")


def test_a_name_like_no_other_gets_the_list_alone() -> None:
    with pytest.raises(UnknownVoice) as caught:
        find({"af_sally": pack(1)}, "zzzzzz")
    assert caught.value.nearest is None
    assert "Known voices: af_sally." in str(caught.value)

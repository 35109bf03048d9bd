from collections import Counter

import numpy as np
import pytest

from engine.errors import InvalidRequest, UnknownVoice
from engine.models.voices.packs import GENDERS, Voice, describe, find, full_name, official_voices
from engine.text.languages import LANGUAGES


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
    [
        ("af_heart", "en-US", "female", "Heart"), ("bm_george", "en-GB", "male", "George"),
        ("father's voice", "en-US", "", "father's voice"), ("Duo_de Paris", "en-US", "", "Duo_de Paris"),
    ],
)  # fmt: skip
def test_a_name_tells_language_and_gender(name: str, language: str, gender: str, title: str) -> None:
    info = describe(name)
    assert (info.language, info.gender, info.title) == (language, gender, title)


def test_all_official_voices_are_described() -> None:
    voices = official_voices()
    counted = Counter(voice.language for voice in voices)
    assert counted == {
        "en-US": 20, "en-GB": 8, "es": 3, "fr-FR": 1, "hi": 4, "it": 2, "ja": 5, "pt-BR": 3, "zh": 8,
    }  # fmt: skip
    assert Counter(voice.gender for voice in voices) == {"female": 29, "male": 25}
    assert {voice.name for voice in voices if not voice.grade} == {
        "ef_dora", "em_alex", "em_santa", "pf_dora", "pm_alex", "pm_santa",
    }  # fmt: skip
    letters = {language.letter: language.tag for language in LANGUAGES}
    for voice in voices:
        assert voice.language == letters[voice.name[0]]
        assert voice.gender == GENDERS[voice.name[1]]
    assert (describe("af_heart").grade, describe("am_adam").grade) == ("A", "F+")


@pytest.mark.parametrize("typed", ["sally", "Sally", "AF_SALLY"])
def test_a_short_name_is_enough_where_it_is_clear(typed: str) -> None:
    sally = pack(1)
    assert find({"am_rowan": pack(2), "af_sally": sally}, typed) is sally


def test_a_name_of_several_voices_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="Write em_alex or pm_alex"):
        full_name("alex", ("em_alex", "pm_alex", "af_sally"))


@pytest.mark.parametrize("typed", ["af_saly", "sall", "Saly"])
def test_an_unknown_voice_suggests_the_nearest(typed: str) -> None:
    with pytest.raises(UnknownVoice, match="Did you mean “af_sally”") as caught:
        find({"af_sally": pack(1), "am_rowan": pack(1)}, typed)
    assert caught.value.known == ("af_sally", "am_rowan")


def test_a_name_like_no_other_gets_the_list_alone() -> None:
    with pytest.raises(UnknownVoice) as caught:
        find({"af_sally": pack(1)}, "zzzzzz")
    assert caught.value.nearest is None
    assert "Known voices: af_sally." in str(caught.value)

"""Blends are read as they are written, their weights in proportion, and mixed row by row."""

import contextlib
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InvalidRequest, UnknownVoice
from engine.voices.blends import Blend, Part, describe_blend, is_recipe, language_notice, mix, parse, with_full_names
from engine.voices.packs import Voice, describe, official_voices

NAMES = [voice.name for voice in official_voices()]
WEIGHTS = st.floats(min_value=1e-300, max_value=1e300, allow_nan=False) | st.integers(1, 100).map(float)
BLENDS = st.dictionaries(st.sampled_from(NAMES), WEIGHTS, min_size=1, max_size=6).map(
    lambda weights: Blend(tuple(Part(name, weight) for name, weight in weights.items()))
)
KNOWN = {voice.name: voice for voice in official_voices()}


def pack(name: str, value: float, rows: int = 2) -> Voice:
    return Voice(describe(name), np.full((rows, 1, 4), value, np.float32))


@pytest.mark.parametrize(
    ("recipe", "shares"),
    [
        ("af_heart(2)+am_adam(1)", (2 / 3, 1 / 3)),
        ("af_heart:60,am_adam:40", (0.6, 0.4)),
        (" af_heart : 1.5 , am_adam ( .5 ) ", (0.75, 0.25)),
        ("af_heart+am_adam", (0.5, 0.5)),
        ("af_heart(1)+am_adam(1)+af_heart(2)", (0.75, 0.25)),
        ("af_heart(3)", (1.0,)),
    ],
)
def test_both_ways_of_writing_are_read(recipe: str, shares: tuple[float, ...]) -> None:
    blend = parse(recipe)
    assert [part.voice for part in blend.parts] == ["af_heart", "am_adam"][: len(shares)]
    assert blend.shares == pytest.approx(shares)


@given(BLENDS)
def test_a_blend_is_read_back_as_it_was_written(blend: Blend) -> None:
    assert parse(blend.recipe) == blend
    assert is_recipe(blend.recipe)


@given(BLENDS)
def test_shares_add_up_to_one_and_keep_their_order(blend: Blend) -> None:
    assert math.fsum(blend.shares) == pytest.approx(1)
    assert all(0 <= share <= 1 for share in blend.shares)
    weights = [part.weight for part in blend.parts]
    assert sorted(blend.shares) == [share for _, share in sorted(zip(weights, blend.shares, strict=True))]


@given(st.text("af_heart+,:()0123456789.e- ", max_size=30))
def test_anything_else_is_refused_in_words(recipe: str) -> None:
    with contextlib.suppress(InvalidRequest):
        blend = parse(recipe)
        assert blend.parts
        assert all(part.weight > 0 and math.isfinite(part.weight) for part in blend.parts)


@pytest.mark.parametrize("weight", ["0", "-1", "nan", "inf", "", "much", "1,5"])
def test_weights_are_numbers_above_zero(weight: str) -> None:
    with pytest.raises(InvalidRequest, match="is not a blend of voices"):
        parse(f"af_heart({weight})+am_adam(1)")


def test_short_names_are_written_out_and_unknown_ones_suggest() -> None:
    assert with_full_names(parse("heart(2)+af_bella"), NAMES).recipe == "af_heart(2)+af_bella(1)"
    with pytest.raises(UnknownVoice, match="Did you mean “af_heart”"):
        with_full_names(parse("af_hart(2)+af_bella"), NAMES)
    with pytest.raises(InvalidRequest, match="Write em_alex or pm_alex"):
        with_full_names(parse("alex+heart"), NAMES)


def test_packs_are_mixed_by_share_and_short_ones_go_on() -> None:
    voices = {"af_heart": pack("af_heart", 3.0, rows=1), "bm_george": pack("bm_george", 0.0, rows=3)}
    voice = mix(parse("af_heart(2)+bm_george(1)"), voices)
    assert voice.table.shape == (3, 1, 4)
    assert voice.table == pytest.approx(2.0)
    assert voice.table.dtype == np.float32


def test_a_blend_is_described_by_its_voices() -> None:
    info = describe_blend(parse("am_adam(3)+am_puck(1)"), KNOWN)
    assert (info.name, info.title) == ("am_adam(3)+am_puck(1)", "Adam 75% + Puck 25%")
    assert (info.language, info.gender, info.grade) == ("en-US", "male", "")
    named = describe_blend(parse("bf_emma+am_puck"), KNOWN, "duet")
    assert (named.name, named.title, named.language, named.gender) == ("duet", "duet", "en-GB", "")
    assert named.recipe == "bf_emma(1)+am_puck(1)"


def test_the_first_voice_gives_the_language_and_that_is_said() -> None:
    notice = language_notice(parse("ff_siwis(1)+af_heart(9)"), KNOWN)
    assert notice is not None
    assert "speaks French, as ff_siwis does" in notice.message
    assert language_notice(parse("af_heart+am_adam"), KNOWN) is None

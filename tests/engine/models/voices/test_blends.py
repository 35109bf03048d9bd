import contextlib
import math
import multiprocessing
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import DamagedFile, InvalidRequest, OutputError, UnknownVoice
from engine.models.voices.blends import (
    Blend,
    BlendVoice,
    SavedVoices,
    describe_blend,
    is_recipe,
    language_notice,
    mix,
    parse,
    with_full_names,
)
from engine.models.voices.packs import GENDERS, Voice, describe, find, full_name, official_voices
from engine.text.g2p.directions import read_script
from engine.text.languages import LANGUAGES
from tests.patience import PATIENCE_SECONDS

NAMES = [voice.name for voice in official_voices()]
WEIGHTS = st.floats(min_value=1e-300, max_value=1e300, allow_nan=False) | st.integers(1, 100).map(float)
BLENDS = st.dictionaries(st.sampled_from(NAMES), WEIGHTS, min_size=1, max_size=6).map(
    lambda weights: Blend(tuple(BlendVoice(name, weight) for name, weight in weights.items()))
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
def test_both_ways_of_writing_are_read(recipe, shares):
    blend = parse(recipe)
    assert [part.voice for part in blend.parts] == ["af_heart", "am_adam"][: len(shares)]
    assert blend.shares == pytest.approx(shares)


@given(BLENDS)
def test_a_blend_is_read_back_as_it_was_written(blend):
    assert parse(blend.recipe) == blend
    assert is_recipe(blend.recipe)


@given(BLENDS)
def test_shares_add_up_to_one_and_keep_their_order(blend):
    assert math.fsum(blend.shares) == pytest.approx(1)
    assert all(0 <= share <= 1 for share in blend.shares)
    weights = [part.weight for part in blend.parts]
    assert sorted(blend.shares) == [share for _, share in sorted(zip(weights, blend.shares, strict=True))]


@given(st.text("af_heart+,:()0123456789.e- ", max_size=30))
def test_anything_else_is_refused_in_words(recipe):
    with contextlib.suppress(InvalidRequest):
        blend = parse(recipe)
        assert blend.parts
        assert all(part.weight > 0 and math.isfinite(part.weight) for part in blend.parts)


@pytest.mark.parametrize("weight", ["0", "-1", "nan", "inf", "", "much", "1,5"])
def test_weights_are_numbers_above_zero(weight):
    with pytest.raises(InvalidRequest, match="isn’t a valid blend"):
        parse(f"af_heart({weight})+am_adam(1)")


def test_short_names_are_written_out_and_unknown_ones_suggest():
    assert with_full_names(parse("heart(2)+af_bella"), NAMES).recipe == "af_heart(2)+af_bella(1)"
    with pytest.raises(UnknownVoice, match="Did you mean “af_heart”"):
        with_full_names(parse("af_hart(2)+af_bella"), NAMES)
    with pytest.raises(InvalidRequest, match="Use em_alex or pm_alex"):
        with_full_names(parse("alex+heart"), NAMES)


def test_packs_are_mixed_by_share_and_short_ones_are_extended():
    voices = {"af_heart": pack("af_heart", 3.0, rows=1), "bm_george": pack("bm_george", 0.0, rows=3)}
    voice = mix(parse("af_heart(2)+bm_george(1)"), voices)
    assert voice.table.shape == (3, 1, 4)
    assert voice.table == pytest.approx(2.0)
    assert voice.table.dtype == np.float32


def test_a_blend_is_described_by_its_voices():
    info = describe_blend(parse("am_adam(3)+am_puck(1)"), KNOWN)
    assert (info.name, info.title) == ("am_adam(3)+am_puck(1)", "Adam 75% + Puck 25%")
    assert (info.language, info.gender, info.grade) == ("en-US", "male", "")
    named = describe_blend(parse("bf_emma+am_puck"), KNOWN, "duet")
    assert (named.name, named.title, named.language, named.gender) == ("duet", "duet", "en-GB", "")
    assert named.recipe == "bf_emma(1)+am_puck(1)"


def test_the_first_voice_sets_the_language_with_a_notice():
    notice = language_notice(parse("ff_siwis(1)+af_heart(9)"), KNOWN)
    assert "speaks French, like ff_siwis" in notice.message
    assert language_notice(parse("af_heart+am_adam"), KNOWN) is None


VOICES = {
    name: Voice(describe(name), np.full((1, 1, 4), value, np.float32))
    for value, name in enumerate(("af_heart", "am_adam", "ff_siwis"))
}


@pytest.fixture
def saved(tmp_path: Path) -> SavedVoices:
    return SavedVoices(tmp_path / "deep" / "voices.json")


def save_many(path: Path, prefix: str) -> None:
    for number in range(10):
        SavedVoices(path).save(f"{prefix}{number}", "heart+adam", KNOWN)


def test_a_saved_blend_is_listed_spoken_and_forgotten(saved):
    assert saved.recipes() == {}
    assert saved.save("duet", "heart(3), adam(1)", KNOWN).recipe == "af_heart(3)+am_adam(1)"
    assert [voice.name for voice in saved.listed(KNOWN.values())] == ["duet"]
    voice, notices = saved.choose("duet", VOICES)
    assert voice.info.name == "duet"
    assert voice.table == pytest.approx(0.25)
    assert notices == ()
    saved.remove("duet")
    assert saved.listed(KNOWN.values()) == ()
    with pytest.raises(UnknownVoice):
        saved.choose("duet", VOICES)


def test_without_any_blend_there_is_none_to_choose_from(saved):
    with pytest.raises(UnknownVoice, match=r"Unknown voice “duet”\. No voices are installed\.$"):
        saved.remove("duet")


def test_a_name_can_be_used_again(saved):
    saved.save("duet", "heart", KNOWN)
    saved.save("duet", "adam", KNOWN)
    assert saved.recipes() == {"duet": "am_adam(1)"}


def test_a_blend_can_be_renamed_but_not_to_a_taken_name(saved):
    saved.save("duet", "heart+adam", KNOWN)
    saved.save("trio", "heart+adam+siwis", KNOWN)
    saved.rename("duet", "pair")
    assert set(saved.recipes()) == {"pair", "trio"}
    for name in ("trio", "TRIO", "af_heart", "no (name)"):
        with pytest.raises(InvalidRequest):
            saved.rename("pair", name)
    with pytest.raises(UnknownVoice):
        saved.rename("duet", "other")
    saved.rename("pair", "Pair")
    assert saved.recipes() == {"Pair": "af_heart(1)+am_adam(1)", "trio": "af_heart(1)+am_adam(1)+ff_siwis(1)"}


@pytest.mark.parametrize("name", ["af_heart", "AF_HEART", "heart", "Heart", "alex", "zm_yunxi"])
def test_no_blend_takes_the_name_of_a_voice(saved, name):
    with pytest.raises(InvalidRequest, match="already"):
        saved.save(name, "am_adam", KNOWN)
    with pytest.raises(InvalidRequest, match="already"):
        saved.save("sally", "af_sally", {"af_sally": describe("af_sally")})
    assert saved.recipes() == {}


@pytest.mark.parametrize("name", ["xf_heart", "my_heart", "The heart"])
def test_no_blend_makes_the_short_name_of_a_voice_ambiguous(saved, name):
    with contextlib.suppress(InvalidRequest):
        saved.save(name, "am_adam", KNOWN)
    assert saved.choose("heart", VOICES)[0] is VOICES["af_heart"]


def test_a_blend_cannot_take_the_voice_name_of_a_different_model(saved):
    with pytest.raises(InvalidRequest, match="am_rowan"):
        saved.save("rowan", "am_adam", KNOWN, ["am_rowan"])


@pytest.mark.parametrize(
    "name",
    ["", "  ", "\u200d", "a+b", "a:1", "a,b", "(x)", "[x]", "a\nb", "a\0", "\ud800", "a\u2028b", "\u202ex", "x" * 61],
)
def test_a_name_that_cannot_be_written_where_voices_are_named_is_refused(saved, name):
    with pytest.raises(InvalidRequest):
        saved.save(name, "am_adam", KNOWN)
    assert saved.recipes() == {}


@pytest.mark.parametrize(
    "name",
    [
        "Été doux à Paris", "7 of 9", "夜の声", "صدای شب", "हिन्दी आवाज़", "🌙 Moon", "Grandma's voice", "-x", "a=b",
        "x" * 60, "می‌خواهم", "../x", "/etc/passwd", "\\x", "con", "..", "voices.json",
    ],
)  # fmt: skip
def test_any_other_name_is_saved_spoken_and_never_a_path(saved, tmp_path, name):
    saved.save(name, "am_adam", KNOWN)
    assert saved.choose(name, VOICES)[0].info.title == name
    assert [info.name for info in saved.listed(KNOWN.values())] == [name]
    files = {path.name for path in tmp_path.rglob("*") if path.is_file()}
    assert files <= {"voices.json", "voices.json.lock"}
    saved.remove(name)
    assert saved.recipes() == {}


def test_a_direction_names_a_blend_however_its_name_is_typed(saved):
    saved.save("Été  doux ", "am_adam", KNOWN)
    for typed in ("Été doux", "été doux", "E\u0301te\u0301 doux", "ÉTÉ  DOUX"):
        script = read_script(f"One. [voice: {typed} ] Two.", lambda name: saved.choose(name, VOICES))
        assert (script.sections[-1].voice, script.notices) == (typed, ())


def test_one_name_is_one_blend_however_it_is_typed(saved):
    saved.save("duet", "heart", KNOWN)
    assert saved.save(" Duet", "adam", KNOWN).name == "Duet"
    assert saved.recipes() == {"Duet": "am_adam(1)"}
    saved.remove("DUET")
    assert saved.recipes() == {}


def test_a_blend_without_its_voices_is_not_listed(saved):
    saved.save("duet", "heart+emma", KNOWN)
    assert saved.listed([KNOWN["af_heart"]]) == ()
    with pytest.raises(UnknownVoice, match="bf_emma"):
        saved.choose("duet", VOICES)


def test_unknown_names_suggest_saved_ones_too(saved):
    saved.save("midnight", "heart", KNOWN)
    with pytest.raises(UnknownVoice, match="Did you mean “midnight”"):
        saved.choose("midnigt", VOICES)
    with pytest.raises(UnknownVoice, match="Did you mean “midnight”"):
        saved.remove("midnigt")


def test_a_recipe_needs_no_name_and_tells_of_its_language(saved):
    voice, notices = saved.choose("siwis:1,heart:3", VOICES)
    assert (voice.info.name, voice.info.language) == ("ff_siwis(1)+af_heart(3)", "fr-FR")
    assert "speaks French" in notices[0].message


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"x": 1}', '{"x": "a(0)"}', "\ud800", pytest.param("[" * 100_000, id="deep")]
)
def test_a_damaged_file_is_reported_and_voices_still_work(tmp_path, content):
    path = tmp_path / "voices.json"
    path.write_text(content, encoding="utf-8", errors="surrogatepass")
    saved = SavedVoices(path)
    with pytest.raises(DamagedFile, match="Move or delete it"):
        saved.choose("duet", VOICES)
    with pytest.raises(DamagedFile, match="Move or delete it"):
        saved.save("duet", "heart", KNOWN)
    assert saved.choose("af_heart", VOICES)[0] is VOICES["af_heart"]
    assert saved.choose("heart+adam", VOICES)[0].info.recipe


def test_an_unwritable_folder_is_reported(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="be written"):
        SavedVoices(tmp_path / "file" / "voices.json").save("duet", "heart", KNOWN)


def test_two_processes_lose_nothing(tmp_path):
    path = tmp_path / "voices.json"
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=save_many, args=(path, prefix)) for prefix in "ab"]
    for process in processes:
        process.start()
    for process in processes:
        process.join(PATIENCE_SECONDS)
    assert len(SavedVoices(path).recipes()) == 20


def test_a_file_with_half_a_character_can_still_be_changed(tmp_path):
    path = tmp_path / "voices.json"
    path.write_text('{"odd": "\\udcff"}')
    SavedVoices(path).save("duet", "heart+adam", KNOWN)
    assert SavedVoices(path).recipes() == {"odd": "\udcff", "duet": "af_heart(1)+am_adam(1)"}


def counted_pack(rows: int) -> Voice:
    return Voice(describe("af_sally"), np.arange(rows * 8, dtype=np.float32).reshape(rows, 1, 8))


def test_the_row_is_chosen_by_the_number_of_phonemes():
    style = counted_pack(3).style(2)
    assert style.timbre.tolist() == [8, 9, 10, 11]
    assert style.prosody.tolist() == [12, 13, 14, 15]


@pytest.mark.parametrize(("count", "first"), [(0, 0), (1, 0), (3, 16), (510, 16)])
def test_counts_beyond_the_pack_use_its_ends(count, first):
    assert counted_pack(3).style(count).timbre[0] == first


@pytest.mark.parametrize(
    ("name", "language", "gender", "title"),
    [
        ("af_heart", "en-US", "female", "Heart"), ("bm_george", "en-GB", "male", "George"),
        ("father's voice", "en-US", "", "father's voice"), ("Duo_de Paris", "en-US", "", "Duo_de Paris"),
    ],
)  # fmt: skip
def test_a_name_tells_language_and_gender(name, language, gender, title):
    info = describe(name)
    assert (info.language, info.gender, info.title) == (language, gender, title)


def test_all_official_voices_are_described():
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
def test_a_short_name_is_enough_where_it_is_clear(typed):
    sally = counted_pack(1)
    assert find({"am_rowan": counted_pack(2), "af_sally": sally}, typed) is sally


def test_a_name_of_several_voices_is_refused():
    with pytest.raises(InvalidRequest, match="Use em_alex or pm_alex"):
        full_name("alex", ("em_alex", "pm_alex", "af_sally"))


@pytest.mark.parametrize("typed", ["af_saly", "sall", "Saly"])
def test_an_unknown_voice_suggests_the_nearest(typed):
    with pytest.raises(UnknownVoice, match="Did you mean “af_sally”") as caught:
        find({"af_sally": counted_pack(1), "am_rowan": counted_pack(1)}, typed)
    assert caught.value.known == ("af_sally", "am_rowan")


def test_a_name_like_no_other_gets_the_list_alone():
    with pytest.raises(UnknownVoice) as caught:
        find({"af_sally": counted_pack(1)}, "zzzzzz")
    assert caught.value.nearest is None
    assert "Known voices: af_sally." in str(caught.value)

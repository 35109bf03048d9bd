from pathlib import Path

import pytest

from engine.errors import Cure, InvalidRequest, MissingModel, UnknownVoice
from engine.models import store
from engine.models.installed_voices import (
    ModelVoices,
    installed_voices,
    model_of,
    require_installed,
    require_voice,
)
from engine.models.voices import blends
from engine.models.voices.packs import describe
from tests.starter_voices import FEMALE


def _model(name: str, *voices: str) -> ModelVoices:
    return ModelVoices(name, name.title(), tuple(map(describe, voices)))


MODELS = (_model("best", "af_heart", "am_adam"), _model("small", "af_heart"), _model("starter", "af_sally"))


@pytest.mark.parametrize(
    ("voice", "preferred", "model"),
    [
        ("af_heart", "best", "best"),
        ("af_heart", "small", "small"),
        ("af_heart", "starter", "best"),
        ("heart", "starter", "best"),
        ("am_adam", "small", "best"),
        ("sally", "best", "starter"),
        ("af_heart(2)+am_adam(1)", "small", "best"),
        ("heart:60,heart:40", "small", "small"),
    ],
)
def test_a_voice_brings_its_model_and_the_preferred_one_comes_first(voice: str, preferred: str, model: str) -> None:
    assert model_of(voice, preferred, MODELS) == model


@pytest.mark.parametrize("voice", ["af_hart", "af_heart+af_sally"])
def test_a_voice_that_no_model_has_names_those_of_all(voice: str) -> None:
    with pytest.raises(UnknownVoice, match="Known voices: af_heart, am_adam, af_sally"):
        model_of(voice, "starter", MODELS)


@pytest.mark.parametrize(
    ("voice", "named"),
    [("af_heart+nobody", "nobody"), ("af_heart:60,nobody:40", "nobody"), ("heart+sally", "heart+sally")],
)
def test_of_a_blend_the_voice_that_is_unknown_is_named(voice: str, named: str) -> None:
    with pytest.raises(UnknownVoice) as caught:
        model_of(voice, "starter", MODELS)
    assert caught.value.name == named


def test_a_bad_recipe_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="not a blend"):
        model_of("af_heart(-1)", "best", MODELS)


@pytest.mark.parametrize(("voice", "having"), [("heart", "best"), ("af_heart+am_adam", "best"), ("sally", "starter")])
def test_a_named_model_without_the_voice_hears_which_model_has_it(voice: str, having: str) -> None:
    other = "starter" if having == "best" else "best"
    with pytest.raises(InvalidRequest, match=f"model {other} has no voice “.*”, which {having} has.*--model {having}"):
        require_voice(voice, other, MODELS)


@pytest.mark.parametrize(("voice", "model"), [("af_heart", "small"), ("nobody", "small"), ("af_heart", "not here")])
def test_what_another_model_cannot_help_with_passes(voice: str, model: str) -> None:
    require_voice(voice, model, MODELS)


@pytest.mark.usefixtures("compact_model_installed")
def test_a_voice_that_could_be_had_names_the_smallest_model_that_has_it() -> None:
    with pytest.raises(
        MissingModel, match=r"“ef_dora” is one of Kokoro-82M, which.*models fetch kokoro-82m”"
    ) as caught:
        require_installed("ef_dora")
    assert caught.value.cure is Cure.GET_MODEL
    for here_or_unknown in ("af_heart", "heart", "nobody"):
        require_installed(here_or_unknown)


def test_the_compact_model_is_enough_for_its_voices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "data_folder", lambda: tmp_path)
    with pytest.raises(MissingModel, match=r"Kokoro-82M Compact.*models fetch kokoro-82m-8bit"):
        require_installed("heart")


@pytest.mark.usefixtures("compact_model_installed")
def test_models_are_listed_best_first_each_with_its_voices() -> None:
    listed = installed_voices()
    assert [each.model for each in listed] == ["kokoro-82m-8bit", "starter"]
    assert [voice.name for voice in listed[0].voices] == ["af_heart", "am_adam", "bm_george"]
    assert FEMALE in [voice.name for voice in listed[1].voices]


@pytest.mark.usefixtures("compact_model_installed")
def test_a_damaged_list_of_blends_leaves_the_voices_there_and_is_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(blends, "data_folder", lambda: tmp_path)
    (tmp_path / "voices.json").write_text("{", encoding="utf-8")
    assert [voice.name for voice in installed_voices()[0].voices] == ["af_heart", "am_adam", "bm_george"]
    assert [str(tmp_path / "voices.json") in message for message in caplog.messages] == [True]

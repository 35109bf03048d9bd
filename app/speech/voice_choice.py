"""The choice of a voice and its model: the request of the user or command line, matched with the available ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.errors import EngineError
from engine.speech import Prosody, SpeechRequest, VoiceInfo

if TYPE_CHECKING:
    from engine.models.installed_voices import ModelVoices


@dataclass(frozen=True)
class VoiceChoice:
    """The names of a voice and of a model; None if unknown."""

    voice: str | None = None
    model: str | None = None


def listed(choice: VoiceChoice, models: Sequence[ModelVoices], default_model: str) -> VoiceChoice:
    """Return the listed voice that comes nearest to a choice, or an empty choice if nothing is listed.

    The voice decides, and the best model that has it is used. If no model has it, the result is the first voice of the
    chosen model, or else of the default one.
    """
    ranked = sorted(models, key=lambda each: (each.model != choice.model, each.model != default_model))
    with_voice = [each for each in ranked if choice.voice in _names(each)]
    with_any = [each for each in (*with_voice, *ranked) if each.voices]
    if not with_any:
        return VoiceChoice()
    voice = choice.voice if with_voice else with_any[0].voices[0].name
    return VoiceChoice(voice, with_any[0].model)


def insisted(choice: VoiceChoice, models: Sequence[ModelVoices], otherwise: VoiceChoice) -> VoiceChoice:
    """Return a choice as it is, so that a missing voice or model is an error when it is used.

    Its voice may be a short name or a blend; open parts come from `otherwise`, if that fits.
    """
    if choice.voice is not None:
        return VoiceChoice(choice.voice, choice.model or _model_of(choice.voice, models, otherwise.model))
    here = next((each for each in models if each.model == choice.model), None)
    if here is None:
        return choice
    return listed(
        VoiceChoice(otherwise.voice if otherwise.voice in _names(here) else None, here.model), models, here.model
    )


def choice_for(request: SpeechRequest, model: str, models: Sequence[ModelVoices]) -> tuple[VoiceChoice | None, bool]:
    """Return the voice of a request, preferably in this model, and whether it is listed; None if it is missing.

    A blend of the request counts as listed only if the user has saved the same one.
    """
    recipe = request.definitions.recipe_of(request.voice)
    ranked = sorted(models, key=lambda each: each.model != model)
    for each in ranked:
        for voice in each.voices:
            if voice.name == request.voice and recipe in (voice.name, voice.recipe):
                return VoiceChoice(voice.name, each.model), True
    return next((VoiceChoice(recipe, each.model) for each in ranked if recipe and _has(each, recipe)), None), False


def prosody_of(model: str, models: Sequence[ModelVoices], preference: Prosody) -> Prosody:
    """Return the prosody predictor of a model: the desired one, or its LSTMs if it has nothing else."""
    has_students = any(each.model == model and not each.students_unavailable_reason for each in models)
    return preference if has_students else Prosody.LSTM


def voice_info(choice: VoiceChoice, models: Sequence[ModelVoices]) -> VoiceInfo | None:
    """Return the listing entry of a choice."""
    voices = [voice for each in models if each.model == choice.model for voice in each.voices]
    return next((voice for voice in voices if voice.name == choice.voice), None)


def _model_of(voice: str, models: Sequence[ModelVoices], preferred: str | None) -> str | None:
    from engine.models.installed_voices import model_of  # brings the model store, which only this case needs

    try:
        return model_of(voice, preferred or "", models)
    except EngineError:
        return preferred  # the engine reports it when the voice is used


def _has(model: ModelVoices, voice: str) -> bool:
    try:
        return model.has(voice)
    except EngineError:
        return False


def _names(model: ModelVoices) -> list[str]:
    return [voice.name for voice in model.voices]

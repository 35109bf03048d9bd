"""The voices of every installed model, and the lookup of a voice's model; no model is loaded."""

from __future__ import annotations

import logging
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache

from engine.errors import DamagedFile, InvalidRequest, MissingModel, RecoveryAction, UnknownVoice
from engine.models.checkpoints import NO_STUDENTS, installed_models, starter_voices, students_unavailable_reason
from engine.models.store import ModelStore
from engine.models.voices.blends import SavedVoices, is_recipe, parse, with_full_names
from engine.models.voices.packs import describe, full_name, nearest
from engine.speech import STARTER, VoiceInfo

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ModelVoices:
    """An installed model, its title, and its voices, followed by the saved blends of them.

    `students_unavailable_reason` is why it cannot use Transformer prosody; empty if it can.
    """

    model: str
    title: str
    voices: tuple[VoiceInfo, ...]
    students_unavailable_reason: str = NO_STUDENTS

    def has(self, voice: str) -> bool:
        """Return whether this name, short name or recipe is a voice of the model. Raises `InvalidRequest`."""
        names = [each.name for each in self.voices]
        try:
            if is_recipe(voice):
                return bool(with_full_names(parse(voice), names))
            return full_name(voice, names) in names
        except UnknownVoice:
            return False


def installed_voices() -> tuple[ModelVoices, ...]:
    """Return the installed models, the best first."""
    return tuple(_voices_of(model, ModelStore()) for model in installed_models())


def model_of(voice: str, preferred: str, models: Collection[ModelVoices] | None = None) -> str:
    """Return the preferred model if it has this voice, otherwise the best one that does.

    Raises `UnknownVoice` with the voices of all models, or `InvalidRequest` for an ambiguous name or a bad recipe.
    """
    models = installed_voices() if models is None else models
    for each in sorted(models, key=lambda each: each.model != preferred):  # sorting is stable: the best stays first
        if each.has(voice):
            return each.model
    known = tuple(dict.fromkeys(info.name for each in models for info in each.voices))
    unknown = _unknown_in(voice, models)
    raise UnknownVoice(unknown, known, nearest(unknown, known))


def _unknown_in(voice: str, models: Collection[ModelVoices]) -> str:
    """Return the unknown voice: the first in a blend that no model has, or the blend if no model has all of them."""
    parts = [part.voice for part in parse(voice).parts] if is_recipe(voice) else []
    return next((part for part in parts if not any(each.has(part) for each in models)), voice)


def require_voice(voice: str, model: str, models: Collection[ModelVoices] | None = None) -> None:
    """Raise `InvalidRequest` if other models have this voice and the named model is installed but lacks it."""
    models = installed_voices() if models is None else models
    having = [each.model for each in models if each.has(voice)]
    if having and model not in having and model in [each.model for each in models]:
        raise InvalidRequest(
            f"{model} doesn’t include “{voice}”, but {having[0]} does.",
            f"Use --model {having[0]}, or omit --model.",
        )


def require_installed(voice: str) -> None:
    """Raise `MissingModel` if only models that are not installed have this voice."""
    offered = [
        ModelVoices(entry.name, entry.title, tuple(voice.info for voice in entry.voices))
        for entry in sorted(ModelStore().catalog(), key=lambda entry: entry.bytes)
    ]
    having = [each for each in offered if each.has(voice)]
    if having and not any(each.model in installed_models() for each in having):
        raise MissingModel(
            f"The voice “{voice}” belongs to {having[0].title}, which isn’t installed.",
            f"Download it with “kokoro-desk models fetch {having[0].model}”.",
            RecoveryAction.GET_MODEL,
        )


def with_saved(voices: tuple[VoiceInfo, ...]) -> tuple[VoiceInfo, ...]:
    """Return these voices, followed by the saved blends of them; a damaged list of blends is skipped and logged."""
    try:
        return (*voices, *SavedVoices().listed(voices))
    except DamagedFile as error:  # a request for a saved voice raises the error; other voices still work
        _warn_once(str(error))
        return voices


@cache
def _warn_once(message: str) -> None:
    """Log a message the first time only: the list is read for every model, and again for each request."""
    log.warning("%s", message)


def _voices_of(model: str, store: ModelStore) -> ModelVoices:
    status = store.status(model)
    voices = starter_voices() if model == STARTER else tuple(map(describe, status.voices))
    return ModelVoices(model, status.entry.title, with_saved(voices), students_unavailable_reason(model))

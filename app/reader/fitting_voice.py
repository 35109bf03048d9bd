"""Finds a voice that speaks the language of a document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale

from app.messages import Message, Remedy, Subject, Tone
from app.speech.voice_choice import Choice, voice_info
from engine.languages import LANGUAGES

if TYPE_CHECKING:
    from engine.model_store.installed_voices import ModelVoices


def fitting_choice(language: str, models: Sequence[ModelVoices]) -> Choice | None:
    """The first voice of the best model that speaks a language; one of the same region if there is one."""
    ranked = [(voice, each.model) for each in models for voice in each.voices]
    exact = [pair for pair in ranked if pair[0].language.casefold() == language.casefold()]
    same = [pair for pair in ranked if _base(pair[0].language) == _base(language)]
    found = (exact or same)[:1]
    return Choice(found[0][0].name, found[0][1]) if found else None


def message_about_language(title: str, language: str, choice: Choice, models: Sequence[ModelVoices]) -> Message | None:
    """What to say if the chosen voice does not speak the language of a document; None if it does or is unknown."""
    voice = voice_info(choice, models)
    if not language or voice is None or _base(voice.language) == _base(language):
        return None
    said = f"“{title}” is in {language_name(language)}, but {voice.title} speaks {language_name(voice.language)}."
    if fitting_choice(language, models) is not None:
        return Message(said, Tone.WARNING, Remedy.FITTING_VOICE, subject=Subject.DOCUMENT)
    return Message(f"{said} No installed voice speaks it.", Tone.WARNING, subject=Subject.DOCUMENT)


def language_name(tag: str) -> str:
    """The English name of a language, without its region."""
    known = next((language.name for language in LANGUAGES if _base(language.tag) == _base(tag)), None)
    name = QLocale.languageToString(QLocale(tag.replace("-", "_")).language())
    return (known.rsplit(" ", 1)[-1] if known and _base(tag) != "zh" else name) if known else name


def _base(tag: str) -> str:
    return tag.replace("_", "-").partition("-")[0].casefold()

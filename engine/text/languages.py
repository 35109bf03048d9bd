"""Defines the supported languages: their tags, names, letters in Kokoro's voice names, and sample sentences."""

from __future__ import annotations

from dataclasses import dataclass

from engine.errors import InvalidRequest


@dataclass(frozen=True)
class Language:
    """A language: `tag` as in BCP 47, `letter` the first letter of its voices' names, `sample` a sentence in it."""

    tag: str
    name: str
    letter: str
    sample: str

    @property
    def english(self) -> bool:
        """True if this is a variety of English."""
        return self.tag.startswith("en-")

    @property
    def british(self) -> bool:
        """True if this is British English."""
        return self.tag == "en-GB"

    @property
    def day_first(self) -> bool:
        """True if 3/4/2025 is in April."""
        return self.british


AMERICAN = Language("en-US", "American English", "a", "The morning light came softly through the kitchen window.")
BRITISH = Language("en-GB", "British English", "b", "We walked along the river until the rain had stopped.")
SPANISH = Language("es", "Spanish", "e", "¿Qué tal? Hoy hace buen tiempo y vamos a la playa.")
FRENCH = Language("fr-FR", "French", "f", "Bonjour ! Le petit café est ouvert depuis ce matin.")
HINDI = Language("hi", "Hindi", "h", "नमस्ते, आज मौसम बहुत अच्छा है।")
ITALIAN = Language("it", "Italian", "i", "Buongiorno, oggi il mare è calmo e il cielo è sereno.")
JAPANESE = Language("ja", "Japanese", "j", "こんにちは、今日はとても良い天気ですね。")
PORTUGUESE = Language("pt-BR", "Brazilian Portuguese", "p", "Bom dia! Hoje vamos tomar café perto da praia.")
MANDARIN = Language("zh", "Mandarin Chinese", "z", "你好，今天天气很好，我们去公园走走吧。")
LANGUAGES = (AMERICAN, BRITISH, SPANISH, FRENCH, HINDI, ITALIAN, JAPANESE, PORTUGUESE, MANDARIN)


def language_of(tag: str) -> Language:
    """Return the language with this BCP 47 tag, regardless of case; `fr` suffices if only one tag begins with it.

    Raises `InvalidRequest` for unsupported tags.
    """
    wanted = tag.casefold()
    exact = [language for language in LANGUAGES if language.tag.casefold() == wanted]
    found = exact or [language for language in LANGUAGES if language.tag.casefold().partition("-")[0] == wanted]
    if len(found) == 1:
        return found[0]
    known = ", ".join(language.tag for language in LANGUAGES)
    raise InvalidRequest(f"Unsupported language “{tag}”.", f"Choose one of: {known}.")

"""`engine voices`: lists voices, saves named blends, and previews a voice."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from engine.cli import documents
from engine.cli.command import Command, Outcome, add_json_flag, add_model, add_prosody, model_with
from engine.cli.speak import speak
from engine.models.installed_voices import ModelVoices, installed_voices
from engine.models.voices.blends import SavedVoices
from engine.runtime.preparation.devices import AUTO
from engine.runtime.synthesizer import Synthesizer
from engine.speech import VoiceInfo
from engine.text.languages import language_of


def add_options(parser: Any) -> None:
    """Add the actions for voices besides listing."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    parser.add_argument("--language", help="only the voices of one language, such as fr-FR")
    save = _action(actions, "save", "save a voice blend")
    save.add_argument("name", help="name of the blend; quote it if it has spaces")
    save.add_argument("recipe", help="such as “af_heart(2)+am_adam(1)” or “af_heart:60,am_adam:40”")
    remove = _action(actions, "remove", "delete a saved blend")
    remove.add_argument("name", help="the name of a saved blend")
    preview = _action(actions, "preview", "play a sample sentence in the voice’s language")
    preview.add_argument("voice", help="a name, or a blend")
    preview.add_argument(
        "--language", default=argparse.SUPPRESS, help="override the voice’s language, for example fr-FR"
    )
    preview.add_argument("--play", action="store_true", help="play it (the default, unless --out)")
    preview.add_argument("--out", type=Path, help="write a .wav, .flac, .mp3, .ogg, .opus, .m4b or .m4a file")
    add_prosody(preview)
    documents.set_none(preview)
    preview.set_defaults(
        edits=None, fetch=None, subtitles=None, speed=1.0, pause=1.0, seed=0, device=AUTO, threads=None
    )
    for action in (save, remove, preview):
        add_json_flag(action, inherited=True)
        add_model(action, inherited=True)
    add_json_flag(parser)
    add_model(parser)


def _action(actions: Any, name: str, summary: str) -> Any:
    return actions.add_parser(name, help=summary, description=summary)


def manage_voices(options: argparse.Namespace) -> Outcome:
    """List, save, remove or preview. Raises `InvalidRequest` children, `DamagedFile` or `OutputError`."""
    if options.action == "preview":
        return _preview(options)
    if options.action == "remove":
        SavedVoices().remove(options.name)
        return Outcome({"name": options.name}, f"Removed the blend “{options.name}”.")
    if options.action == "save":
        voice = _saved(options)
        return Outcome(asdict(voice), f"Saved “{voice.name}”: {voice.recipe}, {language_of(voice.language).name}.")
    listed = [(each.model, voice) for each in _models(options) for voice in voices_in(each.voices, options.language)]
    width = max((len(voice.name) for _, voice in listed), default=0)
    return Outcome(
        [{**asdict(voice), "model": model} for model, voice in listed],
        "\n".join(_line(voice, model, width) for model, voice in listed) or _describe_no_voices(options.language),
    )


def _models(options: argparse.Namespace) -> tuple[ModelVoices, ...]:
    """Return the models whose voices are listed: the one that the options name, else all installed ones."""
    if not options.model_named and options.weights is None:
        return installed_voices()
    voices = Synthesizer(options.model, weights=options.weights).voices()
    return (ModelVoices(options.model, options.model, voices),)


def voices_in(voices: Sequence[VoiceInfo], language: str | None) -> tuple[VoiceInfo, ...]:
    """Return the voices of one language, or all. Raises `InvalidRequest` for an unknown language."""
    if language is None:
        return tuple(voices)
    tag = language_of(language).tag
    return tuple(voice for voice in voices if voice.language == tag)


def preview_text(options: argparse.Namespace) -> str:
    """Return the sample sentence in the voice's language."""
    if options.language is not None:
        return language_of(options.language).sample
    synthesizer = Synthesizer(model_with(options, options.voice), weights=options.weights)
    return language_of(synthesizer.voice(options.voice).language).sample


def _preview(options: argparse.Namespace) -> Outcome:
    options.text = preview_text(options)
    options.play = options.play or options.out is None
    return speak(options)


def _saved(options: argparse.Namespace) -> VoiceInfo:
    synthesizer = Synthesizer(model_with(options, options.recipe), weights=options.weights)
    known = {voice.name: voice for voice in synthesizer.voices() if not voice.recipe}
    others = [voice.name for each in installed_voices() for voice in each.voices if not voice.recipe]
    return SavedVoices().save(options.name, options.recipe, known, others)


def _describe_no_voices(language: str | None) -> str:
    spoken = "" if language is None else f" of {language_of(language).name}"
    return f"No voices{spoken} are installed. Run `models list` to see what you can download."


def _line(voice: VoiceInfo, model: str, width: int) -> str:
    name, details = f"{voice.name:<{width}}", voice.grade or voice.recipe
    return f"{name} {voice.language:<6} {voice.gender:<7} {model:<15} {details}".rstrip()


COMMAND = Command("voices", "List and preview voices; save and delete blends.", add_options, manage_voices)

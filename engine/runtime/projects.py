"""Projects: a text with everything that affects its speech, made from a request and spoken on any machine."""

from __future__ import annotations

from dataclasses import replace

from engine.errors import DamagedFile, EngineError
from engine.models.catalog import catalog
from engine.models.checkpoints import model_config, open_with
from engine.models.voices.blends import SavedVoices, is_recipe, parse
from engine.models.voices.packs import KOKORO_NAME, describe, folded
from engine.runtime.edits import edited_plan, unmatched
from engine.runtime.project_files import ModelIdentity
from engine.speech import Definitions, Notice, Plan, Pronunciation, Prosody, SpeechRequest
from engine.text.g2p.directions import read_script
from engine.text.g2p.user_lexicon.store import UserLexicon
from engine.text.languages import LANGUAGES, Language, language_of


def identity_of(model: str, prosody: Prosody = Prosody.LSTM, weights: str | None = None) -> ModelIdentity:
    """Return the identity of an installed model; its digest is empty if the model is missing or damaged."""
    try:
        return ModelIdentity(model, open_with(prosody, model, weights).identity)
    except EngineError:
        return ModelIdentity(model)


def self_contained(request: SpeechRequest) -> SpeechRequest:
    """Return the request with all definitions that its text uses: the user's pronunciations and blends, or its own.

    It sounds the same with any other lexicon. Raises `DamagedFile` for a damaged lexicon or list of blends.
    """
    used = UserLexicon().entries_in(request.text, request.definitions, _languages_of(request))
    given = dict(request.definitions.blends)
    saved = {name: recipe for name, recipe in SavedVoices().recipes().items() if name not in given}
    names = {folded(name) for name in _voices_of(request)}
    blends = tuple((name, recipe) for name, recipe in (*given.items(), *saved.items()) if folded(name) in names)
    definitions = Definitions(tuple(Pronunciation(**vars(entry)) for entry in used), (), blends)
    return replace(request, start=0, end=None, definitions=definitions)


def shielded(request: SpeechRequest) -> SpeechRequest:
    """Return a self-contained request as it is spoken here: entries of the user that would change it are hidden.

    A damaged lexicon hides nothing; speech reports it.
    """
    given, lexicon, languages = set(request.definitions.pronunciations), UserLexicon(), _languages_of(request)
    while True:  # a hidden entry may have covered a shorter one: “New York” covers “York”
        try:
            used = lexicon.entries_in(request.text, request.definitions, languages)
        except DamagedFile:
            return request
        rivals = tuple(each for entry in used if (each := Pronunciation(**vars(entry))) not in given)
        if not rivals:
            return request
        hidden = (*request.definitions.hidden, *rivals)
        request = replace(request, definitions=replace(request.definitions, hidden=hidden))


def unusable_edits(plan: Plan, request: SpeechRequest, model: str) -> tuple[Notice, ...]:
    """Return a notice for each edit of a request that a model cannot apply; `plan` is its whole plan without edits."""
    edits = {edit.start: edit for edit in request.edits}
    edited = edited_plan(Plan(plan.utterances), edits, model_config(model))
    return (*edited.notices, *unmatched(plan, request.edits))


def model_note(name: str, made_with: ModelIdentity, spoken_with: ModelIdentity) -> str:
    """Return a sentence if the project called `name` is spoken with a different model; empty if not."""
    same_name = made_with.name == spoken_with.name
    same_weights = made_with.digest == spoken_with.digest or not (made_with.digest and spoken_with.digest)
    if not made_with.name or (same_name and same_weights):
        return ""
    model = f"{'other weights of ' if same_name else ''}{_title(made_with.name)}"
    told = f"“{name}” was created with {model} and is now spoken by {_title(spoken_with.name)}, so it sounds different."
    return f"{told} Changes of pronunciation, durations, and pitch apply where the sentences have the same phonemes."


def _title(model: str) -> str:
    return next((entry.title for entry in catalog() if entry.name == model), model)


def _voices_of(request: SpeechRequest) -> tuple[str, ...]:
    return (request.voice, *read_script(request.text).voices)


def _languages_of(request: SpeechRequest) -> tuple[Language, ...]:
    """Return the languages in which a text is spoken: all of them if a voice has a name that does not tell."""
    if request.language is not None:
        return (language_of(request.language),)
    found: dict[Language, None] = {}
    saved = SavedVoices().recipes()
    for name in _voices_of(request):
        recipe = request.definitions.recipe_of(name)
        recipe = saved.get(recipe, recipe)
        voice = parse(recipe).parts[0].voice if is_recipe(recipe) else recipe
        if KOKORO_NAME.fullmatch(voice) is None:
            return LANGUAGES
        found[language_of(describe(voice).language)] = None
    return tuple(found)

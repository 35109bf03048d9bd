"""The files of projects: a text with everything that affects its speech, as JSON that can be shared."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

from engine.errors import (
    DamagedDocument,
    EngineError,
    InvalidRequest,
    OversizedDocument,
    UnusableDocument,
)
from engine.models.checkpoints import FULL_SIZE, MODEL_NAMES, model_config
from engine.models.voices.blends import MAX_NAME_CHARACTERS, is_recipe, parse
from engine.runtime.edit_files import edits_from
from engine.runtime.edits import edited_plan
from engine.runtime.planning import check_request
from engine.speech import (
    Definitions,
    Notice,
    Plan,
    Pronunciation,
    SpeechRequest,
    Utterance,
    UtteranceEdit,
)
from engine.system.atomic_write import atomic_write
from engine.system.json_text import json_value
from engine.text.documents.reading import PROJECT_SUFFIX
from engine.text.g2p.phonemizer import printable
from engine.text.g2p.user_lexicon.entries import checked, entry_of
from engine.text.languages import language_of

FORMAT = "kokoro-desk project"
VERSION = 1
MAX_BYTES = 64_000_000
MAX_PROBLEMS = 100
QUOTED_CHARACTERS = 30
MAX_VOICE_CHARACTERS = 1000
MAX_SEED = 2**63 - 1
_HINT = "Choose a project that Kokoro Desk wrote."
_PARTS = frozenset(
    {"format", "version", "text", "voice", "blends", "speed", "pause_scale", "seed", "language", "lexicon", "model"}
    | {"edits"}
)
_LISTS = ("respellings", "changes")
Value = TypeVar("Value")


@dataclass(frozen=True)
class ModelIdentity:
    """The name of a model, and its digest, which is unique to its weights; both are empty if unknown."""

    name: str = ""
    digest: str = ""


@dataclass(frozen=True)
class Project:
    """A request with the definitions of its text, the model it was created with, and problems found on reading.

    A part that a problem is about is left out of the request.
    """

    request: SpeechRequest
    model: ModelIdentity = ModelIdentity()
    problems: tuple[Notice, ...] = ()


def is_project(path: Path) -> bool:
    """Return whether a file has the suffix of projects."""
    return path.suffix.casefold() == PROJECT_SUFFIX


def project_content(request: SpeechRequest, model: ModelIdentity) -> bytes:
    """Return the content of the file of a self-contained request; equal requests have equal content."""
    content = {
        "format": FORMAT,
        "version": VERSION,
        "text": request.text,
        "voice": request.voice,
        "blends": dict(request.definitions.blends),
        "speed": request.speed,
        "pause_scale": request.pause_scale,
        "seed": request.seed,
        "language": request.language,
        "lexicon": [_fields(each) for each in request.definitions.pronunciations],
        "model": asdict(model),
        "edits": [asdict(edit) for edit in request.edits],
    }
    written = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    return written.encode(errors="backslashreplace")  # JSON escapes lone surrogates like this


def write_project(path: Path, request: SpeechRequest, model: ModelIdentity) -> None:
    """Write a self-contained request to a file, atomically. Raises `OutputError`."""
    content = project_content(request, model)
    with atomic_write(path) as file:
        file.write(content)


def read_project(path: Path) -> Project:
    """Read a project. Every part is checked; an unusable one is left out, with a problem that names it.

    Raises `UnusableDocument` if the file is missing or comes from a newer version, `OversizedDocument`, or
    `DamagedDocument` if it is no project or has no text.
    """
    return project_in(content_of(path), path.name)


def project_in(content: bytes, name: str) -> Project:
    """Return the project in the content of a file, which errors call by its `name`; see `read_project`."""
    try:
        values = json_value(content)
        if values["format"] != FORMAT:
            raise ValueError("The format is a different one.")
        version, text = values["version"], values["text"]
        if isinstance(version, bool) or not isinstance(version, int) or not isinstance(text, str):
            raise TypeError("The version is no number, or the text no text.")
    except (ValueError, TypeError, KeyError) as error:
        raise DamagedDocument(f"“{name}” isn’t a project, or it is damaged.", _HINT) from error
    if version > VERSION:
        raise UnusableDocument(f"“{name}” comes from a newer version of Kokoro Desk.", "Update Kokoro Desk to open it.")
    return _Reader(values, printable(text)).project()


class _Reader:
    """Reads the parts of a project, and collects the problems."""

    def __init__(self, values: Mapping[str, Any], text: str) -> None:
        self._values, self._text = values, text
        self._problems: list[Notice] = []

    def project(self) -> Project:
        """Return the project."""
        model = self._model()
        request = SpeechRequest(
            self._text,
            self._part("voice", "", _voice),
            self._part("speed", 1.0, lambda value: _checked_in(speed=_number(value)).speed),
            self._part("seed", 0, _seed),
            self._part("pause_scale", 1.0, lambda value: _checked_in(pause_scale=_number(value)).pause_scale),
            self._part("language", None, lambda value: value if value is None else language_of(_string(value)).tag),
            definitions=Definitions(tuple(self._lexicon()), (), tuple(self._blends())),
            edits=tuple(self._edits(model.name)),
        )
        if unknown := sorted(map(str, self._values.keys() - _PARTS)):
            self._tell(f"A part that this version doesn’t know was left out: {_quoted(unknown[0])}.")
        problems = self._problems
        if len(problems) > MAX_PROBLEMS:
            others = len(problems) - MAX_PROBLEMS
            problems = [*problems[:MAX_PROBLEMS], Notice(f"{others} more parts were left out.", 0, 0)]
        return Project(request, model, tuple(problems))

    def _tell(self, message: str, start: int = 0, end: int = 0) -> None:
        self._problems.append(Notice(message, start, end))

    def _part(self, name: str, usual: Value, read: Callable[[Any], Value]) -> Value:
        """Return a part as `read` returns it; the usual one, with a problem, if it cannot be read."""
        if name not in self._values:
            return usual
        try:
            return read(self._values[name])
        except EngineError as error:
            self._tell(f"The {_TITLES[name]} was left out. {error.message}")
        except (ValueError, TypeError, OverflowError):
            self._tell(f"The {_TITLES[name]} was left out: it isn’t valid.")
        return usual

    def _model(self) -> ModelIdentity:
        def read(value: Any) -> ModelIdentity:
            return ModelIdentity(_short(value["name"]), _short(value.get("digest", "")))

        try:
            return self._part("model", ModelIdentity(), read)
        except (KeyError, AttributeError):
            self._tell("The model was left out: it isn’t valid.")
            return ModelIdentity()

    def _items(self, name: str) -> list[Any]:
        return self._part(name, [], _list)

    def _mapping(self, name: str) -> dict[str, Any]:
        return self._part(name, {}, _mapping)

    def _blends(self) -> Iterator[tuple[str, str]]:
        for name, recipe in self._mapping("blends").items():
            try:
                if is_recipe(name) or not name.strip() or len(name) > MAX_NAME_CHARACTERS:
                    raise ValueError("The name is no name of a blend.")
                yield name, parse(_voice(recipe)).recipe
            except (EngineError, ValueError, TypeError):
                self._tell(f"The blend {_quoted(name)} was left out: it isn’t valid.")

    def _lexicon(self) -> Iterator[Pronunciation]:
        symbols = model_config(FULL_SIZE).vocab
        found: dict[tuple[str, ...], Pronunciation] = {}
        for number, value in enumerate(self._items("lexicon"), 1):
            try:
                entry = checked(entry_of(value), symbols)
                found[entry.key] = Pronunciation(**vars(entry))
            except EngineError as error:
                self._tell(f"Entry {number} of the lexicon was left out. {error.message}")
            except (ValueError, TypeError):
                self._tell(f"Entry {number} of the lexicon was left out: it isn’t valid.")
        yield from found.values()

    def _edits(self, model: str) -> Iterator[UtteranceEdit]:
        config = model_config(model if model in MODEL_NAMES else FULL_SIZE)
        starts: set[int] = set()
        for number, value in enumerate(self._items("edits"), 1):
            edit = self._edit(number, value)
            if edit is None:
                continue
            if not 0 <= edit.start < len(self._text) or edit.start in starts:
                self._tell(f"Edit {number} was left out: no sentence starts at character {edit.start} of this text.")
                continue
            starts.add(edit.start)
            alone = Utterance(0, "", edit.phonemes, edit.start, self._end(edit.start))
            plan = edited_plan(Plan((alone,)), {edit.start: edit}, config)
            self._problems += plan.notices
            usable = plan.utterances[0].edit
            if usable is not None and usable != UtteranceEdit(edit.start, edit.phonemes):
                yield usable

    def _end(self, start: int) -> int:
        return min(start + QUOTED_CHARACTERS, len(self._text))

    def _edit(self, number: int, value: Any) -> UtteranceEdit | None:
        """Return an edit; unusable parts of it are left out, and so are the changes after an unusable respelling."""
        try:
            return edits_from([value])[0]
        except (ValueError, OverflowError):
            pass
        try:
            kept = {name: value[name] for name in ("start", "phonemes")}
            bare = edits_from([kept])[0]
        except (ValueError, TypeError, KeyError, OverflowError):
            self._tell(f"Edit {number} was left out: it isn’t valid.")
            return None
        for name in [each for each in value if each not in kept]:
            items = value[name] if name in _LISTS and isinstance(value[name], list) else None
            found = [each for each in items if _reads(kept, name, [each])] if items is not None else value[name]
            if found == items or (items is None and _reads(kept, name, found)):
                kept[name] = found
                continue
            self._tell(f"Edit {number}: an invalid part was left out.", bare.start, self._end(max(bare.start, 0)))
            if name == "changes":
                kept[name] = found
        if "respellings" in value and "respellings" not in kept:
            kept.pop("changes", None)  # their indexes count in phonemes that are not spoken
        return edits_from([kept])[0]


_TITLES = {
    "voice": "voice", "speed": "speed", "seed": "seed", "pause_scale": "pause length", "language": "language",
    "model": "model", "blends": "list of blends", "lexicon": "lexicon", "edits": "list of edits",
}  # fmt: skip


def _reads(edit: Mapping[str, Any], name: str, value: Any) -> bool:
    try:
        return bool(edits_from([{**edit, name: value}]))
    except (ValueError, OverflowError):
        return False


def content_of(path: Path) -> bytes:
    """Return the content of a project's file. Raises `UnusableDocument` or `OversizedDocument`."""
    try:
        if not path.is_file():  # opening a pipe waits for a writer
            raise UnusableDocument(f"“{path.name}” doesn’t exist or isn’t a file.", "Open it from its new place.")
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise UnusableDocument(f"“{path.name}” can’t be read ({error.strerror}).", "Check its permissions.") from error
    if len(content) > MAX_BYTES:
        raise OversizedDocument(f"“{path.name}” is larger than {MAX_BYTES // 1_000_000} MB.", "Split its text.")
    return content


def _fields(each: Pronunciation) -> dict[str, str]:
    """Return the fields of a pronunciation that differ from the defaults."""
    return {name: value for name, value in vars(each).items() if value != getattr(_PLAIN, name)}


_PLAIN = Pronunciation()


def _checked_in(**values: float) -> SpeechRequest:
    request = SpeechRequest("", "", **values)  # type: ignore[arg-type]
    check_request(request)
    return request


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError("This is no number.")
    return float(value)


def _seed(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_SEED:
        raise ValueError("This is no seed.")
    return value


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("This is no text.")
    return printable(value)


def _short(value: Any) -> str:
    return _string(value)[:MAX_VOICE_CHARACTERS]


def _voice(value: Any) -> str:
    voice = _string(value)
    if len(voice) > MAX_VOICE_CHARACTERS or not voice.isprintable():
        raise InvalidRequest("Its name is too long, or contains control characters.")
    if is_recipe(voice):
        parse(voice)
    return voice


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError("This is no list.")
    return value


def _mapping(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError("This is no object.")
    return value


def _quoted(text: str) -> str:
    return f"“{text[:QUOTED_CHARACTERS]}”"

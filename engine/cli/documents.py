"""The documents, or the project, that `engine speak --file` names, and the options for reading them."""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.audio.sound_file import AUDIO_BOOK, format_for
from engine.audio.subtitles.formats import check_subtitles
from engine.cli import command
from engine.cli.command import model_with
from engine.cli.progress import Steps, show_line
from engine.compiler.artifacts.manifest import CPU_DEVICE
from engine.errors import InvalidRequest, MissingModel
from engine.export.export_job import NARRATED, joined, read_cover
from engine.export.narrated_book import check_book, check_one_file
from engine.export.outputs import check_writable
from engine.export.side_by_side import check_jobs
from engine.models.checkpoints import installed_models
from engine.models.installed_voices import model_of
from engine.runtime.preparation.devices import AUTO
from engine.runtime.project_files import Project, is_project, read_project
from engine.runtime.projects import identity_of, model_note, shielded
from engine.speech import Prosody, SpeechRequest, UtteranceEdit
from engine.system.atomic_write import ensure_folder, write_error
from engine.text.documents import Document, read_document

_OPTIONS = ("all_chapters", "notes", "per_chapter", "title", "author", "cover", "format", "jobs", "cluster")
_FORMAT = AUDIO_BOOK.removeprefix(".")
MAX_TITLES = 8
"""The maximum number of skipped chapters to name; the number of the others is given."""


def add_source(parser: Any) -> None:
    """Add --file and the options for reading its documents; disable its other options."""
    set_none(parser)
    parser.add_argument(
        "--file", type=Path, nargs="+", action="extend", help="read these documents, one after the other"
    )
    parser.add_argument(
        "--all-chapters", action="store_true", help="also read front and back matter, such as contents and index"
    )
    parser.add_argument("--notes", action="store_true", help="read the notes of each chapter at its end")


def add_options(parser: Any) -> None:
    """Add --file and all related options."""
    add_source(parser)
    parser.add_argument(
        "--per-chapter", action="store_true", help="a file for each chapter, in a folder named as --out"
    )
    parser.add_argument("--format", help=f"suffix of the files, such as mp3, if --out is a folder (default: {_FORMAT})")
    parser.add_argument(
        "--jobs",
        type=int,
        metavar="N",
        help="speak N parts of documents side by side, in N processes of one CPU thread; each loads the model, which "
        "takes 0.2 to 0.7 GB of memory",
    )
    parser.add_argument(
        "--cluster", metavar="URL", help="speak the parts on the workers of a Dask scheduler, such as tcp://HOST:8786"
    )
    parser.add_argument("--title", help="title of the book, for players to show (default: the document’s)")
    parser.add_argument("--author", help="author of the book (default: the document’s)")
    parser.add_argument("--cover", type=Path, help="a picture, JPEG or PNG, for a .m4b (default: the document’s)")


def edits_of(options: argparse.Namespace, document: Document | None, steps: Steps) -> tuple[UtteranceEdit, ...]:
    """Return the edits that --edits names, or none; raises `InvalidRequest` or `DamagedFile`."""
    edits, model = command.edits_of(options)
    if edits and document is not None and len(document.chapters) > 1:
        raise InvalidRequest(
            f"Edits belong to a single text; this document has {len(document.chapters)} chapters.",
            "Omit --edits, or pass one chapter as a text.",
        )
    if model and model != options.model:
        steps.write_note(
            f"note: {options.edits} was written for {model}; with {options.model}, its durations and pitch may not fit."
        )
    return edits


def set_none(parser: Any) -> None:
    """Disable these options and --file."""
    parser.set_defaults(file=None, **dict.fromkeys(_OPTIONS))


def document_of(options: argparse.Namespace) -> Document | None:
    """Return the documents that --file names, as one, or None without --file. Raises `InvalidRequest`."""
    if options.file is None:
        if any(getattr(options, name) for name in _OPTIONS):
            raise InvalidRequest(
                "Only documents have chapters, notes, a title, an author, a cover, --format, --jobs, and --cluster.",
                "Name one with --file.",
            )
        return None
    return _titled(joined(_read(options)), options)


def documents_of(options: argparse.Namespace) -> list[Document]:
    """Return each document that --file names, for files in a folder. Raises `InvalidRequest`."""
    if len(options.file) > 1 and options.title is not None:
        raise InvalidRequest("--title names one book, but each document becomes a book.", "Omit --title.")
    if options.edits is not None:
        raise InvalidRequest("Edits belong to a single text.", "Omit --edits, or pass the text without --file.")
    return [_titled(document, options) for document in _read(options)]


def _read(options: argparse.Namespace) -> list[Document]:
    if options.text is not None:
        raise InvalidRequest("Both a text and --file were given.", "Omit one of them.")
    if len(options.file) > 1 and (project := next(filter(is_project, options.file), None)):
        raise InvalidRequest(f"{project} is a project, not a document.", "Name it without other files.")
    return [chosen(read_document(path), options) for path in options.file]


def _titled(document: Document, options: argparse.Namespace) -> Document:
    cover = document.cover if options.cover is None else read_cover(options.cover)
    title = document.title if options.title is None else options.title
    author = document.author if options.author is None else options.author
    return replace(document, title=title, author=author, cover=cover)


def is_folder(options: argparse.Namespace) -> bool:
    """Return whether --out names a folder, one that exists or a name without a suffix, for documents of --file."""
    if options.out is None or options.file is None or is_lone_project(options):
        return False
    return os.path.isdir(options.out) or not (options.out.suffix or os.path.exists(options.out))


def outputs_in(folder: Path, options: argparse.Namespace) -> list[tuple[Path, Path | None]]:
    """Create the folder; return the file, and the file of subtitles or None, for each document.

    Raises `InvalidRequest` or `OutputError`.
    """
    ensure_folder(folder)
    suffix = f".{(options.format or _FORMAT).removeprefix('.')}"
    names = Counter(path.stem.casefold() for path in options.file)
    if repeated := next((path for path in options.file if names[path.stem.casefold()] > 1), None):
        raise InvalidRequest(
            f"Several documents would become {folder / repeated.stem}{suffix}.", "Rename one, or use a second folder."
        )
    outputs = []
    for path in options.file:
        output = folder / f"{path.stem}{suffix}"
        subtitles = options.subtitles and folder / f"{path.stem}{options.subtitles.suffix}"
        format_for(output)
        check_apart(options, {"--out": output, "--subtitles": subtitles})
        outputs.append((output, subtitles))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise write_error(folder, error) from error
    for output, subtitles in outputs:
        check_writable(output, per_chapter=bool(options.per_chapter))
        if subtitles:
            check_subtitles(subtitles)
    return outputs


def check_compatible(options: argparse.Namespace) -> None:
    """Raise `InvalidRequest` if --jobs, --cluster, --format, or a folder as --out doesn’t fit the other options."""
    if options.play and is_folder(options):
        raise InvalidRequest("--play can’t be used with a folder as --out.", "Omit one of them.")
    if options.format is not None and options.file is not None and not is_folder(options):
        raise InvalidRequest("--format needs a folder as --out.", "Omit it, or let --out name a folder.")
    if not is_spoken_elsewhere(options):
        return
    if options.jobs is not None:
        check_jobs(options.jobs)
    conflicts = {
        "--play": options.play, "--threads": options.threads is not None, "a project": is_lone_project(options),
        f"--device {options.device}": options.device not in (AUTO, CPU_DEVICE),
        "--jobs": options.jobs is not None and options.cluster is not None,
    }  # fmt: skip
    if conflict := next((name for name, given in conflicts.items() if given), None):
        option = "--jobs" if options.cluster is None else "--cluster"
        raise InvalidRequest(f"{option} can’t be used with {conflict}.", "Omit one of them.")


def is_spoken_elsewhere(options: argparse.Namespace) -> bool:
    """Return whether other processes speak the documents: those of --jobs or --cluster."""
    return options.jobs is not None or options.cluster is not None


def is_lone_project(options: argparse.Namespace) -> bool:
    """Return whether --file names a project, and nothing else."""
    return options.file is not None and len(options.file) == 1 and is_project(options.file[0])


def book_of(options: argparse.Namespace, output: Path | None) -> Path | None:
    """Return the EPUB to which `output` adds narration, or None for other formats. Raises `InvalidRequest`."""
    if output is None or output.suffix.lower() != NARRATED:
        return None
    book = options.file[0] if options.file is not None and len(options.file) == 1 else None
    if book is None or book.suffix.lower() != NARRATED:
        check_book(None)
    check_one_file(options.per_chapter, options.subtitles)
    if options.play or any(getattr(options, name) is not None for name in ("title", "author", "cover")):
        raise InvalidRequest(
            "A narrated EPUB has the title, author, and cover of the original, and isn’t played.",
            "Omit --play, --title, --author, and --cover.",
        )
    return book


def project_of(options: argparse.Namespace) -> Project | None:
    """Return the project that --file names alone, or None if it names documents or nothing.

    Raises `UnusableDocument` or `InvalidRequest`.
    """
    if not is_lone_project(options):
        return None
    if options.text is not None:
        raise InvalidRequest("Both a text and --file were given.", "Omit one of them.")
    if any(getattr(options, name) for name in _OPTIONS):
        raise InvalidRequest(
            "A project has no chapters, notes, title, author, or cover.", "Omit the options that name them."
        )
    project = read_project(options.file[0])
    return replace(project, request=shielded(project.request))


def request_of(
    options: argparse.Namespace, project: Project | None, steps: Steps, prosody: Prosody = Prosody.LSTM
) -> SpeechRequest:
    """Return a request without a text, or with that of a project, with all settings; set the model of the options.

    The settings of a project apply unless the options give other ones, and so do its edits. Its model is used if it is
    installed and has the voice. Problems of a project are noted.

    Raises `EngineError` children for an unknown voice or a missing model.
    """
    if project is None:
        speech_settings = command.speech_settings_of(options)
        options.model = model_with(options, speech_settings.voice or None)
        return speech_settings
    for problem in project.problems:
        steps.write_note(f"note: {problem.message}")
    request = command.speech_settings_of(options, project.request)
    if not options.model_named and options.weights is None and project.model.name in installed_models():
        options.model = project.model.name
    voice = request.definitions.recipe_of(request.voice)
    try:
        options.model = model_with(options, voice or None)
        if voice and options.weights is None:
            model_of(voice, options.model)  # raises if a named model lacks a voice that no model has
    except (InvalidRequest, MissingModel) as error:
        if options.voice is not None:
            raise
        steps.write_note(f"note: the project’s voice isn’t used. {error.message}")
        request = replace(request, voice="")
    name = options.file[0].name
    if language_hint := model_note(name, project.model, identity_of(options.model, prosody, options.weights)):
        steps.write_note(f"note: {language_hint}")
    return request


def chosen(document: Document, options: argparse.Namespace) -> Document:
    """Select the parts of a document that the options request; its notices list the skipped parts, too."""
    usual = range(len(document.chapters)) if options.all_chapters else document.default_chapters
    others = sorted(set(range(len(document.chapters))).difference(usual))
    read = document.with_chapters(tuple(usual))
    notices = list(document.notices)
    if others:
        titles = [document.chapters[number].title or f"Chapter {number + 1}" for number in others]
        notices.append(f"Skipped: {_listed(titles)}; --all-chapters includes {'it' if len(titles) == 1 else 'them'}.")
    if options.notes:
        read = read.with_notes()
    elif noted := sum(bool(chapter.notes) for chapter in read.chapters):
        of_chapters = "1 chapter" if noted == 1 else f"{noted} chapters"
        notices.append(f"Skipped: the notes of {of_chapters}; --notes includes them.")
    return replace(read, notices=tuple(notices))


def _listed(titles: list[str]) -> str:
    more = f" and {len(titles) - MAX_TITLES} more" if len(titles) > MAX_TITLES else ""
    return ", ".join(f"“{title}”" for title in titles[:MAX_TITLES]) + more


def note(document: Document | None) -> None:
    """Write each notice of a document to standard error."""
    for notice in document.notices if document is not None else ():
        show_line(f"note: {notice}")


def check_apart(options: argparse.Namespace, outputs: Mapping[str, Path | None]) -> None:
    """Raise `InvalidRequest` if an output file, by option, would overwrite an input document or its cover."""
    read = [path for path in (*(options.file or ()), options.cover) if path is not None and os.path.exists(path)]
    for name, written in outputs.items():
        if written is not None and os.path.exists(written) and any(written.samefile(path) for path in read):
            raise InvalidRequest(f"{name} would overwrite the input file {written}.", "Choose a different output file.")

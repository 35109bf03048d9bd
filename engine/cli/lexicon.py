"""`engine lexicon`: lists, adds, removes, imports and exports the user's pronunciations."""

from __future__ import annotations

import argparse
from collections.abc import Collection
from dataclasses import asdict
from pathlib import Path
from typing import Any

from engine.cli.command import Command, Outcome, add_json_flag
from engine.models.checkpoints import FULL_SIZE, model_config
from engine.system.atomic_write import atomic_write
from engine.text.g2p.user_lexicon.entries import (
    ANY_CASE,
    ENGLISH,
    EXACT_CASE,
    LANGUAGES_OF,
    PARTS_OF_SPEECH,
    LexiconEntry,
    checked,
)
from engine.text.g2p.user_lexicon.formats import Imported, as_csv, read_entries
from engine.text.g2p.user_lexicon.store import UserLexicon
from engine.text.languages import language_of

MAX_LISTED = 100
"""The most refused lines that are listed as text; JSON has all."""


def add_options(parser: Any) -> None:
    """Add the actions."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    _add_add(_action(actions, "add", "add a word or a pattern, or replace it"))
    listing = _action(actions, "list", "list the entries")
    listing.add_argument("--language", help="only the entries for one language, such as en-GB")
    listing.add_argument("--search", default="", help="only entries that contain this text")
    remove = _action(actions, "remove", "delete the entries of a word or a pattern")
    remove.add_argument("word", help="the word or the pattern")
    remove.add_argument("--pos", choices=PARTS_OF_SPEECH, help="only the entry for this part of speech")
    remove.add_argument("--language", help="only the entry for this language")
    reading = _action(actions, "import", "add the entries of a file, replacing those of the same words")
    reading.add_argument(
        "file", type=Path, help="a project, CSV, or lines of abogen (Zorg|zorgue) or FluidAudio (Zorg=zˈɔɹɡ)"
    )
    writing = _action(actions, "export", "write all entries as CSV")
    writing.add_argument("file", type=Path, help="the file to write")


def _action(actions: Any, name: str, summary: str) -> Any:
    action = actions.add_parser(name, help=summary, description=summary)
    add_json_flag(action)
    return action


def _add_add(parser: Any) -> None:
    parser.add_argument("word", nargs="?", default="", help="a word, or several in quotes")
    parser.add_argument("--pattern", default="", help="a regular expression instead of a word")
    parser.add_argument("--phonemes", default="", help="the pronunciation, in misaki’s symbols or IPA")
    parser.add_argument("--say", default="", help="text to speak instead; of a pattern, with \\1 for its first group")
    parser.add_argument("--pos", default="", choices=PARTS_OF_SPEECH, help="only this part of speech; English only")
    parser.add_argument("--case", default=ANY_CASE, choices=(ANY_CASE, EXACT_CASE), help="default: any")
    parser.add_argument("--language", default=ENGLISH, help="such as en-GB or fr-FR (default: en, all English)")


def manage_lexicon(options: argparse.Namespace) -> Outcome:
    """List or change the lexicon. Raises `InvalidRequest`, `DamagedFile` or `OutputError`."""
    lexicon = UserLexicon()
    if options.action == "add":
        return _added(lexicon, options)
    if options.action == "remove":
        removed = lexicon.remove(options.word, options.language, options.pos)
        return Outcome(
            [asdict(entry) for entry in removed], "\n".join(f"Removed {_format_entry(each)}." for each in removed)
        )
    if options.action == "import":
        found = read_entries(options.file, _symbols())
        lexicon.add(found.entries)
        return _imported(found)
    if options.action == "export":
        entries = lexicon.entries()
        with atomic_write(options.file) as file:
            file.write(as_csv(entries).encode())
        count = len(entries)
        return Outcome({"file": str(options.file), "entries": count}, f"Wrote {_count(count)} to {options.file}.")
    return _listed(lexicon, options.language, options.search)


def _symbols() -> Collection[str]:
    return model_config(FULL_SIZE).vocab


def _added(lexicon: UserLexicon, options: argparse.Namespace) -> Outcome:
    entry = LexiconEntry(
        options.word, options.pattern, options.phonemes, options.say, options.pos, options.case, options.language
    )
    entry = checked(entry, _symbols())
    lexicon.add([entry])
    return Outcome(asdict(entry), f"Added {_format_entry(entry)}.")


def _imported(found: Imported) -> Outcome:
    data = {"entries": len(found.entries), "refused": [asdict(each) for each in found.refused]}
    lines = [f"line {each.line}: {each.reason}" for each in found.refused[:MAX_LISTED]]
    if len(found.refused) > MAX_LISTED:
        lines.append(f"{len(found.refused) - MAX_LISTED} more lines were refused; --json lists them.")
    lines.append(f"Imported {_count(len(found.entries))}, refused {len(found.refused)}.")
    return Outcome(data, "\n".join(lines), passed=bool(found.entries))


def _listed(lexicon: UserLexicon, language: str | None, search: str) -> Outcome:
    spoken = None if language is None else LANGUAGES_OF.get(language) or (language_of(language),)
    wanted = search.casefold()
    entries = [
        entry
        for entry in lexicon.entries()
        if (spoken is None or any(map(entry.applies_to, spoken)))
        and any(wanted in text.casefold() for text in (entry.title, entry.phonemes, entry.say))
    ]
    words = "\n".join(map(_format_entry, entries)) or "Your lexicon has no such entries."
    return Outcome([asdict(entry) for entry in entries], words)


def _format_entry(entry: LexiconEntry) -> str:
    replacement = f"/{entry.phonemes}/" if entry.phonemes else f"“{entry.say}”"
    case = "exact case" if entry.case == EXACT_CASE else ""
    details = ", ".join(filter(None, (entry.language, entry.part_of_speech, case)))
    return f"{'pattern ' * bool(entry.pattern)}“{entry.title}”: {replacement} ({details})"


def _count(number: int) -> str:
    return "1 entry" if number == 1 else f"{number} entries"


COMMAND = Command("lexicon", "List, add and remove your own pronunciations.", add_options, manage_lexicon)

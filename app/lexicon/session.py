"""The entries of the lexicon on display: loaded, changed with undo, imported and exported in the background."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtGui import QUndoCommand, QUndoStack

from app.lexicon.entries import Listing, OpenText, previews
from app.system.threads import gently
from app.tasks import Task, Tasks
from engine.errors import Canceled, InvalidRequest
from engine.system.atomic_write import atomic_write
from engine.text.g2p.user_lexicon.entries import LexiconEntry, checked
from engine.text.g2p.user_lexicon.formats import Imported, as_csv, read_entries
from engine.text.g2p.user_lexicon.store import Change, Signature, UserLexicon, additions

PREVIEW_AFTER_MS = 150
"""The time after the last change of an entry until its places are found."""
ANYTHING = "a"
"""Stands for the missing part of an entry that is being typed."""


@dataclass(frozen=True)
class Listed:
    """The state of the lexicon: all entries by key, and the listed ones among them.

    `changed` are the entries that a change added or removed.
    """

    keys: dict[tuple[str, ...], LexiconEntry]
    shown: tuple[LexiconEntry, ...]
    signature: Signature = ()
    changed: tuple[LexiconEntry, ...] = ()
    placed: tuple[LexiconEntry, ...] = ()


class LexiconSession(QObject):
    """The lexicon in a window; every change is an undoable command and is saved immediately.

    `listed` is emitted when other entries are shown. `changed` carries the entries that were added, changed or removed,
    once they are saved. `previewed` carries an `EntryPreview`, `imported` an `Imported`, `exported` a number of
    entries. `texts` returns the open texts.
    """

    listed = Signal()
    changed = Signal(object)
    previewed = Signal(object)
    imported = Signal(object)
    exported = Signal(int, object)
    failed = Signal(object)

    def __init__(
        self,
        texts: Callable[[], Sequence[OpenText]],
        lexicon: UserLexicon | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.undo = QUndoStack(self)
        self.listing = Listing()
        self.symbols = frozenset[str]()
        """The phonemes of the model; empty while unknown."""
        self.state = Listed({}, ())
        self.wanted: LexiconEntry | None = None
        """The entry to select among the listed ones."""
        self._texts = texts
        self._lexicon = lexicon or UserLexicon()
        self._tasks, self._previews = Tasks("lexicon", self), Tasks("lexicon preview", self)
        self._previewing: Task | None = None
        self._previewed: LexiconEntry | None = None
        self._later = QTimer(self, singleShot=True, interval=PREVIEW_AFTER_MS)
        self._later.timeout.connect(self._begin_preview)

    @property
    def ready(self) -> bool:
        """True once the lexicon is loaded."""
        return bool(self.symbols)

    @property
    def busy(self) -> bool:
        """True while anything is loaded, saved or searched."""
        return self._tasks.busy or self._previews.busy or self._later.isActive()

    @property
    def working(self) -> bool:
        """True while entries are loaded, saved or imported."""
        return self._tasks.busy

    @Slot()
    def load(self) -> None:
        """Load the entries if the file has changed."""
        self._tasks.run(self._loaded, self.listing, self.state.signature, done=self._on_loaded, failed=self._fail)

    def show(self, listing: Listing) -> None:
        """List other entries, or in a different order."""
        if listing != self.listing:
            self.listing = listing
            self._tasks.run(_shown, self.state, listing, done=self._show)

    def find(self, entry: LexiconEntry) -> LexiconEntry | None:
        """Return the saved entry with the same key."""
        return self.state.keys.get(entry.key)

    def checked(self, entry: LexiconEntry, instead_of: LexiconEntry | None = None) -> LexiconEntry:
        """Return an entry in the form in which it is saved. Raises `InvalidRequest` if it is invalid or not unique."""
        entry = checked(entry, self.symbols)
        other = self.find(entry)
        if other is not None and (instead_of is None or other.key != instead_of.key):
            raise InvalidRequest(f"“{entry.title}” is already in your lexicon.", "Change that entry instead.")
        return entry

    def problem_of(self, entry: LexiconEntry, instead_of: LexiconEntry | None = None) -> str:
        """Return the problem of an entry, whose word or pronunciation may still be missing; empty if there is none."""
        if not entry.title:
            entry = replace(entry, word=ANYTHING)
        if not entry.phonemes and not entry.say and not entry.pattern:
            entry = replace(entry, say=ANYTHING)
        try:
            self.checked(entry, instead_of)
        except InvalidRequest as error:
            return f"{error.message} {error.hint}".strip()
        return ""

    def put(self, entry: LexiconEntry) -> None:
        """Add an entry, or replace the one with the same key. Raises `InvalidRequest` if it is invalid."""
        entry = checked(entry, self.symbols)
        self._push(f"Add “{entry.title}”", lambda saved: additions(saved, [entry]), entry)

    def replace(self, old: LexiconEntry, new: LexiconEntry) -> None:
        """Change an entry. Raises `InvalidRequest` if the new one is invalid or not unique."""
        entry = self.checked(new, old)
        if entry != old:
            self._push(f"Change “{entry.title}”", lambda saved: additions(saved, [entry], old), entry)

    def remove(self, entries: Sequence[LexiconEntry]) -> None:
        """Remove entries."""
        if entries:
            title = f"“{entries[0].title}”" if len(entries) == 1 else f"{len(entries)} Entries"
            self._push(f"Remove {title}", lambda _: Change(tuple(entries)))

    def import_file(self, path: Path) -> None:
        """Add the entries of a file; `imported` carries them and the unusable lines."""
        self._tasks.run(_read, path, self.symbols, done=self._on_imported, failed=self._fail)
        self.listed.emit()

    def export_file(self, path: Path) -> None:
        """Write all entries to a CSV file."""
        entries = tuple(self.state.keys.values())
        self._tasks.run(_export, path, entries, done=lambda count: self.exported.emit(count, path), failed=self._fail)

    def preview(self, entry: LexiconEntry | None) -> None:
        """Find the places in the open texts that an entry changes, after a moment; `previewed` carries them."""
        if entry != self._previewed:
            self.stop_preview()
            self._previewed = entry
            if entry is not None:
                self._later.start()

    def stop_preview(self) -> None:
        """Stop finding places."""
        self._later.stop()
        self._previewed = None
        if self._previewing is not None:
            self._previewing.cancel()
        self._previewing = None

    def apply_command(self, command: EntryCommand, *, forward: bool) -> None:
        """Apply or undo a command, which calls this; its changes are saved in the order of the calls."""
        self._tasks.run(
            self._applied,
            command,
            forward,
            self.listing,
            done=partial(self._on_applied, command.entry if forward else None),
            failed=self._on_unsaved,
        )

    def shut_down(self, timeout_ms: int) -> bool:
        """Save everything, and end; return whether that succeeded in time."""
        self.stop_preview()
        ended = self._previews.shut_down(timeout_ms)
        ended = self._tasks.shut_down(timeout_ms) and ended
        self.undo.clear()  # otherwise it reports its end to windows that no longer exist
        return ended

    def _push(
        self, title: str, change_of: Callable[[Sequence[LexiconEntry]], Change], entry: LexiconEntry | None = None
    ) -> None:
        self.undo.push(EntryCommand(self, title, change_of, entry))

    # In the thread.

    def _loaded(self, listing: Listing, known: Signature) -> tuple[frozenset[str], Listed | None]:
        from engine.models.checkpoints import FULL_SIZE, model_config  # not before the window is shown

        symbols = frozenset(model_config(FULL_SIZE).vocab)
        signature = self._lexicon.signature
        if self.symbols and signature == known:
            return symbols, None
        return symbols, _listed(self._lexicon.entries(), listing, signature)

    def _applied(self, command: EntryCommand, forward: bool, listing: Listing) -> Listed:
        entries, undoing = self._lexicon.apply(command.change_of if forward else lambda _: command.undoing)
        if forward:
            command.undoing = undoing
        removed = tuple(entry for _, entry in undoing.placed)
        state = _listed(entries, listing, self._lexicon.signature)
        return replace(state, changed=(*undoing.removed, *removed), placed=undoing.removed)

    # In the window's thread.

    def _on_loaded(self, result: tuple[frozenset[str], Listed | None]) -> None:
        self.symbols, state = result
        if state is not None:
            self.undo.clear()  # its commands would undo the changes of others
            self._show(state)

    def _on_applied(self, entry: LexiconEntry | None, state: Listed) -> None:
        self.wanted = entry if entry is not None or not state.placed else state.placed[0]
        self._show(state)
        self.changed.emit(state.changed)

    def _on_imported(self, found: Imported) -> None:
        if found.entries:
            self._push("Import", lambda saved: additions(saved, found.entries))
        self.imported.emit(found)

    def _show(self, state: Listed) -> None:
        self.state = state
        self.listed.emit()

    def _on_unsaved(self, error: Exception) -> None:
        """Return to the entries in the file."""
        self._fail(error)
        self.undo.clear()
        self.state = replace(self.state, signature=(-1,))
        self.load()

    def _fail(self, error: Exception) -> None:
        if not isinstance(error, Canceled):
            self.failed.emit(error)
        self.listed.emit()

    @Slot()
    def _begin_preview(self) -> None:
        entry = self._previewed
        if entry is not None:
            self._previewing = self._previews.run(
                previews, entry, self._texts(), progress=self.previewed.emit, failed=self._on_preview_failed
            )

    def _on_preview_failed(self, error: Exception) -> None:
        if not isinstance(error, Canceled):
            self.previewed.emit(error)


class EntryCommand(QUndoCommand):
    """A change of the lexicon: `change_of` returns it for the saved entries, `undoing` is set once it is applied.

    `entry` is the added or changed one, if it is one.
    """

    def __init__(
        self,
        session: LexiconSession,
        title: str,
        change_of: Callable[[Sequence[LexiconEntry]], Change],
        entry: LexiconEntry | None,
    ) -> None:
        super().__init__(title)
        self.change_of, self.entry = change_of, entry
        self.undoing = Change()
        self._apply = session.apply_command

    def redo(self) -> None:
        """Apply the change."""
        self._apply(self, forward=True)

    def undo(self) -> None:
        """Apply the change that undoes it."""
        self._apply(self, forward=False)


def _listed(entries: Sequence[LexiconEntry], listing: Listing, signature: Signature) -> Listed:
    return Listed({entry.key: entry for entry in gently(entries)}, listing.of(entries), signature)


def _shown(state: Listed, listing: Listing) -> Listed:
    return replace(state, shown=listing.of(tuple(state.keys.values())))


def _read(path: Path, symbols: Collection[str]) -> Imported:
    return read_entries(path, symbols, gently)


def _export(path: Path, entries: Sequence[LexiconEntry]) -> int:
    with atomic_write(path) as file:
        file.write(as_csv(entries).encode())
    return len(entries)

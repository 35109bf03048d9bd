"""Projects in the window: opening one, saving the user's text as one, and saving its changes."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Slot

from app.editor.text_edits import TextEdits
from app.main_window import MainWindow
from app.messages import Message, MessageAction, MessageTopic, message_for, message_for_document
from app.reading.opener import DocumentOpener, OpenedProject, read_opened_project
from app.reading.places import LibraryBook
from app.settings import Settings
from app.speech.controller import SpeechController
from app.speech.engine_worker import Ended, EngineTask, Report, TextPlanned, Urgency, planning
from app.speech.voice_choice import choice_for, prosody_of, voice_info
from app.tasks import Tasks
from app.widgets.file_dialogs import ask_where_to_save_project, suggested_name
from app.widgets.windows import TextWindow
from engine.errors import EngineError, OutputError
from engine.speech import NO_DEFINITIONS, Plan, Prosody, SpeechRequest
from engine.text.documents import PROJECT_SUFFIX

if TYPE_CHECKING:
    from engine.runtime.project_files import ModelIdentity

SAVE_AFTER_MS = 1500
"""The time from the first change until the project is saved, as for texts."""
ELSEWHERE = "Choose Save as Project to keep your version in a new file."


class ProjectFile:
    """A project's file, which belongs to the thread that saves it.

    A change that another program makes is never overwritten. `digest` is that of the content that was last read or
    written; empty to replace any content.
    """

    def __init__(self, path: Path, digest: str = "") -> None:
        self.path, self.digest = path, digest

    def save(self, request: SpeechRequest, model: ModelIdentity | None, used_model: tuple[str, Prosody]) -> str:
        """Save a request, made with `model`, by default the one in use; return the digest. Raises `EngineError`."""
        from engine.runtime.project_files import project_content, write_project
        from engine.runtime.projects import identity_of, self_contained

        request, model = self_contained(request), model or identity_of(*used_model)
        digest = hashlib.sha256(project_content(request, model)).hexdigest()
        if digest != self.digest:
            if self.digest and not self._is_unchanged():
                raise OutputError(f"“{self.path.name}” was changed, moved, or deleted by another program.", ELSEWHERE)
            write_project(self.path, request, model)
            self.digest = digest
        return digest

    def _is_unchanged(self) -> bool:
        try:
            return hashlib.sha256(self.path.read_bytes()).hexdigest() == self.digest
        except OSError:
            return False


class ProjectsFeature(QObject):
    """The project in the editor, whose file follows every change; any other text is saved without a file."""

    def __init__(
        self,
        window: MainWindow,
        speech: SpeechController,
        settings: Settings,
        opener: DocumentOpener,
        edits: TextEdits,
    ) -> None:
        super().__init__(window)
        self._window, self._speech, self._settings, self._edits = window, speech, settings, edits
        self._page, self._editor, self._header = window.page, window.page.editor, window.page.header
        self._voices, self._worker = window.page.header.voices, speech.engine.worker
        self._tasks = Tasks("project", self)
        self._file: ProjectFile | None = None
        self._opened: OpenedProject | None = None
        """The project whose voice is to be chosen once the voices are known."""
        self._voice: tuple[str, str] = "", ""
        """A missing voice, which the project keeps, and the one that replaces it here."""
        self._made_with: ModelIdentity | None = None
        """The model of the project; None once the user has changed the voice or an edit."""
        self._saved: SpeechRequest | None = None
        self._notices: list[str] = []
        self._message: Message | None = None
        self._planning: EngineTask | None = None
        self._plan = Plan(())
        self._checked: OpenedProject | None = None
        self._replacing = False
        self._texts_begun = 0
        self._later = QTimer(self, singleShot=True, interval=SAVE_AFTER_MS)
        self._later.timeout.connect(self.save)
        self._connect(opener)

    @property
    def path(self) -> Path | None:
        """The file of the project in the editor; None if the text is not a project."""
        return self._file.path if self._file is not None else None

    @property
    def busy(self) -> bool:
        """True while changes wait to be saved, or a project is being saved or checked."""
        return self._later.isActive() or self._tasks.busy or self._planning is not None

    def shut_down(self, timeout_ms: int) -> bool:
        """Finish saving; return whether that succeeded in time."""
        self._later.stop()
        ended = self._tasks.shut_down(timeout_ms)
        if self._file is not None:
            self._remember()
        return ended

    def resume(self) -> None:
        """Continue with the project that was in the editor when the window was last closed."""
        if (path := self._settings.project) is not None:
            text = self._editor.text
            self._tasks.run(
                read_opened_project, path, done=partial(self._on_resumed, text), failed=self._on_not_resumed
            )

    @Slot()
    def ask(self) -> None:
        """Ask where to save the text as a project."""
        name = Path(suggested_name(self._editor.text)).with_suffix(PROJECT_SUFFIX)
        ask_where_to_save_project(self._window, self.path or self._settings.save_folder / name, self.save_as)

    def save_as(self, path: Path) -> None:
        """Save the text as a project, whose file follows the changes from now on."""
        file, request = ProjectFile(path), self._request()
        done = partial(self._on_saved_as, file, request, self._texts_begun)
        self._tasks.run(file.save, request, None, self._used_model, done=done)

    @Slot()
    def save(self) -> None:
        """Save the changes of the project, if there are any."""
        self._later.stop()
        if self._file is None or self._opened is not None or self._request() == self._saved:
            return
        self._saved = self._request()
        file = self._file
        self._tasks.run(
            file.save,
            self._saved,
            self._made_with,
            self._used_model,
            done=partial(self._on_saved, file),
            failed=partial(self._on_not_saved, file),
        )

    @Slot(object)
    def open(self, opened: OpenedProject) -> None:
        """Open a project in the editor, with its voice, speed and pauses."""
        self._page.banner.withdraw(MessageTopic.DOCUMENT)
        same = self._file is not None and (self._file.path, self._file.digest) == (
            opened.path.absolute(),
            opened.digest,
        )
        if not same:
            request = opened.project.request
            self._replacing = True
            self._editor.set_text(request.text)  # the project before is saved first
            self._replacing = False
            self._edits.adopt(self._editor.text, request.edits, request.definitions)
            self._header.speed.set_speed(request.speed)
            self._header.pauses.set_pause_scale(request.pause_scale)
            self._begin(opened)
        elif self._window.reading.document is not None:
            self._window.reading.close()
        self._page.show_text()

    def _connect(self, opener: DocumentOpener) -> None:
        editor, header, window = self._editor, self._header, self._window
        opener.project_opened.connect(self.open)
        window.menu.save_project.triggered.connect(self.ask)
        editor.text_leaves.connect(self.save)
        editor.text_replaced.connect(self._on_replaced)
        self._voices.voice_chosen.connect(self._on_own_choice)
        self._voices.listed.connect(self._choose_voice)
        self._edits.changed.connect(self._on_edits)
        for changed in (
            editor.text_changed,
            self._edits.changed,
            self._voices.voice_chosen,
            header.speed.speed_changed,
            header.pauses.pauses_changed,
        ):
            changed.connect(self._on_change)
        for changed in (editor.text_changed, window.reading.text_changed):
            changed.connect(self._show)
        self._worker.reported.connect(self._on_report)
        self._page.banner.action_chosen.connect(self._on_message_action)
        window.closed.connect(self.save)
        self._show()

    def _request(self) -> SpeechRequest:
        """Return the request for the text in the editor; its voice is the project's while that is missing here."""
        text, chosen = self._editor.text, self._window.chosen
        missing, substitute = self._voice
        voice = missing if missing and chosen.voice in ("", substitute) else chosen.voice
        edits, definitions = self._edits.of(text), self._edits.definitions_of(text)
        return replace(chosen, text=text, voice=voice, edits=edits, definitions=definitions)

    @property
    def _used_model(self) -> tuple[str, Prosody]:
        model = self._voices.speaking_model
        return model, prosody_of(model, self._voices.models, self._settings.prosody)

    def _begin(self, opened: OpenedProject) -> None:
        """Follow the file of a project whose text is in the editor; one with unusable parts stays as it is."""
        project = opened.project
        self._file = None if project.problems else ProjectFile(opened.path.absolute(), opened.digest)
        self._opened, self._made_with = opened, project.model
        self._voice = project.request.voice, ""
        self._notices = [each.message for each in project.problems]
        if project.problems:
            self._notices.append(f"Changes aren’t saved to “{opened.path.name}”. {ELSEWHERE}")
        self._remember()
        self._shelve(opened.path.absolute(), opened.digest, project.request.text)
        self._show()
        if self._voices.known:
            self._choose_voice()

    def _end(self) -> None:
        self._later.stop()
        self._file = self._opened = self._checked = self._made_with = self._saved = None
        self._voice = "", ""
        self._remember()
        self._show()

    def _remember(self) -> None:
        self._settings.project = self.path
        self._settings.project_digest = self._file.digest if self._file is not None else ""

    def _shelve(self, path: Path, digest: str, text: str) -> None:
        self._window.reading.shelve(LibraryBook(path, digest, path.stem, characters=len(text)))

    @Slot()
    def _choose_voice(self) -> None:
        """Choose the voice of the opened project, and check which parts its model does not support."""
        if self._opened is None or not self._voices.known:
            return
        opened, self._opened = self._opened, None
        request, model = opened.project.request, opened.project.model
        choice, listed = choice_for(request, model.name, self._voices.models)
        if choice is None:
            chosen = self._voices.voice or ""
            self._voice = request.voice, chosen
            if request.voice:
                info = voice_info(self._voices.choice, self._voices.models)
                speaker = info.title if info is not None else chosen
                self._notices.append(f"The voice “{request.voice}” isn’t installed, so {speaker} speaks.")
        else:
            self._voice = "", ""
            if listed:
                self._voices.choose_voice(choice)
            else:
                self._voices.ask_for(choice)
        self._made_with = model
        self._saved = self._request()
        self._check(opened)

    def _check(self, opened: OpenedProject) -> None:
        """Find the parts that the model does not support, and report them."""
        self._checked = opened
        from engine.runtime.projects import identity_of, model_note  # has been imported by the opener

        used_model, prosody = self._used_model

        def note() -> str:
            return model_note(opened.path.name, opened.project.model, identity_of(used_model, prosody))

        self._tasks.run(note, done=partial(self._on_note, opened))

    def _on_note(self, opened: OpenedProject, note: str) -> None:
        if opened is not self._checked:
            return
        if note:
            self._notices.insert(0, note)  # it explains the others
        request = self._request()
        if request.edits and request.voice and request.text.strip():
            last = request.edits[-1].start
            work = planning(replace(request, voice=self._window.chosen.voice, edits=()), last)
            self._planning = self._worker.start_task(EngineTask(work, Urgency.SPEECH, self._worker.present))
        else:
            self._tell()

    @Slot(object, object)
    def _on_report(self, task: EngineTask, report: Report) -> None:
        if task is not self._planning:
            return
        if isinstance(report, TextPlanned):
            self._plan = report.plan
        elif isinstance(report, Ended):
            self._planning = None
            if self._checked is not None:
                if report.error is None:
                    self._compare()
                self._tell()

    def _compare(self) -> None:
        """Compare the edits with the plan."""
        from engine.runtime.projects import unusable_edits

        text, request = self._editor.text, self._request()
        self._edits.tell_sentences(text, self._plan.utterances)
        notices = unusable_edits(self._plan, request, self._voices.speaking_model)
        if notices:
            count = len({notice.start for notice in notices})
            self._notices.append(f"{count} of {len(request.edits)} edited sentences can’t keep all changes here.")
            self._notices += (f"{_beginning(text[notice.start :])}: {notice.message}" for notice in notices)

    def _tell(self) -> None:
        if self._notices:
            self._message = message_for_document(self._notices)
            self._page.banner.show_message(self._message)

    @Slot(object)
    def _on_message_action(self, message: Message) -> None:
        if message is self._message and message.action is MessageAction.SHOW_NOTICES:
            listed = "".join(f"<li>{escape(notice)}</li>" for notice in self._notices)
            TextWindow("Notices", f"<ul>{listed}</ul>", self._window).show()

    def _on_resumed(self, text: str, opened: OpenedProject) -> None:
        if self._file is not None or self._editor.text != text:  # the user has begun something else
            return
        request = opened.project.request
        if opened.digest == self._settings.project_digest:  # otherwise a different program has changed the file
            if (self._edits.of(text), self._edits.definitions_of(text)) == ((), NO_DEFINITIONS):
                self._edits.adopt(text, request.edits, request.definitions)
            self._begin(opened)
            if (request.text, request.edits) != (text, self._edits.of(text)):  # it could not be saved in time
                self._saved = None
                self._later.start()
        elif self._window.reading.document is None:
            self.open(opened)
        else:
            self._end()

    def _on_not_resumed(self, error: Exception) -> None:
        self._settings.project = None
        self._page.banner.show_message(replace(message_for(error), topic=MessageTopic.DOCUMENT))

    def _on_saved_as(self, file: ProjectFile, request: SpeechRequest, texts_begun: int, digest: str) -> None:
        self._page.banner.withdraw(MessageTopic.FILE)
        self._settings.save_folder = file.path.parent
        self._shelve(file.path, digest, request.text)
        self._page.status.show_message(f"Saved {file.path.name}.")
        if texts_begun == self._texts_begun:  # otherwise, a different text is in the editor now
            self._file, self._saved, self._made_with, self._voice = file, request, None, ("", "")
            self._remember()
            self._show()
            self._on_change()

    def _on_saved(self, file: ProjectFile, digest: str) -> None:
        self._shelve(file.path, digest, self._editor.text)
        if file is self._file:
            self._remember()

    def _on_not_saved(self, file: ProjectFile, error: Exception) -> None:
        """Report a project whose file cannot follow; its text is saved like any other."""
        if file is self._file:
            self._end()
        if isinstance(error, EngineError):
            hint = ELSEWHERE if error.hint == ELSEWHERE else f"{error.hint} {ELSEWHERE}"
            error = OutputError(f"{error.message} Your text is still saved.", hint)
        self._page.banner.show_message(replace(message_for(error), action=None, topic=MessageTopic.DOCUMENT))

    @Slot()
    def _on_replaced(self) -> None:
        self._texts_begun += 1
        self._end()

    @Slot()
    def _on_own_choice(self) -> None:
        self._made_with, self._voice = None, ("", "")

    @Slot()
    def _on_edits(self) -> None:
        before = self._saved.edits if self._saved is not None else ()
        now = {replace(each, start=0) for each in self._edits.of(self._editor.text)}
        if not now <= {replace(each, start=0) for each in before}:  # otherwise they have only moved
            self._made_with = None

    @Slot()
    def _on_change(self) -> None:
        if self._file is not None and not self._later.isActive():
            self._later.start()

    @Slot()
    def _show(self) -> None:
        """Show the name of the project in the title, and enable the command."""
        own = self._window.reading.document is None
        self._window.menu.save_project.setEnabled(own and bool(self._editor.text.strip()))
        if own and (path := self.path) is not None:
            self._window.show_document(path.stem, path)
        elif own and self._window.windowFilePath().endswith(PROJECT_SUFFIX):
            self._window.show_document(None, None)


def _beginning(text: str) -> str:
    words = " ".join(text[:60].split())
    return f"“{words[:30]}…”"

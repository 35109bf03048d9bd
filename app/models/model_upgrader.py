"""Downloads and prepares a better model while the current one stays in use; then switches to it, or offers it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Slot

from app.audio.player import Playback
from app.main_window import MainWindow
from app.messages import Message, MessageAction, MessageTopic, Severity, message_for
from app.models.controller import ModelController
from app.models.row import ModelRow, format_row, format_size
from app.models.worker import JobEnded, ModelJob, ModelTask
from app.settings import Settings
from app.speech.activity import Readiness
from app.speech.controller import SpeechController
from app.speech.strips import Answer, ModelNotice
from app.speech.voice_choice import VoiceChoice, voice_info
from engine.errors import EngineError, UnknownModel
from engine.models.checkpoints import at_least_as_good
from engine.models.store import ModelState

_LEADS = {
    ModelTask.FETCH: "Downloading {title}",
    ModelTask.IMPORT: "Importing {title}",
    ModelTask.PREPARE: "Preparing {title}",
}
_FAILURES = {ModelTask.FETCH: "Couldn’t download {title}", ModelTask.PREPARE: "Couldn’t prepare {title}"}


class ModelUpgrader(QObject):
    """The upgrade to a better model, and the strip above the text that reports it.

    `fetch` is the model to download at the start unless it or a better one is installed; a failure only shows a notice.
    A model takes over only while nothing plays, and only if the user never chose a voice or a model.
    """

    def __init__(
        self,
        window: MainWindow,
        speech: SpeechController,
        settings: Settings,
        controller: ModelController,
        fetch: str | None = None,
    ) -> None:
        super().__init__(window)
        self._window, self._speech, self._settings, self._controller = window, speech, settings, controller
        self._voices, self._strip = window.page.header.voices, window.page.strip
        self._fetch = fetch
        self._quiet = ""
        self._begun = False
        self._next = ""
        self._before = VoiceChoice()
        self._news: ModelNotice | None = None
        controller.rows_changed.connect(self._on_rows)
        controller.done.connect(self._on_done)
        speech.activity_changed.connect(self._on_activity)
        self._voices.voice_chosen.connect(self._on_voice_chosen)
        self._strip.answered.connect(self._on_answer)

    def takes(self, ended: JobEnded) -> bool:
        """Show the failure of a background job; return whether `ended` was one."""
        job, row = ended.job, self._controller.row(ended.job.model)
        in_background = job.task is ModelTask.PREPARE or (job.task is ModelTask.FETCH and job.model == self._quiet)
        if row is None or not in_background:
            return False
        lead, why = _FAILURES[job.task].format(title=row.title), _reason(ended.error)
        self._show_notice(ModelNotice(f"{lead}: {why}", row.name, (Answer.TRY_AGAIN, Answer.CLOSE)))
        return True

    @Slot(object)
    def _on_rows(self, rows: tuple[ModelRow, ...]) -> None:
        self._begin_once()
        self._show()

    @Slot(object)
    def _on_activity(self, activity: object) -> None:
        self._begin_once()
        if self._next and self._silent:
            self._bring(self._next)

    @property
    def _silent(self) -> bool:
        activity = self._speech.activity
        ended = activity.playback is Playback.STOPPED and not activity.making and not activity.saving
        return ended and not activity.previewing and activity.readiness is not Readiness.PREPARING

    def _begin_once(self) -> None:
        """Start the background jobs once the engine no longer needs the CPU to prepare."""
        ready = self._speech.activity.readiness is not Readiness.PREPARING
        if self._begun or not ready or not self._controller.rows or self._controller.busy:
            return
        self._begun = True
        best = self._voices.models[0].model if self._voices.models else ""
        if self._is_to_fetch():
            self._quiet = self._fetch or ""
            self._controller.fetch(self._quiet)
        elif self._voices.untouched and best not in ("", self._voices.speaking_model):
            self._controller.prepare(best, self._settings.device)

    def _is_to_fetch(self) -> bool:
        row = None if self._fetch is None else self._controller.row(self._fetch)
        if row is None:
            self._refuse_unknown()
            return False
        here = {each.name for each in self._controller.rows if each.usable}
        declined = self._settings.models_offered and row.status.state is ModelState.ABSENT
        return here.isdisjoint(at_least_as_good(row.name)) and not declined

    def _refuse_unknown(self) -> None:
        if self._fetch is not None:
            known = ", ".join(row.name for row in self._controller.rows)
            error = UnknownModel(f"Unknown model “{self._fetch}”.", f"Known models: {known}.")
            self._window.show_failure(error)

    @Slot(object)
    def _on_done(self, job: ModelJob) -> None:
        row = self._controller.row(job.model)
        if row is None:
            return
        if job.task in (ModelTask.FETCH, ModelTask.IMPORT) and not row.in_use:
            self._controller.prepare(row.name, self._settings.device)
        elif job.task is ModelTask.PREPARE:
            self._bring(row.name)
        elif job.task is ModelTask.REMOVE:
            self._forget(row.name)

    def _forget(self, removed: str) -> None:
        if self._next == removed:
            self._next = ""
        if self._news is not None and self._news.model == removed:
            self._show_notice(None)

    def _bring(self, name: str) -> None:
        """Switch to a prepared model immediately or once playback has stopped, or offer it."""
        title = self._title(name)
        self._next = ""
        if self._voices.speaking_model == name:
            self._show_notice(None)
        elif not self._voices.untouched:
            self._show_notice(ModelNotice(f"{title} is ready.", name, (Answer.NOT_NOW, Answer.USE)))
        elif not self._silent:
            self._next = name
            self._show_notice(ModelNotice(f"{title} is ready and will be used next.", name))
        else:
            self._before = self._voices.choice
            self._voices.take_over(name)
            info = voice_info(self._voices.choice, self._voices.models)
            words = f"Now using {title} (voice: {info.title if info else self._voices.voice})."
            self._show_notice(ModelNotice(words, name, (Answer.GO_BACK, Answer.CHOOSE_VOICE, Answer.CLOSE)))

    @Slot(object)
    def _on_voice_chosen(self, choice: VoiceChoice) -> None:
        if self._news is not None and (choice.model == self._news.model or Answer.GO_BACK in self._news.answers):
            self._news = None
        self._show()

    @Slot(object, object)
    def _on_answer(self, notice: ModelNotice, answer: Answer) -> None:
        self._show_notice(None)
        acts: dict[Answer, Callable[[], object]] = {
            Answer.NOT_NOW: self._remember_answer,
            Answer.FETCH: partial(self._fetch_now, notice.model),
            Answer.CANCEL: self._cancel,
            Answer.USE: partial(self._voices.choose_model, notice.model),
            Answer.GO_BACK: partial(self._voices.choose_voice, self._before),
            Answer.CHOOSE_VOICE: self._voices.showPopup,
            Answer.TRY_AGAIN: self._controller.retry,
        }
        if answer in acts:
            acts[answer]()

    def _remember_answer(self) -> None:
        self._settings.models_offered = True
        self._show()

    def _fetch_now(self, name: str) -> None:
        self._settings.models_offered = True
        self._controller.fetch(name)

    def _cancel(self) -> None:
        self._settings.models_offered = True
        self._controller.cancel()

    def _show_notice(self, news: ModelNotice | None) -> None:
        self._news = news
        self._show()

    def _show(self) -> None:
        """Show work in progress first, then news, then the offer."""
        self._strip.show_notice(self._work() or self._news or self._offer())

    def _work(self) -> ModelNotice | None:
        row = next((row for row in self._controller.rows if row.task in _LEADS), None)
        if row is None or row.task is None:
            return None
        words = format_row(row)
        text = f"{_LEADS[row.task].format(title=row.title)}: {words[:1].lower()}{words[1:]}"
        answers = () if row.stopping else (Answer.CANCEL,)
        return ModelNotice(text, row.name, answers, going_on=True, fraction=row.fraction)

    def _offer(self) -> ModelNotice | None:
        """Return an unanswered offer of the best model, if none is here or coming, or a lesser one is in use."""
        rows = [row for row in self._controller.rows if row.fetchable]
        if not rows or rows[0].status.state is not ModelState.ABSENT or self._settings.models_offered:
            return None
        entry = rows[0].status.entry
        if self._voices.speaking_model in {row.name for row in rows}:
            lead = "Get the full model"
        elif self._fetch is None and all(row.status.state is ModelState.ABSENT for row in rows):
            lead = "Get better voices"
        else:
            return None
        size = format_size(entry.bytes).replace(" ", "\N{NO-BREAK SPACE}")
        text = f"{lead}: download {entry.title} ({len(entry.voices)} voices, {size})."
        return ModelNotice(text, entry.name, (Answer.NOT_NOW, Answer.FETCH))

    def _title(self, name: str) -> str:
        row = self._controller.row(name)
        return name if row is None else row.title


def _reason(error: Exception) -> str:
    """Return the reason of a failure, to follow a colon."""
    words = error.message if isinstance(error, EngineError) else message_for(error).text
    return f"{words[:1].lower()}{words[1:]}"


def missing_model(row: ModelRow, speaking: str) -> Message | None:
    """Return a message that the chosen model can't be used, and which one is in use instead; None if it can."""
    if row.usable:
        return None
    what = "is damaged" if row.status.state is ModelState.DAMAGED else "is no longer installed"
    return Message(
        f"{row.title} {what}, so “{speaking}” is in use.", Severity.NOTE, MessageAction.MODELS, topic=MessageTopic.MODEL
    )

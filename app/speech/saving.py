"""The file being saved and the queue after it, independent of playback."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal, Slot

from app.speech.activity import SaveProgress
from app.speech.engine_worker import Ended, EngineFactory, EngineTask, EngineWorker, Means, Report, Urgency, Work
from app.speech.heard_speech import HeardSpeech
from engine.errors import Canceled
from engine.export.export_job import PART_CHARACTERS, ExportJob, ExportProgress


@dataclass(eq=False)
class _Save:
    order: ExportJob
    task: EngineTask
    speech: HeardSpeech | None = None
    begun: bool = False
    latest: ExportProgress | None = None

    @property
    def progress(self) -> SaveProgress:
        name, latest = self.order.result.name, self.latest
        if latest is not None:
            return SaveProgress(name, latest.step, latest.fraction, latest.seconds_left)
        track = self.speech.track if self.speech is not None else None
        made = track.segment_count / track.utterance_count if track is not None and track.utterance_count else None
        return SaveProgress(name, fraction=made)


class Saving(QObject):
    """A queue of exports, each with the engine at the time of its order; short ones first, else in order.

    `changed` is emitted when `progress` may have changed; `saved` carries the file or folder that was written. In the
    end, `ended` carries every order, an error if it failed or was canceled, and the last `ExportProgress`, if any.
    """

    changed = Signal()
    saved = Signal(object)
    failed = Signal(object)
    ended = Signal(object, object, object)

    def __init__(self, worker: EngineWorker, parent: QObject) -> None:
        super().__init__(parent)
        self._worker = worker
        self._saves: list[_Save] = []
        worker.reported.connect(self._on_report)

    @property
    def progress(self) -> SaveProgress | None:
        """The order in progress, or None."""
        if not self._saves:
            return None
        first, *others = self._in_order()
        interrupted = next((save.progress for save in others if save.latest is not None), None)
        return replace(first.progress, waiting_count=len(others), interrupted=interrupted)

    def add(self, order: ExportJob, make_engine: EngineFactory, speech: HeardSpeech | None = None) -> None:
        """Queue an order; if `speech` is all of it by the time it starts, its audio is written."""
        length = sum(len(chapter.text) for chapter in order.chapters)
        short = length <= PART_CHARACTERS or (speech is not None and speech.track.whole)
        short = short and all(other.order.path != order.path for other in self._saves)  # the last file stays
        task = EngineTask(_saving(order, speech), Urgency.FILE if short else Urgency.BOOK, make_engine)
        self._saves.append(_Save(order, task, speech))
        self._begin_due()
        self.changed.emit()

    def holds(self, speech: HeardSpeech) -> bool:
        """Return whether the speech is being written, or waits for that, and must not change."""
        return any(save.speech is speech for save in self._saves)

    @Slot()
    def cancel(self) -> None:
        """Cancel the file being saved; the next one starts."""
        if self._saves:
            self._cancel(self._in_order()[0])

    def cancel_order(self, order: ExportJob) -> None:
        """Cancel an order, whether it has begun or waits."""
        for save in [save for save in self._saves if save.order is order]:
            self._cancel(save)

    def cancel_all(self) -> None:
        """Cancel everything."""
        while self._saves:
            self.cancel()

    def _cancel(self, save: _Save) -> None:
        save.task.cancel.set()
        self._end(save, Canceled("Canceled"))

    @Slot(object, object)
    def _on_report(self, task: EngineTask, report: Report) -> None:
        if isinstance(report, Ended):
            self._begin_due()
        for save in [save for save in self._saves if save.task is task]:
            if isinstance(report, ExportProgress):
                save.latest = report
                self.changed.emit()
            elif isinstance(report, Ended):
                self._end(save, report.error)

    def _in_order(self) -> list[_Save]:
        return sorted(self._saves, key=lambda save: (not save.begun, save.task.urgency))

    def _begin_due(self) -> None:
        """Begin the orders that do not wait for speech being generated."""
        for save in self._saves:
            if not save.begun and (save.speech is None or save.speech.task is None):
                save.begun = True
                self._worker.start_task(save.task)

    def _end(self, save: _Save, error: Exception | None) -> None:
        self._saves.remove(save)
        self.ended.emit(save.order, error, save.latest)
        if error is None:
            self.saved.emit(save.order.result)
        elif not isinstance(error, Canceled):
            self.failed.emit(error)
        self.changed.emit()


def _saving(order: ExportJob, speech: HeardSpeech | None) -> Work:
    def work(means: Means) -> Iterable[ExportProgress]:
        from engine.export.exporting import export, write_made  # loads the audio file writers

        if speech is None or not speech.is_all_of(order.only_request):
            return export(order, means.engine(), means.observe, means.cancel)
        track = speech.track
        blocks = (track.between(segment.start, segment.end) for segment in track.segments)
        return write_made(order, blocks, track.length, track.sample_rate_hz, means.cancel)

    return work

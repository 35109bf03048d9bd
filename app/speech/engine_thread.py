"""The thread of the engine, and the calls that are carried over to it."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, QThread, Signal, Slot

from app.speech.engine_worker import EngineFactory, EngineWorker, VoiceLister
from app.speech.jobs import PrepareJob, SpeakJob
from engine.speech import SpeechRequest


class EngineThread(QObject):
    """Calls return at once; what comes of them is reported by the `worker`."""

    _list_wanted = Signal()
    _prepare_wanted = Signal(object)
    _speak_wanted = Signal(object)
    _engine_wanted = Signal(object)
    _renewal_wanted = Signal()

    def __init__(self, make_engine: EngineFactory, list_voices: VoiceLister, parent: QObject) -> None:
        super().__init__(parent)
        self.make_engine = make_engine
        self.worker = EngineWorker(make_engine, list_voices)
        self._preparing = PrepareJob()
        self._job_count = 0
        self._thread = QThread(self)
        self._thread.setObjectName("engine")
        self.worker.moveToThread(self._thread)
        self._list_wanted.connect(self.worker.list_voices)
        self._prepare_wanted.connect(self.worker.prepare)
        self._speak_wanted.connect(self.worker.speak)
        self._engine_wanted.connect(self.worker.change_engine)
        self._renewal_wanted.connect(self.worker.renew)
        self._thread.finished.connect(self.worker.close, Qt.ConnectionType.DirectConnection)
        self._thread.start()

    @Slot()
    def list_voices(self) -> None:
        """List the voices of all models."""
        self._list_wanted.emit()

    def prepare(self) -> None:
        """Prepare the engine."""
        self._preparing = PrepareJob()
        self._prepare_wanted.emit(self._preparing)

    def change(self, make_engine: EngineFactory) -> None:
        """Switch to another engine and prepare it; speech in progress is made by the old one."""
        self._preparing.cancel.set()
        self.make_engine = make_engine
        self._engine_wanted.emit(make_engine)
        self.prepare()

    @Slot()
    def renew(self) -> None:
        """Have the engine take the best modules there are, after the job in progress."""
        self._renewal_wanted.emit()

    def job_for(self, request: SpeechRequest) -> SpeakJob:
        """A job that is not begun yet."""
        self._job_count += 1
        return SpeakJob(self._job_count, request, self.make_engine)

    def begin(self, job: SpeakJob) -> None:
        """Make speech."""
        self._speak_wanted.emit(job)

    def shut_down(self, timeout_ms: int) -> bool:
        """Stop preparing, and end once the job in progress has been cancelled; return whether it did in time."""
        self._preparing.cancel.set()
        self._thread.quit()
        return self._thread.wait(timeout_ms)

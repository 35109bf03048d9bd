"""Makes pictures in a background thread; only the latest one requested is delivered."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, QThreadPool, Signal, Slot

from app.diagnostics.outputs.pictures import Picture, PictureRequest, picture_of
from app.system.threads import STACK_BYTES


class PictureLoader(QObject):
    """`loaded` carries the request and its `Picture`, in the window's thread."""

    loaded = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._newest: PictureRequest | None = None
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)
        self._pool.setStackSize(STACK_BYTES)
        self._maker = _PictureMaker()
        self._maker.made.connect(self._on_made)

    @property
    def busy(self) -> bool:
        """Whether a picture has been requested that has not been delivered."""
        return self._newest is not None

    def load(self, request: PictureRequest) -> None:
        """Make this picture; requests that have not been started are dropped."""
        self._newest = request
        self._pool.clear()
        self._pool.start(partial(self._maker.make, request))

    def forget(self) -> None:
        """Drop all requests."""
        self._newest = None
        self._pool.clear()

    @Slot(object, object)
    def _on_made(self, request: PictureRequest, picture: Picture) -> None:
        if request is self._newest:
            self._newest = None
            self.loaded.emit(request, picture)


class _PictureMaker(QObject):
    """Has no parent, so that a thread may outlive the loader."""

    made = Signal(object, object)

    def make(self, request: PictureRequest) -> None:
        self.made.emit(request, picture_of(request))

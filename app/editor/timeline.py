"""The timeline of a sentence, whose phonemes are dragged, drawn, and edited with the keyboard."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QSize, Qt, Signal, Slot
from PySide6.QtGui import (
    QContextMenuEvent,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QMenu, QWidget

from app.editor import shaping
from app.editor.gestures import Gesture, Tool, description, gesture_at
from app.editor.preview import SentencePreview, speech_start
from app.editor.session import EditorSession
from app.editor.timeline_painter import Scene, ShownWord, lanes_in, paint
from engine.speech import UtteranceEdit

ZOOM_STEP = 1.25
MIN_PIXELS_PER_SECOND, MAX_PIXELS_PER_SECOND = 20.0, 4000.0
PITCH_STEP = 1.02
"""The factor of one step of the wheel or an arrow key."""
NOTCH = 120
"""The wheel's unit, in eighths of a degree."""
_MARGIN_SECONDS = 0.05


TOOL_KEYS = {Qt.Key.Key_P: Tool.PENCIL, Qt.Key.Key_L: Tool.LINE, Qt.Key.Key_E: Tool.ERASER}


class Timeline(QAbstractScrollArea):
    """The timeline of the session's sentence.

    `selection_changed` is emitted when other phonemes are selected, `tool_changed` when a key chooses a tool, and
    `symbol_requested` when the user wants to replace a phoneme; it carries the phoneme.
    """

    selection_changed = Signal()
    tool_changed = Signal()
    symbol_requested = Signal(int)

    def __init__(self, session: EditorSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.tool = Tool.PENCIL
        self._session = session
        self._selection = (0, 0)
        self._anchor = 0
        self._zoom = 1.0
        self._gesture: Gesture | None = None
        self._pending: UtteranceEdit | None = None
        self._pointer = QPointF()
        self._sentence: object = None
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName("Timeline")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)
        session.changed.connect(self._on_session)
        session.sounds.place_changed.connect(self._on_sound)
        session.sounds.playing_changed.connect(self._on_sound)

    @property
    def selection(self) -> tuple[int, int]:
        """The selected phonemes, from the first up to the last; equal if none are."""
        return self._selection

    def select(self, first: int, end: int) -> None:
        """Select phonemes and bring them into view."""
        preview = self._session.preview
        if preview is None:
            return
        length = len(preview.phonemes)
        chosen = max(0, min(first, length)), max(0, min(end, length))
        if chosen != self._selection:
            self._selection = chosen
            self.selection_changed.emit()
        if (scene := self.scene()) is not None and chosen[0] < chosen[1]:
            left, right = (scene.x(scene.preview.edges[place]) for place in chosen)
            bar = self.horizontalScrollBar()
            if left < 0:
                bar.setValue(int(bar.value() + left))
            elif right > scene.width:
                bar.setValue(int(bar.value() + min(right - scene.width, left)) + 1)
        self.viewport().update()

    def choose_tool(self, tool: Tool) -> None:
        """Choose a tool for the pitch."""
        self.tool = tool
        self.tool_changed.emit()

    @Slot()
    def zoom_in(self) -> None:
        """Show less, larger."""
        self.zoom_by(ZOOM_STEP)

    @Slot()
    def zoom_out(self) -> None:
        """Show more, smaller."""
        self.zoom_by(1 / ZOOM_STEP)

    @Slot()
    def show_whole(self) -> None:
        """Fit the sentence into the window."""
        self._zoom = 1.0
        self._place_bar()

    def zoom_by(self, factor: float, x: float | None = None) -> None:
        """Zoom, with the time at an x coordinate unmoved, by default that in the middle of the visible selection."""
        scene = self.scene()
        if scene is None:
            return
        x = scene.middle if x is None else x
        seconds = scene.seconds(x)
        whole = scene.pixels_per_second / self._zoom
        wanted = min(max(scene.pixels_per_second * factor, MIN_PIXELS_PER_SECOND), MAX_PIXELS_PER_SECOND)
        self._zoom = max(1.0, wanted / whole)
        self._place_bar()
        self.horizontalScrollBar().setValue(round(seconds * whole * self._zoom - x))

    def scene(self) -> Scene | None:
        """Return the scene as it is painted; None while there is no sentence."""
        session, spoken = self._session, self._session.spoken
        preview, utterance = self._preview(), self._session.shaped
        if preview is None or utterance is None or spoken is None:
            return None
        words = (ShownWord(session.text[a.start : a.end], a.first_phoneme, a.end_phoneme) for a in utterance.words)
        start, rate = speech_start(spoken), spoken.chunk.sample_rate_hz
        playing = session.sounds.playing
        view = self.viewport()
        edit = self._pending or session.edit
        return Scene(
            preview,
            tuple(each for each in words if each.first < each.end),
            spoken.chunk.samples,
            rate,
            start,
            lanes_in(view.height(), QFontMetrics(self.font()).height()),
            view.width(),
            self._pixels_per_second(preview),
            self.horizontalScrollBar().value(),
            self._selection,
            shaping.edited_phonemes(edit),
            playhead=start + session.sounds.place / rate if playing else None,
            label=self._gesture.label(preview) if self._gesture is not None else "",
            label_at=self._pointer,
            focused=self.hasFocus(),
        )

    def sizeHint(self) -> QSize:
        """Return a comfortable size."""
        line = self.fontMetrics().height()
        return QSize(40 * line, 18 * line)

    def minimumSizeHint(self) -> QSize:
        """Return the smallest useful size."""
        line = self.fontMetrics().height()
        return QSize(16 * line, 10 * line)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the timeline."""
        painter = QPainter(self.viewport())
        painter.setFont(self.font())
        scene = self.scene()
        if scene is not None:
            paint(painter, scene)
        else:
            words = "Preparing the sentence…" if self._session.busy else "Open a text to shape its sentences."
            painter.drawText(self.viewport().rect(), Qt.AlignmentFlag.AlignCenter, words)
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Adapt the scroll bar."""
        super().resizeEvent(event)
        self._place_bar()

    def changeEvent(self, event: QEvent) -> None:
        """Repaint in new colors or fonts."""
        super().changeEvent(event)
        self.viewport().update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Select, or begin to drag or draw."""
        scene = self.scene()
        if scene is None or event.button() is not Qt.MouseButton.LeftButton:
            return
        self._pointer = event.position()
        self._gesture = gesture_at(scene, self._session.edit, self.tool, event, self._selection)
        if self._gesture is not None:
            self._follow(scene, event.position())
        elif event.position().y() >= scene.lanes.wave[0]:
            self._select_at(scene, event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag, or show what can be dragged."""
        scene = self.scene()
        if scene is None:
            return
        self._pointer = event.position()
        if self._gesture is not None:
            self._follow(scene, event.position())
        elif event.buttons() & Qt.MouseButton.LeftButton:
            index = scene.preview.phoneme_at(scene.seconds(event.position().x()))
            self._select_to(index)
        else:
            self._show_cursor(scene, event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Make the change that was dragged."""
        gesture, edit = self._gesture, self._pending
        self._gesture = self._pending = None
        if gesture is not None and edit is not None:
            self._session.change(edit, gesture.title)
        self._place_bar()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Replace a phoneme."""
        scene = self.scene()
        top, height = scene.lanes.phonemes if scene is not None else (0.0, 0.0)
        if scene is not None and top <= event.position().y() < top + height:
            self.symbol_requested.emit(scene.preview.phoneme_at(scene.seconds(event.position().x())))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom with Ctrl; change the pitch over a phoneme, with Alt of its word; scroll sideways."""
        scene, turned = self.scene(), event.angleDelta()
        alt = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        steps = (turned.y() or (turned.x() if alt else 0)) / NOTCH  # Qt turns the wheel sideways with Alt
        over_pitch = event.position().y() < (scene.lanes.words[0] if scene is not None else 0)
        if scene is None or not steps:
            super().wheelEvent(event)
        elif event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom_by(ZOOM_STEP**steps, event.position().x())
        elif over_pitch and self._session.shaped is not None:
            index = scene.preview.phoneme_at(scene.seconds(event.position().x()))
            span = shaping.word_span(self._session.shaped, index) if alt else (index, index + 1)
            self._scale_pitch(*span, PITCH_STEP**steps)
        else:
            self.horizontalScrollBar().setValue(self.horizontalScrollBar().value() - round(steps * 60))
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move or extend the selection, change it, choose a tool, or zoom."""
        key, modifiers = event.key(), event.modifiers()
        first, end = self._selection
        across = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(key))
        if self._session.preview is None:
            super().keyPressEvent(event)
        elif across is not None and modifiers & Qt.KeyboardModifier.ControlModifier:
            self._lengthen(across)
        elif across is not None:
            self._move_selection(across, extend=bool(modifiers & Qt.KeyboardModifier.ShiftModifier))
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._scale_pitch(first, end, PITCH_STEP if key == Qt.Key.Key_Up else 1 / PITCH_STEP)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and first < end:
            self.symbol_requested.emit(first)
        elif key in TOOL_KEYS and not modifiers:
            self.choose_tool(TOOL_KEYS[Qt.Key(key)])
        elif key in _COMMANDS:
            _COMMANDS[Qt.Key(key)](self)
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer to reset a phoneme, its word, or everything."""
        scene, shaped = self.scene(), self._session.shaped
        if scene is None or shaped is None:
            return
        index = scene.preview.phoneme_at(scene.seconds(event.pos().x()))
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        word = shaping.word_span(shaped, index)
        menu.addAction("Reset Phoneme").triggered.connect(lambda: self.reset(index, index + 1, "Reset Phoneme"))
        menu.addAction("Reset Word").triggered.connect(lambda: self.reset(*word, "Reset Word"))
        menu.addAction("Reset All").triggered.connect(self._session.reset_all)
        menu.popup(event.globalPos())

    def reset(self, first: int, end: int, title: str) -> None:
        """Return the model's own pronunciation, durations, pitch and energy to phonemes."""
        edit = shaping.unspelled(shaping.without(self._session.edit, range(first, end)), first, end)
        self._session.change(edit, title)

    @Slot()
    def reset_selection(self) -> None:
        """Reset the selected phonemes."""
        first, end = self._selection
        if first < end:
            self.reset(first, end, "Reset Phoneme" if end == first + 1 else "Reset Phonemes")

    def _preview(self) -> SentencePreview | None:
        if self._session.shaped is None:
            return None
        return self._session.preview if self._pending is None else self._session.preview_of(self._pending)

    def _pixels_per_second(self, preview: SentencePreview) -> float:
        width = max(1, self.viewport().width())
        shown = self._session.preview or preview  # the scale stays while a border is dragged
        return self._zoom * width / max(0.1, shown.seconds + _MARGIN_SECONDS)

    def _place_bar(self) -> None:
        preview, width = self._session.preview, self.viewport().width()
        bar = self.horizontalScrollBar()
        bar.setPageStep(width)
        bar.setSingleStep(40)
        bar.setMaximum(0 if preview is None else max(0, round(width * (self._zoom - 1))))
        self.viewport().update()

    def _select_at(self, scene: Scene, event: QMouseEvent) -> None:
        index = scene.preview.phoneme_at(scene.seconds(event.position().x()))
        if event.position().y() >= scene.lanes.words[0] and self._session.shaped is not None:
            self._anchor = index
            self.select(*shaping.word_span(self._session.shaped, index))
            return
        if not event.modifiers() & Qt.KeyboardModifier.ShiftModifier or self._selection[0] == self._selection[1]:
            self._anchor = index
        self._select_to(index)

    def _follow(self, scene: Scene, at: QPointF) -> None:
        if self._gesture is not None:
            self._pending = self._gesture.move(scene, at)
            self.viewport().update()

    def _show_cursor(self, scene: Scene, event: QMouseEvent) -> None:
        alt = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        at = event.position()
        if at.y() < scene.lanes.wave[0]:
            shape = Qt.CursorShape.CrossCursor
        elif scene.border_at(at, whole_word=alt) is not None:
            shape = Qt.CursorShape.SplitHCursor
        else:
            shape = Qt.CursorShape.ArrowCursor
        self.viewport().setCursor(shape)

    def _move_selection(self, by: int, *, extend: bool) -> None:
        first, end = self._selection
        length = len(self._session.preview.phonemes) if self._session.preview is not None else 0
        forward = first == self._anchor if extend else by > 0
        moved = max(0, min((end - 1 if forward else first) + by, length - 1))
        if first == end:
            moved = 0 if by > 0 else length - 1
        if first == end or not extend:
            self._anchor = moved
        self._select_to(moved)

    def _select_to(self, index: int) -> None:
        """Select from the anchor to a phoneme."""
        self.select(min(self._anchor, index), max(self._anchor, index) + 1)

    def _lengthen(self, by: int) -> None:
        first, end = self._selection
        preview = self._session.preview
        if preview is not None and first < end:
            frames = {index: int(preview.frames[index]) + by for index in range(first, end)}
            edit = shaping.with_frames(self._session.edit, frames, preview.frames_per_second)
            self._session.change(edit, "Change Duration")

    def _scale_pitch(self, first: int, end: int, factor: float) -> None:
        if first < end:
            edit = shaping.with_pitch_scaled(self._session.edit, dict.fromkeys(range(first, end), factor))
            self._session.change(edit, "Change Pitch")

    @Slot()
    def _on_session(self) -> None:
        preview = self._session.preview
        if self._session.utterance is not self._sentence:
            self._sentence, self._zoom = self._session.utterance, 1.0
            self._gesture = self._pending = None
            self._selection, self._anchor = (0, 0), 0
            self.selection_changed.emit()
        elif preview is not None and self._selection[1] > len(preview.phonemes):
            self.select(0, 0)
        self.setAccessibleDescription("" if preview is None else description(preview, *self._selection))
        self._place_bar()

    @Slot()
    def _on_sound(self) -> None:
        self.viewport().update()


_COMMANDS = {
    Qt.Key.Key_Backspace: Timeline.reset_selection,
    Qt.Key.Key_Delete: Timeline.reset_selection,
    Qt.Key.Key_Plus: Timeline.zoom_in,
    Qt.Key.Key_Equal: Timeline.zoom_in,
    Qt.Key.Key_Minus: Timeline.zoom_out,
    Qt.Key.Key_0: Timeline.show_whole,
}

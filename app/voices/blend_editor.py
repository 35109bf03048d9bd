"""Blending two to four voices with sliders, previewed while they move."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSlider,
    QVBoxLayout,
    QWidget,
)

from app.widgets.controls import ComboBox
from app.widgets.layouts import ScrollingBody
from engine.models.voices.blends import Blend, BlendVoice, parse
from engine.speech import VoiceInfo

MIN_VOICES, MAX_VOICES = 2, 4
HEAR_AFTER_MS = 400
DEFAULT_WEIGHT, LARGEST_WEIGHT = 50, 100
SPACE_PIXELS = 6
PERCENT_PIXELS = 40


class BlendEditor(QFrame):
    """An editor for a blend, which `open_button` shows; the owner places it in a layout.

    `hear_requested` carries a recipe soon after a change, `save_requested` a name and a recipe.
    """

    hear_requested = Signal(str)
    save_requested = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.open_button = QPushButton("Blend Voices", self)
        self.open_button.setCheckable(True)
        self.open_button.setObjectName("panelButton")
        self._body = QWidget()
        self._area = ScrollingBody(self._body, self)
        self.parts = [BlendPart(number, self._body) for number in range(1, MAX_VOICES + 1)]
        self.add_button = _button("Add Voice", self._body)
        self.remove_button = _button("Remove Voice", self._body)
        self.live = QCheckBox("Preview While Adjusting", self._body)
        self.live.setChecked(True)
        self.name = QLineEdit(self._body)
        self.name.setPlaceholderText("Blend Name")
        self.name.setAccessibleName("Blend name")
        self.save_button = _button("Save", self._body)
        self._count = MIN_VOICES
        self._heard_later = QTimer(self, singleShot=True, interval=HEAR_AFTER_MS)
        self._lay_out()
        self._connect()
        self._update()

    @property
    def recipe(self) -> str:
        """The blend's recipe, as it can be typed; empty while fewer than two voices have a share."""
        weights = [(part.voice, part.slider.value()) for part in self.parts[: self._count]]
        parts = tuple(BlendVoice(voice, float(weight)) for voice, weight in weights if voice and weight)
        blend = parse(Blend(parts).recipe) if parts else Blend(())  # a voice that is named twice counts once
        return blend.recipe if len(blend.parts) >= MIN_VOICES else ""

    def show_voices(self, voices: Sequence[VoiceInfo]) -> None:
        """Offer these voices, initially a different one in each part."""
        for number, part in enumerate(self.parts):
            part.offer(voices, number)
        self.open_button.setEnabled(len(voices) >= MIN_VOICES)
        self._update()

    @Slot()
    def forget_change(self) -> None:
        """Cancel the preview of the latest change, since the user has requested something else."""
        self._heard_later.stop()

    def _connect(self) -> None:
        self.open_button.toggled.connect(self.setVisible)
        self.open_button.toggled.connect(self.forget_change)
        self.live.toggled.connect(self.forget_change)
        for part in self.parts:
            part.changed.connect(self._on_change)
        self.add_button.clicked.connect(self._on_add)
        self.remove_button.clicked.connect(self._on_remove)
        self.name.textChanged.connect(self._update)
        self.name.returnPressed.connect(self.save_button.click)
        self.save_button.clicked.connect(self._on_save)
        self._heard_later.timeout.connect(self._on_heard_later)

    def _lay_out(self) -> None:
        buttons, saving = QHBoxLayout(), QHBoxLayout()
        for widget in (self.add_button, self.remove_button):
            buttons.addWidget(widget)
        buttons.addStretch(1)
        saving.addWidget(self.name, 1)
        saving.addWidget(self.save_button)
        body = QVBoxLayout(self._body)
        for part in self.parts:
            body.addWidget(part)
        body.addLayout(buttons)
        body.addWidget(self.live)
        body.addLayout(saving)
        layout = QVBoxLayout(self)
        layout.addWidget(self._area)
        for each in (layout, body):
            each.setContentsMargins(0, 0, 0, 0)
            each.setSpacing(SPACE_PIXELS)
        self.hide()

    @Slot()
    def _update(self) -> None:
        """Show the active parts with their shares."""
        total = sum(part.slider.value() for part in self.parts[: self._count])
        for number, part in enumerate(self.parts):
            part.setVisible(number < self._count)
            part.show_share(part.slider.value() / total if total else 0.0)
        self.add_button.setEnabled(self._count < MAX_VOICES)
        self.remove_button.setEnabled(self._count > MIN_VOICES)
        self.save_button.setEnabled(bool(self.recipe and self.name.text().strip()))

    @Slot()
    def _on_change(self) -> None:
        self._update()
        if self.live.isChecked():
            self._heard_later.start()

    @Slot()
    def _on_heard_later(self) -> None:
        if self.recipe:
            self.hear_requested.emit(self.recipe)

    @Slot()
    def _on_add(self) -> None:
        self._count += 1
        self._on_change()

    @Slot()
    def _on_remove(self) -> None:
        self._count -= 1
        self._on_change()

    @Slot()
    def _on_save(self) -> None:
        self.save_requested.emit(self.name.text().strip(), self.recipe)


class BlendPart(QWidget):
    """One voice of a blend and its share."""

    changed = Signal()

    def __init__(self, number: int, parent: QWidget) -> None:
        super().__init__(parent)
        self._choice = ComboBox(f"Voice {number} of the blend", "A voice of the blend", 6, self)
        self.slider = QSlider(Qt.Orientation.Horizontal, self)
        self.slider.setRange(0, LARGEST_WEIGHT)
        self.slider.setValue(DEFAULT_WEIGHT)
        self.slider.setAccessibleName(f"Share of voice {number}")
        self._percent = QLabel(self)
        self._percent.setObjectName("faint")
        self._percent.setMinimumWidth(PERCENT_PIXELS)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        for widget, share in ((self._choice, 1), (self.slider, 1), (self._percent, 0)):
            layout.addWidget(widget, share)
        self._choice.chosen.connect(self.changed)
        self.slider.valueChanged.connect(self.changed)

    @property
    def voice(self) -> str:
        """The name of the voice; empty while none is known."""
        return str(self._choice.value or "")

    def choose(self, voice: str) -> None:
        """Choose a voice, as the user does."""
        self._choice.choose(voice)
        self.changed.emit()

    def offer(self, voices: Sequence[VoiceInfo], usual: int) -> None:
        """Offer these voices; the default is the one at index `usual`."""
        is_new = self.voice not in [voice.name for voice in voices]
        self._choice.offer((voice.name, voice.title, voice.name) for voice in voices)
        if is_new and voices:
            self._choice.choose(voices[usual % len(voices)].name)

    def show_share(self, share: float) -> None:
        """Show the share of the whole, from 0 to 1."""
        self._percent.setText(f"{share:.0%}")
        self.slider.setAccessibleDescription(f"{share:.0%} of the blend")


def _button(title: str, parent: QWidget) -> QPushButton:
    button = QPushButton(title, parent)
    button.setObjectName("panelButton")
    return button

"""The speaking rate: a slider, its value as text, and a button that resets it."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSlider, QToolButton, QWidget

from app.icons import icon
from app.settings import USUAL_SPEED
from engine.speech import FASTEST_SPEED, SLOWEST_SPEED

STEPS_PER_UNIT = 20
SLIDER_PIXELS = 132
SMALLEST_SLIDER_PIXELS = 48


class SpeedSlider(QWidget):
    """Steps of 0.05 between the engine's slowest and fastest."""

    speed_changed = Signal(float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.slider = ShrinkingSlider(Qt.Orientation.Horizontal, self)
        self.slider.setRange(round(SLOWEST_SPEED * STEPS_PER_UNIT), round(FASTEST_SPEED * STEPS_PER_UNIT))
        self.slider.setValue(round(USUAL_SPEED * STEPS_PER_UNIT))
        self.slider.setPageStep(STEPS_PER_UNIT // 4)
        self.slider.setMaximumWidth(SLIDER_PIXELS)
        self.slider.setAccessibleName("Speed")
        self.slider.setToolTip("How fast to speak")
        self.label = QLabel(self)
        self.label.setAccessibleName("Speed value")
        self.label.setFixedWidth(self.label.fontMetrics().horizontalAdvance("0.00×") + 4)
        self.reset_button = QToolButton(self)
        self.reset_button.setAccessibleName("Normal speed")
        self.reset_button.setToolTip("Normal speed")
        self.reset_button.setIcon(icon("reset", "faint"))
        self.setFocusProxy(self.slider)
        self._lay_out()
        self.slider.valueChanged.connect(self._on_value)
        self.reset_button.clicked.connect(self.reset)
        self._on_value()

    @property
    def speed(self) -> float:
        """The speed; 1 is the voice's own pace."""
        return self.slider.value() / STEPS_PER_UNIT

    def set_speed(self, speed: float) -> None:
        """Set the speed, rounded to the nearest step."""
        self.slider.setValue(round(speed * STEPS_PER_UNIT))

    @Slot()
    def reset(self) -> None:
        """Return to the voice's own pace."""
        self.set_speed(USUAL_SPEED)
        self.slider.setFocus()

    @Slot()
    def faster(self) -> None:
        """Increase the speed by 0.25."""
        self.slider.triggerAction(QSlider.SliderAction.SliderPageStepAdd)

    @Slot()
    def slower(self) -> None:
        """Decrease the speed by 0.25."""
        self.slider.triggerAction(QSlider.SliderAction.SliderPageStepSub)

    def set_short(self, short: bool) -> None:
        """Leave the button out; the menu has an entry with a key."""
        self.reset_button.setHidden(short)
        self.layout().invalidate()  # type: ignore[union-attr]
        self.updateGeometry()  # at once, for whoever asks for the width

    def _lay_out(self) -> None:
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        for widget in (self.slider, self.label, self.reset_button):
            layout.addWidget(widget)

    @Slot()
    def _on_value(self) -> None:
        self.label.setText(f"{self.speed:.2f}×")
        self.reset_button.setEnabled(self.speed != USUAL_SPEED)
        self.speed_changed.emit(self.speed)


class ShrinkingSlider(QSlider):
    """A slider of a fixed preferred width, shorter if space is short."""

    def sizeHint(self) -> QSize:
        """The preferred width."""
        return QSize(SLIDER_PIXELS, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """The width that can still be moved."""
        return QSize(SMALLEST_SLIDER_PIXELS, super().minimumSizeHint().height())

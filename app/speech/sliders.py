"""The sliders of the speaking rate and of the length of pauses, and a button that opens the second."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QPushButton, QSlider, QToolButton, QWidget, QWidgetAction

from app.settings import DEFAULT_PAUSES, DEFAULT_SPEED
from app.theme import icon
from app.widgets.controls import icon_button
from engine.speech import FASTEST_SPEED, SLOWEST_SPEED

STEPS_PER_UNIT = 20
SLIDER_PIXELS = 132
MIN_SLIDER_PIXELS = 48
MAX_PAUSES = 3.0
PAUSE_STEPS_PER_UNIT = 4


class SpeedSlider(QWidget):
    """A slider in steps of 0.05 between the engine's slowest and fastest speed."""

    speed_changed = Signal(float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.slider = ShrinkingSlider(Qt.Orientation.Horizontal, self)
        self.slider.setRange(round(SLOWEST_SPEED * STEPS_PER_UNIT), round(FASTEST_SPEED * STEPS_PER_UNIT))
        self.slider.setValue(round(DEFAULT_SPEED * STEPS_PER_UNIT))
        self.slider.setPageStep(STEPS_PER_UNIT // 4)
        self.slider.setMaximumWidth(SLIDER_PIXELS)
        self.slider.setAccessibleName("Speed")
        self.slider.setToolTip("Speaking speed")
        self.label = QLabel(self)
        self.label.setAccessibleName("Speed value")
        self.label.setFixedWidth(self.label.fontMetrics().horizontalAdvance("0.00×") + 4)
        self.reset_button = icon_button("Normal speed", icon("reset", "faint"), self)
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
        self.set_speed(DEFAULT_SPEED)
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
        """Hide or show the button; the menu has an entry with a key."""
        self.reset_button.setHidden(short)
        self.layout().invalidate()  # type: ignore[union-attr]
        self.updateGeometry()  # immediately, for callers that ask for the width

    def _lay_out(self) -> None:
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        for widget in (self.slider, self.label, self.reset_button):
            layout.addWidget(widget)

    @Slot()
    def _on_value(self) -> None:
        self.label.setText(f"{self.speed:.2f}×")
        self.reset_button.setEnabled(self.speed != DEFAULT_SPEED)
        self.speed_changed.emit(self.speed)


class ShrinkingSlider(QSlider):
    """A slider of a fixed preferred width, shorter if space is short."""

    def sizeHint(self) -> QSize:
        """Return the preferred width."""
        return QSize(SLIDER_PIXELS, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """Return the smallest width that can still be operated."""
        return QSize(MIN_SLIDER_PIXELS, super().minimumSizeHint().height())


class PauseSlider(QWidget):
    """A slider from none to three times the normal pauses in quarter steps, with its value and a reset button."""

    pauses_changed = Signal(float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.slider = ShrinkingSlider(Qt.Orientation.Horizontal, self)
        self.slider.setRange(0, round(MAX_PAUSES * PAUSE_STEPS_PER_UNIT))
        self.slider.setValue(round(DEFAULT_PAUSES * PAUSE_STEPS_PER_UNIT))
        self.slider.setPageStep(PAUSE_STEPS_PER_UNIT // 2)
        self.slider.setAccessibleName("Length of pauses")
        self.label = QLabel(self)
        self.label.setFixedWidth(self.label.fontMetrics().horizontalAdvance("0.00×") + 4)
        self.reset_button = QPushButton("Normal", self)
        self.reset_button.setAccessibleName("Normal pauses")
        self.reset_button.setAutoDefault(False)
        self.setFocusProxy(self.slider)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        for widget in (self.slider, self.label, self.reset_button):
            layout.addWidget(widget)
        self.slider.valueChanged.connect(self._on_value)
        self.reset_button.clicked.connect(self.reset)
        self._on_value()

    @property
    def pause_scale(self) -> float:
        """The length of pauses relative to normal: 1 is normal, 0 as short as possible."""
        return self.slider.value() / PAUSE_STEPS_PER_UNIT

    def set_pause_scale(self, pause_scale: float) -> None:
        """Set the length, rounded to the nearest step."""
        self.slider.setValue(round(pause_scale * PAUSE_STEPS_PER_UNIT))

    @Slot()
    def reset(self) -> None:
        """Return to normal pauses."""
        self.set_pause_scale(DEFAULT_PAUSES)

    @Slot()
    def _on_value(self) -> None:
        self.label.setText(f"{self.pause_scale:.2f}×")
        self.reset_button.setEnabled(self.pause_scale != DEFAULT_PAUSES)
        self.pauses_changed.emit(self.pause_scale)


class PauseControl(QToolButton):
    """A button that opens a `PauseSlider`; `pauses_changed` is emitted by either."""

    pauses_changed = Signal(float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("pauses")
        self.setIcon(icon("gap", "text"))
        self.pauses = PauseSlider()
        self.setMenu(self._popover())
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.pauses.pauses_changed.connect(self._on_value)
        self._on_value()

    @property
    def pause_scale(self) -> float:
        """The length of pauses relative to normal: 1 is normal, 0 as short as possible."""
        return self.pauses.pause_scale

    def set_pause_scale(self, pause_scale: float) -> None:
        """Set the length, rounded to the nearest step."""
        self.pauses.set_pause_scale(pause_scale)

    @Slot()
    def reset(self) -> None:
        """Return to normal pauses."""
        self.pauses.reset()

    @Slot()
    def longer(self) -> None:
        """Make pauses longer by half of the normal length."""
        self.pauses.slider.triggerAction(QSlider.SliderAction.SliderPageStepAdd)

    @Slot()
    def shorter(self) -> None:
        """Make pauses shorter by half of the normal length."""
        self.pauses.slider.triggerAction(QSlider.SliderAction.SliderPageStepSub)

    def _popover(self) -> QMenu:
        row = QWidget()
        layout = QHBoxLayout(row)
        layout.setContentsMargins(12, 8, 12, 8)
        title = QLabel("Pauses")
        title.setBuddy(self.pauses)
        layout.addWidget(title)
        layout.addWidget(self.pauses)
        menu = QMenu(self)
        action = QWidgetAction(menu)
        action.setDefaultWidget(row)
        menu.addAction(action)
        menu.aboutToShow.connect(self.pauses.slider.setFocus)
        return menu

    @Slot()
    def _on_value(self) -> None:
        words = f"{self.pause_scale:.2f}×"
        self.setAccessibleName(f"Pauses, {words}")
        self.setToolTip(f"Pause length: {words}")
        self.pauses_changed.emit(self.pause_scale)

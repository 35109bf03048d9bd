"""Controls for the next run: what to compare with what, and the options that are seldom changed."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QCheckBox, QLabel, QPushButton, QWidget

from app.diagnostics.metric_words import REGIME_TITLES, regime_title
from app.diagnostics.runs.run import USUAL_PADDING, DiagnosticsOptions
from app.diagnostics.runs.run_options import RunOptions
from app.widgets.combo_box import ComboBox
from app.widgets.elided_text import ElidedLabel
from app.widgets.wrapping_bar import WrappingBar
from engine.validator.data.results import REGIME_MEANINGS, STUDENT_REGIMES, Regime

SUBJECT_PIXELS = 410
"""Room for which text it is, how much, and how long it takes."""


class RunControls(WrappingBar):
    """A bar of controls; `regime_chosen` is emitted at once, everything else takes effect with the next run.

    `while_speaking` is ticked while speech is diagnosed without being asked to. `regimes` are those on
    offer.
    """

    diagnose_wanted = Signal(object)
    stop_wanted = Signal()
    regime_chosen = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._running = False
        self._padding = USUAL_PADDING
        self.regimes = regimes_of(has_students=False)
        self._others: tuple[str, ...] = ()
        self.diagnose_button = QPushButton(self)
        self.diagnose_button.setObjectName("diagnose")
        self.while_speaking = QCheckBox("Diagnose while speaking", self)
        self.while_speaking.setToolTip("Compare whatever is spoken while this window is open")
        self.subject = ElidedLabel(self)
        self.subject.setObjectName("faint")
        self.subject.setMinimumWidth(SUBJECT_PIXELS)
        self.subject.setAccessibleName("What Diagnose compares")
        self.regime = ComboBox("Compared", "The way of running the model that is looked at", 16, self)
        self.reference = ComboBox("Reference", "What it is compared with", 7, self)
        self.more = RunOptions(self)
        self.offer_students(has_students=False)
        self._lay_out()
        self.diagnose_button.clicked.connect(self._on_diagnose)
        self.regime.chosen.connect(self.regime_chosen)
        self.show_running(False)

    @property
    def options(self) -> DiagnosticsOptions:
        """What the next run will compare; PyTorch's own noise floor is always measured as well."""
        reference = Regime(str(self.reference.value))
        chosen = str(self.regime.value)
        wanted = {Regime.UPSTREAM, Regime.COMPILED if chosen not in tuple(Regime) else Regime(chosen)} - {reference}
        return DiagnosticsOptions(
            regimes=tuple(regime for regime in Regime if regime in wanted),
            reference=reference,
            padding=self._padding,
            device=str(self.more.device.value),
            lstm_method=str(self.more.lstm_method.value),
            probes=self.more.probes.isChecked(),
        )

    @Slot(object)
    def set_padding(self, padding: float) -> None:
        """Compute so much longer than the speech in padded regimes, as a share of it."""
        self._padding = padding

    def offer_students(self, has_students: bool) -> None:
        """Offer the regimes of a model that has students, or has none."""
        self.regimes = regimes_of(has_students)
        self.offer_regimes(self._others)
        self.reference.offer((regime, REGIME_TITLES[regime], REGIME_MEANINGS[regime]) for regime in self.regimes)

    def offer_regimes(self, others: tuple[str, ...] = ()) -> None:
        """Offer every regime, and any others that a run has."""
        self._others = others
        names = dict.fromkeys((Regime.COMPILED, *self.regimes, *others))
        self.regime.offer(
            (name, regime_title(name), REGIME_MEANINGS.get(Regime(name), "") if name in tuple(Regime) else "")
            for name in names
        )

    @Slot(bool)
    def show_running(self, running: bool) -> None:
        """Offer Stop while a run is in progress."""
        self._running = running
        words = "Stop" if running else "Diagnose"
        self.diagnose_button.setText(words)
        self.diagnose_button.setAccessibleName(words)
        self.diagnose_button.setToolTip("Stop comparing" if running else "Compare every stage for the text above")
        self.diagnose_button.setProperty("stops", running)
        self.diagnose_button.style().polish(self.diagnose_button)

    @Slot()
    def _on_diagnose(self) -> None:
        if self._running:
            self.stop_wanted.emit()
        else:
            self.diagnose_wanted.emit(self.options)

    def _lay_out(self) -> None:
        self.add(self.diagnose_button, self.subject, share=1)
        self.add(self.while_speaking)
        self.add(self.regime, faint_label("against", self.reference), self.reference)
        self.add(self.more)


def regimes_of(has_students: bool) -> tuple[Regime, ...]:
    """The regimes of a model with students or without."""
    return tuple(regime for regime in Regime if has_students or regime not in STUDENT_REGIMES)


def faint_label(text: str, buddy: QWidget) -> QLabel:
    """A label to put next to a control."""
    label = QLabel(text)
    label.setObjectName("faint")
    label.setBuddy(buddy)
    return label

"""The controls above the results: what to run, what to show, and the actions for it."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QCheckBox, QLabel, QMenu, QPushButton, QWidget

from app.diagnostics.metric_text import READING_DESCRIPTIONS, READING_TITLES, REGIME_TITLES, regime_title
from app.diagnostics.runs.run import DEFAULT_PADDING, DiagnosticsOptions, DiagnosticsRun
from app.diagnostics.runs.run_text import RunHistory, shortened
from app.settings import DEVICE_TITLES, LSTM_TITLES
from app.widgets.controls import ComboBox
from app.widgets.elided_text import ElidedLabel
from app.widgets.layouts import WrappingBar
from engine.compiler.artifacts.manifest import METAL_DEVICE, MPS
from engine.network.ops.packed_lstm import LstmMethod
from engine.runtime.preparation.devices import DEVICES, metal_unavailable_reason
from engine.runtime.preparation.lstm_methods import LSTM_METHODS
from engine.speech import Utterance
from engine.validator.data.results import REGIME_DESCRIPTIONS, STUDENT_REGIMES, InputSource, Regime, Report
from engine.validator.reports.run_comparison import differences, incomparable_reasons

SPACE_PIXELS = 6
REQUEST_PIXELS = 410
"""The width of the text excerpt, its size and the expected duration."""
_LSTM_TITLES = LSTM_TITLES | {LstmMethod.TORCH: "PyTorch"}
UTTERANCE_CHARACTERS = 40
HEARD = "heard"
WORST_OF_ALL = "Worst Utterance"
NO_RUN = "no run yet"
NOTHING = "nothing"
EARLIER_TOOL_TIP = "The run to compare with in the Change column"


class RunControls(WrappingBar):
    """A bar of controls; `regime_chosen` is emitted immediately, everything else takes effect with the next run.

    `while_speaking` is checked while speech is diagnosed automatically. `regimes` are the available configurations.
    """

    diagnose_requested = Signal(object)
    stop_requested = Signal()
    regime_chosen = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._running = False
        self._padding = DEFAULT_PADDING
        self.regimes = regimes_of(has_students=False)
        self._others: tuple[str, ...] = ()
        self.diagnose_button = QPushButton(self)
        self.diagnose_button.setObjectName("diagnose")
        self.while_speaking = QCheckBox("Diagnose while speaking", self)
        self.while_speaking.setToolTip("Compare everything that is spoken while this window is open")
        self.request_summary = ElidedLabel(self)
        self.request_summary.setObjectName("faint")
        self.request_summary.setMinimumWidth(REQUEST_PIXELS)
        self.request_summary.setAccessibleName("Configurations to compare")
        self.regime = ComboBox("Compared", "Configuration to inspect", 16, self)
        self.reference = ComboBox("Reference", "Configuration to compare it with", 7, self)
        self.more = RunOptions(self)
        self.offer_students(has_students=False)
        self._lay_out()
        self.diagnose_button.clicked.connect(self._on_diagnose)
        self.regime.chosen.connect(self.regime_chosen)
        self.show_running(False)

    @property
    def options(self) -> DiagnosticsOptions:
        """The options of the next run; PyTorch's own noise floor is always measured as well."""
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
        """Set the padding of padded configurations, as a fraction of the length of the speech."""
        self._padding = padding

    def offer_students(self, has_students: bool) -> None:
        """Offer the configurations of a model with students or without."""
        self.regimes = regimes_of(has_students)
        self.offer_regimes(self._others)
        self.reference.offer((regime, REGIME_TITLES[regime], REGIME_DESCRIPTIONS[regime]) for regime in self.regimes)

    def offer_regimes(self, others: tuple[str, ...] = ()) -> None:
        """Offer every configuration, and any others that a run has."""
        self._others = others
        names = dict.fromkeys((Regime.COMPILED, *self.regimes, *others))
        self.regime.offer(
            (name, regime_title(name), REGIME_DESCRIPTIONS.get(Regime(name), "") if name in tuple(Regime) else "")
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
            self.stop_requested.emit()
        else:
            self.diagnose_requested.emit(self.options)

    def _lay_out(self) -> None:
        self.add(self.diagnose_button, self.request_summary, share=1)
        self.add(self.while_speaking)
        self.add(self.regime, share=1)
        self.add(faint_label("against", self.reference), self.reference)
        self.add(self.more)


def regimes_of(has_students: bool) -> tuple[Regime, ...]:
    """Return the configurations of a model with students or without."""
    return tuple(regime for regime in Regime if has_students or regime not in STUDENT_REGIMES)


def faint_label(text: str, buddy: QWidget) -> QLabel:
    """Return a label for the control next to it."""
    label = QLabel(text)
    label.setObjectName("faint")
    label.setBuddy(buddy)
    return label


class ChoiceMenu(QMenu):
    """A menu of values, one of which is selected: the first, until the user selects a different one."""

    def __init__(self, title: str, values: Iterable[tuple[object, str]], parent: QWidget | None = None) -> None:
        super().__init__(title, parent)
        self.setToolTipsVisible(True)
        self.actions_of: dict[object, QAction] = {}
        group = QActionGroup(self)
        for value, words in values:
            action = self.actions_of[value] = group.addAction(words)
            action.setCheckable(True)
            self.addAction(action)
        self.choose(next(iter(self.actions_of)))

    @property
    def value(self) -> object:
        """The selected value."""
        return next(value for value, action in self.actions_of.items() if action.isChecked())

    def choose(self, value: object) -> None:
        """Select a value; raises `KeyError` if it is not available."""
        self.actions_of[value].setChecked(True)

    def forbid(self, value: object, reason: str) -> None:
        """Disable a value; its tooltip gives the reason."""
        self.actions_of[value].setEnabled(False)
        self.actions_of[value].setToolTip(reason)


class RunOptions(QPushButton):
    """The options of a run; all but `worst_first` take effect with the next run."""

    worst_first_toggled = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Options", parent)
        self.setAccessibleName("Options")
        self.setToolTip("Options of the next run and of the list")
        self.list = QMenu(self)
        self.list.setToolTipsVisible(True)
        self.setMenu(self.list)
        self.device = ChoiceMenu("Device", ((each, DEVICE_TITLES[each]) for each in DEVICES), self.list)
        self.lstm_method = ChoiceMenu("LSTMs", ((each, _LSTM_TITLES[each]) for each in LSTM_METHODS), self.list)
        self.probes = _switch(
            "Intermediate Activations", "Also compare values inside the stages, which takes longer", self.list
        )
        self.worst_first = _switch("Worst Stage First", "Show the stage that diverges most first", self.list)
        if (unavailable_reason := metal_unavailable_reason()) is not None:
            self.device.forbid(METAL_DEVICE, unavailable_reason)
            self.lstm_method.forbid(MPS, unavailable_reason)
        self.worst_first.toggled.connect(self.worst_first_toggled)
        for menu in (self.device, self.lstm_method):
            self.list.addMenu(menu)
        self.list.addActions([self.probes, self.worst_first])


def _switch(title: str, tool_tip: str, parent: QMenu) -> QAction:
    action = QAction(title, parent, checkable=True)
    action.setToolTip(tool_tip)
    return action


class ViewControls(WrappingBar):
    """A bar of controls; `changed` is emitted when the user selects an input source, utterance or run to compare."""

    changed = Signal()
    run_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.reading = ComboBox("Reading", "Inputs of each stage", 17, self)
        self.utterance = ComboBox("Utterance", "Utterance to show", 10, self)
        self.run = ComboBox("Run", "Run to show", 12, self)
        self.earlier = ComboBox("Compared with run", EARLIER_TOOL_TIP, 10, self)
        self.to_do = QPushButton("Actions", self)
        self._to_do = QMenu(self)
        self._heard: int | None = None
        self._shown: DiagnosticsRun | None = None
        self.reading.offer(
            (reading, READING_TITLES[reading], READING_DESCRIPTIONS[reading]) for reading in READING_TITLES
        )
        self.run.offer([(None, NO_RUN, "")])
        self.earlier.offer([(None, NOTHING, "")])
        self.show_utterances(())
        self._lay_out()
        for box in (self.reading, self.utterance, self.earlier):
            box.chosen.connect(self._on_chosen)
        self.run.chosen.connect(self.run_chosen)

    def add_action(self, action: QAction) -> None:
        """Add an action for the run, after the others."""
        self._to_do.addAction(action)

    @property
    def shown_reading(self) -> InputSource:
        """The source of each stage's inputs."""
        return InputSource(str(self.reading.value))

    @property
    def shown_utterance(self) -> int | None:
        """The index of the selected utterance; None for the worst of all."""
        value = self.utterance.value
        if value == HEARD:
            return self._heard
        return value if isinstance(value, int) else None

    @property
    def earlier_run(self) -> DiagnosticsRun | None:
        """The run that the displayed one is compared with."""
        value = self.earlier.value
        return value if isinstance(value, DiagnosticsRun) else None

    def show_utterances(self, utterances: tuple[Utterance, ...]) -> None:
        """Offer these utterances."""
        numbered = (
            (each.index, f"{each.index + 1} · {shortened(each.text, UTTERANCE_CHARACTERS)}", each.text)
            for each in utterances
        )
        worst = (None, WORST_OF_ALL, "Each stage’s worst utterance")
        heard = (HEARD, "Now Playing", "The utterance that is playing; while nothing is, each stage’s worst")
        self.utterance.offer((worst, heard, *numbered))

    def show_heard(self) -> None:
        """Show the utterance that is playing from now on, unless a particular one is selected."""
        if self.utterance.value is None:
            self.utterance.choose(HEARD)

    def show_current_utterance(self, utterance: int | None) -> None:
        """Note the utterance that is playing; None for none."""
        if utterance != self._heard:
            self._heard = utterance
            if self.utterance.value == HEARD and self.isVisible():  # a closed panel need not be updated
                self.changed.emit()

    def show_history(self, history: RunHistory, run: DiagnosticsRun | None) -> None:
        """Offer all runs, with `run` as the displayed one, and the others to compare with."""
        self._shown = run
        titles = [(each.run, each.title, each.run.request.speech.text) for each in history.listed]
        self.run.offer(titles or [(None, NO_RUN, "")])
        self.run.choose(run)
        self._offer_earlier(history, run)
        self.run.setEnabled(len(titles) > 1)
        self.earlier.setEnabled(len(titles) > 1)

    def _offer_earlier(self, history: RunHistory, shown: DiagnosticsRun | None) -> None:
        """Offer the other runs for comparison; disable those whose values mean something different, with the reason."""
        others = [each for each in history.listed if each.run is not shown]
        self.earlier.offer([(None, NOTHING, ""), *((each.run, each.title, "") for each in others)])
        for each in others:
            why_not = incomparable_reasons(_report(shown), _report(each.run)) if shown is not None else ()
            if why_not:
                self.earlier.forbid(each.run, " ".join(why_not))
            if why_not and self.earlier.value is each.run:
                self.earlier.choose(None)
        self._explain()

    def _explain(self) -> None:
        """List further differences between the two runs in the tooltip."""
        shown, earlier = self._shown, self.earlier_run
        apart = differences(_report(shown), _report(earlier)) if shown is not None and earlier is not None else ()
        self.earlier.setToolTip(
            f"{EARLIER_TOOL_TIP}. They differ in: {'; '.join(apart)}." if apart else EARLIER_TOOL_TIP
        )

    @Slot(object)
    def _on_chosen(self, value: object) -> None:
        self._explain()
        self.changed.emit()

    def _lay_out(self) -> None:
        self.to_do.setAccessibleName("Actions")
        self.to_do.setToolTip("Actions for this run and its stages")
        self.to_do.setMenu(self._to_do)
        self._to_do.setToolTipsVisible(True)
        self.add(faint_label("Stages", self.reading), self.reading)
        self.add(faint_label("Utterance", self.utterance), self.utterance, share=2)
        self.add(faint_label("Run", self.run), self.run, share=3)
        self.add(faint_label("vs", self.earlier), self.earlier, share=3)
        self.add(self.to_do)


def _report(run: DiagnosticsRun) -> Report:
    """Return the comparable parts of a run, without its rows unless it is complete."""
    return run.report or Report(run.request, run.utterances, (), (), {})

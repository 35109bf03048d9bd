"""Controls for what is shown: reading, utterance, run and the run to compare it with; and what can be done with it."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from app.diagnostics.metric_words import READING_MEANINGS, READING_TITLES
from app.diagnostics.runs.run import DiagnosticsRun
from app.diagnostics.runs.run_controls import faint_label
from app.diagnostics.runs.run_history import RunHistory
from app.diagnostics.runs.run_words import shortened
from app.widgets.combo_box import ComboBox
from app.widgets.wrapping_bar import WrappingBar
from engine.speech import Utterance
from engine.validator.data.results import Reading, Report
from engine.validator.reports.run_comparison import differences, obstacles

UTTERANCE_CHARACTERS = 40
HEARD = "heard"
WORST_OF_ALL = "Worst Utterance"
NO_RUN = "no run yet"
NOTHING = "nothing"
EARLIER_MEANING = "The run that the column Change refers to"


class ViewControls(WrappingBar):
    """A bar of controls; `changed` is emitted when the user selects another reading, utterance or run to compare."""

    changed = Signal()
    run_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.reading = ComboBox("Reading", "What feeds each stage", 17, self)
        self.utterance = ComboBox("Utterance", "Which utterance is shown", 10, self)
        self.run = ComboBox("Run", "Which run is shown", 12, self)
        self.earlier = ComboBox("Compared with run", EARLIER_MEANING, 10, self)
        self.to_do = QPushButton("Actions", self)
        self._to_do = QMenu(self)
        self._heard: int | None = None
        self._shown: DiagnosticsRun | None = None
        self.reading.offer((reading, READING_TITLES[reading], READING_MEANINGS[reading]) for reading in READING_TITLES)
        self.run.offer([(None, NO_RUN, "")])
        self.earlier.offer([(None, NOTHING, "")])
        self.show_utterances(())
        self._lay_out()
        self._connect()

    def add_action(self, action: QAction) -> None:
        """Add something that can be done with the run, after the others."""
        self._to_do.addAction(action)

    @property
    def shown_reading(self) -> Reading:
        """What feeds each stage."""
        return Reading(str(self.reading.value))

    @property
    def shown_utterance(self) -> int | None:
        """The index of the selected utterance; None for the worst of all."""
        value = self.utterance.value
        if value == HEARD:
            return self._heard
        return value if isinstance(value, int) else None

    @property
    def earlier_run(self) -> DiagnosticsRun | None:
        """The run that the shown one is compared with."""
        value = self.earlier.value
        return value if isinstance(value, DiagnosticsRun) else None

    def show_utterances(self, utterances: tuple[Utterance, ...]) -> None:
        """Offer these utterances."""
        numbered = (
            (each.index, f"{each.index + 1} · {shortened(each.text, UTTERANCE_CHARACTERS)}", each.text)
            for each in utterances
        )
        worst = (None, WORST_OF_ALL, "Each stage's worst utterance")
        heard = (HEARD, "Now Playing", "The utterance that is playing; while nothing is, each stage’s worst")
        self.utterance.offer((worst, heard, *numbered))

    def show_heard(self) -> None:
        """Show the utterance that is heard from now on, unless a certain one is chosen."""
        if self.utterance.value is None:
            self.utterance.choose(HEARD)

    def follow(self, utterance: int | None) -> None:
        """This utterance is heard now; None for none."""
        if utterance != self._heard:
            self._heard = utterance
            if self.utterance.value == HEARD and self.isVisible():  # nobody looks at a closed panel
                self.changed.emit()

    def show_history(self, history: RunHistory, run: DiagnosticsRun | None) -> None:
        """Offer all runs, with `run` as the shown one, and those of the same speech to compare with."""
        self._shown = run
        titles = [(each.run, each.title, each.run.request.speech.text) for each in history.listed]
        self.run.offer(titles or [(None, NO_RUN, "")])
        self.run.choose(run)
        self._offer_earlier(history, run)
        self.run.setEnabled(len(titles) > 1)
        self.earlier.setEnabled(len(titles) > 1)

    def _offer_earlier(self, history: RunHistory, shown: DiagnosticsRun | None) -> None:
        """One whose values mean something else cannot be chosen, and says why."""
        others = [each for each in history.listed if each.run is not shown]
        self.earlier.offer([(None, NOTHING, ""), *((each.run, each.title, "") for each in others)])
        for each in others:
            why_not = obstacles(_report(shown), _report(each.run)) if shown is not None else ()
            if why_not:
                self.earlier.forbid(each.run, " ".join(why_not))
            if why_not and self.earlier.value is each.run:
                self.earlier.choose(None)
        self._explain()

    def _explain(self) -> None:
        """Say in the tool tip what else is different between the two runs."""
        shown, earlier = self._shown, self.earlier_run
        apart = differences(_report(shown), _report(earlier)) if shown is not None and earlier is not None else ()
        self.earlier.setToolTip(f"{EARLIER_MEANING}. They differ in: {'; '.join(apart)}." if apart else EARLIER_MEANING)

    def _connect(self) -> None:
        for box in (self.reading, self.utterance, self.earlier):
            box.chosen.connect(self._on_chosen)
        self.run.chosen.connect(self.run_chosen)

    @Slot(object)
    def _on_chosen(self, value: object) -> None:
        self._explain()
        self.changed.emit()

    def _lay_out(self) -> None:
        self.to_do.setAccessibleName("Actions")
        self.to_do.setToolTip("What can be done with this run and its stages")
        self.to_do.setMenu(self._to_do)
        self._to_do.setToolTipsVisible(True)
        self.add(faint_label("Stages", self.reading), self.reading)
        self.add(faint_label("Utterance", self.utterance), self.utterance, share=3)
        self.add(faint_label("Run", self.run), self.run, share=2)
        self.add(faint_label("vs", self.earlier), self.earlier, share=2)
        self.add(self.to_do)


def _report(run: DiagnosticsRun) -> Report:
    """What is to be compared of a run, without its rows."""
    return run.report or Report(run.request, run.utterances, (), (), {})

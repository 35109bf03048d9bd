"""Adds the pages of regimes and of the padding curve to the panel, and does what they ask."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, Signal, Slot

from app.diagnostics.experiments.experiments import Experiments
from app.diagnostics.experiments.matrix_page import MatrixPage
from app.diagnostics.experiments.padding_page import PaddingPage
from app.diagnostics.panel import DiagnosticsPanel
from app.diagnostics.process.controller import DiagnosticsController
from app.diagnostics.process.process import DiagnosticsProcess
from app.diagnostics.runs.run import DiagnosticsOptions
from engine.errors import InvalidRequest
from engine.speech import SpeechRequest
from engine.validator.data.experiments import SweepRequest
from engine.validator.data.results import Regime, ValidationRequest

Source = Callable[[], tuple[SpeechRequest | None, str]]
"""What would be diagnosed now, and the name of the model that speaks."""
NOTHING_YET = InvalidRequest("There’s nothing to compare yet.", "Type or paste some text.")


class Exploration(QObject):
    """`failed` carries an error to show."""

    failed = Signal(object)

    def __init__(
        self, panel: DiagnosticsPanel, process: DiagnosticsProcess, controller: DiagnosticsController, source: Source
    ) -> None:
        super().__init__(panel)
        self._panel = panel
        self._controller = controller
        self._source = source
        self.experiments = Experiments(process, controller, self)
        self.matrix, self.padding = MatrixPage(), PaddingPage()
        panel.add_page("Configurations", self.matrix, "Every stage in every configuration")
        panel.add_page("Padding", self.padding, "How padding affects every stage")
        self._connect()

    @Slot(object)
    def compare_all(self, cross: tuple[tuple[str, Regime], ...]) -> None:
        """Run the text in every regime, and once more with some stages from other ones."""
        options = self._options
        offered = self._panel.controls.to_run.regimes
        regimes = tuple(regime for regime in offered if regime is not options.reference)
        self._panel.diagnose_wanted.emit(replace(options, regimes=regimes, cross=cross))

    @Slot()
    def sweep(self) -> None:
        """Measure how padding affects the text."""
        speech, model = self._source()
        if speech is None:
            self.failed.emit(NOTHING_YET)
        else:
            self.experiments.begin(SweepRequest(self._request(speech, model)))

    @property
    def _options(self) -> DiagnosticsOptions:
        return self._panel.controls.to_run.options

    def _request(self, speech: SpeechRequest, model: str) -> ValidationRequest:
        return ValidationRequest(speech, model, **{**vars(self._options), "probes": False})

    @Slot(str)
    def _on_ended(self, words: str) -> None:
        if self.padding.bar.running:
            self.padding.end(words)

    def _connect(self) -> None:
        self.matrix.compare_wanted.connect(self.compare_all)
        self.padding.start_wanted.connect(self.sweep)
        self.padding.cancel_wanted.connect(self.experiments.stop)
        self.experiments.began.connect(self.padding.begin)
        self.experiments.event_received.connect(self.padding.take)
        self.experiments.ended.connect(self._on_ended)
        self.experiments.failed.connect(self.failed)

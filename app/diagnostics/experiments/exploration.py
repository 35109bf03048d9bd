"""Adds the pages of regimes, of the padding curve and of random utterances to the panel, and does what they ask."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, Signal, Slot

from app.diagnostics.experiments.experiments import Experiments
from app.diagnostics.experiments.fuzz_page import FuzzPage
from app.diagnostics.experiments.matrix_page import MatrixPage
from app.diagnostics.experiments.padding_page import PaddingPage
from app.diagnostics.panel import DiagnosticsPanel
from app.diagnostics.process.controller import DiagnosticsController
from app.diagnostics.process.process import DiagnosticsProcess
from app.diagnostics.runs.run import DiagnosticsOptions
from engine.errors import InvalidRequest
from engine.speech import SpeechRequest
from engine.validator.data.experiments import ExperimentRequest, FuzzRequest, ServiceEvent, SweepRequest, Trial
from engine.validator.data.results import Regime, ValidationRequest

Source = Callable[[], tuple[SpeechRequest | None, str]]
"""What would be diagnosed now, and the name of the model that speaks."""
NOTHING_YET = InvalidRequest("There is nothing to compare yet.", "Type or paste some text.")


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
        self.matrix, self.padding, self.fuzz = MatrixPage(), PaddingPage(), FuzzPage()
        panel.add_page("Regimes", self.matrix, "Every stage in every regime")
        panel.add_page("Padding", self.padding, "How padding affects every stage")
        panel.add_page("Random", self.fuzz, "Random utterances, the worst first")
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

    @Slot(int, int)
    def try_random(self, count: int, seed: int) -> None:
        """Try random utterances in the regime that is looked at."""
        speech, model = self._source()
        if speech is None:
            self.failed.emit(NOTHING_YET)
            return
        request = self._request(replace(speech, text="", start=0, end=None, seed=seed), model)
        regime = next((each for each in Regime if each == self._panel.shown.regime), Regime.COMPILED)
        chosen = Regime.COMPILED if regime is request.reference else regime
        self.experiments.begin(FuzzRequest(replace(request, regimes=(chosen,)), count))

    @Slot(object)
    def diagnose(self, trial: Trial) -> None:
        """Compare one of the random utterances stage by stage."""
        phonemes = trial.utterance.phonemes
        speech = SpeechRequest(phonemes, trial.voice, trial.speed, trial.seed)
        self._controller.diagnose(speech, replace(self._options, phonemes=phonemes), self._source()[1])
        self._panel.pages.open(self._panel.drill_down)

    @property
    def _options(self) -> DiagnosticsOptions:
        return self._panel.controls.to_run.options

    def _request(self, speech: SpeechRequest, model: str) -> ValidationRequest:
        return ValidationRequest(speech, model, **{**vars(self._options), "probes": False})

    @Slot(object)
    def _on_begun(self, request: ExperimentRequest) -> None:
        self._page(request).begin()

    @Slot(object)
    def _on_event(self, event: ServiceEvent) -> None:
        request = self.experiments.request
        if request is not None:
            self._page(request).take(event)

    @Slot(str)
    def _on_ended(self, words: str) -> None:
        for page in (self.padding, self.fuzz):
            if page.bar.running:
                page.end(words)

    def _page(self, request: ExperimentRequest) -> PaddingPage | FuzzPage:
        return self.padding if isinstance(request, SweepRequest) else self.fuzz

    def _connect(self) -> None:
        self.matrix.compare_wanted.connect(self.compare_all)
        self.padding.start_wanted.connect(self.sweep)
        self.fuzz.start_wanted.connect(self.try_random)
        self.fuzz.trial_wanted.connect(self.diagnose)
        for page in (self.padding, self.fuzz):
            page.cancel_wanted.connect(self.experiments.stop)
        self.experiments.began.connect(self._on_begun)
        self.experiments.event_received.connect(self._on_event)
        self.experiments.ended.connect(self._on_ended)
        self.experiments.failed.connect(self.failed)

"""Tests of activations in PyTorch; the modules' tests cover those of compiled modules."""

import threading
from pathlib import Path

import pytest

from engine.compiler.artifacts.manifest import CPU
from engine.errors import Canceled, CompileError
from engine.models.checkpoints import model_config
from engine.speech import PreparationEvent, SpeechRequest
from engine.stages import STAGES, stage_named
from engine.system.waiting import raise_if_set
from engine.validator.data.results import InputSource, Regime, RowEvent, ValidationRequest, Verdict
from engine.validator.runs import inner_values
from engine.validator.runs.inner_values import ProbedModules
from engine.validator.runs.validation import Validator
from tests.starter_voices import MALE

PADDING = 3.0


@pytest.fixture(scope="module")
def report():
    """Upstream, and the regime whose LSTMs run over the padding."""
    events = []
    speech = SpeechRequest("Hello there.", MALE)
    regimes = (Regime.UPSTREAM, Regime.STATIC_NO_PACK)
    validator = Validator()
    made = validator.validate(ValidationRequest(speech, regimes=regimes, padding=PADDING, probes=True), events.append)
    validator.close()
    assert [event.row for event in events if isinstance(event, RowEvent)] == list(made.rows)
    return made


def test_outputs_come_before_activations(report):
    flags = [row.probe for row in report.rows]
    assert flags == sorted(flags)
    assert flags[0] is False
    assert flags[-1] is True


def test_activations_of_wrong_stages_come_first(report):
    wrong = {row.stage for row in report.rows if row.verdict is Verdict.FAIL and row.reading is InputSource.ISOLATED}
    stages = list(dict.fromkeys(row.stage for row in report.rows if row.probe))
    assert wrong & set(stages)
    assert [stage in wrong for stage in stages] == sorted((stage in wrong for stage in stages), reverse=True)


def test_every_activation_appears_once_in_each_reading(report):
    keys = [(row.regime, row.reading, row.stage, row.output) for row in report.rows]
    assert len(set(keys)) == len(keys)
    probed = {row.stage for row in report.rows if row.probe}
    assert probed == {stage.name for stage in STAGES if stage.probes}


def test_the_finding_names_the_first_wrong_activation(report):
    finding = next(one for one in report.findings if one.regime == Regime.STATIC_NO_PACK)
    failed = [
        row.output
        for row in report.rows
        if row.probe
        and row.regime == finding.regime
        and row.stage == finding.stage
        and row.verdict is Verdict.FAIL
        and row.reading is InputSource.ISOLATED
    ]
    assert finding.inner == failed[0]
    assert finding.inner in finding.words


PROBED = [stage_named(name) for name in ("decoder", "duration")]
DEFAULT_SECONDS = {"decoder": 54.0, "duration": 4.0}


class Compiler:
    """Stands in for `ensure_module`: records requests, and builds the stages that are not among `there`."""

    def __init__(self, *there):
        self.there = there
        self.asked = []
        self.go_on = threading.Event()
        self.stopped = threading.Event()
        self.error = None

    def __call__(self, model, config, variant, stage, observe, cancel):
        self.asked.append((variant.name, stage))
        if stage not in self.there:
            observe(PreparationEvent("Starting the compiler", 0, 1))
            while not self.go_on.wait(0.01):
                if cancel.is_set():
                    self.stopped.set()
                raise_if_set(cancel)
        if self.error:
            raise self.error
        return Path(stage)


@pytest.fixture
def compiler(monkeypatch):
    def install(*there):
        made = Compiler(*there)
        monkeypatch.setattr(inner_values, "ensure_module", made)
        return made

    return install


def opened():
    return ProbedModules("starter", model_config("starter"), CPU, PROBED, DEFAULT_SECONDS)


def test_modules_with_activations_are_built_in_the_given_order(compiler):
    built = compiler()
    built.go_on.set()
    with opened() as modules:
        assert [modules.folder(stage, lambda _: None) for stage in PROBED] == [Path("decoder"), Path("duration")]
    assert built.asked == [("cpu-probed", "decoder"), ("cpu-probed", "duration")]


def test_builds_are_reported_with_the_remaining_time(compiler):
    built, events = compiler(), []

    def tell(event):
        events.append(event)
        built.go_on.set()

    with opened() as modules:
        modules.folder(PROBED[0], tell)
    # 6 s to start each of two processes, and the ordinary modules' build times
    assert events[0] == PreparationEvent("Compiling intermediate activations of decoder, about 1 minute left", 0, 2)
    assert events[-1].done == events[-1].total


def test_modules_that_are_there_are_not_told_of(compiler):
    compiler("decoder", "duration")
    events = []
    with opened() as modules:
        for stage in PROBED:
            modules.folder(stage, events.append)
    assert events == []


def test_a_cancel_takes_effect_and_ends_the_compiler(compiler):
    built, cancel = compiler(), threading.Event()
    with pytest.raises(Canceled), opened() as modules:
        modules.folder(PROBED[0], lambda _: cancel.set(), cancel)
    assert built.stopped.is_set()
    assert [stage for _, stage in built.asked] == ["decoder"]


def test_the_compilers_error_is_raised(compiler):
    built = compiler()
    built.error = CompileError("There is no C compiler.", "Install one.")
    built.go_on.set()
    with pytest.raises(CompileError, match="no C compiler"), opened() as modules:
        modules.folder(PROBED[0], lambda _: None)

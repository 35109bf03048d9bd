import threading
from pathlib import Path

import pytest

from engine.artifacts.manifest import CPU
from engine.errors import Cancelled, CompileError
from engine.models.checkpoints import model_config
from engine.speech import PreparationEvent
from engine.stages import stage_named
from engine.system.waiting import raise_if_set
from engine.validator.runs import inner_values
from engine.validator.runs.inner_values import InnerModules

STAGES = [stage_named(name) for name in ("decoder", "duration")]
USUAL_SECONDS = {"decoder": 54.0, "duration": 4.0}


class Compiler:
    """Stands for `ensure_module`: notes what is asked for, and builds what is not among `there`."""

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
    return InnerModules("starter", model_config("starter"), CPU, STAGES, USUAL_SECONDS)


def test_modules_are_built_in_the_order_given_with_their_inner_values(compiler):
    built = compiler()
    built.go_on.set()
    with opened() as modules:
        assert [modules.folder(stage, lambda _: None) for stage in STAGES] == [Path("decoder"), Path("duration")]
    assert built.asked == [("cpu-probed", "decoder"), ("cpu-probed", "duration")]


def test_what_is_built_is_told_with_the_time_left(compiler):
    built, events = compiler(), []

    def tell(event):
        events.append(event)
        built.go_on.set()

    with opened() as modules:
        modules.folder(STAGES[0], tell)
    # 6 s to start each of two processes, and what the ordinary modules took
    assert events[0] == PreparationEvent("Compiling inner values of decoder, about 1 minute left", 0, 2)
    assert events[-1].done == events[-1].total


def test_modules_that_are_there_are_not_told_of(compiler):
    compiler("decoder", "duration")
    events = []
    with opened() as modules:
        for stage in STAGES:
            modules.folder(stage, events.append)
    assert events == []


def test_a_cancel_is_heard_and_ends_the_compiler(compiler):
    built, cancel = compiler(), threading.Event()
    with pytest.raises(Cancelled), opened() as modules:
        modules.folder(STAGES[0], lambda _: cancel.set(), cancel)
    assert built.stopped.is_set()
    assert [stage for _, stage in built.asked] == ["decoder"]


def test_what_the_compiler_says_is_raised(compiler):
    built = compiler()
    built.error = CompileError("There is no C compiler.", "Install one.")
    built.go_on.set()
    with pytest.raises(CompileError, match="no C compiler"), opened() as modules:
        modules.folder(STAGES[0], lambda _: None)

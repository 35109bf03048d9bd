import pytest

from app.speech.activity import Readiness
from app.speech.engine_state import EngineState
from app.speech.jobs import DeviceChosen, FellBack, PreparationAdvanced, Prepared, PrepareJob, SpeakJob, SpeechEnded
from engine.errors import Cancelled, CompileError
from engine.speech import DeviceEvent, PreparationEvent, SpeechRequest

STEP = PreparationEvent("Compiling decoder", 5, 7)
FAILURE = CompileError("No.", "Do.")
JOB = SpeakJob(1, SpeechRequest("Hello.", "af_heart"))


def test_a_step_of_the_preparation_is_kept_until_it_ends() -> None:
    preparing = EngineState(Readiness.READY).after(PreparationAdvanced(STEP))
    assert (preparing.readiness, preparing.preparation) == (Readiness.PREPARING, STEP)
    assert preparing.after(Prepared()) == EngineState(Readiness.READY)
    assert preparing.after(Prepared(FAILURE)) == EngineState(Readiness.FAILED)


def test_a_cancelled_preparation_says_nothing() -> None:
    preparing = EngineState().after(PreparationAdvanced(STEP))
    assert preparing.after(Prepared(Cancelled("It was stopped."))) is preparing


@pytest.mark.parametrize("error", [None, FAILURE])
def test_a_preparation_that_ends_after_it_was_cancelled_says_nothing_either(error: Exception | None) -> None:
    job = PrepareJob()
    job.cancel.set()
    assert EngineState().after(Prepared(error, job)) == EngineState()


@pytest.mark.parametrize("readiness", [Readiness.PREPARING, Readiness.READY])
def test_a_failed_speech_tells_about_the_engine_only_while_that_gets_ready(readiness: Readiness) -> None:
    after = EngineState(readiness).after(SpeechEnded(JOB, FAILURE))
    assert after.readiness is (Readiness.FAILED if readiness is Readiness.PREPARING else readiness)


def test_what_computes_is_remembered() -> None:
    device = DeviceEvent("cpu", "tir", {})
    after = EngineState().after(DeviceChosen(device)).after(FellBack("The GPU failed."))
    assert after == EngineState(Readiness.READY, device=device, fallback="The GPU failed.")

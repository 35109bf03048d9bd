from app.speech.jobs import SpeakJob
from engine.speech import SpeechRequest


def test_every_job_has_a_cancel_of_its_own() -> None:
    request = SpeechRequest("Hello.", "af_heart")
    first, second = SpeakJob(1, request), SpeakJob(2, request)
    first.cancel.set()
    assert not second.cancel.is_set()

from dataclasses import replace

import pytest

from app.speech.engine_worker import Ended
from app.speech.heard_speech import HeardSpeech
from engine.speech import Notice, Plan, PlanEvent, SpeechRequest, Utterance
from tests.app.fakes import RATE_HZ, FakeEngine, chunk_of, utterances_of

TEXT = "One. Two. Three."
REQUEST = SpeechRequest(TEXT, "af_heart")
UTTERANCES = utterances_of(TEXT)
NOTICE = Notice("Look.", 0, 1)


@pytest.fixture
def speech() -> HeardSpeech:
    """A planned speech with the first of three utterances generated."""
    speech = HeardSpeech(REQUEST)
    speech.make_rest(FakeEngine)
    speech.handle_report(PlanEvent(Plan(UTTERANCES, (NOTICE,))))
    speech.handle_report(chunk_of(UTTERANCES[0], 3))
    return speech


def rest_of(speech: HeardSpeech) -> tuple[Utterance, ...]:
    """Return the utterances as a different task plans them: combined into one, and numbered from 0."""
    start = speech.rest.start
    return (Utterance(0, TEXT[start:], "TwoThree", start, len(TEXT)),)


def test_the_rest_starts_after_generated_speech_and_uses_the_latest_settings(speech: HeardSpeech) -> None:
    speech.speech_settings = replace(REQUEST, speed=1.5)
    assert speech.rest == replace(REQUEST, speed=1.5, start=5)
    assert speech.request == REQUEST


def test_beyond_the_plan_the_rest_starts_where_the_last_utterance_ends(speech: HeardSpeech) -> None:
    speech.handle_report(PlanEvent(Plan(UTTERANCES[:1], characters_left=12)))
    assert speech.rest == replace(REQUEST, start=4)


def test_a_new_task_replaces_the_previous_one(speech: HeardSpeech) -> None:
    first = speech.task
    second = speech.make_rest(FakeEngine)
    assert first.cancel.is_set()
    assert speech.task is second is not None
    assert not second.cancel.is_set()
    assert not speech.track.finished


def test_a_new_task_continues_numbering_and_plans_after_generated_speech(speech: HeardSpeech) -> None:
    planned = rest_of(speech)
    speech.speech_settings = replace(REQUEST, speed=1.5)
    speech.make_rest(FakeEngine)
    speech.handle_report(PlanEvent(Plan(planned, (NOTICE, Notice("There.", 5, 6)), 3)))
    last = replace(planned[0], index=1)
    assert speech.track.planned == Plan((UTTERANCES[0], last), (NOTICE, Notice("There.", 5, 6)), 3)
    speech.handle_report(PlanEvent(Plan(planned)))
    speech.handle_report(chunk_of(planned[0], 1))
    assert [segment.utterance for segment in speech.track.segments] == [UTTERANCES[0], last]
    assert speech.track.segments[1].speed == 1.5
    assert speech.rest is None
    assert speech.make_rest(FakeEngine) is None


def test_only_speech_generated_in_one_piece_fulfills_a_whole_request(speech: HeardSpeech) -> None:
    assert speech.is_of(REQUEST)
    assert not speech.is_all_of(REQUEST)
    for utterance in UTTERANCES[1:]:
        speech.handle_report(chunk_of(utterance, 3))
    speech.handle_report(Ended())
    assert speech.is_all_of(REQUEST)
    assert not speech.is_all_of(replace(REQUEST, voice="am_adam"))
    speech.track.cut(100)
    planned = rest_of(speech)
    speech.make_rest(FakeEngine)
    speech.handle_report(PlanEvent(Plan(planned)))
    speech.handle_report(chunk_of(planned[0], 1))
    speech.handle_report(Ended())
    assert speech.track.whole
    assert not speech.is_all_of(REQUEST)


def test_without_a_request_there_is_no_speech() -> None:
    nothing = HeardSpeech()
    assert nothing.track.finished
    assert nothing.rest is None
    assert nothing.make_rest(FakeEngine) is None
    assert not nothing.is_of(None)


@pytest.mark.parametrize(("between", "seconds"), [(" ", 0.25), ("\n\n", 0.5)])
def test_a_pause_follows_audio_generated_before_the_end_of_a_gap(between: str, seconds: float) -> None:
    text = f"One. Two.{between}Three."
    utterances = utterances_of(text)
    speech = HeardSpeech(SpeechRequest(text, "af_heart", pause_scale=2.0))
    speech.make_rest(FakeEngine)
    speech.handle_report(chunk_of(utterances[0], 0))
    speech.track.skip_to(utterances[2].start)
    speech.make_rest(FakeEngine)
    speech.handle_report(PlanEvent(Plan((replace(utterances[2], index=0),))))
    speech.handle_report(chunk_of(replace(utterances[2], index=0), 1))
    speech.handle_report(Ended())
    speech.make_rest(FakeEngine, speech.track.gaps[0][0])
    speech.handle_report(PlanEvent(Plan((replace(utterances[1], index=0),))))
    speech.handle_report(chunk_of(replace(utterances[1], index=0), 1))
    speech.handle_report(Ended())
    lengths = [segment.end - segment.start for segment in speech.track.segments]
    assert lengths == [RATE_HZ, (1 + 2 * seconds) * RATE_HZ, RATE_HZ]
    assert speech.track.whole

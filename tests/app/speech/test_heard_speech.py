from dataclasses import replace

import pytest

from app.audio.track import AudioTrack
from app.speech.heard_speech import HeardSpeech
from engine.speech import Notice, Plan, SpeechRequest, Utterance
from tests.app.fakes import chunk_of, utterances_of

TEXT = "One. Two. Three."
REQUEST = SpeechRequest(TEXT, "af_heart")
UTTERANCES = utterances_of(TEXT)
NOTICE = Notice("Look.", 0, 1)


@pytest.fixture
def speech() -> HeardSpeech:
    """Planned, with the first of three utterances made."""
    speech = HeardSpeech(REQUEST, AudioTrack())
    speech.plan(Plan(UTTERANCES, (NOTICE,)))
    speech.append(chunk_of(UTTERANCES[0], 3), 1.0)
    return speech


def rest_of(speech: HeardSpeech) -> tuple[Utterance, ...]:
    """The utterances that another job plans: in one, and numbered from 0."""
    assert speech.rest is not None
    start = speech.rest.start
    return (Utterance(0, TEXT[start:], "TwoThree", start, len(TEXT)),)


def test_what_is_left_begins_after_what_is_made_and_is_made_in_the_latest_manner(speech: HeardSpeech) -> None:
    speech.manner = replace(REQUEST, speed=1.5)
    assert speech.rest == replace(REQUEST, speed=1.5, start=5)
    assert speech.request == REQUEST


def test_beyond_the_plan_what_is_left_begins_where_the_last_utterance_ends(speech: HeardSpeech) -> None:
    speech.plan(Plan(UTTERANCES[:1], characters_left=12))
    assert speech.rest == replace(REQUEST, start=4)


def test_another_job_goes_on_numbering_and_its_plan_follows_what_is_made(speech: HeardSpeech) -> None:
    planned = rest_of(speech)
    speech.go_on()
    speech.plan(Plan(planned, (NOTICE, Notice("There.", 5, 6)), 3))
    last = replace(planned[0], index=1)
    assert speech.track.planned == Plan((UTTERANCES[0], last), (NOTICE, Notice("There.", 5, 6)), 3)
    speech.plan(Plan(planned))
    speech.append(chunk_of(planned[0], 1), 1.5)
    assert [segment.utterance for segment in speech.track.segments] == [UTTERANCES[0], last]
    assert speech.track.segments[1].speed == 1.5
    assert speech.rest is None


def test_only_what_was_made_as_one_is_all_of_a_request(speech: HeardSpeech) -> None:
    assert not speech.is_all_of(REQUEST)
    for utterance in UTTERANCES[1:]:
        speech.append(chunk_of(utterance, 3), 1.0)
    speech.track.finish()
    assert speech.is_all_of(REQUEST)
    assert not speech.is_all_of(replace(REQUEST, voice="am_adam"))
    speech.track.cut(100)
    speech.go_on()
    speech.plan(Plan(rest_of(speech)))
    speech.append(chunk_of(speech.track.planned.utterances[1], 1), 1.0)
    speech.track.finish()
    assert speech.track.whole
    assert not speech.is_all_of(REQUEST)


def test_without_a_request_nothing_is_left() -> None:
    assert HeardSpeech(None, AudioTrack()).rest is None

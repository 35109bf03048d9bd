import json
from dataclasses import replace

from app.library.records import key_of, request_of, speech_settings_of, storable, voice_and_speed
from engine.speech import Definitions, PhonemeEdit, Pronunciation, SpeechRequest, UtteranceEdit

REQUEST = SpeechRequest("One.", "af_heart(2)+am_adam(1)", 1.5, seed=3, pause_scale=2.0, language="en-GB")


def test_a_request_comes_back_from_its_text_and_speech_settings() -> None:
    assert request_of("One.", speech_settings_of(REQUEST)) == REQUEST
    assert voice_and_speed(speech_settings_of(REQUEST)) == (REQUEST.voice, 1.5)


def test_edits_come_back_and_damaged_ones_are_left_out() -> None:
    edited = replace(REQUEST, edits=(UtteranceEdit(0, "wˈʌn", changes=(PhonemeEdit(1, frames=9),)),))
    assert request_of("One.", speech_settings_of(edited)) == edited
    damaged = json.dumps(json.loads(speech_settings_of(REQUEST)) | {"edits": [{"start": "?"}]})
    assert request_of("One.", damaged) == REQUEST


def test_definitions_come_back_and_damaged_ones_are_left_out() -> None:
    defined = replace(REQUEST, definitions=Definitions((Pronunciation("Zorg", say="fish"),)))
    assert request_of(REQUEST.text, speech_settings_of(defined)) == defined
    damaged = json.dumps(json.loads(speech_settings_of(REQUEST)) | {"definitions": {"pronunciations": [{"word": 3}]}})
    assert request_of(REQUEST.text, damaged) == REQUEST


def test_unknown_settings_of_a_different_version_are_left_out() -> None:
    later = json.dumps(json.loads(speech_settings_of(REQUEST)) | {"pitch": 2})
    assert request_of("One.", later) == REQUEST


def test_keys_differ_with_text_speech_settings_and_model() -> None:
    others = [SpeechRequest("Two.", REQUEST.voice, 1.5), SpeechRequest("One.", REQUEST.voice, 1.25)]
    keys = {key_of(REQUEST, "m"), key_of(REQUEST, "n"), *(key_of(other, "m") for other in others)}
    assert len(keys) == 4
    assert key_of(REQUEST, "m") == key_of(REQUEST, "m")


def test_half_a_character_becomes_a_question_mark() -> None:
    assert storable("a\ud83d🙂") == "a?🙂"

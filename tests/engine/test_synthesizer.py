import math
import threading
from itertools import pairwise

import numpy as np
import pytest

from engine.audio import PEAK_LIMIT
from engine.errors import Cancelled, InvalidRequest, MissingLanguage, NothingToSpeak, TextTooLong, UnknownVoice
from engine.g2p.other_languages import sounds
from engine.languages import language_of
from engine.speech import Event, PlanEvent, SpeechRequest, StageEvent
from engine.stages import STAGE_NAMES
from engine.synthesizer import TEXT_LIMIT_CHARACTERS, Synthesizer, check

TEXT = "The first sentence is short. The second one is a little longer, and it has a clause."


def spoken(synthesizer: Synthesizer, text: str, voice: int = 0, speed: float = 1.0, seed: int = 0) -> np.ndarray:
    request = SpeechRequest(text, synthesizer.voices()[voice].name, speed, seed)
    return np.concatenate([chunk.samples for chunk in synthesizer.synthesize(request)])


def test_every_voice_speaks_clean_audio(starter: Synthesizer) -> None:
    for number, _ in enumerate(starter.voices()):
        samples = spoken(starter, TEXT, number)
        assert samples.dtype == np.float32
        assert np.isfinite(samples).all()
        assert 0.05 < np.abs(samples).max() <= PEAK_LIMIT
        assert 3 < len(samples) / starter.sample_rate_hz < 12


def test_the_same_request_gives_the_same_samples(starter: Synthesizer) -> None:
    first, again, other = (spoken(starter, "Once more.", seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_speed_changes_the_length(starter: Synthesizer) -> None:
    slow, normal, fast = (len(spoken(starter, TEXT, speed=speed)) for speed in (0.5, 1.0, 2.0))
    assert slow > 1.5 * normal
    assert fast < 0.75 * normal


def test_chunks_come_in_order_and_cover_the_text(starter: Synthesizer) -> None:
    events: list[Event] = []
    request = SpeechRequest(TEXT * 4, starter.voices()[0].name)
    chunks = list(starter.synthesize(request, events.append))
    plan = next(event.plan for event in events if isinstance(event, PlanEvent))
    assert [chunk.utterance for chunk in chunks] == list(plan.utterances)
    assert all(first.end <= second.start for first, second in pairwise(plan.utterances))
    stages = [event.stage for event in events if isinstance(event, StageEvent)]
    assert stages == list(STAGE_NAMES) * len(chunks)


def test_cancel_stops_within_the_utterance(starter: Synthesizer) -> None:
    cancel = threading.Event()
    events: list[Event] = []

    def stop_at_once(event: Event) -> None:
        events.append(event)
        if isinstance(event, StageEvent):
            cancel.set()

    with pytest.raises(Cancelled):
        list(starter.synthesize(SpeechRequest(TEXT, starter.voices()[0].name), stop_at_once, cancel))
    assert sum(isinstance(event, StageEvent) for event in events) == 1
    assert len(spoken(starter, "Still alive.")) > 0


@pytest.mark.parametrize("tag", ["en-GB", "es", "fr-FR", "hi", "it", "pt-BR"])
def test_any_voice_speaks_other_languages_when_asked(starter: Synthesizer, tag: str) -> None:
    sample = language_of(tag).sample
    events: list[Event] = []
    (chunk,) = starter.synthesize(SpeechRequest(sample, "am_rowan", language=tag), events.append)
    assert chunk.utterance.text == sample
    assert 1 < chunk.seconds < 10
    assert next(event.plan for event in events if isinstance(event, PlanEvent)).notices == ()


def test_a_blend_lies_between_its_voices(starter: Synthesizer) -> None:
    def samples(voice: str) -> np.ndarray:
        return np.concatenate([chunk.samples for chunk in starter.synthesize(SpeechRequest("One more.", voice))])

    rowan, blend = samples("am_rowan"), samples("rowan(1)+sally(3)")
    assert np.array_equal(samples("am_rowan(5)"), rowan)
    assert not np.array_equal(blend[: len(rowan)], rowan[: len(blend)])
    assert starter.voice("rowan:1,sally:3").title == "Rowan 25% + Sally 75%"


def test_missing_packages_are_said_before_any_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sounds, "find_spec", lambda name: None)
    synthesizer = Synthesizer("starter")
    events: list[Event] = []
    with pytest.raises(MissingLanguage, match="Japanese needs packages"):
        list(synthesizer.synthesize(SpeechRequest("はい", "am_rowan", language="ja"), events.append))
    assert events == []


@pytest.mark.parametrize("speed", [0.0, -1.0, 100.0, 0.49, 2.01, math.nan, math.inf])
def test_speeds_out_of_range_are_refused(speed: float) -> None:
    with pytest.raises(InvalidRequest, match=r"Choose a speed from 0\.5"):
        check(SpeechRequest("Hello.", "any", speed))


def test_a_negative_seed_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="negative"):
        check(SpeechRequest("Hello.", "any", seed=-1))


def test_a_text_beyond_the_limit_is_refused_not_cut() -> None:
    check(SpeechRequest("a" * TEXT_LIMIT_CHARACTERS, "any"))
    with pytest.raises(TextTooLong, match="Split it into parts"):
        check(SpeechRequest("a" * (TEXT_LIMIT_CHARACTERS + 1), "any"))


@pytest.mark.parametrize("text", ["", "   \n\t ", "\u200b"])
def test_blank_text_is_refused(starter: Synthesizer, text: str) -> None:
    with pytest.raises(NothingToSpeak):
        spoken(starter, text)


def test_an_unknown_voice_is_refused_before_any_work() -> None:
    with pytest.raises(UnknownVoice):
        list(Synthesizer("starter").synthesize(SpeechRequest("Hello.", "af_nobody")))


def test_an_unknown_device_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="Use one of: auto, cpu"):
        Synthesizer("starter", device="quantum")


def test_a_closed_synthesizer_opens_again() -> None:
    synthesizer = Synthesizer("starter")
    synthesizer.prepare()
    synthesizer.close()
    assert len(spoken(synthesizer, "Again.")) > 0
    synthesizer.close()

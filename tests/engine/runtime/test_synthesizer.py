import gc
import math
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.audio.joining import KEPT_SILENCE_SECONDS, PEAK_LIMIT, finish_utterance
from engine.audio.speech_cache import SpeechCache
from engine.compiler.artifacts.manifest import CPU
from engine.errors import (
    Canceled,
    DamagedFile,
    InvalidRequest,
    MissingLanguage,
    MissingModel,
    NothingToSpeak,
    UnknownVoice,
)
from engine.models.checkpoints import open_checkpoint
from engine.models.voices.blends import SavedVoices
from engine.network.ops.packed_lstm import LstmMethod
from engine.runtime.fallback import FallbackSpeaker
from engine.runtime.pipeline import ignore
from engine.runtime.planning import check_request
from engine.runtime.preparation.devices import DeviceChoice
from engine.runtime.preparation.files import ensure_files, is_ready
from engine.runtime.preparation.lstm_methods import MethodChoice
from engine.runtime.synthesizer import Synthesizer, device_event
from engine.speech import (
    DeviceEvent,
    Event,
    PhonemeEdit,
    Plan,
    PlanEvent,
    Prosody,
    Speech,
    SpeechRequest,
    SpokenWord,
    StageEvent,
    UtteranceEdit,
)
from engine.stages import STAGE_NAMES
from engine.system.memory import give_back_freed_memory
from engine.system.paths import packed_weights_folder
from engine.text.g2p.other_languages import front_end
from engine.text.g2p.user_lexicon.entries import LexiconEntry
from engine.text.g2p.user_lexicon.store import UserLexicon
from engine.text.languages import language_of
from tests.engine.memory import private_bytes
from tests.engine.students import students_installed
from tests.starter_voices import FEMALE, MALE

TEXT = "The first sentence is short. The second one is a little longer, and it has a clause."
LOUDEST_SAMPLES = 240
"""This many samples on either side of a word's peak, which are away from the pauses at its ends."""


def spoken(synthesizer: Synthesizer, text: str, voice: int = 0, speed: float = 1.0, seed: int = 0) -> np.ndarray:
    request = SpeechRequest(text, synthesizer.voices()[voice].name, speed, seed)
    return np.concatenate([chunk.samples for chunk in synthesizer.synthesize(request)])


def test_every_voice_speaks_clean_audio(starter):
    for number, _ in enumerate(starter.voices()):
        samples = spoken(starter, TEXT, number)
        assert samples.dtype == np.float32
        assert np.isfinite(samples).all()
        assert 0.05 < np.abs(samples).max() <= PEAK_LIMIT
        assert 3 < len(samples) / starter.sample_rate_hz < 12


def test_device_event_reports_the_device_lstm_method_and_fallback_reason(monkeypatch):
    device = DeviceChoice("cpu", CPU, "no GPU", is_fallback=True)
    lstm = MethodChoice(LstmMethod.TIR, "faster", {"tir": 0.004, "mps": 0.005})
    told = device_event(device, lstm)
    words = ("cpu (no GPU)", "tir (faster)")
    assert told == DeviceEvent(*words, {"tir": 0.004, "mps": 0.005}, "no GPU")
    assert device_event(replace(device, is_fallback=False), lstm).fallback_reason == ""
    assert device_event(device, replace(lstm, is_fallback=True)).fallback_reason == "no GPU; faster"


def test_the_crash_guard_surrounds_only_stages_with_an_lstm(starter, monkeypatch):
    files = ensure_files(open_checkpoint(), "cpu", ignore)
    with_mps = replace(files, lstm=MethodChoice(LstmMethod.MPS, "requested"))
    monkeypatch.setattr("engine.runtime.synthesizer.ensure_files", lambda *_: with_mps)
    happened: list[str] = []

    @contextmanager
    def marked(thing: str) -> Iterator[None]:
        happened.append(thing)
        yield

    def observe(event: Event) -> None:
        if isinstance(event, StageEvent):
            happened.append(event.stage)
        elif isinstance(event, DeviceEvent):
            assert event.lstm_method == "mps (requested)"

    monkeypatch.setattr("engine.runtime.preparation.lstm_methods.crash_guarded", marked)
    synthesizer = Synthesizer("starter", lstm_method="mps")
    request = SpeechRequest("Yes.", synthesizer.voices()[0].name)
    assert list(synthesizer.synthesize(request, observe))
    synthesizer.close()
    marked_before = [stage for mark, stage in pairwise(happened) if mark == "mps"]
    assert sorted(marked_before) == ["duration", "f0n", "text_encoder"]


def test_the_same_request_gives_the_same_samples(starter):
    first, again, other = (spoken(starter, "Once more.", seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_interleaved_requests_yield_the_same_audio_as_separate_ones(starter):
    """The window generates audio to play between two parts of a file being saved."""
    requests = [SpeechRequest(TEXT, FEMALE), SpeechRequest("Yes. No.", MALE)]
    alone = [[chunk.samples for chunk in starter.synthesize(request)] for request in requests]
    assert len(alone[0]) > 1
    saved, heard = (starter.synthesize(request) for request in requests)
    in_turns = [[next(saved).samples], [chunk.samples for chunk in heard]]
    in_turns[0] += [chunk.samples for chunk in saved]
    for one, other in zip(alone, in_turns, strict=True):
        np.testing.assert_array_equal(np.concatenate(one), np.concatenate(other))


def test_speed_changes_the_length(starter):
    slow, normal, fast = (len(spoken(starter, TEXT, speed=speed)) for speed in (0.5, 1.0, 2.0))
    assert slow > 1.5 * normal
    assert fast < 0.75 * normal


def test_chunks_come_in_order_and_cover_the_text(starter):
    events: list[Event] = []
    request = SpeechRequest(TEXT * 4, starter.voices()[0].name)
    chunks = list(starter.synthesize(request, events.append))
    plan = next(event.plan for event in events if isinstance(event, PlanEvent))
    assert [chunk.utterance for chunk in chunks] == list(plan.utterances)
    assert all(first.end <= second.start for first, second in pairwise(plan.utterances))
    stages = [event.stage for event in events if isinstance(event, StageEvent)]
    assert stages == list(STAGE_NAMES) * len(chunks)


def test_audio_of_a_long_text_arrives_before_planning_finishes(starter):
    plans: list[Plan] = []
    request = SpeechRequest(TEXT * 30, starter.voices()[0].name)
    chunks = starter.synthesize(
        request, lambda event: plans.append(event.plan) if isinstance(event, PlanEvent) else None
    )
    first = next(chunks)
    assert (len(plans), plans[0].whole, first.utterance_count) == (1, False, 0)
    spoken = [first, *(chunk for chunk, _ in zip(chunks, range(3), strict=False))]
    assert plans[-1].whole
    assert spoken[-1].utterance_count == len(plans[-1].utterances)
    assert [chunk.utterance for chunk in spoken] == list(plans[-1].utterances[:4])
    chunks.close()


def test_cancel_stops_within_the_utterance(starter):
    cancel = threading.Event()
    events: list[Event] = []

    def stop_at_once(event: Event) -> None:
        events.append(event)
        if isinstance(event, StageEvent):
            cancel.set()

    with pytest.raises(Canceled):
        list(starter.synthesize(SpeechRequest(TEXT, starter.voices()[0].name), stop_at_once, cancel))
    assert sum(isinstance(event, StageEvent) for event in events) == 1
    assert len(spoken(starter, "Still alive.")) > 0


@pytest.mark.parametrize("tag", ["en-GB", "es", "fr-FR", "hi", "it", "pt-BR"])
def test_any_voice_speaks_other_languages_when_asked(starter, tag):
    sample = language_of(tag).sample
    events: list[Event] = []
    chunks = list(starter.synthesize(SpeechRequest(sample, MALE, language=tag), events.append))
    assert " ".join(chunk.utterance.text for chunk in chunks) == sample
    assert 1 < sum(chunk.seconds for chunk in chunks) < 10
    assert next(event.plan for event in events if isinstance(event, PlanEvent)).notices == ()


def test_a_blend_lies_between_its_voices(starter):
    def samples(voice: str) -> np.ndarray:
        return np.concatenate([chunk.samples for chunk in starter.synthesize(SpeechRequest("One more.", voice))])

    male, blend = samples(MALE), samples(f"{MALE}(1)+{FEMALE}(3)")
    assert np.array_equal(samples(f"{MALE}(5)"), male)
    assert not np.array_equal(blend[: len(male)], male[: len(blend)])
    first, second = (starter.voice(voice).title for voice in (MALE, FEMALE))
    assert starter.voice(f"{first}:1,{second}:3").title == f"{first} 25% + {second} 75%"


def test_missing_packages_are_reported_before_any_work(monkeypatch):
    monkeypatch.setattr(front_end, "find_spec", lambda name: None)
    synthesizer = Synthesizer("starter")
    events: list[Event] = []
    with pytest.raises(MissingLanguage, match="Japanese needs packages"):
        list(synthesizer.synthesize(SpeechRequest("はい", MALE, language="ja"), events.append))
    assert events == []


WORDS = [
    "the",
    "fox,",
    "ran",
    "over.",
    "a",
    "hill!",
    "and",
    "then;",
    "slept",
    "in",
    "sun?",
    "12",
    "dogs\n\n",
    "saw",
    "it:",
]


@settings(max_examples=4)
@given(words=st.lists(st.sampled_from(WORDS), min_size=20, max_size=50), seed=st.integers(0, 9))
def test_the_speech_is_every_utterance_once_and_in_order(starter, words, seed):
    events: list[Event] = []
    text = " ".join(words)
    chunks = list(starter.synthesize(SpeechRequest(text, starter.voices()[0].name, seed=seed), events.append))
    speech = np.concatenate([chunk.samples for chunk in chunks])
    made = [event.arrays["audio"][0] for event in events if isinstance(event, StageEvent) and "audio" in event.arrays]
    margin = round(KEPT_SILENCE_SECONDS * starter.sample_rate_hz)
    at = 0
    for chunk, raw in zip(chunks, made, strict=True):
        finished = finish_utterance(Speech(raw, np.zeros(1, np.int64)), starter.sample_rate_hz).samples
        end = at + len(finished)
        assert np.array_equal(speech[at + margin : end - margin], finished[margin:-margin])
        pause = round(chunk.utterance.pause_seconds * starter.sample_rate_hz)
        assert not speech[end : end + pause].any()
        at = end + pause if pause else end - margin
    assert at + margin == len(speech)
    covered = "".join(text[chunk.utterance.start : chunk.utterance.end] for chunk in chunks)
    assert "".join(covered.split()) == "".join(text.split())


@settings(max_examples=6)
@given(
    words=st.lists(st.sampled_from([*WORDS, "$45.67", "😀", "[to](/tˈu/)"]), min_size=5, max_size=40),
    speed=st.floats(0.5, 2.0),
    scale=st.floats(0, 3),
)
def test_words_play_one_after_the_other_within_their_chunks(starter, words, speed, scale):
    text = " ".join(words)
    heard: list[SpokenWord] = []
    for chunk in starter.synthesize(SpeechRequest(text, FEMALE, speed, pause_scale=scale)):
        assert [(word.start, word.end) for word in chunk.words] == [(w.start, w.end) for w in chunk.utterance.words]
        edges = [edge for word in chunk.words for edge in (word.start_sample, word.end_sample)]
        assert edges == sorted(edges)
        assert 0 <= edges[0] <= edges[-1] <= len(chunk.samples)
        for word in chunk.words:
            sounds = [edge for phoneme in word.phonemes for edge in (phoneme.start_sample, phoneme.end_sample)]
            assert sounds == sorted(sounds)
            assert (sounds[0], sounds[-1]) == (word.start_sample, word.end_sample)
        heard += chunk.words
    lit = "".join(text[word.start : word.end] for word in heard)
    assert lit == "".join(word.strip(",.!;?:\n") for word in words)  # an utterance may end inside “$45.67”


def test_words_do_not_drift_when_pauses_grow(starter):
    """At its time, each word has the same audio as in speech with unchanged pauses."""

    def sounds(scale: float) -> list[np.ndarray]:
        request = SpeechRequest("Come here, please. " * 12, FEMALE, pause_scale=scale)
        return [
            chunk.samples[word.start_sample : word.end_sample]
            for chunk in starter.synthesize(request)
            for word in chunk.words
        ]

    def loudest(sound: np.ndarray) -> np.ndarray:
        peak = int(np.abs(sound).argmax())
        return sound[peak - LOUDEST_SAMPLES : peak + LOUDEST_SAMPLES]

    pairs = list(zip(sounds(1.0), sounds(3.0), strict=True))
    assert len(pairs) == 36
    for one, other in pairs:
        assert len(other) >= len(one)
        assert len(loudest(one)) == 2 * LOUDEST_SAMPLES
        assert np.array_equal(loudest(one), loudest(other))
        if len(one) == len(other):
            middle = slice(len(one) // 4, -len(one) // 4)
            assert np.array_equal(one[middle], other[middle])


def test_directions_in_the_text_take_effect(starter):
    wrong = f"{MALE[:-1]}x"
    text = f"Come here. [pause 1.5s] [voice:{MALE}] Come here. [voice:{wrong}] Come here."
    events: list[Event] = []
    first, second, third = starter.synthesize(SpeechRequest(text, FEMALE), events.append)
    (alone,) = starter.synthesize(SpeechRequest("Come here.", FEMALE))
    assert first.seconds == pytest.approx(alone.seconds + 1.44, abs=0.001)
    assert not first.samples[len(alone.samples) :].any()
    assert np.array_equal(first.samples[: len(alone.samples)], alone.samples)
    assert [chunk.utterance.voice for chunk in (second, third)] == [MALE, MALE]
    (male,) = starter.synthesize(SpeechRequest("Come here.", MALE))
    assert len(third.samples) == len(male.samples)
    (notice,) = next(event.plan.notices for event in events if isinstance(event, PlanEvent))
    assert notice.message == f"Unknown voice “{wrong}”. Did you mean “{MALE}”? The voice doesn’t change."
    assert text[notice.start : notice.end] == f"[voice:{wrong}]"


def test_tags_change_only_their_sentence(starter):
    plain, tagged = "Come here now. [pause 1s] Go away.", "Come here [rise]now. [pause 1s] Go away."
    first, second = both = [chunk.samples for chunk in starter.synthesize(SpeechRequest(plain, FEMALE))]
    rising = list(starter.synthesize(SpeechRequest(tagged, FEMALE)))
    assert not np.array_equal(rising[0].samples, first)
    assert np.array_equal(rising[1].samples, second)
    assert [tagged[word.start : word.end] for word in rising[0].words] == ["Come", "here", "now"]
    again = [chunk.samples for chunk in starter.synthesize(SpeechRequest(plain, FEMALE))]
    ignored = [chunk.samples for chunk in starter.synthesize(SpeechRequest(f"[slow]{plain}", FEMALE))]
    for one, two, three in zip(both, again, ignored, strict=True):
        assert np.array_equal(one, two)
        assert np.array_equal(one, three)


def test_a_part_has_the_presets_that_begin_before_it(starter):
    text = "[slow]Come here. Go away.[/slow]"
    start = text.index("Go")
    (chunk,) = starter.synthesize(SpeechRequest(text, FEMALE, start=start))
    (slow,) = starter.synthesize(SpeechRequest("[slow]Go away.[/slow]", FEMALE))
    assert np.array_equal(chunk.samples, slow.samples)
    (usual,) = starter.synthesize(SpeechRequest("Go away.", FEMALE))
    assert len(slow.samples) > len(usual.samples)


def test_an_edit_leaves_the_tags_of_other_sentences_alone(starter):
    text = "[slow]Come here. [pause 1s] Go away.[/slow]"
    request = SpeechRequest(text, FEMALE)
    *_, plan = starter.plans(request)
    edit = UtteranceEdit(plan.utterances[0].start, plan.utterances[0].phonemes, changes=(PhonemeEdit(0, frames=9),))
    tagged = list(starter.synthesize(request))
    edited = list(starter.synthesize(replace(request, edits=(edit,))))
    part = list(starter.synthesize(replace(request, edits=(edit,), start=text.index("here"))))
    assert not np.array_equal(edited[0].samples, tagged[0].samples)
    assert np.array_equal(edited[1].samples, tagged[1].samples)
    assert [chunk.utterance.presets for chunk in edited] == [(), plan.utterances[1].presets]
    assert [text[word.start : word.end] for word in part[0].words] == ["here"]
    assert np.array_equal(part[1].samples, tagged[1].samples)


def test_a_part_is_spoken_by_the_voice_named_before_it(starter):
    text = f"One. [voice:{MALE}] Two. Come here."
    start = text.index("Come")
    (chunk,) = starter.synthesize(SpeechRequest(text, FEMALE, start=start))
    (male,) = starter.synthesize(SpeechRequest("Come here.", MALE))
    assert np.array_equal(chunk.samples, male.samples)
    assert [text[word.start : word.end] for word in chunk.words] == ["Come", "here"]


def test_missing_packages_of_an_inline_voice_are_reported_before_any_work(monkeypatch):
    synthesizer = Synthesizer("starter")
    female = open_checkpoint("starter").voices[FEMALE]
    foreign = replace(female, info=replace(female.info, language="ja"))
    monkeypatch.setattr(SavedVoices, "choose", lambda _, name, voices: ({FEMALE: female, "jf": foreign}[name], ()))
    monkeypatch.setattr(front_end, "find_spec", lambda name: None)
    events: list[Event] = []
    with pytest.raises(MissingLanguage, match="Japanese needs packages"):
        list(synthesizer.synthesize(SpeechRequest("Hello. [voice:jf] Hello.", FEMALE), events.append))
    assert events == []


def test_pauses_between_and_inside_utterances_grow_with_their_scale(starter):
    text = "The first sentence is short. The second one is short too. And there is a third one, which is longer."

    def seconds(scale: float) -> float:
        request = SpeechRequest(text, starter.voices()[0].name, pause_scale=scale)
        return sum(chunk.seconds for chunk in starter.synthesize(request))

    short, normal, long = (seconds(scale) for scale in (0.0, 1.0, 3.0))
    assert short < normal - 0.2
    assert long > normal + 0.5


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        (
            r"Choose a speed from 0\.5",
            [{"speed": speed} for speed in (0.0, -1.0, 0.49, 2.01, math.nan, math.inf)],
        ),
        ("from 0", [{"pause_scale": scale} for scale in (-0.1, 3.1, math.nan, math.inf)]),
        ("range", [{"start": -1}, {"start": 7}, {"start": 3, "end": 2}, {"end": 7}]),
        ("negative", [{"seed": -1}]),
    ],
)
def test_out_of_range_values_are_refused(words, wrong):
    for values in wrong:
        with pytest.raises(InvalidRequest, match=words):
            check_request(SpeechRequest("Hello.", "any", **values))


@pytest.mark.parametrize("text", ["", "   \n\t ", "\u200b"])
def test_blank_text_is_refused(starter, text):
    with pytest.raises(NothingToSpeak):
        spoken(starter, text)


def test_an_unknown_voice_is_refused_before_any_work():
    with pytest.raises(UnknownVoice):
        list(Synthesizer("starter").synthesize(SpeechRequest("Hello.", "af_nobody")))


def test_an_unknown_device_is_refused():
    with pytest.raises(InvalidRequest, match="Use one of: auto, cpu"):
        Synthesizer("starter", device="quantum")


def test_the_synthesizer_uses_the_requested_number_of_threads(starter):
    synthesizer = Synthesizer(threads=1)
    counts: list[int] = []

    def speak_and_count() -> None:
        """Speak in a separate thread, which has its own compute threads."""
        import tvm_ffi

        samples = spoken(synthesizer, "Good morning.")
        counts.append(tvm_ffi.get_global_func("runtime.NumThreads")())
        np.testing.assert_allclose(samples, expected, atol=1e-4)

    expected = spoken(starter, "Good morning.")
    with ThreadPoolExecutor(1) as pool:
        pool.submit(speak_and_count).result()
    synthesizer.close()
    assert counts == [1]


def test_a_closed_synthesizer_opens_again():
    synthesizer = Synthesizer("starter")
    synthesizer.prepare()
    synthesizer.close()
    assert len(spoken(synthesizer, "Again.")) > 0
    synthesizer.close()


PARAGRAPHS = (
    "One day a fox ran over the hill.\nThe dog was {} when the fox came by.\nThen it was night, and all was quiet."
)


def test_an_edit_recomputes_only_changed_utterances_and_yields_the_same_samples(starter, tmp_path):
    keeping = Synthesizer("starter", kept=SpeechCache(tmp_path))

    def made(text: str) -> tuple[list[int], np.ndarray]:
        """Return the numbers of the utterances that the model computed, and the speech."""
        events: list[Event] = []
        chunks = list(keeping.synthesize(SpeechRequest(text, keeping.voices()[0].name), events.append))
        numbers = [event.utterance_index for event in events if isinstance(event, StageEvent)]
        return sorted(set(numbers)), np.concatenate([chunk.samples for chunk in chunks])

    assert made(PARAGRAPHS.format("asleep"))[0] == [0, 1, 2]
    remade, edited = made(PARAGRAPHS.format("awake and hungry"))
    assert remade == [1]
    np.testing.assert_array_equal(edited, spoken(starter, PARAGRAPHS.format("awake and hungry")))
    further = f"A new beginning is here now.\n{PARAGRAPHS.format('asleep')}"
    remade, longer = made(further)
    assert remade == [0]
    np.testing.assert_array_equal(longer, spoken(starter, further))
    keeping.close()


def test_a_lexicon_entry_affects_the_next_request_and_recomputes_only_its_utterances(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    keeping, events = Synthesizer("starter", kept=SpeechCache(tmp_path / "speech")), list[Event]()
    request = SpeechRequest(PARAGRAPHS.format("asleep"), keeping.voices()[0].name)
    list(keeping.synthesize(request))
    UserLexicon().add([LexiconEntry("asleep", phonemes="zˈɔɹɡ")])
    list(keeping.synthesize(request, events.append))
    assert {event.utterance_index for event in events if isinstance(event, StageEvent)} == {1}
    *_, plan = keeping.plans(request)
    assert "zˈɔɹɡ" in plan.utterances[1].phonemes
    UserLexicon().remove("asleep")
    list(keeping.synthesize(request, events.clear() or events.append))
    assert not [event for event in events if isinstance(event, StageEvent)]
    keeping.close()


@pytest.mark.parametrize("number", [math.nan, math.inf])
def test_non_finite_audio_is_neither_returned_nor_cached(starter, tmp_path, monkeypatch, number):
    speak = FallbackSpeaker.speak

    def spoilt(*arguments: Any) -> Speech:
        speech = speak(*arguments)
        return replace(speech, samples=np.where(np.arange(len(speech.samples)) == 9, number, speech.samples))

    monkeypatch.setattr(FallbackSpeaker, "speak", spoilt)
    for synthesizer in (starter, Synthesizer("starter", kept=SpeechCache(tmp_path))):
        with pytest.raises(
            DamagedFile, match=f"cached weights are probably corrupted. Delete {packed_weights_folder()}"
        ):
            spoken(synthesizer, "Hello.")
    assert not list(tmp_path.iterdir())


def test_other_pauses_need_no_new_making(tmp_path):
    keeping = Synthesizer("starter", kept=SpeechCache(tmp_path))
    request = SpeechRequest(TEXT, FEMALE)
    list(keeping.synthesize(request))
    events: list[Event] = []
    longer = replace(request, pause_scale=3.0)
    chunks = list(keeping.synthesize(longer, events.append))
    assert not any(isinstance(event, StageEvent) for event in events)
    anew = list(Synthesizer("starter").synthesize(longer))
    np.testing.assert_array_equal(*(np.concatenate([chunk.samples for chunk in each]) for each in (chunks, anew)))


def test_a_spoken_part_of_the_text_retains_its_offsets(starter):
    text = "🙂 The first one. The second sentence is this. And the last one has an emoji 🙂 too."
    start, end = text.index("The second"), text.index(" And")
    voice = starter.voices()[0].name
    events: list[Event] = []
    chunks = list(starter.synthesize(SpeechRequest(text, voice, start=start, end=end), events.append))
    assert "".join(text[chunk.utterance.start : chunk.utterance.end] for chunk in chunks) == text[start:end]
    assert next(event.plan for event in events if isinstance(event, PlanEvent)).utterances == (chunks[0].utterance,)
    np.testing.assert_array_equal(chunks[0].samples, spoken(starter, text[start:end]))
    last = list(starter.synthesize(SpeechRequest(text, voice, start=end), events.append))[-1]
    assert text[last.utterance.start : last.utterance.end].endswith("🙂 too.")


def test_many_requests_leave_no_memory_behind(starter):
    texts = ("Yes.", "Come in.", "It is two o'clock now.", "Read this.")

    def speak(requests: range) -> int:
        for number in requests:
            spoken(starter, texts[number % len(texts)], speed=2.0, seed=number)
        gc.collect()  # also from earlier tests
        give_back_freed_memory()  # freed memory would hide a leak
        return private_bytes()

    speak(range(20))  # which may also give back memory of earlier tests
    held = [speak(range(first, first + 20)) for first in (20, 40, 60)]
    min_growth = min(after - before for before, after in pairwise(held))  # a leak is in each, a stray page in one
    assert min_growth < 0.5e6  # the audio of twenty requests alone is 1 MB


def test_students_are_used_instead_of_the_lstms():
    request = SpeechRequest("Hello there.", MALE)
    with students_installed():
        taught = Synthesizer(prosody=Prosody.TRANSFORMER)
        stages: list[str] = []
        first, second = (
            list(taught.synthesize(request, lambda e: stages.append(e.stage) if isinstance(e, StageEvent) else None))
            for _ in range(2)
        )
        assert stages == 2 * list(STAGE_NAMES)
        assert np.array_equal(first[0].samples, second[0].samples)
        assert np.isfinite(first[0].samples).all()
        assert taught.fingerprint(request.voice) != Synthesizer().fingerprint(request.voice)
        assert is_ready("starter", "cpu", prosody=Prosody.TRANSFORMER)
        taught.close()


def test_the_fingerprint_depends_on_the_packs_of_a_voice(monkeypatch):
    female, male = (open_checkpoint().voices[name] for name in (FEMALE, MALE))
    voices = FEMALE, MALE, f"{FEMALE}+{MALE}"
    before = {voice: Synthesizer().fingerprint(voice) for voice in voices}
    assert before == {voice: Synthesizer().fingerprint(voice) for voice in voices}
    other = replace(open_checkpoint(), voices={FEMALE: replace(female, table=male.table), MALE: male})
    monkeypatch.setattr("engine.runtime.synthesizer.open_with", lambda *_: other)
    after = {voice: Synthesizer().fingerprint(voice) for voice in voices}
    assert {voice for voice in voices if before[voice] != after[voice]} == {voices[0], voices[2]}


def test_cached_student_audio_is_not_reused_for_the_lstms(starter, tmp_path):
    request = SpeechRequest("Hello there.", MALE)
    with students_installed():
        taught = Synthesizer(kept=SpeechCache(tmp_path), prosody=Prosody.TRANSFORMER)
        (theirs,) = taught.synthesize(request)
        taught.close()
    (ours,) = Synthesizer(kept=SpeechCache(tmp_path)).synthesize(request)
    assert not np.array_equal(ours.samples, theirs.samples)


def test_students_that_are_not_there_are_missed_before_anything_is_loaded():
    with pytest.raises(MissingModel, match=r"No Transformer .* installed for starter"):
        Synthesizer(prosody=Prosody.TRANSFORMER).prepare()

"""Tests of text in every regime: the events, their order, and the conclusion."""

import threading
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Canceled, EngineError, InvalidRequest, UnknownVoice
from engine.speech import Plan, PlanEvent, SpeechRequest, Utterance
from engine.stages import STAGE_NAMES
from engine.text.g2p.user_lexicon.entries import LexiconEntry
from engine.text.g2p.user_lexicon.store import UserLexicon
from engine.validator.data.results import (
    AlignmentEvent,
    FinishedEvent,
    InputSource,
    Regime,
    Report,
    Row,
    RowEvent,
    ValidationEvent,
    ValidationRequest,
    Verdict,
)
from engine.validator.runs.arrays import ArrayFolder
from engine.validator.runs.utterance_scheduler import Listener, UtteranceScheduler
from engine.validator.runs.validation import Validator
from tests.starter_voices import FEMALE, MALE

TEXT = "Hello there.\n\nGood morning."


def asked(text: str = TEXT, voice: str = MALE, **options: object) -> ValidationRequest:
    return ValidationRequest(SpeechRequest(text, voice), **{"padding": 3.0, **options})


@pytest.fixture(scope="module")
def validator() -> Iterator[Validator]:
    made = Validator()
    yield made
    made.close()


@pytest.fixture(scope="module")
def report(validator: Validator) -> Report:
    return validator.validate(asked())


def test_the_compiled_model_is_within_tolerance(report: Report) -> None:
    assert report.passed
    assert report.request.device == "auto"
    assert report.device_choice.startswith(("cpu (", "metal ("))
    assert report.lstm_choice.startswith(("tir (", "mps ("))
    verdicts = {row.verdict for row in report.rows if row.regime == Regime.COMPILED}
    assert verdicts == {Verdict.PASS}


def test_the_compiled_waveform_is_closer_to_the_reference_than_upstream(report: Report) -> None:
    def distance(regime: Regime) -> float:
        (row,) = [
            row
            for row in report.rows
            if row.output == "audio"
            and row.regime == regime
            and row.reading is InputSource.END_TO_END
            and row.utterance == 0
        ]
        return row.metrics.relative_l2

    assert distance(Regime.COMPILED) < distance(Regime.UPSTREAM)


def test_without_packing_the_first_stage_where_it_matters_is_named(report: Report) -> None:
    (finding,) = [finding for finding in report.findings if finding.regime == Regime.STATIC_NO_PACK]
    assert finding.stage == "duration"
    assert "packing matters" in finding.words
    correlations = [
        row.metrics.pearson
        for row in report.rows
        if row.regime == Regime.STATIC_NO_PACK and row.stage == "text_encoder" and row.metrics
    ]
    assert min(correlations) < 0.99


def test_every_regime_reading_stage_and_utterance_has_its_rows(report: Report) -> None:
    for regime in set(report.request.regimes) - {Regime.DYNAMIC}:
        for reading in (InputSource.ISOLATED, InputSource.END_TO_END):
            for utterance in range(2):
                stages = [
                    row.stage
                    for row in report.rows
                    if (row.regime, row.reading, row.utterance) == (regime, reading, utterance)
                ]
                assert tuple(dict.fromkeys(stages)) == STAGE_NAMES


def test_rows_come_stage_by_stage_between_plan_and_end(validator: Validator) -> None:
    events: list[ValidationEvent] = []
    report = validator.validate(asked(regimes=(Regime.COMPILED,)), events.append)
    assert isinstance(events[0], PlanEvent)
    assert events[-1] == FinishedEvent(report)
    rows = [event.row for event in events if isinstance(event, RowEvent)]
    assert tuple(rows) == report.rows
    alignments = [event for event in events if isinstance(event, AlignmentEvent)]
    assert [alignment.utterance for alignment in alignments] == [0, 1]
    assert all(min(alignment.frames_per_token) >= 1 for alignment in alignments)


def test_the_same_request_gives_the_same_numbers(validator: Validator, report: Report) -> None:
    regimes = (Regime.STATIC_NO_PACK, Regime.COMPILED)

    def numbers(report: Report) -> list[object]:
        rows = [row for row in report.rows if row.regime in regimes]
        return [(row.stage, row.regime, row.reading, row.metrics, row.audio, row.profile) for row in rows]

    assert numbers(validator.validate(asked(regimes=regimes))) == numbers(report)


def test_any_regime_can_be_the_reference(validator: Validator) -> None:
    request = asked(regimes=(Regime.COMPILED,), reference=Regime.STATIC_PACKED)
    report = validator.validate(request)
    assert report.passed
    assert {row.reference for row in report.rows} == {"static-packed"}


def test_stages_can_be_crossed(validator: Validator) -> None:
    request = asked(regimes=(Regime.COMPILED,), cross=(("text_encoder", Regime.STATIC_NO_PACK),))
    report = validator.validate(request)
    assert [(finding.regime, finding.stage) for finding in report.findings] == [
        ("compiled+text_encoder=static-no-pack", "text_encoder")
    ]
    later = [row for row in report.rows if row.stage == "decoder" and "+" in row.regime]
    assert {row.verdict for row in later if row.reading is InputSource.END_TO_END} == {Verdict.INHERITED}
    assert {row.verdict for row in later if row.reading is InputSource.ISOLATED} == {Verdict.PASS}


def test_every_compared_array_is_saved_on_request(validator: Validator, tmp_path: Path) -> None:
    report = validator.validate(asked(regimes=(Regime.COMPILED,), arrays_folder=str(tmp_path)))
    kept = ArrayFolder(tmp_path)
    for row in report.rows:
        assert kept.holds(row.utterance, row.regime, row.reading, row.output)
        assert kept.holds(row.utterance, row.reference, InputSource.END_TO_END, row.output)


def test_a_cancel_takes_effect_between_stages(validator: Validator) -> None:
    cancel = threading.Event()
    with pytest.raises(Canceled):
        validator.validate(asked(), lambda event: cancel.set() if isinstance(event, RowEvent) else None, cancel)


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        (asked(voice="am_nobody"), UnknownVoice),
        (asked(""), InvalidRequest),
        (asked(regimes=(Regime.DYNAMIC,)), InvalidRequest),
        (asked(model="kokoro-83m"), InvalidRequest),
        (asked(device="abacus"), InvalidRequest),
    ],
)
def test_a_mistake_is_reported_before_any_work(
    validator: Validator, request_: ValidationRequest, error: type[Exception]
) -> None:
    with pytest.raises(error):
        validator.validate(request_)


def test_phonemes_are_spoken_as_they_are_given(validator: Validator) -> None:
    events: list[ValidationEvent] = []
    report = validator.validate(asked("", phonemes="həlˈO."), events.append)
    assert [utterance.phonemes for utterance in report.utterances] == ["həlˈO."]
    (plan,) = [event.plan for event in events if isinstance(event, PlanEvent)]
    assert plan.utterances == report.utterances
    assert {row.stage for row in report.rows} == set(STAGE_NAMES)


@pytest.mark.parametrize(("phonemes", "words"), [("hə7", "no symbol “7”"), ("a" * 600, "600 phonemes are too many")])
def test_phonemes_that_the_model_cannot_speak_are_refused(validator: Validator, phonemes: str, words: str) -> None:
    with pytest.raises(InvalidRequest, match=words) as caught:
        validator.validate(asked("", phonemes=phonemes))
    assert caught.value.hint


def test_crossed_stages_have_activations_and_leave_none_to_others() -> None:
    """A single stage is left to the compiled model, because its module with activations is built."""
    crossed = ("bert", "duration", "f0n", "decoder")
    mixed = asked(
        "Hello.",
        regimes=(Regime.STATIC_PACKED,),
        probes=True,
        cross=tuple((stage, Regime.DYNAMIC) for stage in crossed),
    )
    with closing(Validator()) as validator:
        rows = validator.validate(replace(mixed, padding=0.0)).rows
    inner = {(row.regime, row.stage) for row in rows if row.probe}
    name = "+".join(["compiled", *(f"{stage}=dynamic" for stage in crossed)])
    assert {(name, "decoder"), (name, "text_encoder")} <= inner
    assert (Regime.STATIC_PACKED, "decoder") in inner
    plain = {row.output for row in rows if row.probe and row.stage == "decoder" and row.regime == Regime.STATIC_PACKED}
    mixed_outputs = {row.output for row in rows if row.probe and row.stage == "decoder" and "+" in row.regime}
    assert mixed_outputs == plain


def test_a_model_that_is_exchanged_meanwhile_ends_it(validator: Validator, monkeypatch: pytest.MonkeyPatch) -> None:
    events: list[ValidationEvent] = []

    def exchange(event: ValidationEvent) -> None:
        events.append(event)
        if isinstance(event, RowEvent):
            monkeypatch.setattr("engine.validator.runs.validation.model_stamp", lambda model, weights: "other file")

    with pytest.raises(EngineError, match="The model starter was replaced"):
        validator.validate(asked(regimes=(Regime.UPSTREAM,)), exchange)
    assert sum(isinstance(event, RowEvent) for event in events) == 1


def test_a_replaced_model_is_loaded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(Validator()) as validator:
        before = validator.prepare(asked())
        assert validator.prepare(asked()) is before
        monkeypatch.setattr("engine.validator.runs.validation.model_stamp", lambda model, weights: "other file")
        assert validator.prepare(asked()) is not before


def test_parts_voices_and_pauses_are_those_that_are_spoken(validator: Validator) -> None:
    text = f"Not this. Hello there. [voice:{FEMALE}] [pause 1s] Good morning."
    speech = SpeechRequest(text, MALE, start=text.index("Hello"))
    plan = next(event.plan for event in _events_of(validator, speech) if isinstance(event, PlanEvent))
    assert [each.voice for each in plan.utterances] == ["", FEMALE]
    assert [text[each.start : each.end] for each in plan.utterances] == ["Hello there.", "Good morning."]


def test_words_of_the_lexicon_are_spoken_as_it_says(
    validator: Validator, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    UserLexicon().add([LexiconEntry("Hello", phonemes="zˈɔɹɡ")])
    events = _events_of(validator, SpeechRequest("Hello there.", MALE))
    plan = next(event.plan for event in events if isinstance(event, PlanEvent))
    assert plan.utterances[0].phonemes.startswith("zˈɔɹɡ ")


def test_the_report_follows_text_order_regardless_of_playback_order(validator: Validator) -> None:
    request = asked(regimes=(Regime.UPSTREAM,))
    events: list[ValidationEvent] = []
    report = validator.validate(request, events.append, listener=Listener(TEXT.index("Good")))
    assert next(event.row.utterance for event in events if isinstance(event, RowEvent)) == 1
    assert without_times(report.rows) == without_times(validator.validate(request).rows)
    assert [each.index for each in report.utterances] == [0, 1]


def without_times(rows: Iterable[Row]) -> list[Row]:
    return [replace(row, seconds=None, reference_seconds=None) for row in rows]


def _events_of(validator: Validator, speech: SpeechRequest) -> list[ValidationEvent]:
    events: list[ValidationEvent] = []
    validator.validate(ValidationRequest(speech, regimes=(Regime.UPSTREAM,)), events.append)
    return events


CHARACTERS = 10


def utterances(count: int) -> tuple[Utterance, ...]:
    return tuple(
        Utterance(index, "x" * CHARACTERS, "a", index * CHARACTERS, (index + 1) * CHARACTERS) for index in range(count)
    )


def plans(*counts: int) -> Iterator[Plan]:
    for count in counts:
        yield Plan(utterances(count), (), (counts[-1] - count) * CHARACTERS)


def agenda_of(listener: Listener, *counts: int) -> tuple[UtteranceScheduler, list[PlanEvent]]:
    told: list[PlanEvent] = []
    return UtteranceScheduler(plans(*counts), told.append, listener), told


def test_the_played_utterance_comes_next_then_following_then_skipped_ones() -> None:
    listener = Listener()
    taken = iter(agenda_of(listener, 6)[0])
    assert next(taken).index == 0
    listener.character = 3 * CHARACTERS + 4
    assert [next(taken).index for _ in range(3)] == [3, 4, 5]
    assert [each.index for each in taken] == [1, 2]


def test_the_plan_grows_only_as_needed() -> None:
    listener = Listener()
    agenda, told = agenda_of(listener, 2, 4, 8, 16)
    assert len(told) == 1
    taken = iter(agenda)
    next(taken)
    assert len(told) == 1
    next(taken)
    assert len(told) == 2


def test_a_place_beyond_the_plan_is_planned_for() -> None:
    listener = Listener(15 * CHARACTERS)
    agenda, told = agenda_of(listener, 2, 4, 8, 16)
    assert next(iter(agenda)).index == 15
    assert told[-1].plan.whole


@given(st.lists(st.integers(1, 30), min_size=1, max_size=4), st.lists(st.none() | st.integers(-5, 400)))
def test_everything_has_its_turn_once_wherever_the_listener_goes(counts: list[int], places: list[int | None]) -> None:
    listener = Listener()
    counts = sorted(set(counts))
    taken = []
    for each in agenda_of(listener, *counts)[0]:
        taken.append(each.index)
        listener.character = places.pop() if places else listener.character
    assert sorted(taken) == list(range(counts[-1]))

"""Tests of failures reduced, and run again from a file; a separate test reduces every fault that can be injected."""

import math
import threading
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from engine.errors import Canceled, DamagedFile, InvalidRequest
from engine.runtime.pipeline import initial_values
from engine.speech import Array, PhonemeEdit, SpeechRequest, Style, UtteranceEdit
from engine.stages import stage_named
from engine.validator.cases.case import FailingCase, load_case, save_case
from engine.validator.cases.case_run import run_case
from engine.validator.cases.reduction import Reduction, failing_case, failure_in, reduce_failure
from engine.validator.cases.stage_trial import StageTrials, only
from engine.validator.data.results import Regime, Report, ValidationRequest
from engine.validator.runs.validation import Validator, ignore
from tests.starter_voices import MALE

reduce_wholly = partial(reduce_failure, seconds=math.inf)
TEXT = "Hello there. Good evening to all."
NO_PACK = ValidationRequest(SpeechRequest(TEXT, MALE), regimes=(Regime.STATIC_NO_PACK,), padding=3.0)


@pytest.fixture(scope="module")
def validator() -> Iterator[Validator]:
    made = Validator()
    yield made
    made.close()


@pytest.fixture(scope="module")
def no_pack(validator: Validator) -> Report:
    return validator.validate(NO_PACK)


def test_an_unreduced_case_has_the_whole_utterance(validator: Validator, no_pack: Report) -> None:
    case: FailingCase = failing_case(validator, NO_PACK, no_pack, "f0n")
    assert case.facts.utterance == no_pack.utterances[case.facts.row.utterance]
    assert case.facts.steps == ()
    assert case.facts.row.metrics is not None
    found = next(row for row in no_pack.rows if (row.stage, row.output) == ("f0n", case.facts.row.output))
    assert case.facts.row.metrics == found.metrics


def test_a_failure_with_edits_is_reduced_without_them(validator: Validator, no_pack: Report) -> None:
    """Edits fit only the whole utterance: a part of it has fewer phonemes."""
    edits = tuple(
        UtteranceEdit(each.start, each.phonemes, changes=(PhonemeEdit(len(each.phonemes) - 1, frames=9),))
        for each in no_pack.utterances
    )
    request = replace(NO_PACK, speech=replace(NO_PACK.speech, edits=edits))
    report = validator.validate(request)
    assert [each.edit for each in report.utterances] == list(edits)
    assert failing_case(validator, request, report, "f0n").facts.utterance.edit in edits
    facts = reduce_wholly(validator, request, report, "f0n").case.facts
    assert len(facts.utterance.phonemes) < min(len(each.phonemes) for each in no_pack.utterances)
    assert facts.utterance.edit is None


def test_without_time_the_case_is_whole_and_said_to_be_cut_short(validator: Validator, no_pack: Report) -> None:
    reduction: Reduction = reduce_failure(validator, NO_PACK, no_pack, seconds=0)
    assert not reduction.complete
    assert reduction.tries == 0
    assert len(reduction.case.facts.utterance.phonemes) == reduction.original_phonemes


def test_it_can_be_stopped(validator: Validator, no_pack: Report) -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Canceled):
        reduce_failure(validator, NO_PACK, no_pack, cancel=cancel)


def test_the_first_stage_of_the_shortest_utterance_is_reduced(no_pack: Report) -> None:
    row = failure_in(no_pack)
    assert row.stage == "duration"
    shortest = min(no_pack.utterances, key=lambda utterance: len(utterance.phonemes))
    assert len(no_pack.utterances) == 1 or row.utterance == shortest.index


def test_a_stage_that_is_right_has_nothing_to_reduce(validator: Validator, no_pack: Report) -> None:
    assert failure_in(no_pack, "bert") is None
    with pytest.raises(InvalidRequest, match=r"stage bert .*wrong by itself"):
        reduce_failure(validator, NO_PACK, no_pack, "bert")
    with pytest.raises(InvalidRequest, match="Unknown stage"):
        failure_in(no_pack, "nonsense")


@pytest.mark.parametrize(
    ("name", "value"),
    [("frame_token", 9999), ("frame_token", -1), ("frame_count", 0), ("frame_count", 9999)],
)
def test_a_case_with_places_out_of_range_is_not_run(
    validator: Validator, no_pack: Report, tmp_path: Path, name: str, value: int
) -> None:
    case = failing_case(validator, NO_PACK, no_pack, "f0n")
    wrong = {**case.inputs, name: np.full_like(case.inputs[name], value)}
    save_case(tmp_path / "case.safetensors", replace(case, inputs=wrong))
    with pytest.raises(DamagedFile, match="can’t be run"):
        run_case(validator, tmp_path / "case.safetensors")


def test_tokens_out_of_range_are_not_run(validator: Validator, no_pack: Report, tmp_path: Path) -> None:
    case = failing_case(validator, NO_PACK, no_pack, "text_encoder")
    for tokens in (np.full_like(case.inputs["tokens"], 10**6), case.inputs["tokens"][:, :-1]):
        save_case(tmp_path / "case.safetensors", replace(case, inputs={**case.inputs, "tokens": tokens}))
        with pytest.raises(DamagedFile, match="can’t be run"):
            run_case(validator, tmp_path / "case.safetensors")


def test_a_case_that_was_built_otherwise_says_so(validator: Validator, no_pack: Report, tmp_path: Path) -> None:
    case = failing_case(validator, NO_PACK, no_pack)
    facts = replace(case.facts, build={**case.facts.build, "torch": "1.0"})
    save_case(tmp_path / "case.safetensors", replace(case, facts=facts))
    assert load_case(tmp_path / "case.safetensors").facts.build["torch"] == "1.0"
    run = run_case(validator, tmp_path / "case.safetensors")
    assert run.fails
    (difference,) = (words for words in run.built_otherwise if words.startswith("torch"))
    assert difference.endswith("then 1.0")


PHONEMES = "həlˈO"
REQUEST = ValidationRequest(
    SpeechRequest("Hello", MALE), regimes=(Regime.STATIC_PACKED, Regime.STATIC_NO_PACK), padding=2.0
)


def trials_of(validator: Validator, regime: str, stage: str = "text_encoder") -> StageTrials:
    return StageTrials(validator.prepare(REQUEST), REQUEST, regime, stage_named(stage), ignore)


def inputs_of(validator: Validator) -> dict[str, Array]:
    config = validator.prepare(REQUEST).checkpoint.config
    style = Style(np.zeros(config.style_dim, np.float32), np.zeros(config.style_dim, np.float32))
    values = initial_values(config, PHONEMES, style, 1.0)
    return {name: values[name] for name in ("tokens", "token_count")}


def test_a_wrong_stage_fails_and_is_witnessed(validator: Validator) -> None:
    trials = trials_of(validator, Regime.STATIC_NO_PACK)
    trial = trials.on_inputs(inputs_of(validator))
    assert trial.fails
    assert trials.witnessed(trial)
    elements = trial.elements()
    assert elements.first is not None
    assert trial.worst.output == "phoneme_features"


def test_only_regimes_that_are_compared_can_be_tried(validator: Validator) -> None:
    with pytest.raises(InvalidRequest, match=r"“compiled” isn’t compared.*static-packed, static-no-pack"):
        trials_of(validator, Regime.COMPILED)


def test_a_request_is_narrowed_to_a_regime() -> None:
    mixed = ValidationRequest(REQUEST.speech, probes=True, arrays_folder="there", cross=(("bert", Regime.DYNAMIC),))
    alone = only(mixed, Regime.COMPILED)
    assert (alone.regimes, alone.cross, alone.probes, alone.arrays_folder) == ((Regime.COMPILED,), (), False, None)
    assert only(mixed, "compiled+bert=dynamic").cross == mixed.cross
    assert only(mixed, "compiled+bert=dynamic").regimes == ()

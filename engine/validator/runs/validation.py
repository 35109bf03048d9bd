"""Runs validation requests: every utterance of a text in every regime, with an event for each finished comparison."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import attrgetter

from engine.compiler.artifacts.manifest import Manifest
from engine.errors import EngineError, InvalidRequest
from engine.models.checkpoints import Checkpoint, model_stamp, open_checkpoint
from engine.models.voices.blends import SavedVoices
from engine.models.voices.packs import Voice
from engine.runtime.planning import check_request, directed, plans_of
from engine.speech import Plan, PlanEvent, Utterance
from engine.system.memory import keep_freed_memory
from engine.system.waiting import raise_if_set
from engine.text.g2p import Phonemizer
from engine.text.g2p.user_lexicon.store import UserLexicon
from engine.validator.data.results import (
    FinishedEvent,
    Regime,
    Report,
    Row,
    RowEvent,
    ValidationEvent,
    ValidationRequest,
)
from engine.validator.data.run_context import RunContext
from engine.validator.data.verdicts import findings
from engine.validator.runners.regimes import RegimeRunner, Regimes, check_choices, held_to, mixed_runner
from engine.validator.runs.arrays import ArrayFolder, array_limit_of
from engine.validator.runs.baseline_grader import BaselineGrader
from engine.validator.runs.comparison import Comparison
from engine.validator.runs.end_to_end_run import RegimeChain
from engine.validator.runs.golden import chosen
from engine.validator.runs.inner_values import InnerValues
from engine.validator.runs.utterance_scheduler import Listener, UtteranceScheduler
from engine.validator.runs.versions import circumstances_of, versions

ValidationObserver = Callable[[ValidationEvent], None]


def ignore(event: object) -> None:
    """Ignore the event."""


@dataclass(frozen=True)
class SpokenUtterance:
    """One utterance in one voice."""

    utterance: Utterance
    voice: Voice
    speed: float
    seed: int


class Validator:
    """Validates one request after the other; the model of the latest request stays loaded.

    Without `keep_profiles`, the rows of reports have none, which saves most memory on long texts; events have them.
    """

    def __init__(self, *, keep_profiles: bool = True) -> None:
        self._keep_profiles = keep_profiles
        self._regimes: Regimes | None = None
        self._opened: tuple[str, str | None, str, str] | None = None
        self._stamp = ""

    def validate(
        self,
        request: ValidationRequest,
        observe: ValidationObserver = ignore,
        cancel: threading.Event | None = None,
        listener: Listener | None = None,
    ) -> Report:
        """Speak the request's text in every regime; `observe` gets events as they happen, last a `FinishedEvent`.

        The utterance at the `listener`'s position is compared first; the report is in the order of the text
        nevertheless.

        Raises `InvalidRequest` children before any work, `Canceled` between stages once `cancel` is set, and
        `EngineError` if the model is replaced meanwhile.
        """
        spoken = spoken_of(self, request, observe, listener)
        return self.validate_utterances(request, spoken, observe, cancel)

    def validate_utterances(
        self,
        request: ValidationRequest,
        spoken: Iterable[SpokenUtterance],
        observe: ValidationObserver = ignore,
        cancel: threading.Event | None = None,
    ) -> Report:
        """Speak these utterances in every regime of the request, ignoring its text, voice, speed and seed.

        `observe` gets events as they happen, last a `FinishedEvent`. Raises `InvalidRequest` children before any work,
        `Canceled` between stages once `cancel` is set, `EngineError` if the model is replaced meanwhile.
        """
        regimes = self.prepare(request)
        comparison = _comparison(regimes, request, observe, cancel)
        circumstances = _circumstances(regimes, request)
        golden, describe_missing_golden = chosen(request, circumstances)
        grader, limit = BaselineGrader(golden), array_limit_of(request)
        rows: list[Row] = []
        compared: list[SpokenUtterance] = []
        for one in spoken:
            compared.append(one)
            for event in _events(comparison, one, grader, cancel):
                self._check_unchanged(request)
                observe(event)
                if isinstance(event, RowEvent):
                    limit.note(event.row)
                    rows.append(self._kept(event.row))
            limit.finish(one.utterance.index)
        if request.probes:
            inner = InnerValues(regimes, request, observe, cancel)
            for event in inner.rows(rows.copy(), lambda again: _events_of_all(again, compared, grader, cancel)):
                observe(event)
                rows.append(self._kept(event.row))
        rows.sort(key=attrgetter("utterance"))
        utterances = tuple(sorted((one.utterance for one in compared), key=attrgetter("index")))
        choices = regimes.lstm_choice, regimes.device_choice
        report = Report(request, utterances, tuple(rows), findings(rows), versions(), *choices, regimes.planted)
        report = replace(report, circumstances=circumstances, golden=grader.remark or describe_missing_golden)
        observe(FinishedEvent(report))
        return report

    def _kept(self, row: Row) -> Row:
        return row if self._keep_profiles else replace(row, profile=None)

    def prepare(self, request: ValidationRequest) -> Regimes:
        """Return the request's regimes; release those of an earlier request with a different model or settings."""
        check_choices(request)
        wanted = (request.model, request.weights, request.device, request.lstm_method)
        stamp = model_stamp(request.model, request.weights)
        if self._regimes is None or (self._opened, self._stamp) != (wanted, stamp):
            self.close()
            self._regimes = Regimes(open_checkpoint(*wanted[:2]), False, *wanted[2:])
            self._opened, self._stamp = wanted, stamp
        self._regimes.plant(request.fault)
        return self._regimes

    def _check_unchanged(self, request: ValidationRequest) -> None:
        if model_stamp(request.model, request.weights) != self._stamp:
            raise EngineError(
                f"The model {request.model} was replaced during the comparison; the first rows are of the old one.",
                "Compare again to see the new one.",
            )

    def close(self) -> None:
        """Release every model."""
        if self._regimes is not None:
            self._regimes.close()
        self._regimes = None


def spoken_of(
    validator: Validator,
    request: ValidationRequest,
    observe: ValidationObserver = ignore,
    listener: Listener | None = None,
) -> Iterator[SpokenUtterance]:
    """Yield the request's text in its voices, by utterance, from the `listener`'s position; or its phonemes.

    `observe` gets the plans. Raises `InvalidRequest` children before the first.
    """
    speech = request.speech
    if request.phonemes:
        return iter([_phonemes_of(validator, request, observe)])
    check_request(speech)
    checkpoint = validator.prepare(request).checkpoint
    script, voices = directed(speech, lambda name: SavedVoices().choose(name, checkpoint.voices)[0])
    lexicon = UserLexicon()
    planners = {name: phonemizer(checkpoint, voice, speech.language, lexicon) for name, voice in voices.items()}
    agenda = UtteranceScheduler(plans_of(speech, script, planners, checkpoint.config), observe, listener or Listener())
    return (SpokenUtterance(each, voices[each.voice], speech.speed, speech.seed) for each in agenda)


def _phonemes_of(validator: Validator, request: ValidationRequest, observe: ValidationObserver) -> SpokenUtterance:
    """Return the request's phonemes as one utterance; raises `InvalidRequest` if the model cannot speak them."""
    speech, phonemes = request.speech, request.phonemes
    check_request(replace(speech, text=phonemes))
    checkpoint = validator.prepare(request).checkpoint
    check_phonemes(checkpoint, phonemes)
    voice, _ = SavedVoices().choose(speech.definitions.recipe_of(speech.voice), checkpoint.voices)
    utterance = Utterance(0, phonemes, phonemes, 0, len(phonemes))
    observe(PlanEvent(Plan((utterance,))))
    return SpokenUtterance(utterance, voice, speech.speed, speech.seed)


def check_phonemes(checkpoint: Checkpoint, phonemes: str) -> None:
    """Raise `InvalidRequest` for symbols that the model does not know, or for more of them than it takes."""
    unknown = sorted(set(phonemes) - set(checkpoint.config.vocab))
    if unknown:
        raise InvalidRequest(
            f"The model has no symbol {', '.join(f'“{symbol}”' for symbol in unknown)}.",
            "Remove them, or pass the text with --text.",
        )
    if len(phonemes) > checkpoint.config.phoneme_limit:
        raise InvalidRequest(
            f"{len(phonemes)} phonemes are too many for one utterance.",
            f"Use at most {checkpoint.config.phoneme_limit}.",
        )


def phonemizer(
    checkpoint: Checkpoint, voice: Voice, language: str | None = None, lexicon: UserLexicon | None = None
) -> Phonemizer:
    """Return the front end for this voice and model, in the voice's language unless `language` overrides it."""
    config = checkpoint.config
    return _phonemizer(language or voice.info.language, frozenset(config.vocab), config.phoneme_limit, lexicon)


@lru_cache(maxsize=4)
def _phonemizer(language: str, symbols: frozenset[str], limit: int, lexicon: UserLexicon | None) -> Phonemizer:
    """Return the cached front end: reading the dictionaries takes as long as validating a sentence."""
    return Phonemizer(language, symbols, limit, lexicon=lexicon)


def _comparison(
    regimes: Regimes, request: ValidationRequest, observe: ValidationObserver, cancel: threading.Event | None
) -> Comparison:
    arrays = ArrayFolder(request.arrays_folder) if request.arrays_folder else None
    reference, others = open_chains(regimes, request, observe, cancel)
    return Comparison(reference, others, arrays)


def open_chains(
    regimes: Regimes, request: ValidationRequest, observe: ValidationObserver, cancel: threading.Event | None
) -> tuple[RegimeChain, list[RegimeChain]]:
    """Return the request's reference and the regimes to compare with it; raises `InvalidRequest` without any."""

    def open_regime(regime: Regime) -> RegimeRunner:
        return held_to(request.reference, regimes.open(regime, request.padding, observe, cancel))

    wanted = [regime for regime in dict.fromkeys(request.regimes) if regime is not request.reference]
    others = [open_regime(regime) for regime in wanted]
    if request.cross:
        stages = {stage: open_regime(regime) for stage, regime in request.cross}
        others.append(mixed_runner(stages, open_regime(Regime.COMPILED)))
    if not others:
        raise InvalidRequest("There’s nothing to compare.", f"Choose a regime other than {request.reference}.")
    reference, *chains = (
        RegimeChain(regime, regimes.pipeline(regime)) for regime in [open_regime(request.reference), *others]
    )
    keep_freed_memory()  # now, because loading compiled modules sets the opposite
    return reference, chains


def _circumstances(regimes: Regimes, request: ValidationRequest) -> RunContext | None:
    """Return the circumstances of the errors of the compiled regimes; None if nothing compiled is run."""
    folder = regimes.sound_folder
    return None if folder is None else circumstances_of(regimes.checkpoint, request, Manifest.load(folder).identity)


def _events(
    comparison: Comparison, one: SpokenUtterance, grader: BaselineGrader, cancel: threading.Event | None
) -> Iterator[ValidationEvent]:
    grader.begin_utterance(one.utterance)
    style = one.voice.style(len(one.utterance.phonemes))
    for event in comparison.events(one.utterance, style, one.speed, one.seed):
        raise_if_set(cancel, "Validation stopped.")
        yield RowEvent(grader.rated(event.row)) if isinstance(event, RowEvent) else event


def _events_of_all(
    comparison: Comparison, spoken: Iterable[SpokenUtterance], grader: BaselineGrader, cancel: threading.Event | None
) -> Iterator[ValidationEvent]:
    for one in spoken:
        yield from _events(comparison, one, grader, cancel)

"""Runs validation requests: every utterance of a text in every regime, with an event for each finished comparison."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from engine.errors import Cancelled, InvalidRequest
from engine.g2p import Phonemizer
from engine.model_store.checkpoints import Checkpoint, open_checkpoint
from engine.speech import PlanEvent, Utterance
from engine.synthesizer import check
from engine.validator.arrays import ArrayFolder
from engine.validator.comparison import Comparison, RegimeChain
from engine.validator.inner_values import InnerValues
from engine.validator.regimes import RegimeRunner, Regimes, check_choices, crossed
from engine.validator.results import (
    FinishedEvent,
    Regime,
    Report,
    RowEvent,
    ValidationEvent,
    ValidationRequest,
)
from engine.validator.verdicts import findings
from engine.validator.versions import versions
from engine.voices.packs import Voice
from engine.voices.saved import SavedVoices

ValidationObserver = Callable[[ValidationEvent], None]


def ignore(event: ValidationEvent) -> None:
    """Observes nothing."""


@dataclass(frozen=True)
class Spoken:
    """One utterance in one voice."""

    utterance: Utterance
    voice: Voice
    speed: float
    seed: int


class Validator:
    """Validates one request after the other; the model of the latest request stays loaded."""

    def __init__(self) -> None:
        self._regimes: Regimes | None = None
        self._opened: tuple[str, str | None, str, str] | None = None

    def validate(
        self, request: ValidationRequest, observe: ValidationObserver = ignore, cancel: threading.Event | None = None
    ) -> Report:
        """Speak the request's text in every regime; `observe` gets events as they happen, last a `FinishedEvent`.

        Raises `InvalidRequest` children before any work, `Cancelled` between stages once `cancel` is set.
        """
        check(request.speech)
        checkpoint = self.prepare(request).checkpoint
        voice, _ = SavedVoices().choose(request.speech.voice, checkpoint.voices)
        planner = phonemizer(checkpoint, voice, request.speech.language)
        plan = planner.plan(request.speech.text, request.speech.speed)
        observe(PlanEvent(plan))
        spoken = [Spoken(utterance, voice, request.speech.speed, request.speech.seed) for utterance in plan.utterances]
        return self.validate_utterances(request, spoken, observe, cancel)

    def validate_utterances(
        self,
        request: ValidationRequest,
        spoken: list[Spoken],
        observe: ValidationObserver = ignore,
        cancel: threading.Event | None = None,
    ) -> Report:
        """Speak these utterances in every regime of the request, ignoring its text, voice, speed and seed.

        `observe` gets events as they happen, last a `FinishedEvent`. Raises `InvalidRequest` children before any work,
        `Cancelled` between stages once `cancel` is set.
        """
        regimes = self.prepare(request)
        comparison = _comparison(regimes, request, observe, cancel)
        rows = []
        for event in _events(comparison, spoken, cancel):
            observe(event)
            if isinstance(event, RowEvent):
                rows.append(event.row)
        if request.probes:
            inner = InnerValues(regimes, request, observe, cancel)
            for event in inner.rows(rows.copy(), lambda comparison: _events(comparison, spoken, cancel)):
                observe(event)
                rows.append(event.row)
        utterances = tuple(one.utterance for one in spoken)
        choices = regimes.lstm_choice, regimes.device_choice
        report = Report(request, utterances, tuple(rows), findings(rows), versions(), *choices, regimes.planted)
        observe(FinishedEvent(report))
        return report

    def prepare(self, request: ValidationRequest) -> Regimes:
        """The regimes for the request; those of an earlier request with another model or settings are released."""
        check_choices(request)
        wanted = (request.model, request.weights, request.device, request.lstm_method)
        if self._regimes is None or self._opened != wanted:
            self.close()
            self._regimes, self._opened = Regimes(open_checkpoint(*wanted[:2]), False, *wanted[2:]), wanted
        self._regimes.plant(request.fault)
        return self._regimes

    def close(self) -> None:
        """Release every model."""
        if self._regimes is not None:
            self._regimes.close()
        self._regimes = None


def phonemizer(checkpoint: Checkpoint, voice: Voice, language: str | None = None) -> Phonemizer:
    """The front end for this voice and model, in the voice's language unless another is given."""
    config = checkpoint.config
    return _phonemizer(language or voice.info.language, frozenset(config.vocab), config.phoneme_limit)


@lru_cache(maxsize=4)
def _phonemizer(language: str, symbols: frozenset[str], limit: int) -> Phonemizer:
    """Cached, because reading the dictionaries takes as long as validating a sentence."""
    return Phonemizer(language, symbols, limit)


def _comparison(
    regimes: Regimes, request: ValidationRequest, observe: ValidationObserver, cancel: threading.Event | None
) -> Comparison:
    def open_regime(regime: Regime) -> RegimeRunner:
        return regimes.open(regime, request.padding, observe, cancel)

    wanted = [regime for regime in dict.fromkeys(request.regimes) if regime is not request.reference]
    others = [open_regime(regime) for regime in wanted]
    if request.cross:
        stages = {stage: open_regime(regime) for stage, regime in request.cross}
        others.append(crossed(stages, open_regime(Regime.COMPILED)))
    if not others:
        raise InvalidRequest("There is nothing to compare.", f"Name a regime other than {request.reference}.")
    arrays = ArrayFolder(request.arrays_folder) if request.arrays_folder else None
    reference, *chains = (
        RegimeChain(regime, regimes.pipeline(regime)) for regime in [open_regime(request.reference), *others]
    )
    return Comparison(reference, chains, arrays)


def _events(comparison: Comparison, spoken: list[Spoken], cancel: threading.Event | None) -> Iterator[ValidationEvent]:
    for one in spoken:
        style = one.voice.style(len(one.utterance.phonemes))
        for event in comparison.events(one.utterance, style, one.speed, one.seed):
            if cancel is not None and cancel.is_set():
                raise Cancelled("The validation was stopped.")
            yield event

"""Plans of requests: their limits, the voices and directions in the text, and the utterances with their edits."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import count

from engine.config import ModelConfig
from engine.errors import InvalidRequest, NothingToSpeak
from engine.models.voices.packs import Voice
from engine.runtime.edits import edited_plan, part_of, planned_text, unmatched
from engine.runtime.pipeline import Observer
from engine.runtime.presets import with_presets
from engine.speech import (
    FASTEST_SPEED,
    SLOWEST_SPEED,
    Plan,
    PlanEvent,
    SpeechRequest,
    Utterance,
)
from engine.text.g2p import Phonemizer
from engine.text.g2p.directions import Script, read_marks, read_script, voice_before
from engine.text.languages import language_of

MAX_PAUSE_SCALE = 3.0


def check_request(request: SpeechRequest) -> None:
    """Raise `InvalidRequest` for a number out of range, an unknown language, or a range outside the text."""
    if request.language is not None:
        language_of(request.language)
    if not math.isfinite(request.speed) or not SLOWEST_SPEED <= request.speed <= FASTEST_SPEED:
        raise InvalidRequest(
            f"The speed {request.speed:g} is out of range.",
            f"Choose a speed from {SLOWEST_SPEED:g} (half as fast) to {FASTEST_SPEED:g} (twice as fast).",
        )
    if not 0 <= request.pause_scale <= MAX_PAUSE_SCALE:
        raise InvalidRequest(
            f"The pause length {request.pause_scale:g} is out of range.",
            f"Choose a number from 0 (shortest) to {MAX_PAUSE_SCALE:g}.",
        )
    if request.seed < 0:
        raise InvalidRequest(f"The seed {request.seed} is negative.", "Choose 0 or a positive whole number.")
    if not 0 <= request.start <= (len(request.text) if request.end is None else request.end) <= len(request.text):
        raise InvalidRequest(
            f"The range {request.start} to {request.end} is outside the text of {len(request.text)} characters.",
            "Use a range within the text, or omit it to speak everything.",
        )


def directed(request: SpeechRequest, choose_voice: Callable[[str], Voice]) -> tuple[Script, dict[str, Voice]]:
    """Return the script of a request, and its voices by the names in it; the request's own has an empty name.

    `choose_voice` returns the voice of a name or blend, and raises `InvalidRequest` for an unknown one.
    """

    def find(name: str) -> Voice:
        return choose_voice(request.definitions.recipe_of(name))

    planned = planned_text(request)
    end = len(planned.text) if planned.end is None else planned.end
    before = voice_before(planned.text, planned.start, find)
    script = read_script(planned.part, find, before, read_marks(planned.text).within(planned.start, end))
    return script, {name: find(name or request.voice) for name in ("", *script.voices)}


def plans_of(
    request: SpeechRequest,
    script: Script,
    phonemizers: Mapping[str, Phonemizer],
    config: ModelConfig,
    cancel: threading.Event | None = None,
) -> Iterator[Plan]:
    """Yield the plan of a request as it grows, with its edits, positioned in its whole text.

    `phonemizers` are by voice name; `config` is that of the model.

    Raises `NothingToSpeak`, before the first plan, for text without any sound, and `Canceled`.
    """
    planned = planned_text(request)
    edits = {edit.start: edit for edit in request.edits}
    fixed = {start - planned.start: edit.phonemes for start, edit in edits.items()}
    first = phonemizers[""]
    plans = first.plans(planned.part, request.speed, script, phonemizers, cancel, request.definitions, fixed)
    end = len(request.text) if request.end is None else request.end
    for plan in plans:
        edited = edited_plan(with_presets(plan.moved(planned.start)), edits, config)
        if plan.whole and edits:
            here = (edit for edit in request.edits if request.start <= edit.start < end)
            edited = replace(edited, notices=(*edited.notices, *unmatched(edited, here)))
        if planned == request:
            yield edited
        elif (part := part_of(edited, request.start, end)) is not None:
            yield part
            if part.whole:
                return
        elif edited.whole:
            raise NothingToSpeak("There’s nothing to speak in this part of the text.", "Choose a different part.")


def planned_utterances(plans: Iterator[Plan], observe: Observer) -> Iterator[tuple[Utterance, Plan]]:
    """Yield each utterance with the latest plan, after one step of planning, while the previous one is playing."""
    plan = Plan(())
    for index in count():
        longer = next(plans, None)
        if longer is not None:
            plan = longer
            observe(PlanEvent(plan))
        if index == len(plan.utterances):
            return
        yield plan.utterances[index], plan

"""Two validations side by side: what was asked differently, and each value of one beside that of the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.speech import SpeechRequest
from engine.validator.data.results import Reading, Report, Row

LEFT_OUT = "–"
NO_FAULT = "none"


@dataclass(frozen=True)
class RowPair:
    """One output in one reading of both runs; either is None where that run has no such row.

    `ratio` is the first's relative error over the second's, None where it cannot be formed; `obstacle` says why.
    """

    utterance: int
    stage: str
    output: str
    reading: Reading
    first: Row | None
    second: Row | None
    ratio: float | None
    obstacle: str = ""


@dataclass(frozen=True)
class RunComparison:
    """Two runs, each in one regime. With `obstacles` their values cannot be compared, and each says in words why.

    `differences` are settings that may differ between comparable runs, such as the device: phrases with both values.
    """

    obstacles: tuple[str, ...]
    differences: tuple[str, ...]
    pairs: tuple[RowPair, ...]

    @property
    def comparable(self) -> bool:
        """Whether a ratio of errors means anything."""
        return not self.obstacles


def compare_runs(first: Report, first_regime: str, second: Report, second_regime: str) -> RunComparison:
    """Compare what two runs found in a regime each; the pairs are in the order of the first run's rows."""
    obstacles = tuple(_obstacles(first, first_regime, second, second_regime))
    differences = tuple(_differences(first, first_regime, second, second_regime))
    theirs = {_key(row): row for row in second.rows if row.regime == second_regime}
    ours = {_key(row): row for row in first.rows if row.regime == first_regime}
    pairs = tuple(_pair(key, ours.get(key), theirs.get(key), not obstacles) for key in dict.fromkeys([*ours, *theirs]))
    return RunComparison(obstacles, differences, pairs)


_Key = tuple[int, str, str, Reading]


def _key(row: Row) -> _Key:
    return row.utterance, row.stage, row.output, row.reading


def _pair(key: _Key, first: Row | None, second: Row | None, comparable: bool) -> RowPair:
    obstacle = _row_obstacle(first, second)
    ratio = _ratio(first, second) if comparable and not obstacle else None
    return RowPair(*key, first, second, ratio, obstacle)


def _row_obstacle(first: Row | None, second: Row | None) -> str:
    """Why two rows cannot be compared; empty if they can."""
    if first is None or second is None:
        return f"only in the {'second' if first is None else 'first'} run"
    if first.durations is not None or second.durations is not None:
        return "" if first.durations == second.durations else "other durations"
    if first.metrics is None or second.metrics is None:
        return "other length"
    if first.metrics.relative_l2 is None or second.metrics.relative_l2 is None:
        return "not finite"
    return ""


def _ratio(first: Row | None, second: Row | None) -> float | None:
    """The first's error over the second's; 1 for two equal ones, None over nothing."""
    ours, theirs = _error(first), _error(second)
    if ours is None or theirs is None:
        return None
    if ours == theirs:
        return 1.0
    return ours / theirs if theirs else None


def _error(row: Row | None) -> float | None:
    return None if row is None or row.metrics is None else row.metrics.relative_l2


def _obstacles(first: Report, first_regime: str, second: Report, second_regime: str) -> Iterator[str]:
    ours, theirs = first.request, second.request
    for report, regime, which in ((first, first_regime, "first"), (second, second_regime, "second")):
        if not any(row.regime == regime for row in report.rows):
            yield f"The {which} run has no values of {regime}."
    if (ours.model, ours.weights) != (theirs.model, theirs.weights):
        yield f"They are of different models: {_model(first)} and {_model(second)}."
    if ours.phonemes != theirs.phonemes:
        yield "They speak different phonemes."
    yield from _speech_obstacles(ours.speech, theirs.speech)
    if ours.reference != theirs.reference:
        yield f"They were compared with different references: {ours.reference} and {theirs.reference}."


def _speech_obstacles(ours: SpeechRequest, theirs: SpeechRequest) -> Iterator[str]:
    if ours.text != theirs.text:
        yield "They speak different texts."
    if ours.voice != theirs.voice:
        yield f"They speak in different voices: {ours.voice} and {theirs.voice}."
    if ours.language != theirs.language:
        languages = (speech.language or "the voice’s own" for speech in (ours, theirs))
        yield f"They speak different languages: {' and '.join(languages)}."
    if ours.speed != theirs.speed:
        yield f"They have different lengths: speed {ours.speed:g} and {theirs.speed:g}."
    if ours.seed != theirs.seed:
        yield f"They have different noise: seed {ours.seed} and {theirs.seed}."


def _differences(first: Report, first_regime: str, second: Report, second_regime: str) -> Iterator[str]:
    ours, theirs = first.request, second.request
    pairs = {
        "regime": (first_regime, second_regime),
        "planted fault": (ours.fault or NO_FAULT, theirs.fault or NO_FAULT),
        "padding": (f"{ours.padding:g}", f"{theirs.padding:g}"),
        "device": (_name(first.device_choice), _name(second.device_choice)),
        "LSTM method": (_name(first.lstm_choice), _name(second.lstm_choice)),
    }
    names = dict.fromkeys([*first.versions, *second.versions]) if first.versions and second.versions else {}
    pairs |= {name: (first.versions.get(name, LEFT_OUT), second.versions.get(name, LEFT_OUT)) for name in names}
    yield from (f"{name}: {one} and {other}" for name, (one, other) in pairs.items() if one != other)


def _name(choice: str) -> str:
    """What was chosen, without the reason, which two equal choices may have different ones of."""
    return choice.partition(" ")[0] or LEFT_OUT


def _model(report: Report) -> str:
    request = report.request
    return request.model if request.weights is None else f"{request.model} with weights {request.weights}"

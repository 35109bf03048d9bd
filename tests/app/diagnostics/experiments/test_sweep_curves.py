import re

from app.diagnostics.experiments.sweep_curves import Look, curves_of, looks
from engine.stages import STAGES
from engine.validator.data import wording
from engine.validator.data.experiments import SweepPoint
from engine.validator.data.results import Reading, Regime
from engine.validator.reports.text_report import sweep_text

REGIMES = (Regime.STATIC_PACKED, Regime.STATIC_NO_PACK)


def points() -> list[SweepPoint]:
    """Two utterances; the second is worse, and without packing its waveform cannot be compared once it is padded."""
    made = []
    for place, regime in enumerate(REGIMES):
        for padding in (0.0, 1.0):
            for utterance in (0, 1):
                for stage, output in (("f0n", "f0"), ("istft", "audio")):
                    value = 1 - (1 + utterance) * (1 + padding) * 10.0 ** -(3 + 3 * (place == 0))
                    heard = value if output == "audio" else None
                    made.append(SweepPoint(padding, regime, utterance, stage, output, Reading.REFERENCE_FED, value))
                    lost = place and padding and utterance
                    own = None if lost else value
                    made.append(SweepPoint(padding, regime, utterance, stage, output, Reading.OWN_FED, own, heard))
    return made


def test_a_curve_is_the_lowest_of_all_utterances() -> None:
    fed = Look("", Reading.REFERENCE_FED, "f0")
    packed, not_packed = curves_of(points(), fed)
    assert (packed.regime, not_packed.regime) == REGIMES
    assert packed.paddings == (0.0, 1.0)
    assert not_packed.correlations == (1 - 2e-3, 1 - 4e-3)


def test_what_one_utterance_lacks_is_a_gap() -> None:
    _, not_packed = curves_of(points(), Look("", Reading.OWN_FED, "f0"))
    assert not_packed.correlations == (1 - 2e-3, None)


def test_no_points_are_no_curves() -> None:
    assert curves_of([], looks()[0]) == ()


def test_everything_that_is_measured_can_be_looked_at() -> None:
    outputs = {tensor.name for stage in STAGES for tensor in stage.outputs if stage.name != "alignment"}
    assert {look.output for look in looks()} == outputs | {""}
    assert len({look.title for look in looks()}) == len(looks())


def test_the_numbers_are_those_of_the_command_line() -> None:
    text = sweep_text(points())
    lines = [line.strip() for line in text.splitlines()]
    for number, regime in enumerate(REGIMES):
        start = lines.index(regime)
        for name, look in (
            ("f0", Look("", Reading.REFERENCE_FED, "f0")),
            ("audio", Look("", Reading.REFERENCE_FED, "audio")),
            ("heard at the end", looks()[1]),
        ):
            curve = curves_of(points(), look)[number]
            (line,) = [line for line in lines[start + 1 : start + 4] if line.startswith(name)]
            written = re.split(r"\s{2,}", line.removeprefix(name).strip())
            assert written == [wording.correlation(value) for value in curve.correlations]

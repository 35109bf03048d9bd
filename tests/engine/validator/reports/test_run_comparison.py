"""Two runs compared."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from engine.validator.data.results import Regime, Report, ValidationRequest
from engine.validator.reports.run_comparison import differences, obstacles
from tests.engine.validator.reports.example_report import example_report


@pytest.fixture(scope="module")
def report() -> Report:
    return example_report(1, frames=6)


def asked(report: Report, **changes: object) -> Report:
    return replace(report, request=replace(report.request, **changes))


def spoken(report: Report, **changes: object) -> Report:
    return asked(report, speech=replace(report.request.speech, **changes))


def test_a_run_equals_itself(report: Report) -> None:
    assert obstacles(report, report) == differences(report, report) == ()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda report: spoken(report, text="Another text."), "They speak different texts."),
        (lambda report: spoken(report, voice="bf_emma"), "They speak in different voices:"),
        (lambda report: spoken(report, language="fr-FR"), "They speak different languages: the voice’s own and fr-FR."),
        (lambda report: spoken(report, speed=2.0), "They have different lengths: speed 1 and 2."),
        (lambda report: spoken(report, seed=9), "They have different noise: seed 0 and 9."),
        (lambda report: asked(report, phonemes="hə"), "They speak different phonemes."),
        (lambda report: asked(report, model="kokoro-82m"), "They are of different models: starter and kokoro-82m."),
        (lambda report: asked(report, reference=Regime.UPSTREAM), "They were compared with different references:"),
    ],
)
def test_runs_that_cannot_be_compared_say_why(report: Report, change: Callable, words: str) -> None:
    plain = replace(report, request=ValidationRequest(report.request.speech))
    plain = spoken(plain, speed=1.0, seed=0, language=None)
    assert obstacles(plain, change(plain))[0].startswith(words)


def test_settings_may_differ_and_are_named(report: Report) -> None:
    other = replace(
        asked(report, padding=4.0, fault="swapped-gates"),
        device_choice="metal",
        versions={**report.versions, "numpy": "1.0"},
    )
    assert obstacles(report, other) == ()
    found = differences(report, other)
    assert [words.partition(":")[0] for words in found] == ["planted fault", "padding", "device", "numpy"]
    assert found[2].endswith(" and metal")

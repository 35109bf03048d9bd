from dataclasses import fields

from app.diagnostics.options import DiagnosticsOptions
from engine.speech import SpeechRequest
from engine.validator.results import ValidationRequest


def test_every_option_is_part_of_a_request() -> None:
    options = DiagnosticsOptions(padding=2.0, probes=True)
    asked = ValidationRequest(SpeechRequest("Hello.", "af_heart"), **vars(options))
    assert all(getattr(asked, field.name) == getattr(options, field.name) for field in fields(options))

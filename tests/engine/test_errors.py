from engine.errors import EngineError, UnknownVoice


def test_an_error_reads_as_what_is_wrong_and_what_to_do() -> None:
    assert str(EngineError("The disk is full.", "Free some room.")) == "The disk is full. Free some room."
    assert str(EngineError("Stopped.")) == "Stopped."


def test_an_unknown_voice_carries_its_fields() -> None:
    error = UnknownVoice("hart", ("af_heart",), "af_heart")
    assert (error.name, error.known, error.nearest) == ("hart", ("af_heart",), "af_heart")

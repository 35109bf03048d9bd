"""JSON from files that may be damaged."""

import pytest

from engine.system.json_text import json_value


def test_a_value_is_read() -> None:
    assert json_value('{"a": [1, null]}') == {"a": [1, None]}
    assert json_value(b'"\xc3\xa9"') == "é"


@pytest.mark.parametrize("text", ["", "{", b"\xff"])
def test_what_is_no_json_is_refused(text: str | bytes) -> None:
    with pytest.raises(ValueError, match=r"Expecting|decode"):
        json_value(text)


@pytest.mark.parametrize("begin", ["[", '{"a":'])
def test_what_is_nested_too_deeply_is_refused(begin: str) -> None:
    with pytest.raises(ValueError, match="nested too deeply"):
        json_value(begin * 100_000)

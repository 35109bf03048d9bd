"""Festival's table of phones must be read correctly; if festival is missing, the error says how to install it."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import EngineError
from engine.starter.teachers.festival import FestivalTeacher, read_phone_table, speak_script

TABLE = """0\tpau\t0.1\t0\t-\t-\t0\t0
0\tw\t0.2\t1\t_7\ttwenty\t!\tfive
0\tiy\t0.3\t0\t_7\ttwenty\t!\tfive
0\tf\t0.4\t1\t_8\tfive\t!\t!
1\tah\t0.5\t1\t_3\tuh\t0\t0
"""


def test_table_becomes_phones_of_each_utterance() -> None:
    utterances = read_phone_table(TABLE)
    pause, first, second, third = utterances[0]
    assert (pause.name, pause.word_index) == ("pau", -1)
    assert [phone.word_index for phone in (first, second, third)] == [0, 0, 1]
    assert [phone.stressed for phone in (first, second, third)] == [True, False, True]
    assert (first.start_seconds, first.end_seconds) == (0.1, 0.2)
    assert utterances[1][0].start_seconds == 0


def test_punctuation_follows_the_last_word_of_its_token_only() -> None:
    _, first, _, third = read_phone_table(TABLE)[0]
    assert (first.punctuation, third.punctuation) == ("", "!")


def test_script_quotes_the_text() -> None:
    script = speak_script("voice", ['Say "a\\b"'], Path("out"), Path("table"))
    assert script.startswith("(voice_voice)")
    assert '(speak_one table "out" 0 "Say ab")' in script


def test_missing_program_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(EngineError, match="apt-get install festival festvox-us-slt-hts"):
        FestivalTeacher("cmu_us_slt_arctic_hts")

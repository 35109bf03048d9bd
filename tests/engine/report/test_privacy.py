import getpass
import json
import unicodedata
from pathlib import Path
from urllib.parse import quote

import pytest

from engine.report.privacy import HOME, HOST, USER, VOICE, Private

HOME_FOLDER, NAME, MACHINE = "/Users/jürgen", "jürgen", "Jürgens-MacBook"
PRIVATE = Private({HOME_FOLDER: HOME}, {NAME: USER, "Müller": USER, MACHINE: HOST, "My Voice": VOICE, "vm": HOST})


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        (f"{HOME_FOLDER}/a.txt", "~/a.txt"),
        (f"file://{quote(HOME_FOLDER)}/a.txt", "file://~/a.txt"),
        (json.dumps({"path": f"{HOME_FOLDER}/a.txt"}), '{"path": "~/a.txt"}'),
        (unicodedata.normalize("NFD", f"{HOME_FOLDER}/a"), "~/a"),
        ("JÜRGEN MÜLLER's AirPods", "<user> <user>'s AirPods"),
        (f"on {MACHINE}.local", "on <host>.local"),
        ("Python_jürgen_1.ips", "Python_<user>_1.ips"),
        ("blend my voice", "blend <voice>"),
        ("Jürgensen and vmstat", "Jürgensen and vmstat"),
    ],
)
def test_what_is_private_is_taken_out_of_text(text: str, redacted: str) -> None:
    assert PRIVATE.redacted(text.encode()) == redacted.encode()


def test_json_stays_json() -> None:
    values = {"a": [HOME_FOLDER, {"b": f"of {NAME} on {MACHINE}"}]}
    redacted = PRIVATE.redacted(json.dumps(values).encode())
    assert redacted is not None
    assert json.loads(redacted) == {"a": ["~", {"b": "of <user> on <host>"}]}


@pytest.mark.parametrize("private", [HOME_FOLDER, NAME, MACHINE])
def test_what_is_no_text_is_refused_if_it_is_private(private: str) -> None:
    assert PRIVATE.redacted(b"\x89PNG\0" + private.encode() + b"\0") is None


def test_what_is_no_text_stays_as_it_is() -> None:
    content = b"\x89PNG\0\xff vm \0"
    assert PRIVATE.redacted(content) == content


def test_the_key_of_a_machine_goes_from_crash_reports() -> None:
    assert PRIVATE.redacted(b'{"crashReporterKey" : "AB12", "pid" : 3}') == b'{"crashReporterKey" : "", "pid" : 3}'


def test_nothing_private_changes_nothing() -> None:
    assert Private().words("a text of ~ nobody") == "a text of ~ nobody"


def test_of_this_machine_the_home_folder_and_the_user_are_known() -> None:
    private = Private.here({"/tmp/of-the-report": "<report>"})
    assert private.words(f"{Path.home()}/a /tmp/of-the-report/b") == "~/a <report>/b"
    assert private.words(f"by {getpass.getuser()}.") == "by <user>."


def test_a_user_without_a_name_has_a_home_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody() -> str:
        raise KeyError("no such user")

    monkeypatch.setattr("engine.report.privacy.getpass.getuser", nobody)
    assert Private.here({}).words(f"{Path.home()}/a") == "~/a"

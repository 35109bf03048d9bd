import json
from pathlib import Path

import pytest

from app.options import Options


@pytest.mark.parametrize(
    "options",
    [
        Options(),
        Options("Two\nlines 🙂.", "am_adam", 1.5, model="starter", fetch="kokoro-82m", diagnostics=True),
        Options(file=Path("/texts/a story.txt"), screenshot=Path("/a.png")),
    ],
)
def test_options_survive_as_one_line(options: Options) -> None:
    line = options.to_json()
    assert "\n" not in line
    assert Options.from_json(line) == options


def test_a_file_is_named_so_that_it_is_found_from_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert Options.from_json(Options(file=Path("story.txt")).to_json()).file == tmp_path / "story.txt"


def test_what_another_version_has_besides_is_left_out() -> None:
    assert Options.from_json(json.dumps({"text": "Hello.", "colour": "red"})) == Options("Hello.")

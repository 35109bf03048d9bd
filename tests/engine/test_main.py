import json
import os
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
import soundfile

from engine.__main__ import main
from engine.runtime.synthesizer import Synthesizer
from engine.system.paths import project_folder
from tests.starter_voices import MALE


@pytest.mark.usefixtures("starter")
def test_speak_writes_a_wav_and_reports_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.wav"
    assert main(["speak", "Hello there.", "--out", str(path), "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    samples, rate_hz = soundfile.read(path)
    assert rate_hz == 24_000
    assert np.abs(samples).max() > 0.05
    assert figures["seconds_audio"] == pytest.approx(len(samples) / rate_hz)
    assert figures["seconds_of_longest_utterance"] == figures["seconds_audio"]
    assert figures["peak_bytes"] > 10_000_000
    assert {"voice", "model", "device", "seconds_total", "seconds_to_first_audio", "rtf"} <= set(figures)


@pytest.mark.usefixtures("starter")
def test_text_comes_from_a_file_or_standard_input(tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("Good morning.", encoding="utf-8")
    assert main(["speak", "--file", str(text), "--out", str(tmp_path / "file.wav")]) == 0
    command = [sys.executable, "-m", "engine", "speak", "-", "--out", str(tmp_path / "stdin.wav")]
    subprocess.run(command, input="Good morning.", text=True, check=True, capture_output=True)
    np.testing.assert_array_equal(*(soundfile.read(tmp_path / name)[0] for name in ("file.wav", "stdin.wav")))


def test_voices_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["voices", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert all({"name", "language"} <= set(voice) for voice in listed)
    assert main(["voices"]) == 0
    assert listed[0]["name"] in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        ["--model", "kokoro-82m", "--weights", "random:0", "save", "test-noise", "random"],
        ["save", "test-noise", "random", "--model", "kokoro-82m", "--weights", "random:0"],
    ],
)
def test_the_model_may_be_named_before_or_after_the_subcommand(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["voices", "--json", *arguments]) == 0
    assert json.loads(capsys.readouterr().out)["recipe"] == "af_random(1)"
    assert main(["voices", "remove", "test-noise"]) == 0


def test_a_voice_preview_uses_its_own_or_a_different_language(
    starter: Synthesizer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = (voice.name for voice in starter.voices()[:2])
    arguments = ["voices", "preview", f"{first}(2)+{second}", "--json", "--out"]
    figures = []
    for name, more in (("own", []), ("spanish", ["--language", "es"])):
        assert main([*arguments, str(tmp_path / f"{name}.wav"), *more]) == 0
        figures.append(json.loads(capsys.readouterr().out))
    assert figures[0]["voice"] == f"{first}(2)+{second}"
    assert all(figure["seconds_audio"] > 1 for figure in figures)
    assert (tmp_path / "own.wav").read_bytes() != (tmp_path / "spanish.wav").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["speak", ""], "Type"),
        (["speak", " \n "], "Type"),
        (["speak"], "No text was given"),
        (["speak", "Hi", "--voice", "af_salli"], "Known voices"),
        (["speak", "Hi", "--voice", f"{MALE}(0)"], "weight above 0"),
        (["speak", "Hi", "--voice", f"{MALE}+af_nobody"], "Known voices"),
        (["voices", "--language", "tlh"], "Choose one of: en-US"),
        (["voices", "save", "af_heart", MALE], "Choose a different name"),
        (["voices", "remove", "nobody"], "Unknown voice"),
        (["speak", "Hi", "--speed", "0"], "Choose a speed"),
        (["speak", "Hi", "--pause", "4"], "from 0"),
        (["speak", "Hi", "--out", "/nonexistent/folder/x.wav"], "nonexistent/folder"),
        (
            ["speak", "Hi", "--out", "x.aiffy"],
            "Audio can’t be saved as .aiffy. Use a file name that ends in .wav",
        ),
        (["speak", "Hi", "--out", "speech"], "speech has no suffix"),
        (["speak", "Hi", "--out", ""], "error: . has no suffix. Use a file name that ends in .wav"),
        (["speak", "Hi", "--out", 300 * "a"], "has no suffix"),
        (["speak", "Hi", "--out", f"{300 * 'a'}.wav"], "is too long. Choose a shorter one."),
        (["speak", "Hi", "--model", "nothing"], "Known models"),
        (["speak", "Hi", "--model", "kokoro-82m"], "--weights random:0"),
        (["speak", "Hi", "--device", "abacus"], "Use one of"),
        (["speak", "Hi", "--threads", "0"], "Choose 1"),
        (["speak", "Hi", "--threads", "9999"], "Choose 1"),
        (["speak", "--file", "/nonexistent.txt"], "nonexistent.txt"),
        (["compile", "--target", "nothing"], "Known targets"),
        (["validate", "--regimes", "dynamo"], "Regimes: dynamic"),
        (["validate", "--text", "Hi", "--regimes", "dynamic"], "regime other than"),
        (["validate", "--text", "Hi", "--padding", "-1"], "Choose 0"),
        (["validate", "--text", "Hi", "--voice", "af_salli"], "Known voices"),
        (["validate", "--cross", "mouth=dynamic"], "STAGE=REGIME"),
        (["validate", "--fuzz", "0"], "Choose 1 to"),
        (["validate", "--text", ""], "Type"),
        (["validate", "--html", "/nonexistent/folder/x.html"], "nonexistent/folder"),
        (["validate", "--model", "kokoro-82m"], "--weights random:0"),
        (["validate", "--kernels", "foo"], "Unknown stage with kernels “foo”. Stages: "),
        (["validate", "--case-stage", "foo"], "Unknown stage “foo”. Stages: "),
        (["validate", "--reduce-seconds", "-1"], "-1 is too small. Use a number above zero."),
        (["validate", "--wav-dir", "/dev/null"], "/dev/null"),
        (["validate", "--phonemes", ""], "--phonemes is empty."),
        (["validate", "--text-parity", "/dev/null"], "/dev/null has no text."),
        (["benchmark", "--plot", "p.xyz"], "p.xyz isn’t a valid name for a plot. Use a name that ends in .png."),
    ],
)
@pytest.mark.usefixtures("starter")
def test_bad_input_gets_one_sentence_and_a_failing_code(
    arguments: list[str],
    words: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) != 0
    output = capsys.readouterr()
    assert output.out == ""
    errors = [line for line in output.err.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1
    assert words in errors[0]
    assert "Traceback" not in output.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "command",
    [
        ["distill", "data", "--model", "starter"],
        ["distill", "train", "--model", "starter"],
        ["train-starter"],
        ["train-starter", "--output-dir", "new"],
        ["evaluate-starter", "--sentences", "1"],
    ],
)
def test_a_work_folder_that_is_a_file_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    path = tmp_path / "notes"
    path.touch()
    assert main([*command, "--work-dir", str(path)]) == 1
    error = capsys.readouterr().err
    assert error.startswith(f"error: {path} ")
    assert len(error.splitlines()) == 1


@pytest.mark.usefixtures("starter")
def test_validate_prints_figures_alone_and_tells_by_its_code(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["validate", "--text", "Hello there.", "--regimes", "dynamic,compiled,static-no-pack", "--json"]
    assert main(arguments) == 0
    output = capsys.readouterr()
    rows = json.loads(output.out)["rows"]
    assert {row["regime"] for row in rows} == {"compiled", "static-no-pack"}
    assert "static-no-pack, isolated: duration" in output.err
    assert main([*arguments, "--cross", "text_encoder=static-no-pack"]) == 1


@pytest.fixture(params=["", "1"])
def unbuffered(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python with and without output buffers."""
    monkeypatch.setenv("PYTHONUNBUFFERED", request.param)


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_a_name_that_cannot_be_printed_is_printed_with_escapes(tmp_path: Path, encoding: str) -> None:
    name = os.fsencode(tmp_path) + b"/\xff.wav"
    command = [sys.executable, "-m", "engine", "speak", "Hi.", "--model", "starter", "--out", name]
    strict = {**os.environ, "PYTHONIOENCODING": f"{encoding}:strict"}
    done = subprocess.run(command, env=strict, check=True, capture_output=True)
    assert r"\udcff.wav" in done.stdout.decode()
    assert os.path.getsize(name) > 0


FULL = Path("/dev/full")
full_exists = pytest.mark.skipif(not FULL.exists(), reason="only Linux has a device that is always full")


@full_exists
@pytest.mark.usefixtures("unbuffered")
def test_standard_output_that_is_full_gets_one_sentence() -> None:
    with FULL.open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "engine", "voices"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 1
    assert done.stderr == (
        "error: Finished, but couldn’t write to standard output (No space left on device). "
        "Redirect it to a different place.\n"
    )


@pytest.mark.usefixtures("unbuffered")
def test_closed_standard_output_ends_the_program_silently() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "engine", "voices"], stdout=writing, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.usefixtures("starter")
def test_speech_that_goes_to_standard_output_is_alone_there() -> None:
    command = [sys.executable, "-m", "engine", "speak", "Hello.", "--model", "starter", "--out", "/dev/stdout"]
    done = subprocess.run(command, capture_output=True, check=True)
    assert b"/dev/stdout: " in done.stderr
    assert len(done.stdout) == 8 + int.from_bytes(done.stdout[4:8], "little")
    assert soundfile.info(BytesIO(done.stdout)).duration > 0.3


@pytest.mark.parametrize("how", [pytest.param("2>/dev/full", marks=full_exists), "2>&-", "2>&1 >words | true"])
@pytest.mark.usefixtures("starter", "unbuffered")
def test_work_continues_when_progress_cannot_be_written(tmp_path: Path, how: str) -> None:
    speak = f"cd {project_folder()} && {sys.executable} -m engine speak Hello. --model starter --out {tmp_path}/a.wav"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {speak} {how.replace('words', f'{tmp_path}/words')}"], check=False
    )
    assert done.returncode == 0
    assert soundfile.info(tmp_path / "a.wav").duration > 0.3


def test_an_interrupt_before_the_command_has_begun_shows_no_traceback() -> None:
    code = (
        "import builtins, sys\n"
        "load = builtins.__import__\n"
        "def loaded(name, *rest):\n"
        "    if name == 'engine.cli.parser':\n"
        "        raise KeyboardInterrupt\n"
        "    return load(name, *rest)\n"
        "builtins.__import__ = loaded\n"
        "from engine.__main__ import main\n"
        "sys.exit(main(['voices']))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "Stopped.\n")


def test_a_file_that_is_no_text_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "picture.png"
    path.write_bytes(b"\x89PNG\xff\xfe")
    assert main(["speak", "--file", str(path)]) == 1
    assert "its format isn’t supported" in capsys.readouterr().err


def interrupt(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("arguments", "kept"),
    [
        (["speak", "Hello.", "--play"], ""),
        (["speak", "Hello.", "--out", "{folder}/a.wav"], " Couldn’t write {folder}/a.wav."),
        (
            ["speak", "--file", "resources/sample.txt", "--out", "{folder}/a.m4b"],
            " Couldn’t write {folder}/a.m4b.",
        ),
        (["models", "fetch", "kokoro-82m"], " Partial download saved."),
        (
            ["compile", "--output-dir", "{folder}"],
            " Incomplete modules were discarded.",
        ),
    ],
)
def test_an_interrupt_ends_quietly_and_reports_the_fate_of_partial_output(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    arguments: list[str],
    kept: str,
) -> None:
    for place in ("engine.runtime.synthesizer.Synthesizer.prepare", "engine.models.store.ModelStore.fetch"):
        monkeypatch.setattr(place, interrupt)
    monkeypatch.setattr("engine.compiler.build.build", interrupt)
    assert main([argument.format(folder=tmp_path) for argument in arguments]) == 130
    said = [line for line in capsys.readouterr().err.splitlines() if line and not line.startswith("note: ")]
    (line,) = said
    assert line.startswith(f"Stopped.{kept.format(folder=tmp_path)}")
    assert bool(kept) == (line != "Stopped.")
    assert list(tmp_path.iterdir()) == []

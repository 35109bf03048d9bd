"""Tests of `engine serve` as a process."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from engine.__main__ import main
from tests.patience import PATIENCE_SECONDS

SERVE = (sys.executable, "-m", "engine", "serve", "--model", "starter", "--port", "0")


@contextmanager
def process(*arguments: str, folder: Path | None = None, **variables: str) -> Iterator[tuple[subprocess.Popen, str]]:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3]), **variables}
    started = subprocess.Popen(
        [*SERVE, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, cwd=folder
    )
    try:
        line = started.stdout.readline()
        assert "is ready at http://127.0.0.1:" in line, started.stderr.read()
        yield started, line.split(" is ready at ")[1].split()[0]
    finally:
        started.kill()
        started.communicate()


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)])
def test_it_serves_until_it_is_stopped_and_leaves_no_file(tmp_path: Path, sent: signal.Signals, code: int) -> None:
    with process(folder=tmp_path) as (server, url):
        answer = httpx2.post(f"{url}/audio/speech", json={"input": "Good morning."}, timeout=PATIENCE_SECONDS)
        assert answer.status_code == 200
        server.send_signal(sent)
        output, errors = server.communicate(timeout=PATIENCE_SECONDS)
    assert server.returncode == code
    assert output == ""
    assert "Traceback" not in errors
    assert ("Stopped." in errors) == (sent == signal.SIGINT)
    assert list(tmp_path.iterdir()) == []


def test_the_token_may_be_in_the_environment_beside_home_assistant() -> None:
    with process("--wyoming", "0", KOKORO_DESK_TOKEN="correct-horse-battery") as (server, url):
        assert httpx2.get(f"{url}/models").status_code == 401
        headers = {"Authorization": "Bearer correct-horse-battery"}
        assert httpx2.get(f"{url}/models", headers=headers).status_code == 200
        os.kill(server.pid, signal.SIGINT)
        assert "Traceback" not in server.communicate(timeout=PATIENCE_SECONDS)[1]


def error_line(capsys: pytest.CaptureFixture[str]) -> str:
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    return lines[0]


def test_a_port_in_use_gets_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        assert main(["serve", "--model", "starter", "--port", port]) == 1
        assert f"Port {port} is in use." in error_line(capsys)
        assert main(["serve", "--model", "starter", "--port", "0", "--wyoming", port]) == 1
        assert f"Port {port} is in use." in error_line(capsys)
    assert main(["serve", "--model", "starter", "--host", "0.0.0.0"]) == 1
    assert "--token" in error_line(capsys)


@pytest.mark.parametrize(
    ("package", "options", "groups"),
    [("starlette", [], "server"), ("uvicorn", [], "server"), ("wyoming", ["--wyoming"], "server,wyoming")],
)
def test_missing_packages_get_one_sentence(package: str, options: list[str], groups: str) -> None:
    hide = f"import sys; sys.modules[{package!r}] = None"
    code = f"{hide}\nfrom engine.__main__ import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, *SERVE[3:], *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[3])
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert f"pip install '.[{groups}]'" in done.stderr


def test_other_commands_do_not_load_the_server() -> None:
    names = "('starlette', 'uvicorn', 'wyoming')"
    code = f"import engine.cli.parser, sys; print([name for name in {names} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

"""Tests of `engine mcp` as a process, with the protocol's official client."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import soundfile
from mcp import ClientSession, StdioServerParameters, stdio_client

from engine.__main__ import main
from tests.patience import PATIENCE_SECONDS

ROOT = Path(__file__).resolve().parents[3]
MCP = ("-m", "engine", "mcp", "--model", "starter")


def test_the_official_client_saves_a_file_over_standard_input_and_output(tmp_path: Path) -> None:
    server = StdioServerParameters(
        command=sys.executable, args=[*MCP, "--folder", str(tmp_path)], env={"PYTHONPATH": str(ROOT)}
    )

    async def use() -> tuple[set[str], bool]:
        async with (
            stdio_client(server) as (incoming, outgoing),
            ClientSession(incoming, outgoing, PATIENCE_SECONDS) as session,
        ):
            await session.initialize()
            tools = await session.list_tools()
            saved = await session.call_tool("save", {"text": "Good morning.", "file": "speech.flac"})
            return {tool.name for tool in tools.tools}, saved.is_error

    assert asyncio.run(use()) == ({"list_voices", "speak", "save"}, False)
    assert soundfile.info(tmp_path / "speech.flac").frames > 12_000


def test_the_end_of_a_meaningless_input_ends_the_server(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, *MCP, "--folder", str(tmp_path)],
        input=b"\xff\n{}\n[]\nGET / HTTP/1.1\n",
        capture_output=True,
        timeout=PATIENCE_SECONDS,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr
    assert all(line.startswith(b'{"jsonrpc"') for line in done.stdout.splitlines())


def test_an_interrupt_ends_the_server_while_it_waits_for_input() -> None:
    server = subprocess.Popen([sys.executable, *MCP], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT)
    try:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
        server.stdin.flush()
        assert server.stdout.readline().startswith(b'{"jsonrpc"')
        server.send_signal(signal.SIGINT)
        assert server.wait(PATIENCE_SECONDS) == -signal.SIGINT
    finally:
        server.kill()
        server.communicate()


def test_a_missing_folder_gets_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mcp", "--model", "starter", "--folder", "no/such/folder"]) == 1
    error = capsys.readouterr().err
    assert "no/such/folder" in error
    assert error.count("\n") == 1


def test_a_missing_package_gets_one_sentence() -> None:
    hide = "import sys; sys.modules['mcp'] = None"
    code = f"{hide}\nfrom engine.__main__ import main; sys.exit(main(sys.argv[1:]))"
    done = subprocess.run([sys.executable, "-c", code, *MCP[2:]], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "pip install '.[mcp]'" in done.stderr

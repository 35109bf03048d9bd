"""The Model Context Protocol, for assistants: tools that list the voices, speak aloud, and save audio files."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import numpy as np
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from engine.audio.loudspeaker import Loudspeaker
from engine.audio.recording import Pcm
from engine.audio.sound_file import format_for, recording
from engine.errors import EngineError, InvalidRequest, OutputError
from engine.server.requests import order_of
from engine.server.speaking import SpeechService

MAX_AHEAD_SECONDS = 30.0
"""The limit on audio that waits to be played; beyond it, the next utterance waits."""
_FULL_SCALE = np.float32(32767)

Text = Annotated[str, Field(description="The text to speak, in plain words; [pause 1s] makes a pause.")]
VoiceName = Annotated[
    str | None, Field(description="A name from list_voices, or a blend such as af_heart(2)+am_michael(1).")
]
Speed = Annotated[float, Field(description="From 0.25 to 4; 1 is the voice’s own speed.")]
FileName = Annotated[
    str, Field(description="A path in the folder of the server, ending in .wav, .flac, .mp3 or .opus.")
]
Overwrite = Annotated[bool, Field(description="Replace an existing file.")]


def build_server(service: SpeechService, folder: Path) -> MCPServer:
    """Return a server of these tools, which writes files into `folder` only."""
    tools = SpeechTools(service, folder)
    server: MCPServer = MCPServer(
        "kokoro-desk", title="Kokoro Desk", version=version("kokoro-desk"), subscriptions=False, log_level="ERROR"
    )
    for tool in (tools.list_voices, tools.speak, tools.save):
        server.add_tool(tool)
    return server


class SpeechTools:
    """The tools. Each takes its turn at the engine; a canceled one stops within a stage of the model."""

    def __init__(self, service: SpeechService, folder: Path) -> None:
        self._service = service
        self._folder = folder.resolve()
        self._loudspeaker_in_use = asyncio.Lock()
        self._growing: set[Path] = set()

    def list_voices(self) -> list[dict[str, str]]:
        """List the voices: their names, and the language and gender of each."""
        return [
            {"name": voice.name, "title": voice.title, "language": voice.language, "gender": voice.gender}
            for voice in self._service.voices()
        ]

    async def speak(self, text: Text, context: Context, voice: VoiceName = None, speed: Speed = 1.0) -> str:
        """Speak a text aloud on this computer. Returns at the end of the audio."""
        with _reported():
            async with self._loudspeaker_in_use:
                try:
                    with Loudspeaker(self._service.sample_rate_hz) as loudspeaker:
                        seconds = await self._speak(
                            text,
                            voice,
                            speed,
                            context,
                            lambda pcm: loudspeaker.play(pcm.astype(np.float32) / _FULL_SCALE),
                            MAX_AHEAD_SECONDS,
                        )
                        await asyncio.to_thread(loudspeaker.finish)
                except OutputError as error:
                    raise OutputError(error.message, "Use the tool save instead.") from error
        return f"Spoke {seconds:.1f} s of audio."

    async def save(
        self,
        text: Text,
        file: FileName,
        context: Context,
        voice: VoiceName = None,
        speed: Speed = 1.0,
        overwrite: Overwrite = False,
    ) -> str:
        """Save a text as an audio file. Fails if the file exists, unless it should be replaced."""
        with _reported():
            path = self._path(file, overwrite)
            self._growing.add(path)
            try:
                with recording(path, self._service.sample_rate_hz) as sound:
                    seconds = await self._speak(text, voice, speed, context, sound.write)
            finally:
                self._growing.discard(path)
        return f"Saved {seconds:.1f} s of audio as {path}."

    def _path(self, name: str, overwrite: bool) -> Path:
        """Return the path of a file to write. Raises `InvalidRequest` if it is outside the folder or exists."""
        try:
            path = (self._folder / name).resolve()
        except (OSError, ValueError, RuntimeError) as error:
            raise InvalidRequest("The file name isn’t valid.", "Choose a different one.") from error
        if not path.is_relative_to(self._folder):
            raise InvalidRequest("The file is outside the folder of the server.", f"Choose one in {self._folder}.")
        format_for(path)
        if path in self._growing or (os.path.lexists(path) and not (overwrite and path.is_file())):
            raise InvalidRequest(f"{path.name} already exists.", "Choose a different name, or set overwrite.")
        return path

    async def _speak(
        self,
        text: str,
        voice: str | None,
        speed: float,
        context: Context,
        use: Callable[[Pcm], None],
        max_ahead_seconds: float | None = None,
    ) -> float:
        """Pass the audio of each utterance to `use`; return its length [s] in all."""
        service, loop = self._service, asyncio.get_running_loop()
        fields = {"input": text, "voice": voice, "speed": speed, "response_format": "pcm"}
        seconds, started = 0.0, loop.time()
        with service.place(), service.job(order_of(fields, service.model, service.voices())) as job:
            while (part := await job.next_bytes()) is not None:
                service.resume()
                pcm = np.frombuffer(part, "<i2")
                use(pcm)
                seconds += len(pcm) / service.sample_rate_hz
                await context.report_progress(seconds, message=f"{seconds:.0f} s of audio")
                if max_ahead_seconds is not None:
                    await asyncio.sleep(max(0.0, seconds - max_ahead_seconds - (loop.time() - started)))
        return seconds


@contextmanager
def _reported() -> Iterator[None]:
    """Turn a failure that the user can fix into the protocol's."""
    try:
        yield
    except EngineError as error:
        raise ToolError(str(error)) from error

"""The Wyoming protocol, for Home Assistant: voices, and speech for texts that are complete or arrive in parts."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from importlib.metadata import version
from typing import Any

from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.error import Error
from wyoming.event import Event, Eventable, async_read_event, async_write_event
from wyoming.info import Attribution, Describe, Info, TtsProgram, TtsVoice
from wyoming.tts import (
    Synthesize,
    SynthesizeChunk,
    SynthesizeStart,
    SynthesizeStop,
    SynthesizeStopped,
    SynthesizeTextFormat,
)

from engine.errors import EngineError, InvalidRequest, NothingToSpeak
from engine.server.errors import error_object, unexpected
from engine.server.requests import order_of, voices_of
from engine.server.serving import GRACE_SECONDS, STALL_SECONDS, listening_socket, url_of
from engine.server.speaking import SpeechService
from engine.speech import VoiceInfo
from engine.text.g2p.split import PAUSE_SECONDS, Border
from engine.text.sentences import sentence_starts

log = logging.getLogger(__name__)
MAX_EVENT_BYTES = 512 * 1024
MAX_WAITING_EVENTS = 16
MAX_SENTENCE_CHARACTERS = 2000
"""The limit on a text that waits for the end of its sentence."""
PIECE_BYTES = 4096
_SAMPLE_BYTES, _MONO = 2, 1


class WyomingServer:
    """A server on a port, which is reserved from the start; raises the errors of `listening_socket`.

    The protocol has no token: every program that reaches the port can use it.
    """

    def __init__(self, service: SpeechService, host: str, port: int) -> None:
        self._service = service
        self._socket = listening_socket(host, port)
        self.url = url_of("tcp", self._socket)
        self._clients: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Accept clients from now on."""
        self._server = await asyncio.start_server(self._serve, sock=self._socket, limit=MAX_EVENT_BYTES)

    async def stop(self) -> None:
        """Close the port and all connections."""
        self._server.close()
        for client in self._clients:
            client.cancel()
        await asyncio.gather(*self._clients, return_exceptions=True)

    def close(self) -> None:
        """Release the port."""
        self._socket.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve a client until it leaves or stalls, or until an error, which it is sent."""
        connection = _Connection(self._service, _Bounded(reader), writer)
        client = asyncio.create_task(connection.handle())
        self._clients.add(client)
        reading = asyncio.create_task(connection.read())
        reading.add_done_callback(lambda _: client.cancel())  # a client that leaves cancels its work
        try:
            await asyncio.wait({client})
        finally:
            self._clients.discard(client)
            reading.cancel()
            writer.transport.abort()


class _Bounded:
    """The part of a reader that reads events, with a limit on the sizes that they announce."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self.readline = reader.readline
        self._reader = reader

    async def readexactly(self, count: int) -> bytes:
        if count > MAX_EVENT_BYTES:
            raise EOFError
        return await self._reader.readexactly(count)


class _Connection:
    """The events of a client: one task reads them, and a second one handles them in order."""

    def __init__(self, service: SpeechService, reader: Any, writer: asyncio.StreamWriter) -> None:
        self._service = service
        self._reader = reader
        self._writer = writer
        self._events: asyncio.Queue[Event] = asyncio.Queue(MAX_WAITING_EVENTS)
        writer.transport.set_write_buffer_limits(high=0)  # bytes that the system does not take count as unread

    async def read(self) -> None:
        """Queue events until the client leaves, or sends anything else."""
        with suppress(OSError, EOFError, LookupError, TypeError, AttributeError, RecursionError):
            while (event := await async_read_event(self._reader)) is not None and isinstance(event.data, dict):
                await self._events.put(event)

    async def handle(self) -> None:
        """Answer events until the client stalls, or until an error, which it is sent."""
        with suppress(OSError):
            try:
                while True:
                    await self._answer(await self._next())
            except EngineError as error:
                await self._refuse(error)
            except OSError:
                raise
            except Exception:  # the server outlives a request that fails
                log.exception("A request failed.")
                await self._refuse(unexpected())

    async def _next(self) -> Event:
        return await asyncio.wait_for(self._events.get(), STALL_SECONDS)

    async def _answer(self, event: Event) -> None:
        if Describe.is_type(event.type):
            await self._send(_info(self._service))
        elif Synthesize.is_type(event.type):
            await self._speak(_whole(event), event.data)
        elif SynthesizeStart.is_type(event.type):
            await self._speak(self._sentences(), event.data)
            await self._send(SynthesizeStopped())

    async def _sentences(self) -> AsyncIterator[str]:
        """Yield the sentences of a text that arrives in parts; other events are ignored until its end."""
        text = ""
        while not SynthesizeStop.is_type((event := await self._next()).type):
            if SynthesizeChunk.is_type(event.type):
                part = event.data.get("text")
                if not isinstance(part, str):
                    raise InvalidRequest("A part of the text isn’t a string.", "Send strings.")
                text += part
                end = len(text) if len(text) > MAX_SENTENCE_CHARACTERS else sentence_starts(text)[-1]
                if text[:end].strip():
                    yield text[:end]
                text = text[end:]
        if text.strip():
            yield text

    async def _speak(self, texts: AsyncIterator[Any], settings: Mapping[str, Any]) -> None:
        """Send the speech of texts as one stream of audio; a text without any sound adds nothing."""
        if settings.get("text_format") == SynthesizeTextFormat.SSML:
            raise InvalidRequest("SSML isn’t supported.", "Send plain text.")
        service = self._service
        fields = {"voice": _voice(settings, service.voices()), "response_format": "pcm"}
        audio = {"rate": service.sample_rate_hz, "width": _SAMPLE_BYTES, "channels": _MONO}
        start: list[Eventable] = [AudioStart(**audio)]
        gap = b""
        with service.place():
            async for text in texts:
                order = order_of({"input": text, **fields}, service.model, service.voices())
                with suppress(NothingToSpeak), service.job(order) as job:
                    while (part := await job.next_bytes()) is not None:
                        service.resume()
                        sound = gap + part
                        pieces = (sound[at : at + PIECE_BYTES] for at in range(0, len(sound), PIECE_BYTES))
                        await self._send(*start, *(AudioChunk(**audio, audio=piece) for piece in pieces))
                        start, gap = [], b""
                gap = bytes(_SAMPLE_BYTES * round(PAUSE_SECONDS[Border.SENTENCE] * service.sample_rate_hz))
            await self._send(*start, AudioStop())

    async def _send(self, *messages: Eventable) -> None:
        """Send events. Raises `OSError` if the client has left, or reads nothing for too long."""
        for message in messages:
            async with asyncio.timeout(STALL_SECONDS):
                await async_write_event(message.event(), self._writer)

    async def _refuse(self, error: EngineError) -> None:
        """Send an error, and read what the client still sends, so that it reads the error."""
        text = str(error).encode(errors="replace").decode()  # it may quote half of a surrogate pair
        await self._send(Error(text, error_object(error)["error"]["type"]))
        self._writer.write_eof()
        async with asyncio.timeout(GRACE_SECONDS):
            while True:
                await self._next()


async def _whole(event: Event) -> AsyncIterator[Any]:
    yield event.data.get("text")


def _voice(settings: Mapping[str, Any], voices: Sequence[VoiceInfo]) -> Any:
    """Return the voice that a request names, or else the first one of its language, such as `en-GB`, `en_GB` or `en`.

    Raises `InvalidRequest`.
    """
    wanted = settings.get("voice")
    if not isinstance(wanted, dict) or "name" in wanted or "language" not in wanted:
        return wanted.get("name") if isinstance(wanted, dict) else wanted
    found = voices_of(str(wanted["language"]), voices)
    if not found:
        known = ", ".join(dict.fromkeys(voice.language for voice in voices))
        raise InvalidRequest(f"No voice speaks “{wanted['language']}”.", f"Choose one of: {known}.")
    return found[0].name


def _info(service: SpeechService) -> Info:
    """Return the description of the model and its voices."""
    about: dict[str, Any] = {"attribution": Attribution(service.model, ""), "installed": True}
    about["version"] = version("kokoro-desk")
    voices = [
        TtsVoice(each.name, description=each.title, languages=[each.language], **about) for each in service.voices()
    ]
    program: dict[str, Any] = {"description": "Kokoro Desk", "voices": voices, "supports_synthesize_streaming": True}
    return Info(tts=[TtsProgram("kokoro-desk", **program, **about)])

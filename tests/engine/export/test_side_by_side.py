"""Tests of parts that others speak ahead of the export that writes them."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from engine.audio.recording import to_pcm
from engine.errors import Canceled, EngineError, InvalidRequest, OutputError
from engine.export.export_job import ExportJob
from engine.export.exporting import export, requests_of
from engine.export.side_by_side import (
    SpeakerSettings,
    SpeakingProcesses,
    SpokenAhead,
    SpokenPart,
    UnusablePart,
    speak_part,
)
from engine.speech import Event, Notice, PlanEvent, SpeechRequest, SpokenWord
from engine.text.documents import Chapter
from tests.engine.export.books import FastSpeaker, book, order_of, run
from tests.engine.full_disk import full_disk

REQUEST = SpeechRequest("Good morning.", "af_heart")
PCM = np.arange(4, dtype="<i2").tobytes()
Submit = Callable[[SpeechRequest], Future[SpokenPart]]


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    """Two threads that speak."""
    with ThreadPoolExecutor(2) as threads:
        yield threads


def submit_with(threads: ThreadPoolExecutor, speaker: FastSpeaker) -> Submit:
    return lambda request: threads.submit(speak_part, speaker, request)


def begun(orders: list[ExportJob], submit: Submit, observe: Callable[[Event], None] = lambda _: None) -> SpokenAhead:
    """Return the speaker of these jobs, which has begun with all parts."""
    ahead = SpokenAhead(FastSpeaker().fingerprint, submit, observe)
    ahead.speak_ahead(request for order in orders for request in requests_of(order, str))
    return ahead


def export_all(orders: list[ExportJob], ahead: SpokenAhead) -> list[float]:
    """Export one after the other; return the fractions done."""
    return [progress.fraction for order in orders for progress in export(order, ahead, lambda _: None)]


def test_books_have_the_bytes_of_one_process_without_repeated_parts(tmp_path, threads, cache):
    documents = [book(2), book(3), replace(book(1), chapters=(Chapter("Stars", "* * *"), *book(1).chapters))]
    orders = [order_of(each, tmp_path / f"{number}.m4b") for number, each in enumerate(documents)]
    alone, speaker = FastSpeaker(), FastSpeaker()
    fractions = export_all(orders, begun(orders, submit_with(threads, speaker)))
    contents = [order.path.read_bytes() for order in orders]
    for order in orders:
        run(order, alone)
    assert contents == [order.path.read_bytes() for order in orders]
    assert not list(cache.rglob("exports/*.flac"))
    assert max(fractions) <= 1
    parts = {request for order in orders for request in requests_of(order, str)}
    assert parts <= set(speaker.requests)


def test_the_words_of_subtitles_are_the_same(tmp_path, threads):
    orders = [replace(order_of(book(2), tmp_path / "a.wav"), subtitles=tmp_path / f"{name}.srt") for name in "ab"]
    export_all(orders[:1], begun(orders[:1], submit_with(threads, FastSpeaker())))
    run(orders[1])
    assert orders[0].subtitles.read_bytes() == orders[1].subtitles.read_bytes()


def test_parts_of_an_interrupted_export_are_not_spoken_again(tmp_path, threads):
    order, cancel, speaker = order_of(book(2), tmp_path / "a.flac"), threading.Event(), FastSpeaker()
    going = export(order, FastSpeaker(), lambda _: None, cancel)
    while next(going).fraction < 0.5:
        pass
    cancel.set()
    with pytest.raises(Canceled):
        list(going)
    export_all([order], begun([order], submit_with(threads, speaker)))
    parts = set(requests_of(order, str))
    assert set(speaker.requests) < parts


def test_notices_of_parts_arrive(tmp_path, threads):
    notice = Notice("It can’t be spoken as written.", 0, 1)
    events: list[Event] = []

    def submit(request: SpeechRequest) -> Future[SpokenPart]:
        return threads.submit(lambda: replace(speak_part(FastSpeaker(), request), notices=(notice,)))

    order = order_of(book(1, 500), tmp_path / "a.wav")
    export_all([order], begun([order], submit, events.append))
    assert [event.plan.notices for event in events if isinstance(event, PlanEvent) and event.plan.whole] == [(notice,)]


def test_an_error_of_those_who_speak_ends_the_export(tmp_path, threads):
    def fail(request: SpeechRequest) -> SpokenPart:
        raise EngineError("It failed twice.", "Try again.")

    order = order_of(book(1), tmp_path / "a.wav")
    with pytest.raises(EngineError, match=r"It failed twice\."):
        export_all([order], begun([order], lambda request: threads.submit(fail, request)))
    assert not order.path.exists()


def test_a_full_disk_ends_the_export(tmp_path, threads):
    order = order_of(book(1), tmp_path / "a.wav")
    with full_disk(1000), pytest.raises(OutputError, match="Couldn’t save more audio"):
        export_all([order], begun([order], submit_with(threads, FastSpeaker())))


def test_it_is_canceled_while_others_speak(tmp_path):
    order, cancel = order_of(book(1), tmp_path / "a.wav"), threading.Event()

    def submit(request: SpeechRequest) -> Future[SpokenPart]:
        cancel.set()
        return Future()  # never done

    with pytest.raises(Canceled):
        list(export(order, begun([order], submit), lambda _: None, cancel))


@pytest.mark.parametrize(
    "part",
    [
        SpokenPart(5, PCM),
        SpokenPart(4, PCM[:-1]),
        SpokenPart(0, b"", (SpokenWord(0, 4, 0, 1),)),
        SpokenPart(4, PCM, (SpokenWord(0, 40, 0, 1),)),
        SpokenPart(4, PCM, (SpokenWord(4, 0, 0, 1),)),
    ],
)
def test_incomplete_audio_is_refused(part):
    with pytest.raises(UnusablePart):
        part.checked(REQUEST)


def test_complete_audio_is_accepted():
    words = (SpokenWord(0, 4, 0, 1),)
    rendered = SpokenPart(4, PCM, words).checked(REQUEST)
    assert rendered.pcm.tolist() == [0, 1, 2, 3]
    assert rendered.words == words


def test_every_sample_survives_the_way_through_the_cache() -> None:
    """The speaker of a part yields floating-point samples, which were 16-bit integers."""
    pcm = np.arange(-32767, 32768).astype("<i2")
    spoken = SpokenPart(len(pcm), pcm.tobytes())
    (chunk,) = SpokenAhead(str, lambda _: done(spoken), str).synthesize(REQUEST, str, None)
    np.testing.assert_array_equal(to_pcm(chunk.samples), pcm)


def done(part: SpokenPart) -> Future[SpokenPart]:
    future: Future[SpokenPart] = Future()
    future.set_result(part)
    return future


@pytest.mark.parametrize("count", [-1, 0, 100_000])
def test_absurd_numbers_of_processes_are_refused(count):
    with pytest.raises(InvalidRequest, match=f"{count} processes"):
        SpeakingProcesses(SpeakerSettings("starter"), count)


def test_an_error_of_a_process_is_raised_before_the_next_part() -> None:
    with SpeakingProcesses(SpeakerSettings("starter"), 1) as processes:
        failing = processes.submit(replace(REQUEST, voice="nobody"))
        speaking = processes.submit(replace(REQUEST, voice="am_michael"))
        with pytest.raises(EngineError, match="Unknown voice"):
            failing.result()
        assert speaking.result().length > 10_000


def test_a_missing_model_is_reported_when_the_first_process_starts() -> None:
    with (
        SpeakingProcesses(SpeakerSettings("starter", "random:nothing"), 1) as processes,
        pytest.raises(EngineError, match="Unknown weights"),
    ):
        processes.prepare(lambda _: None)


def test_leaving_the_block_ends_parts_in_progress():
    with SpeakingProcesses(SpeakerSettings("starter"), 1) as processes:
        parts = [processes.submit(REQUEST) for _ in range(2)]
    assert all(part.cancelled() or isinstance(part.exception(), Canceled) for part in parts)

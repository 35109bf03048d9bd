"""Tests of downloading a better model while the current one is in use; the window, strip and jobs are real."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.audio.player import Playback
from app.speech.activity import Readiness
from app.speech.strips import Answer
from app.speech.voice_choice import VoiceChoice
from engine.errors import CompileError, DownloadError
from engine.models.catalog import catalog
from engine.models.store import ModelState
from tests.app.fake_library import FULL_SIZE, STARTER, FakeLibrary
from tests.app.models.desk import Desk
from tests.patience import PATIENCE_MS

COMPACT = "kokoro-82m-8bit"
COMPACT_TITLE = next(entry.title for entry in catalog() if entry.name == COMPACT)
SALLY, HEART = VoiceChoice("af_sally", STARTER), VoiceChoice("af_heart", COMPACT)
MakeDesk = Callable[..., Desk]


@pytest.fixture
def opened(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[MakeDesk]:
    desks: list[Desk] = []

    def make(library: FakeLibrary | None = None, fetch: str | None = COMPACT) -> Desk:
        desks.append(Desk(qtbot, qapp, tmp_path, fake=library, fetch=fetch))
        desks[-1].look()
        return desks[-1]

    yield make
    for desk in desks:
        desk.close()


def text_of(desk: Desk) -> str:
    return "" if desk.strip.notice is None else desk.strip.notice.text


def offered(desk: Desk) -> str | None:
    """Return the model that the strip's button downloads."""
    notice = desk.strip.notice
    return notice.model if notice is not None and Answer.FETCH in notice.answers else None


def start(desk: Desk) -> None:
    """Make the engine ready, and finish all work in the background."""
    desk.start()
    desk.qtbot.waitUntil(lambda: not desk.models.controller.busy and desk.models.upgrade._begun)


def test_a_model_is_downloaded_prepared_and_takes_over(opened: MakeDesk) -> None:
    desk = opened()
    assert not desk.library.asked
    start(desk)
    assert [(name, task.value) for task, name, _ in desk.library.asked] == [(COMPACT, "fetch")]
    assert desk.library.made_ready == [(COMPACT, "auto")]
    assert desk.voices.choice == HEART
    assert desk.engines_requested == [COMPACT]
    assert COMPACT_TITLE in text_of(desk)
    assert "Heart" in text_of(desk)
    assert desk.page.banner.message is None
    assert (desk.settings.voice, desk.settings.model) == (None, None)


def test_nothing_begins_while_the_engine_needs_the_cpu(opened: MakeDesk, qtbot: QtBot) -> None:
    desk = opened()
    desk.engine.prepare_error = CompileError("No.", "Do.")
    qtbot.wait_for_timers()
    assert not desk.models.controller.busy
    assert not desk.library.asked
    desk.speech.prepare()
    qtbot.waitUntil(lambda: desk.speech.activity.readiness is Readiness.FAILED)
    qtbot.waitUntil(lambda: bool(desk.library.asked))


def test_download_progress_and_time_left_show_and_canceling_is_permanent(opened: MakeDesk, qtbot: QtBot) -> None:
    desk = opened()
    desk.library.hold.clear()
    desk.start()
    qtbot.waitUntil(lambda: "left" in text_of(desk))
    assert text_of(desk).endswith(f"{COMPACT_TITLE}: 21 of 63 MB, 4.1 MB/s, about 10 seconds left")
    assert desk.strip.bar.isVisible()
    desk.strip.button(Answer.CANCEL).click()
    desk.wait()
    assert desk.strip.isHidden()
    assert desk.library.discarded == [COMPACT]
    again = opened(desk.library)
    start(again)
    assert len(desk.library.asked) == 1


def test_making_ready_is_shown_step_by_step(opened: MakeDesk, qtbot: QtBot) -> None:
    desk = opened(FakeLibrary(states={COMPACT: ModelState.INSTALLED}))
    desk.library.hold.clear()
    desk.start()
    qtbot.waitUntil(lambda: "compiling" in text_of(desk))
    assert text_of(desk).endswith(f"{COMPACT_TITLE}: compiling decoder, 5 of 7")
    assert desk.voices.choice == SALLY
    desk.library.hold.set()
    qtbot.waitUntil(lambda: desk.voices.choice == HEART)
    assert not desk.library.asked


def ready_during_a_speech(desk: Desk, qtbot: QtBot) -> Desk:
    """A desk where the better model becomes ready while the starter is still playing."""
    desk.library.hold.clear()
    desk.start()
    desk.window.play()
    qtbot.waitUntil(lambda: desk.speech.track.whole)
    desk.library.hold.set()
    qtbot.waitUntil(lambda: text_of(desk).startswith(f"{COMPACT_TITLE} is ready and"))
    return desk


def test_an_upgrade_never_takes_over_in_the_middle_of_speech(opened: MakeDesk, qtbot: QtBot) -> None:
    desk = ready_during_a_speech(opened(), qtbot)
    assert desk.voices.choice == SALLY
    desk.output.stream.pull(10_000)
    desk.speech.player.tick()
    qtbot.waitUntil(lambda: desk.voices.choice == HEART)
    assert desk.speech.player.playback is Playback.STOPPED
    assert [request.voice for request in desk.engine.requests] == ["af_sally"]


def test_one_that_is_removed_before_it_speaks_does_not_take_over(opened: MakeDesk, qtbot: QtBot) -> None:
    desk = ready_during_a_speech(opened(), qtbot)
    desk.models.controller.remove(COMPACT)
    desk.wait()
    desk.output.stream.pull(10_000)
    desk.speech.player.tick()
    qtbot.waitUntil(lambda: desk.speech.player.playback is Playback.STOPPED)
    assert "is ready" not in text_of(desk)
    assert desk.voices.choice == SALLY


def test_choosing_the_new_model_during_playback_ends_its_notice(opened: MakeDesk, qtbot: QtBot) -> None:
    desk = ready_during_a_speech(opened(), qtbot)
    desk.voices.choose_voice(VoiceChoice("bm_george", COMPACT))
    desk.speech.stop()
    qtbot.waitUntil(lambda: desk.speech.activity.idle)
    assert desk.voices.choice == VoiceChoice("bm_george", COMPACT)
    assert offered(desk) == FULL_SIZE


@pytest.mark.parametrize("state", [ModelState.ABSENT, ModelState.INSTALLED])
def test_closing_stops_background_work_and_keeps_received_data(
    opened: MakeDesk, qtbot: QtBot, state: ModelState
) -> None:
    desk = opened(FakeLibrary(states={COMPACT: state}))
    desk.library.hold.clear()
    desk.start()
    qtbot.waitUntil(lambda: bool(desk.library.asked or desk.library.made_ready))
    assert desk.models.shut_down(PATIENCE_MS)
    assert not desk.library.discarded
    assert not desk.settings.models_offered


def test_a_user_who_chose_a_voice_gets_an_offer(opened: MakeDesk) -> None:
    desk = opened()
    desk.voices.choose_voice(VoiceChoice("am_adam", STARTER))
    start(desk)
    assert text_of(desk) == f"{COMPACT_TITLE} is ready."
    assert desk.voices.choice == VoiceChoice("am_adam", STARTER)
    desk.strip.button(Answer.USE).click()
    assert desk.voices.choice == VoiceChoice("am_adam", COMPACT)
    assert desk.settings.model == COMPACT
    assert offered(desk) == FULL_SIZE


def test_going_back_is_a_choice_that_is_remembered(opened: MakeDesk) -> None:
    desk = opened()
    start(desk)
    desk.strip.button(Answer.GO_BACK).click()
    assert desk.voices.choice == SALLY
    assert (desk.settings.voice, desk.settings.model) == ("af_sally", STARTER)
    assert desk.strip.isHidden()
    again = opened(desk.library)
    start(again)
    assert again.voices.choice == SALLY
    assert again.strip.isHidden()


def test_a_failed_download_shows_one_notice_and_can_be_retried(opened: MakeDesk) -> None:
    desk = opened()
    desk.library.error = DownloadError("The server can’t be reached.", "Try again.")
    start(desk)
    assert text_of(desk).endswith(f"{COMPACT_TITLE}: the server can’t be reached.")
    assert desk.page.banner.message is None
    assert desk.voices.choice == SALLY
    desk.library.error = None
    desk.strip.button(Answer.TRY_AGAIN).click()
    desk.qtbot.waitUntil(lambda: desk.voices.choice == HEART)


def test_a_failed_preparation_shows_a_notice_the_user_can_dismiss(opened: MakeDesk) -> None:
    desk = opened(FakeLibrary(states={COMPACT: ModelState.INSTALLED}))
    desk.library.error = CompileError("There is no linker.", "Install one.")
    start(desk)
    assert text_of(desk).endswith(f"{COMPACT_TITLE}: there is no linker.")
    assert desk.page.banner.message is None
    desk.strip.close_button.click()
    assert desk.strip.isHidden()


@pytest.mark.parametrize("here", [COMPACT, FULL_SIZE])
def test_nothing_is_downloaded_if_the_model_or_a_better_one_is_installed(opened: MakeDesk, here: str) -> None:
    desk = opened(FakeLibrary(states={here: ModelState.INSTALLED}))
    start(desk)
    assert not desk.library.asked
    assert desk.voices.speaking_model == here


def test_a_lesser_model_does_not_prevent_downloading_a_better_one(opened: MakeDesk) -> None:
    desk = opened(FakeLibrary(states={COMPACT: ModelState.INSTALLED}), FULL_SIZE)
    start(desk)
    assert [name for _, name, _ in desk.library.asked] == [FULL_SIZE]
    assert desk.voices.speaking_model == FULL_SIZE


def test_an_interrupted_download_resumes_at_the_next_start(opened: MakeDesk) -> None:
    desk = opened(FakeLibrary(states={COMPACT: ModelState.PARTIAL}))
    desk.settings.models_offered = True
    start(desk)
    assert desk.voices.choice == HEART


def test_an_unknown_model_to_download_shows_a_one_sentence_error(opened: MakeDesk) -> None:
    desk = opened(None, "kokoro")
    start(desk)
    assert "“kokoro”. Known models: starter," in desk.page.banner.label.text()
    assert not desk.library.asked


def test_a_model_downloaded_by_the_user_is_prepared_and_offered_too(opened: MakeDesk) -> None:
    desk = opened(None, None)
    desk.voices.choose_voice(SALLY)
    start(desk)
    desk.models.controller.fetch(FULL_SIZE)
    desk.wait()
    desk.wait_until_told("Kokoro-82M is ready.")
    assert desk.library.made_ready == [(FULL_SIZE, "auto")]
    desk.strip.button(Answer.NOT_NOW).click()
    assert desk.strip.isHidden()
    assert desk.voices.choice == SALLY


def test_a_model_that_is_removed_is_no_longer_offered(opened: MakeDesk) -> None:
    desk = opened(None, None)
    desk.voices.choose_voice(SALLY)
    start(desk)
    desk.dialog.fetch_requested.emit(FULL_SIZE)
    desk.wait_until_told("Kokoro-82M is ready.")
    desk.wait()
    desk.models.controller.remove(FULL_SIZE)
    desk.wait()
    assert desk.strip.isHidden()


def test_with_a_lesser_model_the_best_is_offered_until_answered(opened: MakeDesk) -> None:
    desk = opened(FakeLibrary(states={COMPACT: ModelState.INSTALLED}))
    start(desk)
    assert desk.voices.choice == HEART
    assert offered(desk) is None  # the model now in use is announced first
    desk.strip.close_button.click()
    for part in ("Kokoro-82M", "54 voices", "355\N{NO-BREAK SPACE}MB"):
        assert part in text_of(desk)
    desk.strip.button(Answer.FETCH).click()
    desk.wait()
    assert [name for _, name, _ in desk.library.asked] == [FULL_SIZE]
    desk.qtbot.waitUntil(lambda: desk.voices.speaking_model == FULL_SIZE)
    desk.strip.close_button.click()
    assert desk.strip.isHidden()


def test_nothing_better_is_offered_to_those_who_chose_the_starter(opened: MakeDesk) -> None:
    desk = opened(FakeLibrary(states={COMPACT: ModelState.INSTALLED}))
    desk.voices.choose_voice(SALLY)
    start(desk)
    assert desk.strip.isHidden()


def test_the_offer_stays_until_declined(opened: MakeDesk) -> None:
    desk = opened(None, None)
    for part in ("Kokoro-82M", "54 voices", "355\N{NO-BREAK SPACE}MB"):
        assert part in text_of(desk)
    desk.strip.button(Answer.NOT_NOW).click()
    desk.look()
    assert desk.strip.isHidden()
    assert opened(None, None).strip.isHidden()


def test_accepting_the_offer_downloads_immediately_and_shows_progress(opened: MakeDesk, qtbot: QtBot) -> None:
    desk = opened(None, None)
    desk.library.hold.clear()
    desk.strip.button(Answer.FETCH).click()
    qtbot.waitUntil(lambda: "Kokoro-82M: 118 of 355 MB" in text_of(desk))
    assert desk.settings.models_offered
    desk.strip.button(Answer.CANCEL).click()
    desk.wait()
    assert desk.strip.isHidden()


def test_nothing_is_offered_to_those_who_have_it(opened: MakeDesk) -> None:
    desk = opened(FakeLibrary(states={FULL_SIZE: ModelState.INSTALLED}), None)
    assert desk.strip.isHidden()
    assert not desk.settings.models_offered

from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from app.audio.player import AudioPlayer
from app.audio.sound_player import SoundPlayer
from app.diagnostics.outputs.drill_down import HOW_TO_READ, DrillDown
from app.diagnostics.outputs.listening import LOUDEST, LOUDEST_GAIN, AudioSide, ListeningBar, has_audio, heard
from app.diagnostics.outputs.listening_control import SHOW_EVERY_MS, UNHEARD, ListeningControl
from app.diagnostics.runs.run import Shown
from engine.stages import STAGES
from engine.validator.data.results import InputSource, Regime
from tests.app.diagnostics_fakes import CONFIG, MemoryArrays, arrays_of, finished_run, request, row
from tests.app.fakes import FakeOutput

AUDIO = row(STAGES[-1], "audio", Regime.COMPILED)
OURS = (0, Regime.COMPILED, InputSource.ISOLATED, "audio")
REFERENCE = (0, Regime.DYNAMIC, InputSource.END_TO_END, "audio")


def test_both_sides_play_unchanged() -> None:
    arrays = arrays_of(request())
    for part, key in ((AudioSide.OURS, OURS), (AudioSide.REFERENCE, REFERENCE)):
        found = heard(arrays, AUDIO, part)
        assert found.samples == pytest.approx(np.clip(arrays.arrays[key][0], -1, 1))
        assert found.samples.dtype == np.float32
        assert found.gain_db == 0


def test_the_difference_is_amplified_enough_to_hear() -> None:
    arrays = arrays_of(request())
    found = heard(arrays, AUDIO, AudioSide.DIFFERENCE)
    assert np.abs(found.samples).max() == pytest.approx(LOUDEST, rel=1e-3)
    assert found.gain_db > 60
    apart = arrays.arrays[OURS][0] - arrays.arrays[REFERENCE][0]
    assert np.corrcoef(found.samples, apart)[0, 1] == pytest.approx(1)


def test_a_difference_of_nothing_stays_quiet() -> None:
    arrays = arrays_of(request())
    arrays.arrays[OURS] = arrays.arrays[REFERENCE]
    assert heard(arrays, AUDIO, AudioSide.DIFFERENCE) is None
    arrays.arrays[OURS] = arrays.arrays[REFERENCE] + np.float32(1e-7)
    found = heard(arrays, AUDIO, AudioSide.DIFFERENCE)
    assert np.abs(found.samples).max() < 0.05


def test_broken_audio_hurts_no_ear() -> None:
    arrays = arrays_of(request())
    arrays.arrays[OURS] = np.array([[np.nan, np.inf, -7.0, 0.5]], np.float32)
    found = heard(arrays, AUDIO, AudioSide.OURS)
    assert found.samples.tolist() == [0, 1, -1, 0.5]


def test_only_saved_audio_can_be_played() -> None:
    arrays = arrays_of(request())
    assert has_audio(arrays, AUDIO)
    assert not has_audio(None, AUDIO)
    assert not has_audio(MemoryArrays(), AUDIO)
    assert not has_audio(arrays, row(STAGES[3], "f0", Regime.COMPILED))
    assert heard(MemoryArrays(), AUDIO, AudioSide.OURS) is None


@pytest.fixture
def bar(qtbot: QtBot) -> ListeningBar:
    bar = ListeningBar()
    qtbot.addWidget(bar)
    return bar


@pytest.mark.parametrize("part", list(AudioSide))
def test_every_part_can_be_requested_and_is_marked_only_while_playing(
    bar: ListeningBar, qtbot: QtBot, part: AudioSide
) -> None:
    with qtbot.waitSignal(bar.part_clicked) as wanted:
        bar.buttons[part].click()
    assert wanted.args == [part]
    assert not bar.buttons[part].isChecked()
    bar.show_playing(part)
    assert [each for each, button in bar.buttons.items() if button.isChecked()] == [part]
    assert bar.buttons[part].accessibleName().startswith("Stop ")


def test_a_is_end_to_end_until_the_last_stage_alone_is_wanted(bar: ListeningBar, qtbot: QtBot) -> None:
    assert bar.end_to_end
    for button, end_to_end in ((bar.alone_button, False), (bar.whole_button, True)):
        with qtbot.waitSignal(bar.end_to_end_toggled) as toggled:
            button.click()
        assert toggled.args == [end_to_end]
        assert bar.end_to_end is end_to_end
        assert ("last stage only" in bar.buttons[AudioSide.OURS].text()) is not end_to_end
    bar.name_sides("Padded, not packed", "PyTorch")
    assert [button.text() for button in bar.buttons.values()] == [
        "A · Padded, not packed, end to end",
        "B · PyTorch",
        "A - B",
    ]
    with qtbot.waitSignal(bar.spectrogram_requested):
        bar.spectrogram_button.click()


def test_the_tab_key_leads_from_left_to_right(bar: ListeningBar, qtbot: QtBot) -> None:
    bar.resize(bar.sizeHint())
    bar.show()
    bar.activateWindow()
    bar.spectrogram_button.setFocus()
    places = []
    for _ in range(5):
        focused = bar.focusWidget()
        places.append(focused.mapTo(bar, QPoint()).x())
        qtbot.keyClick(focused, Qt.Key.Key_Tab)
    assert len(bar.lines) == 1
    assert places == sorted(set(places))


RATE_HZ = CONFIG.sample_rate_hz
SHOWN = Shown(Regime.COMPILED, utterance=0)


class Desk:
    """A stage's page with the waveform of a run, and a device."""

    def __init__(self, qtbot: QtBot) -> None:
        self.qtbot, self.output, self.run = qtbot, FakeOutput(), finished_run()
        assert isinstance(self.run.arrays, MemoryArrays)
        self.arrays = self.run.arrays.arrays
        self.page = DrillDown()
        qtbot.addWidget(self.page)
        self.page.resize(700, 400)
        self.page.show()
        self.sounds = SoundPlayer(AudioPlayer(self.output), self.output)
        self.control = ListeningControl(self.page, self.sounds)
        self.places: list[float | None] = []
        self.control.moved.connect(self.places.append)
        self.page.show_stage(self.run, SHOWN, "istft")
        self.bar = self.page.listening

    def side(self, part: AudioSide) -> np.ndarray:
        keys = {
            AudioSide.OURS: (0, Regime.COMPILED, InputSource.END_TO_END, "audio"),
            AudioSide.REFERENCE: (0, Regime.DYNAMIC, InputSource.END_TO_END, "audio"),
        }
        return np.clip(np.ravel(self.arrays[keys[part]]), -1, 1)

    def press(self, part: AudioSide) -> None:
        self.bar.buttons[part].click()

    def hear(self, count: int) -> np.ndarray:
        self.output.stream.pull(count)
        return self.output.stream.heard()


@pytest.fixture
def desk(qtbot: QtBot) -> Iterator[Desk]:
    desk = Desk(qtbot)
    yield desk
    desk.sounds.stop()


def test_b_continues_at_the_position_of_a(desk: Desk, qtbot: QtBot) -> None:
    desk.arrays[(0, Regime.COMPILED, InputSource.END_TO_END, "audio")] = -desk.side(AudioSide.REFERENCE)[None]
    desk.press(AudioSide.OURS)
    np.testing.assert_allclose(desk.hear(6000), desk.side(AudioSide.OURS)[:6000])
    qtbot.waitUntil(lambda: desk.sounds.place >= 6000)
    desk.press(AudioSide.REFERENCE)
    desk.page.show_stage(desk.run, SHOWN, "f0n")  # a different stage of the same utterance
    assert desk.control.heard is AudioSide.REFERENCE
    heard = desk.hear(12_000)
    np.testing.assert_allclose(heard[-4000:], desk.side(AudioSide.REFERENCE)[14_000:18_000], atol=1e-6)
    steps = max(np.abs(np.diff(desk.side(part))).max() for part in (AudioSide.OURS, AudioSide.REFERENCE))
    assert np.abs(np.diff(heard)).max() < 1.2 * steps
    assert len(desk.output.streams) == 1


def test_the_button_of_the_part_playing_stops_it(desk: Desk) -> None:
    desk.press(AudioSide.OURS)
    assert desk.bar.buttons[AudioSide.OURS].isChecked()
    assert desk.bar.buttons[AudioSide.OURS].accessibleName() == "Stop A: Compiled, end to end"
    desk.press(AudioSide.OURS)
    assert not desk.sounds.playing
    assert desk.control.heard is None
    assert desk.bar.buttons[AudioSide.OURS].accessibleName() == "Play A: Compiled, end to end"
    assert desk.places[-1] is None


def test_a_selected_part_goes_round_and_the_borders_can_be_moved(desk: Desk, qtbot: QtBot) -> None:
    desk.bar.loop_button.click()
    part = desk.page.signals.part
    assert part is not None
    assert part == desk.page.heat_maps.part
    length = desk.run.alignment(0)
    seconds = sum(length) / CONFIG.frames_per_second
    assert part == pytest.approx((seconds / 4, seconds * 3 / 4))
    desk.press(AudioSide.OURS)
    desk.page.signals.part_chosen.emit(0.1, 0.2)
    assert desk.page.heat_maps.part == pytest.approx((0.1, 0.2))
    first, last = round(0.1 * RATE_HZ), round(0.2 * RATE_HZ)
    heard = desk.hear(3 * (last - first))
    after_seam = slice(last - first + 200, 2 * (last - first))
    np.testing.assert_allclose(heard[after_seam], desk.side(AudioSide.OURS)[first + 200 : last], atol=1e-6)
    assert desk.control.heard is AudioSide.OURS
    desk.bar.loop_button.click()
    assert desk.page.signals.part is None


def test_the_difference_is_as_much_louder_as_is_wanted(desk: Desk, qtbot: QtBot) -> None:
    apart = desk.side(AudioSide.OURS) - desk.side(AudioSide.REFERENCE)
    desk.bar.gain.choose(0.0)
    desk.press(AudioSide.DIFFERENCE)
    np.testing.assert_allclose(desk.hear(3000), apart[:3000], atol=1e-6)
    qtbot.waitUntil(lambda: desk.sounds.place >= 3000)
    desk.bar.gain.choose(40.0)
    desk.bar.gain.chosen.emit(40.0)
    heard = desk.hear(12_000)
    np.testing.assert_allclose(heard[-4000:], 100 * apart[11_000:15_000], rtol=1e-3, atol=1e-5)


def test_audio_that_is_too_loud_is_reported_as_clipped(desk: Desk) -> None:
    desk.arrays[(0, Regime.COMPILED, InputSource.END_TO_END, "audio")] = -desk.side(AudioSide.REFERENCE)[None]
    desk.bar.gain.choose(40.0)
    desk.press(AudioSide.DIFFERENCE)
    assert "by 40 dB; some peaks are clipped" in desk.page.readout.accessibleDescription()
    desk.bar.gain.choose(LOUDEST_GAIN)
    desk.bar.gain.chosen.emit(LOUDEST_GAIN)
    assert desk.page.readout.accessibleDescription() == HOW_TO_READ


def test_equal_sides_have_nothing_to_hear(desk: Desk) -> None:
    desk.arrays[(0, Regime.COMPILED, InputSource.END_TO_END, "audio")] = desk.side(AudioSide.REFERENCE)[None]
    desk.press(AudioSide.DIFFERENCE)
    assert not desk.sounds.playing
    assert desk.page.readout.accessibleDescription() == UNHEARD
    assert not desk.bar.buttons[AudioSide.DIFFERENCE].isChecked()


def test_a_different_topic_ends_playback(desk: Desk) -> None:
    desk.bar.loop_button.click()
    desk.press(AudioSide.OURS)
    desk.page.show_stage(desk.run, Shown(Regime.COMPILED, utterance=1), "istft")
    assert not desk.sounds.playing
    assert not desk.bar.loops


def test_the_playback_position_is_shown(desk: Desk, qtbot: QtBot) -> None:
    desk.press(AudioSide.OURS)
    for sample, seconds in ((7200, 0.3), (2400, 0.4)):
        qtbot.wait_for_timers(SHOW_EVERY_MS)  # updates are at least this far apart
        desk.hear(sample)
        qtbot.waitUntil(lambda seconds=seconds: desk.places[-1:] == [pytest.approx(seconds)])
    assert desk.page.signals.panes[0].cursor.isVisible()

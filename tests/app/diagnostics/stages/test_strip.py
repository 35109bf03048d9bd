from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from pytestqt.qtbot import QtBot

from app.diagnostics.colors import Scale, table_of
from app.diagnostics.outputs.pictures import envelope
from app.diagnostics.runs.run import DiagnosticsRun, Shown
from app.diagnostics.stages.strip import (
    COLUMNS,
    MIN_SECONDS,
    NO_ROWS,
    CellRow,
    Strip,
    TimeScale,
    audio_envelope,
    content_of,
    errors_of,
    text_without_cells,
)
from app.diagnostics.stages.strip_painter import StripCaption, StripPainter
from app.diagnostics.stages.utterance_clock import Word
from app.theme import LIGHT, Appearance, Theme
from engine.speech import Plan, PlanEvent
from engine.stages import STAGES
from engine.validator.data.results import Regime, Verdict
from tests.app.diagnostics_fakes import CONFIG, UTTERANCES, MemoryArrays, alignment, events, finished_run, request, row

SHOWN = Shown(Regime.COMPILED, utterance=1)
LENGTH = sum(alignment(UTTERANCES[1])) / CONFIG.frames_per_second


@pytest.fixture
def strip(qtbot: QtBot) -> Strip:
    return Strip()


def test_the_strip_describes_its_content_at_each_point(strip: Strip) -> None:
    strip.show_run(finished_run(), SHOWN, "f0n")
    said = strip.words_at("f0n", 0.3)
    assert said.startswith("Pitch and energy, 0.30 s “")
    assert "error" in said
    assert strip.words_at(None, 0.2).startswith("0.20 s “Everything”")
    strip.show_run(None, SHOWN, None)
    assert strip.words_at("f0n", 0.3) == ""


def test_rows_fill_while_it_runs(strip: Strip) -> None:
    run = DiagnosticsRun(request(), CONFIG)
    run.handle_event(PlanEvent(Plan(UTTERANCES)))
    strip.show_run(run, Shown(Regime.COMPILED), None)
    assert strip.rows == NO_ROWS
    for event in events(run.request, probes=False)[3:15]:
        run.handle_event(event)
    strip.show_run(run, Shown(Regime.COMPILED), None)
    kept = strip.rows
    assert [row is not None for row in kept[:2]] == [True, True]
    assert kept[-1] is None
    strip.show_run(run, Shown(Regime.COMPILED), "bert")
    assert strip.rows == kept


def test_a_crash_is_seen(strip: Strip) -> None:
    run = DiagnosticsRun(request(), CONFIG)
    run.crash("Gone.")
    strip.show_run(run, Shown(Regime.COMPILED), None)
    assert {row.words for row in strip.rows if row} == {"crashed"}


def test_the_waveform_is_read_once(strip: Strip) -> None:
    run = finished_run()
    arrays = run.arrays
    assert isinstance(arrays, MemoryArrays)
    for stage in (None, "f0n", "decoder"):
        strip.show_run(run, SHOWN, stage)
    assert arrays.loaded == 1
    strip.show_run(run, Shown(Regime.COMPILED, utterance=0), None)
    assert arrays.loaded == 2


def test_cells_span_the_full_length_of_the_audio(strip: Strip) -> None:
    strip.show_run(finished_run(), SHOWN, None)
    assert strip.scale.in_view == pytest.approx((0, LENGTH))
    for cells in strip.rows:
        assert cells.edges[-1] == pytest.approx(LENGTH)


def test_lines_stay_within_the_utterance_and_tell_where_they_were(strip: Strip, qtbot: QtBot) -> None:
    strip.show_run(finished_run(), SHOWN, None)
    strip.show_moment(0.2)
    with qtbot.waitSignal(strip.line_moved) as moved:
        strip.show_moment(99)
    assert moved.args == [0.2, pytest.approx(LENGTH)]
    with qtbot.waitSignal(strip.line_moved) as moved:
        strip.show_playhead(-1)
    assert moved.args == [None, 0]
    strip.show_playhead(None)
    assert strip.playhead is None
    strip.show_run(finished_run(), Shown(Regime.COMPILED, utterance=0), None)
    assert strip.cursor is None  # it was a time of a different utterance


@pytest.mark.parametrize(("seconds", "error"), [(0, 1), (0.05, 1), (0.1, 2), (0.95, 3), (1, 3), (5, 3)])
def test_the_error_of_a_moment(seconds: float, error: float) -> None:
    assert CellRow(np.array([0, 0.1, 0.9, 1.0]), np.array([1.0, 2.0, 3.0])).error_at(seconds) == error


def test_it_names_the_utterance(qtbot: QtBot) -> None:
    caption = StripCaption()
    qtbot.addWidget(caption)
    caption.show_content(content_of(finished_run(), Shown(Regime.COMPILED, utterance=2), None))
    assert caption.label.accessibleDescription() == "3: Dr. Smith left."
    caption.show_content(content_of(finished_run(), Shown(Regime.COMPILED, utterance=2), None), "Decoder, 0.30 s")
    assert caption.label.accessibleDescription() == "Decoder, 0.30 s"
    caption.show_content(None)
    assert caption.label.accessibleDescription() == ""


def test_a_row_without_cells_says_the_reason() -> None:
    known = row(STAGES[0], "text_features", Regime.COMPILED)
    assert text_without_cells(known) == ""
    assert len(errors_of(known.profile)) == len(UTTERANCES[0].phonemes) + 2
    assert len(errors_of(None)) == 0
    assert CellRow(np.zeros(2), np.zeros(0), "crashed").error_at(0.5) is None
    verdicts = (Verdict.CRASHED, Verdict.INCOMPARABLE, Verdict.FAIL)
    said = {text_without_cells(replace(known, profile=None, verdict=verdict)) for verdict in verdicts}
    assert len(said) == 3
    assert all(said)


@pytest.mark.parametrize("appearance", [Appearance.LIGHT, Appearance.DARK])
def test_unequal_cells_lie_where_they_belong_in_the_color_of_their_error(theme: Theme, appearance: Appearance) -> None:
    theme.choose(appearance)
    image = CellRow(np.array([0, 0.2, 1.8, 2.0]), np.array([0.0, 100.0, 0.0])).image()
    least, most = (QColor(*table_of(Scale.ERRORS)[step].tolist()).name() for step in (0, -1))
    found = [image.pixelColor(int(share * COLUMNS), 0).name() for share in (0.05, 0.15, 0.85, 0.95)]
    assert found == [least, most, most, least]


def test_the_scale_explains_itself_in_any_theme(qtbot: QtBot, theme: Theme) -> None:
    caption = StripCaption()
    qtbot.addWidget(caption)
    pictures = []
    for appearance in (Appearance.LIGHT, Appearance.DARK):
        theme.choose(appearance)
        pictures.append(caption.scale.grab().toImage())
    assert pictures[0] != pictures[1]
    assert "RMS" in caption.scale.toolTip()
    bottom = pictures[0].height() - 2
    assert pictures[0].pixelColor(2, bottom).lightness() > pictures[0].pixelColor(147, bottom).lightness() + 100


COMPILED = Shown(Regime.COMPILED)


def test_the_rows_are_those_of_one_utterance() -> None:
    content = content_of(finished_run(), replace(COMPILED, utterance=2), None)
    assert content.index == 2
    assert content.utterance == UTTERANCES[2]
    assert [each.stage for each in content.rows if each] == [stage.name for stage in STAGES]
    assert {each.utterance for each in content.rows if each} == {2}
    assert content.clock.frames_per_token == alignment(UTTERANCES[2])


def test_the_compiled_waveform_comes_first() -> None:
    run = finished_run()
    arrays = run.arrays
    assert isinstance(arrays, MemoryArrays)
    found = audio_envelope(run, 0, Regime.UPSTREAM)
    assert found.edges[-1] == 600 * sum(alignment(UTTERANCES[0]))
    for key in [key for key in arrays.arrays if key[1] == Regime.COMPILED]:
        del arrays.arrays[key]
    assert audio_envelope(run, 0, Regime.UPSTREAM) is not None
    arrays.arrays.clear()
    assert audio_envelope(run, 0, Regime.UPSTREAM) is None
    run.arrays = None
    assert audio_envelope(run, 0, Regime.UPSTREAM) is None


WIDTH, HEIGHT = 800, 40
AREA = QRectF(0, 0, WIDTH, HEIGHT)
LEAST, MOST = (QColor(*table_of(Scale.ERRORS)[step].tolist()).name() for step in (0, -1))


@pytest.fixture
def drawn(qtbot: QtBot) -> Strip:
    drawn = Strip()
    drawn.scale.show_length(1.0)
    drawn.rows = (CellRow(np.array([0, 0.5, 1.0]), np.array([0.0, 100.0])), *drawn.rows[1:])
    return drawn


@pytest.fixture
def painter(drawn: Strip) -> StripPainter:
    return StripPainter(drawn)


def painted(draw: Callable[[QPainter, QRectF], None]) -> QImage:
    image = QImage(WIDTH, HEIGHT, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    with QPainter(image) as onto:
        draw(onto, AREA)
    return image


def cells(painter: StripPainter, stage: str = "bert") -> QImage:
    return painted(lambda onto, area: painter.draw_cells(onto, area, stage))


def at(image: QImage, share: float, y: int = HEIGHT // 2) -> str:
    return image.pixelColor(int(share * (WIDTH - 1)), y).name()


def test_every_cell_has_the_color_of_its_error(painter: StripPainter) -> None:
    image = cells(painter)
    assert [at(image, share) for share in (0.25, 0.75)] == [LEAST, MOST]
    assert at(cells(painter, "istft"), 0.5) == LIGHT.window


def test_zooming_shows_a_part(painter: StripPainter, drawn: Strip) -> None:
    drawn.scale.zoom(0.5, 1.0)
    assert {at(cells(painter), share) for share in (0.05, 0.5, 0.95)} == {MOST}
    drawn.scale.move(-0.25)
    assert [at(cells(painter), share) for share in (0.4, 0.6)] == [LEAST, MOST]


def test_a_row_may_say_words_instead(painter: StripPainter, drawn: Strip) -> None:
    drawn.rows = (CellRow(np.zeros(2), np.zeros(0), "crashed"), *drawn.rows[1:])
    image = cells(painter)
    middle = {image.pixelColor(x, y).name() for x in range(360, 440) for y in range(10, 30)}
    assert len(middle) > 3


def test_the_waveform_fills_its_height(painter: StripPainter, drawn: Strip) -> None:
    samples = np.concatenate([np.zeros(500), np.tile([0.5, -0.5], 250)]).astype(np.float32)
    drawn.wave, drawn.wave_rate_hz = envelope(samples, 0, 1000, 100), 1000
    image = painted(painter.draw_wave)
    assert at(image, 0.25, 4) == "#ffffff"
    assert at(image, 0.75, 4) == at(image, 0.75, HEIGHT - 4) == LIGHT.wave
    drawn.wave = envelope(samples[::-1].copy(), 0, 1000, 100)
    assert at(painted(painter.draw_wave), 0.25, 4) == LIGHT.wave


def test_words_stand_where_they_are_spoken(painter: StripPainter, drawn: Strip) -> None:
    drawn.words = (Word("window", 0.1, 0.4), Word("is", 0.5, 0.505))
    image = painted(painter.draw_text)

    def inked(left: float, right: float) -> bool:
        columns = range(int(left * WIDTH), int(right * WIDTH))
        return any(image.pixelColor(x, y).lightness() < 80 for x in columns for y in range(HEIGHT))

    assert inked(0.15, 0.35)
    assert not inked(0.42, 0.6)


def test_lines_outside_the_visible_range_are_not_drawn(painter: StripPainter, drawn: Strip) -> None:
    drawn.cursor, drawn.playhead = 0.25, 0.75
    image = painted(painter.draw_lines)
    assert all(at(image, 0.75, y) == LIGHT.accent for y in range(1, HEIGHT - 1))
    dashes = [at(image, 0.25, y) == LIGHT.accent for y in range(1, HEIGHT - 1)]
    assert any(dashes)
    assert not all(dashes)
    drawn.scale.zoom(0.2, 0.5)
    assert painted(painter.draw_lines) == painted(lambda onto, area: None)


WIDE = QRectF(100, 0, 400, 20)
MOVES = st.lists(st.tuples(st.sampled_from(["zoom", "move"]), st.floats(0.01, 100), st.floats(-100, 100)), max_size=12)


@given(length=st.floats(0.001, 1000), moves=MOVES)
def test_the_visible_range_never_leaves_the_length(length: float, moves: list[tuple[str, float, float]]) -> None:
    scale = TimeScale()
    scale.show_length(length)
    for kind, factor, seconds in moves:
        if kind == "zoom":
            scale.zoom(factor, min(abs(seconds), length))
        else:
            scale.move(seconds)
        start, end = scale.in_view
        assert start >= 0
        assert end <= length * (1 + 1e-9)
        assert end - start >= min(MIN_SECONDS, length) * (1 - 1e-6)


@given(seconds=st.floats(0, 2), factor=st.floats(0.05, 1))
def test_zooming_keeps_the_seconds_in_place(seconds: float, factor: float) -> None:
    scale = TimeScale()
    scale.show_length(2.0)
    before = scale.x_of(seconds, WIDE)
    scale.zoom(factor, seconds)
    assert scale.x_of(seconds, WIDE) == pytest.approx(before, abs=1e-6)


@given(x=st.floats(100, 500))
def test_pixels_and_seconds_are_each_other_s_inverse(x: float) -> None:
    scale = TimeScale()
    scale.show_length(3.0)
    scale.zoom(0.3, 1.2)
    assert scale.x_of(scale.seconds_at(x, WIDE), WIDE) == pytest.approx(x)
    assert (scale.seconds_at(-1e3, WIDE), scale.seconds_at(1e4, WIDE)) == (0, 3.0)
    scale.show_all()
    assert scale.in_view == (0, 3.0)

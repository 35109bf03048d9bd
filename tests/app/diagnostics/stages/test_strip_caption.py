from pytestqt.qtbot import QtBot

from app.diagnostics.runs.run import Shown
from app.diagnostics.stages.strip import content_of
from app.diagnostics.stages.strip_painter import StripCaption
from app.theme import Appearance, Theme
from engine.validator.data.results import Regime
from tests.app.diagnostics_fakes import finished_run


def test_it_names_the_utterance(qtbot: QtBot) -> None:
    caption = StripCaption()
    qtbot.addWidget(caption)
    caption.show_content(content_of(finished_run(), Shown(Regime.COMPILED, utterance=2), None))
    assert caption.label.accessibleDescription() == "3: Dr. Smith left."
    caption.show_content(content_of(finished_run(), Shown(Regime.COMPILED, utterance=2), None), "Decoder, 0.30 s")
    assert caption.label.accessibleDescription() == "Decoder, 0.30 s"
    caption.show_content(None)
    assert caption.label.accessibleDescription() == ""


def test_the_scale_explains_itself_in_any_theme(qtbot: QtBot, theme: Theme) -> None:
    caption = StripCaption()
    qtbot.addWidget(caption)
    pictures = []
    for appearance in (Appearance.LIGHT, Appearance.DARK):
        theme.choose(appearance)
        pictures.append(caption.scale.grab().toImage())
    assert pictures[0] != pictures[1]
    assert "rms" in caption.scale.toolTip()
    bottom = pictures[0].height() - 2
    assert pictures[0].pixelColor(2, bottom).lightness() > pictures[0].pixelColor(147, bottom).lightness() + 100

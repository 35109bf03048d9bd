from app.settings import USUAL_TEXT_PIXELS
from app.theme import SERIF
from tests.app.read_along.desk import Desk


def shown(desk: Desk) -> int:
    return desk.editor.edit.font().pixelSize()


def test_the_text_grows_and_shrinks_step_by_step_and_is_remembered(desk: Desk) -> None:
    actions = desk.feature.actions
    assert shown(desk) == USUAL_TEXT_PIXELS
    actions.larger.trigger()
    actions.larger.trigger()
    assert shown(desk) == desk.settings.text_pixels == 20
    actions.smaller.trigger()
    assert shown(desk) == desk.settings.text_pixels == 18
    actions.usual_size.trigger()
    assert shown(desk) == desk.settings.text_pixels == USUAL_TEXT_PIXELS


def test_there_is_a_largest_and_a_smallest_size(desk: Desk) -> None:
    for action in (desk.feature.actions.larger, desk.feature.actions.smaller):
        for _ in range(20):
            action.trigger()
        before = shown(desk)
        action.trigger()
        assert shown(desk) == before
    assert shown(desk) == 10


def test_a_size_from_the_settings_is_shown(desk: Desk) -> None:
    desk.settings.text_pixels = 33
    desk.feature.text_size.enlarge()
    assert shown(desk) == 40


def test_another_font_keeps_the_size(desk: Desk) -> None:
    before = desk.editor.edit.font().families()
    desk.settings.text_pixels = 28
    desk.settings.reading_font = SERIF
    assert (desk.editor.edit.font().families() != before, shown(desk)) == (True, 28)
    desk.settings.reading_font = ""
    assert (desk.editor.edit.font().families(), shown(desk)) == (before, 28)

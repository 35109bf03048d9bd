from pytestqt.qtbot import QtBot

from app.models.offer import ModelOffer
from app.theme import DARK


def test_it_offers_a_model_and_tells_the_answer(qtbot: QtBot) -> None:
    offer = ModelOffer()
    qtbot.addWidget(offer)
    assert offer.isHidden()
    offer.set_colours(DARK)
    offer.offer("Some model", 54, "363 MB")
    assert not offer.isHidden()
    assert offer.label.text() == "The full Some model model with 54 voices can be fetched (363\N{NO-BREAK SPACE}MB)."
    with qtbot.waitSignal(offer.accepted):
        offer.fetch_button.click()
    with qtbot.waitSignal(offer.declined):
        offer.decline_button.click()

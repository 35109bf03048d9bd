"""Chooses the regime that each stage of a crossed run comes from."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QWidget

from app.diagnostics.metric_words import REGIME_TITLES
from app.diagnostics.runs.run_controls import faint_label, regimes_of
from app.widgets.combo_box import ComboBox
from app.widgets.wrapping_bar import WrappingBar
from engine.stages import DEVICE_STAGES
from engine.validator.data.results import REGIME_MEANINGS, Regime

WIDTH_CHARACTERS = 12
NOT_CROSSED = Regime.COMPILED
"""All stages of a crossed run that are not chosen come from here."""


class CrossingEditor(WrappingBar):
    """One box for each stage that runs on a device; the alignment is the same arithmetic in every regime."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.boxes: dict[str, ComboBox] = {}
        for stage in DEVICE_STAGES:
            box = ComboBox(
                f"{stage.title} from", "The configuration that this stage comes from", WIDTH_CHARACTERS, self
            )
            box.chosen.connect(self._on_chosen)
            self.add(faint_label(stage.title, box), box)
            self.boxes[stage.name] = box
        self.offer_students(has_students=False)

    def offer_students(self, has_students: bool) -> None:
        """Offer the regimes of a model that has students, or has none."""
        names = dict.fromkeys((NOT_CROSSED, *regimes_of(has_students)))
        for box in self.boxes.values():
            box.offer((each, REGIME_TITLES[each], REGIME_MEANINGS[each]) for each in names)

    @property
    def cross(self) -> tuple[tuple[str, Regime], ...]:
        """The stages that come from another regime, each with it; none where nothing is crossed."""
        chosen = ((stage, Regime(str(box.value))) for stage, box in self.boxes.items())
        return tuple((stage, regime) for stage, regime in chosen if regime is not NOT_CROSSED)

    @Slot(object)
    def _on_chosen(self, value: object) -> None:
        self.changed.emit()

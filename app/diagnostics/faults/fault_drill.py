"""The fault drill: plants a fault from the panel's menu, marks its runs, lets it be heard, and removes it."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from app.audio.sound_player import SoundPlayer
from app.diagnostics.faults.drill_strip import DrillStrip
from app.diagnostics.faults.fault_menu import FaultMenu
from app.diagnostics.outputs.listening import Part, has_audio, heard
from app.diagnostics.panel import DiagnosticsPanel
from app.diagnostics.runs.run import DiagnosticsRun, Shown
from app.theme import Theme
from engine.config import SAMPLE_RATE_HZ
from engine.faults.catalogue import fault_named
from engine.stages import STAGES
from engine.validator.data.results import Reading, Row
from engine.validator.runners.drill import drill_regimes

AUDIO_STAGE = STAGES[-1].name


class FaultDrill(QObject):
    """While a fault is planted, every diagnosis is a drill; it is planted in the reference process only."""

    def __init__(self, panel: DiagnosticsPanel, sounds: SoundPlayer, theme: Theme) -> None:
        super().__init__(panel)
        self._panel = panel
        self._sounds = sounds
        self._to_run = panel.controls.to_run
        self.menu = FaultMenu(panel)
        self.strip = DrillStrip(panel)
        panel.add_action(self.menu.menuAction())
        panel.add_notice(self.strip)
        self.menu.wanted.connect(self.plant)
        self.strip.remove_wanted.connect(self.remove)
        self.strip.hear_wanted.connect(self._on_hear)
        panel.refreshed.connect(self._on_refreshed)
        theme.changed.connect(self.strip.set_colours)
        self.strip.set_colours(theme.colours)

    @Slot(str)
    def plant(self, name: str) -> None:
        """Plant the fault of this name, or none, and diagnose."""
        self._to_run.fault = name
        if name:
            self._to_run.regime.choose(drill_regimes(fault_named(name))[-1])
        self.menu.show_planted(name)
        self._panel.diagnose_wanted.emit(self._to_run.options)

    @Slot()
    def remove(self) -> None:
        """Remove the fault, and diagnose the modules as they are."""
        self.plant("")

    @Slot()
    def forget(self) -> None:
        """Plant nothing in later runs."""
        self._to_run.fault = ""
        self.menu.show_planted("")

    @Slot()
    def _on_refreshed(self) -> None:
        run = self._panel.run
        self.strip.show_run(run)
        self.strip.offer_sound(run is not None and _waveform(run, self._panel.shown) is not None)

    @Slot()
    def _on_hear(self) -> None:
        run = self._panel.run
        row = _waveform(run, self._panel.shown) if run is not None else None
        if run is None or run.arrays is None or row is None:
            return
        sound = heard(run.arrays, row, Part.OURS)
        if sound is not None:
            self._sounds.play(sound.samples, SAMPLE_RATE_HZ)


def _waveform(run: DiagnosticsRun, shown: Shown) -> Row | None:
    """The row of the waveform of the whole chain, with the fault in it; None while it is not there."""
    utterance = run.utterance_to_show(shown, AUDIO_STAGE)
    rows = run.rows_of(utterance, shown.regime, Reading.OWN_FED, AUDIO_STAGE)
    return next((row for row in rows if has_audio(run.arrays, row)), None)

"""The voices, connected to the window: their panel, favorites, blends, and previewing any of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QInputDialog, QMessageBox

from app.audio.player import Playback
from app.main_window import MainWindow
from app.messages import MessageTopic
from app.settings import Settings
from app.speech.activity import Activity
from app.speech.controller import SpeechController
from app.speech.engine_worker import EngineFactory
from app.speech.voice_choice import VoiceChoice, voice_info
from app.voices.blend_keeper import BlendDone, BlendSaver
from app.voices.panel import VoicePanel
from engine.models.voices.blends import described
from engine.models.voices.packs import describe, folded
from engine.speech import SpeechRequest
from engine.text.languages import language_of
from engine.text.sentences import sentence_text

if TYPE_CHECKING:
    from engine.models.installed_voices import ModelVoices

MAX_CHARACTERS = 300


class VoicesFeature(QObject):
    """Connects the panel of voices, its favorites, blends and previews to the window.

    `engine_factory` returns a model's engine factory, so that any model's voices can be previewed.
    """

    def __init__(
        self,
        window: MainWindow,
        speech: SpeechController,
        settings: Settings,
        engine_factory: Callable[[str], EngineFactory],
    ) -> None:
        super().__init__(window)
        self._window = window
        self._speech = speech
        self._settings = settings
        self._engine_factory = engine_factory
        self._picker = window.page.header.voices
        self._sentence = ""
        self.panel = VoicePanel()
        self.keeper = BlendSaver(self)
        self.round = SentenceRound(speech, self._hear_sentence, self)
        window.menu.add_view(window.page.side_bar.add("Voices", self.panel), "Ctrl+4")
        self._connect()
        self._show()

    def shut_down(self, timeout_ms: int) -> bool:
        """Shut down; return whether that was in time."""
        return self.keeper.shut_down(timeout_ms)

    @Slot(object)
    def hear(self, choice: VoiceChoice) -> None:
        """Preview a voice with a sentence in its language, without choosing it."""
        self.round.end()
        voice = voice_info(choice, self._picker.models) or describe(choice.voice or "")
        self._preview(choice, language_of(voice.language).sample)

    def _connect(self) -> None:
        panel, picker = self.panel, self._picker
        picker.listed.connect(self._show)
        picker.model_changed.connect(self._show)
        picker.currentIndexChanged.connect(self._show_chosen)
        picker.hear_requested.connect(self.hear)
        panel.hear_requested.connect(self.hear)
        panel.use_requested.connect(picker.choose_voice)
        panel.favorite_requested.connect(self._on_favorite)
        panel.round_requested.connect(self._on_round)
        panel.rename_requested.connect(self._on_rename)
        panel.delete_requested.connect(self._on_delete)
        panel.blend.hear_requested.connect(self._on_blend)
        panel.blend.save_requested.connect(self._on_save)
        for other_wish in (
            picker.hear_requested,
            picker.preview_requested,
            panel.hear_requested,
            panel.round_requested,
            self._window.menu.stop.triggered,
            self._window.page.header.stop_button.clicked,
        ):
            other_wish.connect(panel.blend.forget_change)
        self._speech.player.playback_changed.connect(self._on_playback)
        self.round.changed.connect(panel.show_round)
        self.keeper.done.connect(self._on_done)

    @Slot()
    def _show(self) -> None:
        favorites = tuple(VoiceChoice(voice, model) for voice, model in self._settings.favorites)
        self._picker.show_favorites(favorites)
        self.panel.show_models(self._picker.models, favorites, self._picker.choice)

    @Slot()
    def _show_chosen(self) -> None:
        self.panel.show_chosen(self._picker.choice)

    def _preview(self, choice: VoiceChoice, sentence: str) -> None:
        self._window.page.banner.withdraw(MessageTopic.SPEECH, MessageTopic.SOUND)
        request = SpeechRequest(sentence, choice.voice or "", self._window.page.header.speed.speed)
        visits = choice.model is not None and choice.model != self._picker.speaking_model
        self._speech.preview(request, self._engine_factory(choice.model or "") if visits else None)

    def _hear_sentence(self, choice: VoiceChoice) -> None:
        self._preview(choice, self._sentence)

    @Slot(bool)
    def _on_round(self, wanted: bool) -> None:
        self._sentence = self._current_sentence()
        if not wanted:
            self.round.end()
            self._speech.stop()
        elif self._sentence:
            self.round.preview_all(self.panel.rows.choices)
        else:
            self._window.page.status.show_message("Type a sentence to compare voices")

    def _current_sentence(self) -> str:
        text, (start, end) = self._window.reading.text, self._window.page.view.span
        selected = sentence_text(text[start:end].strip(), 0, MAX_CHARACTERS)
        return selected or sentence_text(text, end, MAX_CHARACTERS)

    @Slot(object)
    def _on_favorite(self, choice: VoiceChoice) -> None:
        entry = (choice.voice or "", choice.model or "")
        favorites = self._settings.favorites
        without = tuple(each for each in favorites if each != entry)
        self._settings.favorites = without if entry in favorites else (*favorites, entry)
        self._show()

    @Slot(str)
    def _on_blend(self, recipe: str) -> None:
        self.round.end()
        sentence = self._current_sentence() or language_of(describe(recipe).language).sample
        self._preview(VoiceChoice(recipe, self._picker.speaking_model), sentence)

    @Slot(object)
    def _on_playback(self, playback: Playback) -> None:
        """Cancel the preview of a changed blend when speech begins."""
        if playback is Playback.PLAYING:
            self.panel.blend.forget_change()

    @Slot(str, str)
    def _on_save(self, name: str, recipe: str) -> None:
        save = partial(self.keeper.save, name, recipe, self._speaking().voices, self._voice_names())
        same = (each.recipe for each in self._speaking().voices if each.recipe and folded(each.name) == folded(name))
        before = next(same, recipe)
        if before != recipe:
            self._ask(f"Replace the blend “{name}” ({before})?", "Replace", save)
        else:
            save()

    def _voice_names(self) -> frozenset[str]:
        """Return the names of all voices, of any model, that are not blends."""
        return frozenset(voice.name for each in self._picker.models for voice in each.voices if not voice.recipe)

    def _speaking(self) -> ModelVoices:
        return next(each for each in self._picker.models if each.model == self._picker.speaking_model)

    @Slot(object)
    def _on_rename(self, choice: VoiceChoice) -> None:
        dialog = QInputDialog(self._window)
        dialog.setWindowTitle("Rename Blend")
        dialog.setLabelText("New name:")
        dialog.setTextValue(choice.voice or "")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        names = self._voice_names()
        dialog.textValueSelected.connect(lambda name: self.keeper.rename(choice.voice or "", name.strip(), names))
        dialog.open()

    @Slot(object)
    def _on_delete(self, choice: VoiceChoice) -> None:
        self._ask(f"Delete the blend “{choice.voice}”?", "Delete", partial(self.keeper.delete, choice.voice or ""))

    def _ask(self, question: str, answer: str, do: Callable[[], object]) -> None:
        box = QMessageBox(QMessageBox.Icon.Question, answer, question, parent=self._window)
        box.addButton(answer, QMessageBox.ButtonRole.DestructiveRole).clicked.connect(lambda: do())
        box.addButton(QMessageBox.StandardButton.Cancel)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.open()

    @Slot(object)
    def _on_done(self, done: BlendDone) -> None:
        renamed = {done.before: done.name}
        kept = tuple((renamed.get(voice, voice), model) for voice, model in self._settings.favorites)
        self._settings.favorites = tuple(each for each in kept if each[0])
        self._list_anew(done)
        self._window.page.status.show_message(f"Saved “{done.name}”" if done.name else f"Deleted “{done.before}”")
        self._speech.list_voices()

    def _list_anew(self, done: BlendDone) -> None:
        """List the current blends; choose a new or renamed one, or a replacement if the chosen one was deleted.

        This does not wait for the engine's thread to list the voices: it may be generating the speech that should
        continue in this voice.
        """
        chosen = self._picker.choice
        models = [_with_blends(each, done.recipes) for each in self._picker.models]
        self._picker.show_models(models, self._picker.speaking_model)
        if not done.before:
            self.panel.search.clear()
        if done.before in ("", chosen.voice):
            self._picker.choose_voice(VoiceChoice(done.name, chosen.model) if done.name else self._picker.choice)


def _with_blends(model: ModelVoices, recipes: Mapping[str, str]) -> ModelVoices:
    """Return the model with its voices and these blends of them."""
    voices = tuple(each for each in model.voices if not each.recipe)
    return replace(model, voices=(*voices, *described(recipes, voices)))


class SentenceRound(QObject):
    """Previews several voices in turn, until the user stops it or plays something else.

    `changed` carries the `VoiceChoice` being previewed, or None at the end; `hear` starts a preview.
    """

    changed = Signal(object)

    def __init__(self, speech: SpeechController, hear: Callable[[VoiceChoice], None], parent: QObject) -> None:
        super().__init__(parent)
        self._hear = hear
        self._left: list[VoiceChoice] = []
        self._current: VoiceChoice | None = None
        self._going_on = False
        speech.previewed.connect(self._on_previewed)
        speech.activity_changed.connect(self._on_activity)

    @property
    def current(self) -> VoiceChoice | None:
        """The voice being previewed."""
        return self._current

    def preview_all(self, choices: Sequence[VoiceChoice]) -> None:
        """Preview these voices in turn."""
        self._left = list(choices)
        self._next()

    @Slot()
    def end(self) -> None:
        """Skip the remaining voices."""
        self._left = []
        if self._current is not None:
            self._current = None
            self.changed.emit(None)

    @Slot()
    def _next(self) -> None:
        self._current = self._left.pop(0) if self._left else None
        self.changed.emit(self._current)
        if self._current is not None:
            self._going_on = True
            self._hear(self._current)
            self._going_on = False

    @Slot()
    def _on_previewed(self) -> None:
        if self._current is not None:
            self._next()

    @Slot(object)
    def _on_activity(self, activity: Activity) -> None:
        """End the round if a preview falls silent before its end, because it was stopped or has failed."""
        if self._current is not None and not activity.previewing and not self._going_on:
            self.end()

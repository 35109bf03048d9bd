"""Assembles the application from settings, theme, controller and window, and shuts it down."""

from __future__ import annotations

import logging
import sys
from functools import cached_property, partial
from importlib import import_module
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QApplication

from app.audio.output import AudioOutput, BackgroundOutput, DefaultAudioOutput, NoAudioDevice
from app.desktop.feature import DesktopFeature
from app.desktop.saved_files import SavedFiles
from app.editor.feature import EditorFeature
from app.editor.projects import ProjectsFeature
from app.export.feature import ExportFeature
from app.export.scope import parts_of
from app.lexicon.feature import LexiconFeature
from app.main_menu import MenuDialogs
from app.main_window import MainWindow
from app.messages import MessageTopic
from app.options import Options
from app.read_along.feature import ReadAlongFeature
from app.reader.feature import ReaderFeature
from app.screenshot import ScreenshotWhenIdle
from app.settings import Settings
from app.settings_window.feature import SettingsFeature
from app.sharing.feature import SharingFeature
from app.speech.activity import Activity
from app.speech.controller import SpeechController
from app.speech.engine_worker import EngineFactory, VoiceLister, engine_for, voices_here
from app.speech.voice_choice import VoiceChoice, prosody_of
from app.system.desktop import OpenedFiles, session_bus_address
from app.system.mac import AppNapInhibitor, SpeakService
from app.system.threads import create_qt_types
from app.tasks import Tasks
from app.theme import Appearance, Theme
from engine.speech import STARTER, SpeechRequest, VoiceInfo
from engine.system.mac import ObjectiveC
from engine.system.paths import sample_text_path
from engine.text.languages import language_of

if TYPE_CHECKING:
    from app.diagnostics.feature import DiagnosticsFeature
    from app.library.feature import LibraryFeature
    from app.models.feature import ModelsFeature
    from app.models.worker import LibraryFactory
    from app.voices.feature import VoicesFeature

log = logging.getLogger(__name__)

ENGINE_MUST_END_WITHIN_MS = 5000
REFERENCE_MUST_END_WITHIN_MS = 2000
MODELS_MUST_END_WITHIN_MS = 5000
LIBRARY_MUST_END_WITHIN_MS = 5000
EXPORT_MUST_END_WITHIN_MS = 5000
DOCUMENT_MUST_END_WITHIN_MS = 2000
PROJECT_MUST_END_WITHIN_MS = 5000
VOICES_MUST_END_WITHIN_MS = 2000
LEXICON_MUST_END_WITHIN_MS = 5000
SERVER_MUST_END_WITHIN_MS = 5000
DESKTOP_MUST_END_WITHIN_MS = 2000
LOOK_FOR_DEVICE_AFTER_MS = 500
"""Loading PortAudio takes a moment; the window is drawn first."""
ADD_DIAGNOSTICS_AFTER_MS = 200
"""Loading the panel takes a moment as well; if it was open last time, it is there from the start."""
ADD_MODELS_AFTER_MS = 300
JOIN_DESKTOP_AFTER_MS = 400


class Application(QObject):
    """The application, with its window not yet shown; parts can be replaced for tests.

    `finished` carries an exit code once every request of the command line is completed.
    """

    finished = Signal(int)

    def __init__(
        self,
        qt: QApplication,
        options: Options,
        settings: Settings,
        make_engine: EngineFactory | None = None,
        output: AudioOutput | None = None,
        make_library: LibraryFactory | None = None,
        list_voices: VoiceLister | None = None,
    ) -> None:
        super().__init__(qt)
        self._closed = False
        self._settings = settings
        self._output = output or BackgroundOutput(DefaultAudioOutput())
        self._given_engine = make_engine
        self._make_library = make_library
        self._note(options)
        self.theme = Theme(qt, Appearance(options.appearance) if options.appearance else settings.appearance)
        self.controller = self._new_controller(list_voices)
        self.window = MainWindow(self.controller, settings, self.theme)
        self._tasks = Tasks("import", self.window, at_once=True)
        self._greets = self._goes_on and settings.text is None and settings.document is None
        self._add_features()
        self._add_timers()
        self._join_system(qt)
        self._connect_choices()
        self._apply(options)

    @cached_property
    def diagnostics(self) -> DiagnosticsFeature:
        """The diagnostics, added to the window on first access, soon after it is shown."""
        from app.diagnostics.feature import DiagnosticsFeature  # imports plots and the engine's validator

        return DiagnosticsFeature(self.window, self.controller, self._output, self._settings)

    @cached_property
    def models(self) -> ModelsFeature:
        """Model management, added to the window soon after it is shown."""
        from app.models.feature import ModelsFeature  # imports the engine's model store

        models = ModelsFeature(self.window, self.controller, self._settings, self._make_library, self._fetch)
        models.engine_requested.connect(self._on_engine_requested)
        return models

    @cached_property
    def library(self) -> LibraryFeature:
        """History and queue, added to the window as soon as it is shown."""
        from app.library.feature import LibraryFeature  # imports the database

        return LibraryFeature(
            self.window,
            self.controller,
            self._settings,
            self._engine_factory,
            in_charge=self._stays,
            read=self.reader.read_chosen,
        )

    @cached_property
    def voices(self) -> VoicesFeature:
        """The voices panel, added to the window soon after it is shown."""
        from app.voices.feature import VoicesFeature  # imports voice blending

        return VoicesFeature(self.window, self.controller, self._settings, self._engine_factory)

    def join_mac(self, runtime: ObjectiveC) -> None:
        """Inform macOS while speech is generated, played or saved, and speak text that other applications send."""
        self._wakefulness = AppNapInhibitor(runtime, self)
        self.controller.activity_changed.connect(self._on_activity)
        self._service = SpeakService(runtime, self)
        self._service.text_received.connect(self._on_text_received)

    def open(self) -> None:
        """Show the window; everything slow starts afterwards."""
        self.window.show()
        QTimer.singleShot(0, self._begin)

    @Slot(str)
    def handle_message(self, message: str) -> None:
        """Come to the front and apply the options of a second start, except for a model to download."""
        self.window.come_to_front()
        options = Options.from_json(message)
        self._choose(options)
        if options.text is not None:
            self.window.reading.play_from_beginning()

    def close(self) -> bool:
        """Stop everything that has begun; return whether all of it ended in time."""
        self._closed = True
        self._models_timer.stop()
        self._desktop_timer.stop()
        added = vars(self)  # cached properties appear here on first access
        if "diagnostics" in added:
            self.diagnostics.shut_down(REFERENCE_MUST_END_WITHIN_MS)
        document_ended = self.reader.shut_down(DOCUMENT_MUST_END_WITHIN_MS)
        project_ended = self.projects.shut_down(PROJECT_MUST_END_WITHIN_MS)
        lexicon_ended = self.lexicon.shut_down(LEXICON_MUST_END_WITHIN_MS)
        voices_ended = "voices" not in added or self.voices.shut_down(VOICES_MUST_END_WITHIN_MS)
        library_ended = "library" not in added or self.library.shut_down(LIBRARY_MUST_END_WITHIN_MS)
        models_ended = "models" not in added or self.models.shut_down(MODELS_MUST_END_WITHIN_MS)
        desktop_ended = self.desktop.shut_down(DESKTOP_MUST_END_WITHIN_MS)
        server_ended = self.sharing.shut_down(SERVER_MUST_END_WITHIN_MS)
        controller_ended = self.controller.shut_down(ENGINE_MUST_END_WITHIN_MS)
        export_ended = self.export.shut_down(EXPORT_MUST_END_WITHIN_MS)
        ended = (document_ended, voices_ended, library_ended, models_ended, desktop_ended, controller_ended)
        return export_ended and project_ended and lexicon_ended and server_ended and all(ended)

    def _note(self, options: Options) -> None:
        """Store the options that apply once the window is shown."""
        self._fetch = options.fetch
        self._stays = options.screenshot is None
        self._speaks_at_once = options.text is not None
        self._goes_on = options.text is None and options.file is None

    def _new_controller(self, list_voices: VoiceLister | None) -> SpeechController:
        settings = self._settings
        chosen = settings.device, settings.lstm_method
        lister = list_voices or partial(voices_here, *chosen, settings.prosody)
        first = self._given_engine or partial(engine_for, STARTER, *chosen)
        return SpeechController(first, self._output, self, lister)

    def _add_features(self) -> None:
        """Add the features that are available from the start."""
        window, speech, settings = self.window, self.controller, self._settings
        self.read_along = ReadAlongFeature(window, speech, settings)
        self.dialogs = MenuDialogs(window, window.menu)
        self.sharing = SharingFeature(window, settings, in_charge=self._stays)
        self.settings_window = SettingsFeature(window, speech, settings, self.sharing.server)
        self.sharing.settings_requested.connect(self.settings_window.open_sharing)
        self.settings_window.engine_requested.connect(self._on_engine_requested)
        self.settings_window.prosody_changed.connect(self._on_prosody)
        self.settings_window.voices_requested.connect(self._on_voices_requested)
        self.reader = ReaderFeature(window, speech, settings)
        self.editor = EditorFeature(window, speech, self._output, settings)
        self.projects = ProjectsFeature(window, speech, settings, self.reader.opener, self.editor.edits)
        self.read_along.shape_requested.connect(self.editor.open_at)
        self.lexicon = LexiconFeature(window, speech, settings)
        self.lexicon.changed.connect(self.editor.follow_lexicon)
        self.editor.said_everywhere.connect(self.lexicon.say_everywhere)
        self.export = ExportFeature(window, speech, settings, partial(parts_of, window), self._engine_factory)
        self.saved_files = SavedFiles(window, session_bus_address())
        self.saved_files.no_file_manager.connect(self.export.show_path)
        self.export.saved.connect(self.saved_files.notify)
        self.export.reveal_requested.connect(self.saved_files.show)
        self.desktop = DesktopFeature(window, speech, settings)
        self.desktop.next_requested.connect(self.read_along.go_forward)
        self.desktop.previous_requested.connect(self.read_along.go_back)

    def _add_timers(self) -> None:
        """Set up the timers that start features some time after the window is shown."""
        self._models_timer = QTimer(self, singleShot=True, interval=ADD_MODELS_AFTER_MS)
        self._models_timer.timeout.connect(self._add_models)
        self._desktop_timer = QTimer(self, singleShot=True, interval=JOIN_DESKTOP_AFTER_MS)
        self._desktop_timer.timeout.connect(self.desktop.join_desktop)

    def _join_system(self, qt: QApplication) -> None:
        """Handle files that the system asks to open, and on a Mac, text that other applications send."""
        self._opened_files = OpenedFiles(qt, self)
        self._opened_files.opened.connect(self.window.file_requested)
        if sys.platform == "darwin":
            self.join_mac(ObjectiveC())

    def _engine_factory(self, model: str) -> EngineFactory:
        settings, models = self._settings, self.window.page.header.voices.models
        choices = settings.device, settings.lstm_method, prosody_of(model, models, settings.prosody)
        if self._given_engine is not None:
            return partial(self._given_engine)  # a new object, although it creates the same engine
        return partial(engine_for, model, *choices)

    @Slot()
    def _on_voices_requested(self) -> None:
        self.window.page.side_bar.open(self.voices.panel)

    @Slot()
    def _on_prosody(self) -> None:
        self.diagnostics.follow_model()

    @Slot()
    def _on_engine_requested(self) -> None:
        """Change the engine; first called as soon as the voices are known."""
        self.controller.change_engine(self._engine_factory(self.window.page.header.voices.speaking_model))
        self.sharing.follow_engine()

    @Slot(object)
    def _on_activity(self, activity: Activity) -> None:
        self._wakefulness.set_awake(activity.busy or activity.saving)

    @Slot(str)
    def _on_text_received(self, text: str) -> None:
        self.window.page.editor.set_text(text)
        self.window.reading.play_from_beginning()

    @Slot(object)
    def _on_preview(self, voice: VoiceInfo) -> None:
        self.window.page.banner.withdraw(MessageTopic.SPEECH, MessageTopic.SOUND)
        sample = language_of(voice.language).sample
        self.controller.preview(SpeechRequest(sample, voice.name, self.window.page.header.speed.speed))

    @Slot()
    def _begin(self) -> None:
        if self._closed:
            return
        _ = self.library, self.voices  # the library records everything that is spoken
        self.controller.list_voices()
        if self._stays:
            self.export.look_for_interrupted()
        if self._speaks_at_once:
            self.window.reading.play_from_beginning()
        QTimer.singleShot(ADD_DIAGNOSTICS_AFTER_MS, lambda: create_qt_types(self._import_diagnostics))
        self._models_timer.start()
        self._desktop_timer.start()
        QTimer.singleShot(LOOK_FOR_DEVICE_AFTER_MS, self._look_for_device)

    @Slot()
    def _look_for_device(self) -> None:
        """Speak the greeting at the very first start, if there is an audio device and no other request."""
        untouched = self.controller.request is None and self.window.page.editor.text == greeting()
        if self.controller.player.has_device() and self._greets and untouched:
            self.window.reading.play_from_beginning()

    @Slot()
    def _import_diagnostics(self) -> None:
        """Import the diagnostics in the background; any earlier access waits for the same import."""
        self._tasks.run(import_module, "app.diagnostics.feature", done=self._add_diagnostics)

    def _add_diagnostics(self, module: object) -> None:
        if not self._closed:
            _ = self.diagnostics  # the first access adds them

    @Slot()
    def _add_models(self) -> None:
        self.models.controller.look()

    def _connect_choices(self) -> None:
        """Handle the choices in the menu and the list of voices."""
        menu, voices = self.window.menu, self.window.page.header.voices
        menu.preview.triggered.connect(voices.preview)
        voices.preview_requested.connect(self._on_preview)
        voices.model_changed.connect(self._on_engine_requested)

    def _apply(self, options: Options) -> None:
        if self._greets:
            self.window.page.editor.offer(greeting())
        if self._goes_on:
            self.reader.resume()
            self.projects.resume()
        self._choose(options)
        if options.screenshot is not None:
            window = self.diagnostics.window if options.diagnostics else self.window
            self._screenshot = ScreenshotWhenIdle(window, options.screenshot, self._is_unfinished)
            self.controller.activity_changed.connect(self._screenshot.handle_activity)
            self.controller.failed.connect(self._on_failure)
            self._screenshot.taken.connect(self.finished)

    def _is_unfinished(self) -> bool:
        """Return whether a screenshot would show the window before it is complete."""
        return self.diagnostics.busy or self.diagnostics.drawing or self.reader.opener.busy or self.projects.busy

    def _choose(self, options: Options) -> None:
        header = self.window.page.header
        if options.file is not None:
            self.window.file_requested.emit(options.file)
        if options.text is not None:
            self.window.memory.lend_text(options.text)
        if options.voice is not None or options.model is not None:
            header.voices.ask_for(VoiceChoice(options.voice, options.model))
        if options.speed is not None:
            header.speed.set_speed(options.speed)
        if options.diagnostics:
            self.diagnostics.open()

    @Slot(object)
    def _on_failure(self, error: Exception) -> None:
        if not isinstance(error, NoAudioDevice):
            log.error("%s", error)
            self._screenshot.note_failure(error)


def greeting() -> str:
    """Return the text spoken at the very first start, which immediately shows that speech works."""
    return sample_text_path().read_text(encoding="utf-8").strip()

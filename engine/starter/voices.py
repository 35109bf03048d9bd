"""The voices of the starter model and the teacher behind each."""

from __future__ import annotations

from dataclasses import dataclass

from engine.starter.teachers.festival import FestivalTeacher, festival_installed
from engine.starter.teachers.flite import FliteTeacher, flite_installed
from engine.starter.teachers.speech import Teacher


@dataclass(frozen=True)
class StarterVoice:
    """One voice: its shipped name, its description, its teacher, that teacher's range of F0 and bandwidth."""

    name: str
    language: str
    gender: str
    engine: str
    engine_voice: str
    f0_range_hz: tuple[float, float]
    bandwidth_hz: float

    @property
    def teacher_title(self) -> str:
        """The names of engine and voice, as text."""
        return f"{self.engine} {self.engine_voice}"


STARTER_VOICES = (
    StarterVoice("am_rowan", "en-US", "male", "flite", "cmu_us_rms", (60.0, 220.0), 8_000.0),
    StarterVoice("af_sally", "en-US", "female", "festival", "cmu_us_slt_arctic_hts", (90.0, 350.0), 12_000.0),
)


def open_teacher(voice: StarterVoice) -> Teacher:
    """Start the voice's teacher; raises `EngineError` with the command that installs it when it is missing."""
    return FliteTeacher(voice.engine_voice) if voice.engine == "flite" else FestivalTeacher(voice.engine_voice)


def teacher_installed(voice: StarterVoice) -> bool:
    """Whether the voice's teacher can speak on this machine."""
    installed = flite_installed if voice.engine == "flite" else festival_installed
    return installed(voice.engine_voice)

"""The plain data of a validation: what is asked, what is measured, what is found; nothing here needs PyTorch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from engine.errors import Cure
from engine.runtime.preparation.devices import AUTO
from engine.speech import PlanEvent, PreparationEvent, SpeechRequest, Utterance
from engine.validator.data.run_context import RunContext
from engine.validator.faults.fault import PlantedFault
from engine.validator.inspection.results import CodeEvent, GraphEvent, InspectedEvent, KernelEvent, KernelsEvent


class Regime(StrEnum):
    """A way of running the whole model; `REGIME_MEANINGS` describes each."""

    DYNAMIC = "dynamic"
    UPSTREAM = "upstream"
    STATIC_PACKED = "static-packed"
    STATIC_NO_PACK = "static-no-pack"
    """It has the fault of this project's predecessor."""
    COMPILED = "compiled"
    COMPILED_PADDED = "compiled-padded"
    STATIC_DISTILLED = "static-distilled"
    DISTILLED = "distilled"


REGIME_MEANINGS: Mapping[Regime, str] = MappingProxyType(
    {
        Regime.DYNAMIC: "PyTorch, unpadded, packed LSTMs, prosody and source in float64: the reference",
        Regime.UPSTREAM: "PyTorch in kokoro's own float32 throughout: the baseline",
        Regime.STATIC_PACKED: "PyTorch on padded arrays, with packed LSTMs",
        Regime.STATIC_NO_PACK: "PyTorch on padded arrays; LSTMs run over the padding and are masked afterwards",
        Regime.COMPILED: "The compiled modules, as the app uses them",
        Regime.COMPILED_PADDED: "The compiled modules on padded arrays, told the valid lengths",
        Regime.STATIC_DISTILLED: "PyTorch on padded arrays, with a Transformer, taught by the LSTMs, in their place",
        Regime.DISTILLED: "The compiled modules, with a Transformer, taught by the LSTMs, in their place",
    }
)
STUDENT_REGIMES = (Regime.STATIC_DISTILLED, Regime.DISTILLED)
"""Only models that have students have them."""
DEFAULT_REGIMES = (Regime.DYNAMIC, Regime.UPSTREAM, Regime.STATIC_PACKED, Regime.STATIC_NO_PACK, Regime.COMPILED)


class InputSource(StrEnum):
    """What feeds a stage: its own regime's earlier stages (propagated error), or the reference's (isolated error).

    Once a regime's durations differ from the reference's, its stages are also fed by its own earlier ones in the
    reference's frames, so that every value has its partner.
    """

    END_TO_END = "own-fed"
    ISOLATED = "reference-fed"
    END_TO_END_REFERENCE_DURATIONS = "own-fed-reference-durations"


class Verdict(StrEnum):
    """What a comparison says about a stage."""

    PASS = "pass"
    WORSE = "worse"
    """Within tolerance, but further off than float32 or a golden run by more than 10 times."""
    FAIL = "fail"
    """The stage is itself wrong."""
    INHERITED = "inherited"
    """The stage is right; what reaches it is not."""
    INCOMPARABLE = "incomparable"
    """The two have different durations, so that no sample has a partner."""
    CRASHED = "crashed"
    """The process that computed the stage ended before it was done."""


@dataclass(frozen=True)
class ValidationRequest:
    """One text to run in several regimes, each compared with `reference`, which runs whether listed or not.

    `padding` is the padded length of static and padded regimes over the valid length, minus 1. `cross` pairs stages
    with regimes: when it is not empty, one more regime is run, in which these stages come from these regimes and all
    others from the compiled one. `arrays_folder`, if given, receives write every compared array; beyond
    `most_array_bytes`, if given, those of whole utterances are deleted again. `fault`, if given, is the name of one
    in `engine.validator.faults.catalogue` to plant in the compiled modules first: the validation is then a drill.
    `golden` is the file of a golden run to hold the rows against, in place of the one that is kept for such a
    request. `phonemes`, if given, are spoken in place of the text, as one utterance.
    """

    speech: SpeechRequest
    model: str = "starter"
    weights: str | None = None
    regimes: tuple[Regime, ...] = DEFAULT_REGIMES
    reference: Regime = Regime.DYNAMIC
    padding: float = 1.0
    device: str = AUTO
    lstm_method: str = AUTO
    probes: bool = False
    cross: tuple[tuple[str, Regime], ...] = ()
    arrays_folder: str | None = None
    most_array_bytes: int | None = None
    fault: str = ""
    golden: str | None = None
    phonemes: str = ""


ALL_FINITE_PERCENT = 100.0


@dataclass(frozen=True)
class Metrics:
    """Two arrays compared on their valid region.

    All but `finite_percent` (of ours) and `tail_energy` are None when one of the two is not finite; `sqnr_db` is also
    None when they are equal, with a `max_abs` of 0. `tail_energy` is the mean square of what a static regime leaves in
    its padding, None without padding. Phases are compared on the circle; `sign_flips` counts those that should be
    exactly pi and are -pi, and is None for values that are no phases.
    """

    pearson: float | None
    cosine: float | None
    sqnr_db: float | None
    max_abs: float | None
    relative_l2: float | None
    finite_percent: float
    tail_energy: float | None = None
    sign_flips: int | None = None


@dataclass(frozen=True)
class AudioMetrics:
    """Two waveforms compared as sound; `lag_samples` is how much later ours is at its best correlation."""

    best_lag_correlation: float
    lag_samples: int
    log_mel_l1: float
    multi_resolution_stft: float
    level_difference_db: float


@dataclass(frozen=True)
class DurationMetrics:
    """Two alignments compared: whole numbers of frames, so equal or not.

    `ties` counts the differing tokens whose unrounded duration is so near to a half that it may round either way.
    """

    differing_tokens: int
    ties: int
    frames: int
    reference_frames: int


@dataclass(frozen=True)
class Profile:
    """Where along an utterance two arrays differ.

    `errors` holds the largest error in each cell relative to the reference's rms; the cells divide the utterance's
    `axis` (`tokens` or `frames`) into equal parts.
    """

    axis: str
    errors: tuple[float, ...]


@dataclass(frozen=True)
class NotFinite:
    """How many values of an array are not a number, or infinite in float32, and which of them comes first in time.

    `first` is its index in the array without the batch; along time it is number `at` of `extent` on `axis`.
    """

    nan: int
    infinite: int
    first: tuple[int, ...]
    axis: str
    at: int
    extent: int


@dataclass(frozen=True)
class Row:
    """One output of one stage (or one inner probe of it) in one regime and reading, compared with the reference.

    `metrics` is None when the two cannot be compared; `by_phoneme`, and the profile, then compare them after ours was
    moved to the reference's frames phoneme by phoneme, as `engine.validator.measures.phoneme_alignment` does.
    `not_finite` is None when all of ours is finite. Seconds are the whole stage's, None where it was not timed. `stage`
    is a name of `engine.stages.STAGES`; `output` the tensor's or the probed module's name. `times_floor` is its
    relative L2 error over that of upstream's float32, `times_golden` over that of a golden run; None where either is
    unknown, or upstream has no error.
    """

    utterance: int
    stage: str
    output: str
    regime: str
    reference: str
    reading: InputSource
    verdict: Verdict
    tolerance: float
    metrics: Metrics | None = None
    by_phoneme: Metrics | None = None
    audio: AudioMetrics | None = None
    durations: DurationMetrics | None = None
    profile: Profile | None = field(default=None, repr=False)
    seconds: float | None = None
    reference_seconds: float | None = None
    probe: bool = False
    not_finite: NotFinite | None = None
    times_floor: float | None = None
    times_golden: float | None = None

    @property
    def decides(self) -> bool:
        """Whether the row can make the validation fail: only rows of compiled regimes, crossed ones too, can.

        Students are held to nothing but the same students in PyTorch.
        """
        return self.regime.startswith(Regime.COMPILED) or (self.regime == Regime.DISTILLED and not self.of_teacher)

    @property
    def of_teacher(self) -> bool:
        """Whether students are compared with their teacher, whom they only resemble."""
        return self.regime in STUDENT_REGIMES and self.reference not in STUDENT_REGIMES


@dataclass(frozen=True)
class AlignmentEvent:
    """The reference has its durations: `frames_per_token` gives each token its place in time."""

    utterance: int
    frames_per_token: tuple[int, ...]


@dataclass(frozen=True)
class RowEvent:
    """A comparison is done."""

    row: Row


@dataclass(frozen=True)
class Finding:
    """The first stage that is itself wrong in a regime, and what that means.

    `inner` is the first inner value of it that is wrong, empty if none is or none were compared.
    """

    regime: str
    stage: str
    words: str
    inner: str = ""


@dataclass(frozen=True)
class Report:
    """A whole validation: what was asked, what was found, and with which versions.

    `device_choice` states what ran the compiled modules, `lstm_choice` which method computed their LSTMs, and why;
    both are empty when nothing compiled was run. `planted` is what a drill planted. `circumstances` are what the errors
    of the compiled regimes depend on, and `golden` says in a sentence which golden run they were held against.
    """

    request: ValidationRequest
    utterances: tuple[Utterance, ...]
    rows: tuple[Row, ...]
    findings: tuple[Finding, ...]
    versions: Mapping[str, str]
    lstm_choice: str = ""
    device_choice: str = ""
    planted: PlantedFault | None = None
    circumstances: RunContext | None = None
    golden: str = ""

    @property
    def passed(self) -> bool:
        """Whether no stage of a compiled regime is itself wrong."""
        return not any(row.decides and row.verdict is Verdict.FAIL for row in self.rows)


@dataclass(frozen=True)
class FinishedEvent:
    """The validation is done."""

    report: Report


@dataclass(frozen=True)
class FailedEvent:
    """The validation could not be done: why, and what to do about it, as in `EngineError`."""

    message: str
    hint: str
    cure: Cure | None = None


@dataclass(frozen=True)
class PulseEvent:
    """The process is alive, and has computed for so many seconds in all."""

    computed_seconds: float


_InspectionEvent = GraphEvent | KernelEvent | CodeEvent | InspectedEvent | KernelsEvent
_ComparisonEvent = PreparationEvent | PlanEvent | AlignmentEvent | RowEvent | FinishedEvent | FailedEvent | PulseEvent
ValidationEvent = _InspectionEvent | _ComparisonEvent


class Substitute(StrEnum):
    """What may compute in place of a kernel, whose result then goes on through the rest of the model."""

    PLAIN_LOOPS = "plain-loops"
    """The kernel's own TIR without its schedule: every loop serial, nothing vectorised, unrolled or parallel."""
    PYTORCH = "pytorch"
    """PyTorch, on the kernel's inputs."""


@dataclass(frozen=True)
class Replacement:
    """A call of a kernel, by its stage and the id of its node, that something else computes.

    Without a node, the whole stage is computed in PyTorch.
    """

    stage: str
    node: str | None = None
    substitute: Substitute = Substitute.PYTORCH


@dataclass(frozen=True)
class KernelRequest:
    """Inspect `stages` of the compiled modules, each fed by the reference with one utterance of a request's text.

    Without `stages`, those are inspected whose outputs are wrong. With `replacements`, nothing is inspected: the whole
    utterance is computed with them and compared as one more regime, whose name says what was replaced.
    """

    validation: ValidationRequest
    utterance: int = 0
    stages: tuple[str, ...] = ()
    replacements: tuple[Replacement, ...] = ()

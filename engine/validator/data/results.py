"""The plain data of a validation: requests, measurements and findings; nothing here needs PyTorch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from engine.errors import RecoveryAction
from engine.runtime.preparation.devices import AUTO
from engine.speech import PlanEvent, PreparationEvent, SpeechRequest, Utterance
from engine.validator.data.run_context import RunContext
from engine.validator.faults.fault import PlantedFault
from engine.validator.inspection.results import CodeEvent, GraphEvent, InspectedEvent, KernelEvent, KernelsEvent


class Regime(StrEnum):
    """A way of running the whole model; `REGIME_DESCRIPTIONS` describes each."""

    DYNAMIC = "dynamic"
    UPSTREAM = "upstream"
    STATIC_PACKED = "static-packed"
    STATIC_NO_PACK = "static-no-pack"
    """Reproduces a bug of an earlier, unpublished version: LSTMs run over the padding."""
    COMPILED = "compiled"
    COMPILED_PADDED = "compiled-padded"
    STATIC_DISTILLED = "static-distilled"
    DISTILLED = "distilled"


REGIME_DESCRIPTIONS: Mapping[Regime, str] = MappingProxyType(
    {
        Regime.DYNAMIC: "PyTorch, unpadded, packed LSTMs, prosody and source in float64: the reference",
        Regime.UPSTREAM: "PyTorch in kokoro’s own float32 throughout: the baseline",
        Regime.STATIC_PACKED: "PyTorch on padded arrays, with packed LSTMs",
        Regime.STATIC_NO_PACK: "PyTorch on padded arrays; LSTMs run over the padding and are masked afterwards",
        Regime.COMPILED: "The compiled modules, as the app uses them",
        Regime.COMPILED_PADDED: "The compiled modules on padded arrays, told the valid lengths",
        Regime.STATIC_DISTILLED: "PyTorch on padded arrays, with a Transformer, taught by the LSTMs, in their place",
        Regime.DISTILLED: "The compiled modules, with a Transformer, taught by the LSTMs, in their place",
    }
)
STUDENT_REGIMES = (Regime.STATIC_DISTILLED, Regime.DISTILLED)
"""Regimes that only models with students have."""
DEFAULT_REGIMES = (Regime.DYNAMIC, Regime.UPSTREAM, Regime.STATIC_PACKED, Regime.STATIC_NO_PACK, Regime.COMPILED)


class InputSource(StrEnum):
    """The source of a stage's inputs: its own regime's earlier stages (end to end), or the reference's (isolated).

    If a regime's durations differ from the reference's, its stages also run end to end with the reference's durations,
    so that every value has its counterpart.
    """

    END_TO_END = "own-fed"
    ISOLATED = "reference-fed"
    END_TO_END_REFERENCE_DURATIONS = "own-fed-reference-durations"


class Verdict(StrEnum):
    """The verdict of a comparison on a stage."""

    PASS = "pass"
    WORSE = "worse"
    """Within tolerance, but more than 10 times as far off as float32 or a golden run."""
    FAIL = "fail"
    """The stage is itself wrong."""
    INHERITED = "inherited"
    """The stage is correct, but its inputs are wrong."""
    INCOMPARABLE = "incomparable"
    """The durations differ, so that samples cannot be paired."""
    CRASHED = "crashed"
    """The process that computed the stage ended early."""


@dataclass(frozen=True)
class ValidationRequest:
    """One text to run in several regimes, each compared with `reference`, which runs whether listed or not.

    `padding` is the padded length of static and padded regimes over the valid length, minus 1. `cross` pairs stages
    with regimes: if it is not empty, an additional regime takes these stages from these regimes and all others from the
    compiled one. `arrays_folder`, if given, receives every compared array; beyond `most_array_bytes`, if given, those
    of whole utterances are deleted again. `fault`, if given, is the name of a fault in
    `engine.validator.faults.catalog` to inject into the compiled modules first. `golden` is the file of a golden run
    to compare the rows with, instead of the one saved for such a request. `phonemes`, if given, are spoken instead of
    the text, as one utterance.
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

    All but `finite_percent` (of ours) and `tail_energy` are None if one of the two is not finite; `sqnr_db` is also
    None if they are equal, with a `max_abs` of 0. `tail_energy` is the mean square of a static regime's values in its
    padding, None without padding. Phases are compared on the circle; `sign_flips` counts those that should be exactly
    pi and are -pi, and is None for values other than phases.
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
    """Two waveforms compared as audio; `lag_samples` is how much later ours is at its best correlation."""

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
    """The error of an array along an utterance.

    `errors` holds the largest error in each cell relative to the reference's rms; the cells divide the utterance's
    `axis` (`tokens` or `frames`) into equal parts.
    """

    axis: str
    errors: tuple[float, ...]


@dataclass(frozen=True)
class NotFinite:
    """The numbers of values of an array that are NaN, or infinite in float32, and the first of them in time.

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
    """One output of one stage (or a probe inside it) in one regime and reading, compared with the reference.

    `metrics` is None if the two cannot be compared; `by_phoneme` and the profile then compare them after ours was moved
    to the reference's frames phoneme by phoneme, by `engine.validator.measures.phoneme_alignment`. `not_finite` is None
    if all of ours is finite. Seconds are the whole stage's, None if it was not timed. `stage` is a name of
    `engine.stages.STAGES`; `output` the tensor's or the probed module's name. `times_floor` is its relative L2 error
    over that of upstream's float32, `times_golden` over that of a golden run; None if either is unknown, or upstream
    has no error.
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
        """True if the row can make the validation fail: only rows of compiled regimes, including crossed ones, can.

        Rows of students can only if the reference has the same students in PyTorch.
        """
        return self.regime.startswith(Regime.COMPILED) or (self.regime == Regime.DISTILLED and not self.of_teacher)

    @property
    def of_teacher(self) -> bool:
        """True if students are compared with their teacher, which they only approximate."""
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

    `inner` names the first wrong activation in it, empty if none is wrong or none were compared.
    """

    regime: str
    stage: str
    words: str
    inner: str = ""


@dataclass(frozen=True)
class Report:
    """A whole validation: the request, the results, and the versions used.

    `device_choice` states what ran the compiled modules, `lstm_choice` which method computed their LSTMs, and why; both
    are empty if nothing compiled was run. `planted` is the injected fault. The errors of the compiled regimes depend on
    `circumstances`; `golden` is a sentence on the golden run that they were compared with.
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
        """True if no stage of a compiled regime is itself wrong."""
        return not any(row.decides and row.verdict is Verdict.FAIL for row in self.rows)


@dataclass(frozen=True)
class FinishedEvent:
    """The validation is done."""

    report: Report


@dataclass(frozen=True)
class FailedEvent:
    """The validation failed: the reason and a remedy, as in `EngineError`."""

    message: str
    hint: str
    recovery_action: RecoveryAction | None = None


@dataclass(frozen=True)
class PulseEvent:
    """The process is alive and has computed for this many seconds in all."""

    computed_seconds: float


_InspectionEvent = GraphEvent | KernelEvent | CodeEvent | InspectedEvent | KernelsEvent
_ComparisonEvent = PreparationEvent | PlanEvent | AlignmentEvent | RowEvent | FinishedEvent | FailedEvent | PulseEvent
ValidationEvent = _InspectionEvent | _ComparisonEvent


class Substitute(StrEnum):
    """A computation that can replace a kernel; its result then passes through the rest of the model."""

    PLAIN_LOOPS = "plain-loops"
    """The kernel's own TIR without its schedule: every loop serial, nothing vectorized, unrolled or parallel."""
    PYTORCH = "pytorch"
    """PyTorch, on the kernel's inputs."""


@dataclass(frozen=True)
class Replacement:
    """A call of a kernel, by its stage and the id of its node, to compute by a substitute.

    Without a node, the whole stage is computed in PyTorch.
    """

    stage: str
    node: str | None = None
    substitute: Substitute = Substitute.PYTORCH


@dataclass(frozen=True)
class KernelRequest:
    """A request to inspect `stages` of the compiled modules, isolated, on one utterance of a request's text.

    Without `stages`, those with wrong outputs are inspected. With `replacements`, nothing is inspected: the whole
    utterance is computed with them and compared as an additional regime, whose name lists the replacements.
    """

    validation: ValidationRequest
    utterance: int = 0
    stages: tuple[str, ...] = ()
    replacements: tuple[Replacement, ...] = ()

"""The convolutions of a model, each timed separately: shares of the peak, as plain values and as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from engine.benchmark.job import Length

if TYPE_CHECKING:
    from engine.compiler.convolution_layers import ConvolutionLayer  # loads torch

ALONE = (
    "each convolution by itself, with its bias, on separate arrays, in turn with the peak; the least of its times "
    "and the highest peak are those that nothing else on the machine disturbed"
)
_MILLI, _GIGA = 1e3, 1e9


@dataclass(frozen=True)
class LayerTime:
    """The times of one convolution, with its bias; the stage contains `count` of them."""

    stage: str
    layer: ConvolutionLayer
    count: int
    is_direct: bool
    least_seconds: float
    median_seconds: float


@dataclass(frozen=True)
class LayerTimes:
    """All convolutions of some stages; `peak_flop_per_second` is the highest peak measured between them."""

    layers: tuple[LayerTime, ...]
    peak_flop_per_second: float


@dataclass(frozen=True)
class Group:
    """Convolutions computed by the same algorithm, each counted as often as an utterance needs it."""

    key: str
    title: str
    layers: Sequence[LayerTime]

    @property
    def flop(self) -> float:
        """The floating-point operations required by the mathematics."""
        return sum(timed.count * timed.layer.flop for timed in self.layers)

    @property
    def least_seconds(self) -> float:
        """The sum of the least times."""
        return sum(timed.count * timed.least_seconds for timed in self.layers)

    @property
    def median_seconds(self) -> float:
        """The sum of the medians."""
        return sum(timed.count * timed.median_seconds for timed in self.layers)


def groups(times: LayerTimes) -> tuple[Group, ...]:
    """Return the convolutions computed directly, and those computed by Winograd's algorithm, without empty groups."""
    direct = Group("direct", "direct", [timed for timed in times.layers if timed.is_direct])
    winograd = Group("filtered", "Winograd", [timed for timed in times.layers if not timed.is_direct])
    return tuple(group for group in (direct, winograd) if group.layers)


def to_dict(model: str, length: Length, times: LayerTimes) -> dict[str, Any]:
    """Return all results as plain values for `json.dump`."""
    peak = times.peak_flop_per_second
    return {
        "model": model,
        "basis": ALONE,
        "audio_seconds": length.seconds,
        "peak_flop_per_second": peak,
        "groups": {
            group.key: {
                "flop": group.flop,
                "least_seconds": group.least_seconds,
                "median_seconds": group.median_seconds,
                "share_of_peak": group.flop / group.least_seconds / peak,
                "median_share_of_peak": group.flop / group.median_seconds / peak,
            }
            for group in groups(times)
        },
        "layers": [_layer(timed) for timed in times.layers],
    }


def _layer(timed: LayerTime) -> dict[str, Any]:
    """Return the results of one convolution.

    Scripts may read `careful`, for sums of high precision, which no layer has.
    """
    figures = asdict(timed)
    figures["layer"]["careful"] = False
    return figures


def to_text(model: str, length: Length, times: LayerTimes) -> str:
    """Format a table of all convolutions, slowest first, and the sums of each group."""
    return "\n".join(_lines(model, length, times))


def _lines(model: str, length: Length, times: LayerTimes) -> Iterator[str]:
    peak = times.peak_flop_per_second
    yield f"Convolutions of {model}, {length.seconds:g} s of speech ({length.frames} frames, {length.tokens} tokens)"
    yield f"Peak of the CPU: {peak / _GIGA:.0f} GFLOP/s"
    yield f"{'stage':<14}{'channels':>14}{'taps':>6}{'algorithm':>19}{'count':>7}{'ms':>10}{'of peak':>9}{'median':>9}"
    for timed in sorted(times.layers, key=lambda timed: -timed.count * timed.least_seconds):
        yield _row(timed, peak)
    for group in groups(times):
        of_least, of_median = (group.flop / one / peak for one in (group.least_seconds, group.median_seconds))
        milliseconds = _MILLI * group.least_seconds
        yield f"{'all ' + group.title:<60}{milliseconds:>10.2f}{of_least:>9.0%}{of_median:>9.0%}"
    yield f"How: {ALONE}."


def _row(timed: LayerTime, peak: float) -> str:
    layer = timed.layer
    channels = f"{layer.channels} to {layer.out_channels}"
    taps = f"{layer.kernel_size}{'T' if layer.is_transposed else ''}"
    algorithm = "direct" if timed.is_direct else "Winograd"
    of_least, of_median = (layer.flop / one / peak for one in (timed.least_seconds, timed.median_seconds))
    milliseconds = _MILLI * timed.count * timed.least_seconds
    return (
        f"{timed.stage:<14}{channels:>14}{taps:>6}{algorithm:>19}{timed.count:>7}"
        f"{milliseconds:>10.2f}{of_least:>9.0%}{of_median:>9.0%}"
    )

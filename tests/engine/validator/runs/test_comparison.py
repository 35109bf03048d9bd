"""Tests of one utterance in several regimes in step, and of the pairs that are compared."""

from collections.abc import Iterator, Mapping

import numpy as np
import pytest

from engine.compiler.artifacts.manifest import CPU, Variant
from engine.models.checkpoints import open_checkpoint
from engine.speech import Array, Style, Utterance
from engine.stages import DEVICE_STAGES, STAGES, Stage, stage_named
from engine.validator.data.results import AlignmentEvent, InputSource, Regime, Row, RowEvent, Verdict
from engine.validator.runners.regimes import ProbeLog, RegimeRunner, Regimes
from engine.validator.runs.comparison import Comparison
from engine.validator.runs.end_to_end_run import RegimeChain

UTTERANCE = Utterance(3, "hello", "həlˈO.", 0, 5)


class Spoiled:
    """Wraps a runner and changes one output, by a little noise or completely."""

    def __init__(self, runner: RegimeRunner, output: str, change: object) -> None:
        self._runner = runner.runner
        self._output = output
        self._change = change

    def run_stage(self, stage: Stage, inputs: Mapping[str, Array]) -> dict[str, Array]:
        outputs = self._runner.run_stage(stage, inputs)
        if self._output in outputs:
            outputs[self._output] = self._change(outputs[self._output])  # type: ignore[operator]
        return outputs

    def close(self) -> None:
        """Do nothing: there is nothing to release."""


class Counted:
    """Wraps a runner and records the stages that it runs."""

    def __init__(self, runner: RegimeRunner, ran: list[str]) -> None:
        self._runner = runner.runner
        self._ran = ran

    def run_stage(self, stage: Stage, inputs: Mapping[str, Array]) -> dict[str, Array]:
        self._ran.append(stage.name)
        return self._runner.run_stage(stage, inputs)

    def close(self) -> None:
        """Do nothing: there is nothing to release."""


def style_of(regimes: Regimes) -> Style:
    return next(iter(regimes.checkpoint.voices.values())).style(len(UTTERANCE.phonemes))


@pytest.fixture(scope="module")
def regimes() -> Iterator[Regimes]:
    made = Regimes(open_checkpoint(), probes=False)
    yield made
    made.close()


def rows_with(regimes: Regimes, output: str, change: object, variant: Variant = CPU) -> list[Row]:
    truth = regimes.open(Regime.DYNAMIC, 0, lambda _: None)
    other = RegimeRunner("other", Spoiled(truth, output, change), ProbeLog(), tolerance_of=variant.tolerance_of)
    chains = [RegimeChain(regime, regimes.pipeline(regime)) for regime in (truth, other)]
    style = next(iter(regimes.checkpoint.voices.values())).style(5)
    events = Comparison(chains[0], chains[1:]).events(UTTERANCE, style, 1.0, 0)
    return [event.row for event in events if isinstance(event, RowEvent)]


def verdicts(rows: list[Row], reading: InputSource) -> dict[str, Verdict]:
    return {row.output: row.verdict for row in rows if row.reading is reading}


def test_a_regime_equal_to_the_reference_passes_everywhere(regimes: Regimes) -> None:
    rows = rows_with(regimes, "audio", lambda audio: audio)
    assert {row.verdict for row in rows} == {Verdict.PASS}
    assert all(row.metrics is None or row.metrics.max_abs == 0 for row in rows)
    assert {row.utterance for row in rows} == {UTTERANCE.index}


@pytest.mark.parametrize("stage", DEVICE_STAGES, ids=lambda stage: stage.name)
def test_the_wrong_stage_fails_and_later_stages_inherit(regimes: Regimes, stage: Stage) -> None:
    output = stage.outputs[0].name
    noise = np.random.default_rng(0)

    def spoil(array: Array) -> Array:
        return (array + 0.05 * array.std() * noise.standard_normal(array.shape)).astype(np.float32)

    rows = rows_with(regimes, output, spoil)
    failed = {name for name, verdict in verdicts(rows, InputSource.ISOLATED).items() if verdict is Verdict.FAIL}
    assert failed == {output}
    own = verdicts(rows, InputSource.END_TO_END)
    assert own[output] is Verdict.FAIL
    assert Verdict.FAIL not in {verdict for name, verdict in own.items() if name != output}
    if output in {"phoneme_features", "energy", "magnitude"}:
        assert own["audio"] is Verdict.INHERITED


def test_halves_may_be_less_exact_where_convolutions_multiply_them(regimes: Regimes) -> None:
    noise = np.random.default_rng(0)

    def rounded(array: Array) -> Array:
        return (array + 0.01 * array.std() * noise.standard_normal(array.shape)).astype(np.float32)

    halves = Variant("metal-host", precision="float16")
    for output, variant, verdict in (
        ("magnitude", CPU, Verdict.FAIL),
        ("magnitude", halves, Verdict.PASS),
        ("audio", halves, Verdict.FAIL),
    ):
        rows = [row for row in rows_with(regimes, output, rounded, variant) if row.output == output]
        assert {row.verdict for row in rows} == {verdict}
        assert {row.tolerance for row in rows} == {0.9999 if verdict is Verdict.PASS else 0.99999}


def test_other_durations_make_frames_incomparable_but_not_text(regimes: Regimes) -> None:
    rows = rows_with(regimes, "duration_logits", lambda logits: logits + np.float32(2))
    own = verdicts(rows, InputSource.END_TO_END)
    assert own["frame_token"] is Verdict.INHERITED
    assert own["f0"] is own["audio"] is Verdict.INCOMPARABLE
    assert own["phoneme_features"] is Verdict.PASS
    (audio,) = [row for row in rows if row.output == "audio" and row.reading is InputSource.END_TO_END]
    assert audio.metrics is None
    assert audio.profile is not None
    assert audio.audio is not None  # audio of a different length can still be compared
    (alignment,) = [row for row in rows if row.output == "frame_token" and row.reading is InputSource.END_TO_END]
    assert alignment.durations.frames > alignment.durations.reference_frames


def later(logits: Array) -> Array:
    """Lengthen every phoneme but the borders by two frames."""
    return logits + np.float32(2)


def test_with_the_references_durations_all_of_a_chain_stays_comparable(regimes: Regimes) -> None:
    rows = rows_with(regimes, "duration_logits", later)
    given = [row for row in rows if row.reading is InputSource.END_TO_END_REFERENCE_DURATIONS]
    after = [stage.name for stage in STAGES[STAGES.index(stage_named("f0n")) :]]
    assert list(dict.fromkeys(row.stage for row in given)) == after
    assert {row.verdict for row in given} == {Verdict.PASS}  # only the durations were wrong
    assert {row.metrics.max_abs for row in given if row.metrics} == {0.0}


def test_an_error_before_the_durations_still_shows_in_the_references_frames(regimes: Regimes) -> None:
    noise = np.random.default_rng(0)

    def spoil(features: Array) -> Array:
        return (features + 2 * features.std() * noise.standard_normal(features.shape)).astype(np.float32)

    rows = rows_with(regimes, "text_features", spoil)
    given = {row.output: row for row in rows if row.reading is InputSource.END_TO_END_REFERENCE_DURATIONS}
    assert given["f0"].verdict is given["audio"].verdict is Verdict.INHERITED
    assert given["f0"].metrics is not None
    assert (given["f0"].metrics.relative_l2 or 0) > 0
    assert given["phoneme_features"].verdict is Verdict.PASS  # computed from the tokens alone


def test_out_of_step_rows_are_compared_by_phoneme_too(regimes: Regimes) -> None:
    rows = rows_with(regimes, "duration_logits", later)
    apart = {row.output: row for row in rows if row.verdict is Verdict.INCOMPARABLE}
    assert set(apart) == {"f0", "energy", "harmonics", "magnitude", "phase", "audio"}
    assert all(row.by_phoneme is not None for row in apart.values())
    assert (apart["energy"].by_phoneme.pearson or 0) > 0.8  # type: ignore[union-attr]
    assert all(row.by_phoneme is None for row in rows if row.verdict is not Verdict.INCOMPARABLE)


def test_as_many_frames_in_other_places_are_out_of_step(regimes: Regimes) -> None:
    def moved(logits: Array) -> Array:
        changed = logits.copy()
        changed[0, 2], changed[0, 3] = logits[0, 3], logits[0, 2]
        return changed

    rows = rows_with(regimes, "duration_logits", moved)
    (alignment,) = [row for row in rows if row.output == "frame_token" and row.reading is InputSource.END_TO_END]
    assert alignment.durations.differing_tokens == 2
    assert alignment.durations.frames == alignment.durations.reference_frames
    assert verdicts(rows, InputSource.END_TO_END)["audio"] is Verdict.INCOMPARABLE


def test_values_that_are_not_finite_fail(regimes: Regimes) -> None:
    rows = rows_with(regimes, "energy", lambda energy: np.full_like(energy, np.nan))
    (row,) = [row for row in rows if row.output == "energy" and row.reading is InputSource.ISOLATED]
    assert row.verdict is Verdict.FAIL
    assert row.metrics.finite_percent == 0
    assert (row.not_finite.nan, row.not_finite.first) == (2 * row.not_finite.extent, (0, 0))  # two values a frame
    assert all(each.not_finite is None for each in rows if each.stage == "bert")


def test_profiles_point_to_where_the_error_is(regimes: Regimes) -> None:
    def click(audio: Array) -> Array:
        changed = audio.copy()
        changed[0, audio.shape[1] // 2] += 1
        return changed

    rows = rows_with(regimes, "audio", click)
    (row,) = [row for row in rows if row.output == "audio" and row.reading is InputSource.ISOLATED]
    errors = np.array(row.profile.errors)
    assert errors.argmax() == pytest.approx(len(errors) / 2, abs=1)
    assert np.count_nonzero(errors) == 1


@pytest.mark.parametrize(
    ("stage", "first"), [("source", [Regime.UPSTREAM, "slightly"]), ("istft", ["slightly", Regime.UPSTREAM])]
)
def test_upstream_comes_first_as_noise_floor_unless_only_its_chain_remains(
    regimes: Regimes, stage: str, first: list[str]
) -> None:
    truth, upstream, compiled = (
        regimes.open(regime, 0, lambda _: None) for regime in (Regime.DYNAMIC, Regime.UPSTREAM, Regime.COMPILED)
    )
    slightly = RegimeRunner("slightly", Spoiled(compiled, "harmonics", lambda x: x * np.float32(1.0001)), ProbeLog())
    chains = [RegimeChain(regime, regimes.pipeline(regime)) for regime in (truth, slightly, upstream)]
    events = list(Comparison(chains[0], chains[1:]).events(UTTERANCE, style_of(regimes), 1.0, 0))
    rows = [event.row for event in events if isinstance(event, RowEvent) and event.row.stage == stage]
    assert [(row.regime, row.reading) for row in rows] == [
        *((regime, InputSource.ISOLATED) for regime in first),
        (Regime.UPSTREAM, InputSource.END_TO_END),
        ("slightly", InputSource.END_TO_END),
    ]
    assert sum(isinstance(event, AlignmentEvent) for event in events) == 1


def test_upstream_skips_isolated_runs_that_would_repeat_the_reference(regimes: Regimes) -> None:
    truth, upstream = (regimes.open(regime, 0, lambda _: None) for regime in (Regime.DYNAMIC, Regime.UPSTREAM))
    ran: list[str] = []
    counted = RegimeRunner(upstream.name, Counted(upstream, ran), ProbeLog(), code_of=upstream.code_of)
    chains = [RegimeChain(regime, regimes.pipeline(regime)) for regime in (truth, counted)]
    events = list(Comparison(chains[0], chains[1:]).events(UTTERANCE, style_of(regimes), 1.0, 0))
    assert ran.count("decoder") == ran.count("istft") == 1
    assert ran.count("f0n") == ran.count("source") == 2
    steps = chains[0].pipeline.steps(UTTERANCE, style_of(regimes), 1.0, 0)
    fed = {
        row.output: row for row in (e.row for e in events if isinstance(e, RowEvent)) if row.reading == "reference-fed"
    }
    for step in steps:
        if step.stage.name in ("text_encoder", "decoder", "istft"):
            again = upstream.runner.run_stage(step.stage, step.inputs)
            assert all(np.array_equal(again[name], array) for name, array in step.outputs.items())
            assert all(fed[tensor.name].metrics.max_abs == 0 for tensor in step.stage.outputs)  # type: ignore[union-attr]

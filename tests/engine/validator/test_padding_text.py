"""Tables about padding for the terminal."""

from engine.validator.lstm_comparison import LstmComparison, LstmRun, LstmRunResult
from engine.validator.padding_text import lstm_text, sweep_text
from engine.validator.results import Metrics, Reading
from engine.validator.sweep import SweepPoint

PADDINGS = (0.0, 1.0, 4.0)


def metrics(pearson: float) -> Metrics:
    return Metrics(pearson, pearson, 50.0, 0.1, 0.1, 100.0)


def test_an_lstm_has_a_line_per_way_of_running_it() -> None:
    runs = [(LstmRun.PACKED, (1.0, 1.0, 1.0)), (LstmRun.NO_PACK, (1.0, 0.9, 0.5))]
    results = tuple(
        LstmRunResult(run, (0.1,), metrics(values[1]), tuple(metrics(value) for value in values))
        for run, values in runs
    )
    comparison = LstmComparison(
        0, "text_encoder.lstm", "Text encoder's LSTM", "text_encoder", 12, 1.0, PADDINGS, results
    )
    title, heading, packed, no_pack = lstm_text([comparison]).splitlines()
    assert "12 timesteps" in title
    assert heading.split()[-3:] == ["0", "1", "4"]
    assert packed.split() == ["packed", "1", "1", "1"]
    assert no_pack.split() == ["no-pack", "1", "0.90000000", "0.50000000"]


def test_a_sweep_shows_the_worst_utterance_and_the_sound_at_the_end() -> None:
    points = [
        SweepPoint(padding, "static-no-pack", utterance, "istft", "audio", reading, pearson - utterance / 10, 0.25)
        for padding, pearson in ((0.0, 1.0), (4.0, 0.5))
        for utterance in (0, 1)
        for reading in Reading
    ]
    heading, regime, audio, heard = sweep_text(points).splitlines()
    assert heading.split()[-2:] == ["0", "4"]
    assert regime == "static-no-pack"
    assert audio.split() == ["audio", "0.90000000", "0.40000000"]
    assert heard.split()[-2:] == ["0.25000000", "0.25000000"]


def test_what_cannot_be_compared_is_a_dash() -> None:
    point = SweepPoint(1.0, "compiled-padded", 0, "f0n", "f0", Reading.REFERENCE_FED, None)
    assert "–" in sweep_text([point])


def test_lines_fit_a_terminal() -> None:
    points = [
        SweepPoint(
            padding, "compiled-padded", 0, "text_encoder", "phoneme_features", Reading.REFERENCE_FED, 0.123456789
        )
        for padding in (0.0, 0.25, 0.5, 1.0, 2.0, 4.0)
    ]
    assert max(len(line) for line in sweep_text(points).splitlines()) < 100

from engine.benchmark.comparison_words import in_words
from tests.engine.benchmark.example_measurement import alone, measurement


def test_the_table_has_every_stage_and_the_total():
    words = in_words(measurement())
    rows = {line.split()[0]: line.split() for line in words.splitlines() if line.startswith("  ")}
    assert rows["decoder"] == ["decoder", "100.00", "0.0100", "400.0", "200%", "300.00", "3.00", "250.00", "2.40"]
    assert rows["istft"][3:5] == ["-", "-"]
    assert rows["total"][1] == "112.00"


def test_what_matters_is_said():
    words = in_words(measurement())
    assert "had run the stages for 10 s before the first round" in words
    assert "2.23 times as fast as the best peer, onnxruntime" in words
    assert "slower than the best peer by more than 10%: bert (0.80)" in words
    assert "Left out: torch-compile: torch.compile needs a C++ compiler (g++)." in words
    assert "short text 40 ms, long text 400 ms" in words
    assert "peak memory for up to 10 s of speech" in words
    assert "           1.6      2.50       560" in words
    assert "compiled in 35.5 s" in words


def test_alone_nothing_is_compared():
    words = in_words(measurement(lengths=(alone(),), export_seconds=None, left_out={}))
    assert "best peer" not in words
    assert "Left out" not in words
    assert "exported to ONNX" not in words
